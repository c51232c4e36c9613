// Package trees has the specs of tree ensembles.
package trees

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Tree ensembles, node by node as the modes are defined.

func init() {
	spec.Register("tree_ensemble", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, a := c.In[0], reference.Attr[treeAttr](c)
			e := a.Ensemble()
			n, targets := x.Shape[0], max(e.Targets, 1)
			raw, terms := spec.NewArray(x.DType, n, targets), make([]float64, n*targets)
			for s := range n {
				scores, sizes := treeScores(e, targets, x.F[s*x.Shape[1]:][:x.Shape[1]])
				copy(raw.F[s*targets:], scores)
				copy(terms[s*targets:], sizes)
			}
			y := spec.Result{Array: raw, Terms: terms, N: float64(len(e.Trees) + 4)}
			if a.Classify {
				return treeClasses(y, e, a.Labels)
			}
			return transformed(y, e.Transform)
		},
		Tolerance: spec.Tolerance{ULP: 8, ULP64: 8, Terms: 1, Source: spec.AnySum + " of weights; a transform is a composition"},
		Samples:   treeSamples(),
	})
}

// treeScores are the aggregates of one sample and the magnitudes that their rounding is relative to.
func treeScores(e *ops.TreeEnsemble, targets int, x []float64) (scores, sizes []float64) {
	scores, sizes = make([]float64, targets), make([]float64, targets)
	met := make([]bool, targets)
	for _, nodes := range e.Trees {
		at := 0
		for nodes[at].Mode != ops.TreeLeaf {
			n := &nodes[at]
			if at = n.False; passes(n, x[n.Feature]) {
				at = n.True
			}
		}
		for _, w := range nodes[at].Weights {
			s := &scores[w.Target]
			switch {
			case e.Aggregate == ops.TreeSum || e.Aggregate == ops.TreeMean:
				*s += w.Value
			case !met[w.Target], e.Aggregate == ops.TreeMin && w.Value < *s, e.Aggregate == ops.TreeMax && w.Value > *s:
				*s = w.Value
			}
			met[w.Target] = true
			sizes[w.Target] += math.Abs(w.Value)
		}
	}
	for t := range scores {
		if e.Aggregate == ops.TreeMean && len(e.Trees) > 0 {
			scores[t] /= float64(len(e.Trees))
		}
		if e.Base != nil {
			scores[t] += e.Base[t]
			sizes[t] += math.Abs(e.Base[t])
		}
	}
	return scores, sizes
}

func passes(n *ops.TreeNode, x float64) bool {
	if math.IsNaN(x) && n.MissingTrue {
		return true
	}
	switch n.Mode {
	case ops.TreeLess:
		return x < n.Value
	case ops.TreeLessEqual:
		return x <= n.Value
	case ops.TreeGreater:
		return x > n.Value
	case ops.TreeGreaterEqual:
		return x >= n.Value
	case ops.TreeEqual:
		return x == n.Value
	case ops.TreeNotEqual:
		return x != n.Value
	}
	return slices.Contains(n.Set, x)
}

// transformed applies a transform to rows.
func transformed(y spec.Result, by ops.TreeTransform) spec.Result {
	if by == ops.TreeRaw {
		return y
	}
	width := y.Shape[1]
	for from := 0; from < len(y.F); from += width {
		row := y.F[from:][:width]
		top, sum := slices.Max(row), 0.0
		for t, v := range row {
			switch {
			case by == ops.TreeLogistic:
				row[t], sum = 1/(1+math.Exp(-v)), 1
				continue
			case by == ops.TreeSoftmaxZero && v == 0:
				continue
			}
			row[t] = math.Exp(v - top)
			sum += row[t]
		}
		for t := range row {
			row[t] /= max(sum, math.SmallestNonzeroFloat64)
			y.Terms[from+t] += 1
		}
	}
	return y
}

// treeClasses turns scores into those of the classes, or into labels.
func treeClasses(y spec.Result, e *ops.TreeEnsemble, labels bool) spec.Result {
	n, targets := y.Shape[0], y.Shape[1]
	names := spec.NewArray(tensor.Int64, n)
	if targets > 1 {
		for s := range n {
			row := y.F[s*targets:][:targets]
			names.I[s] = e.Labels[slices.Index(row, slices.Max(row))]
		}
		if labels {
			return reference.Exactly(names)
		}
		return transformed(y, e.Transform)
	}
	negative := false
	for _, nodes := range e.Trees {
		for _, n := range nodes {
			negative = negative || slices.ContainsFunc(n.Weights, func(w ops.TreeWeight) bool { return w.Value < 0 })
		}
	}
	out := spec.Result{Array: spec.NewArray(y.DType, n, 2), Terms: make([]float64, 2*n), N: y.N}
	for s, v := range y.F {
		other, half := 1-v, 0.5
		if negative {
			half = 0
		}
		if negative || e.Transform == ops.TreeLogistic {
			other = -v
		}
		out.F[2*s], out.F[2*s+1] = other, v
		out.Terms[2*s], out.Terms[2*s+1] = y.Terms[s]+1, y.Terms[s]+1
		names.I[s] = e.Labels[0]
		if v > half {
			names.I[s] = e.Labels[1]
		}
	}
	switch {
	case labels:
		return reference.Exactly(names)
	case negative || e.Transform == ops.TreeLogistic:
		return transformed(out, e.Transform)
	}
	return out
}
