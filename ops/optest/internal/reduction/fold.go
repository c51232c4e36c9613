// Package reduction has the specs of ops that fold or scan axes: reductions, running folds, statistics, histograms,
// and those under a mask.
package reduction

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Folds over axes.

func init() {
	spec.Register("sum", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return sums(c.In[0], reference.Attr[[]int](c)) },
		Tolerance: spec.Summed(spec.AnySum),
		Samples:   reductions(ops.Sum, -4, 4),
	})
	spec.Register("prod", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x := c.In[0]
			r := fold(x, reference.Attr[[]int](c), x.DType, 1, func(y spec.Array, p, q int) {
				switch {
				case y.F != nil:
					y.F[p] *= x.F[q]
				case y.I != nil:
					y.I[p] = reference.WrapInt(y.DType, y.I[p]*x.I[q])
				default:
					y.U[p] = reference.WrapUint(y.DType, y.U[p]*x.U[q])
				}
			})
			if r.F != nil { // every factor costs one rounding, relative to the product
				r.Terms = reference.Absolutes(r.F)
				r.N = foldedCount(x, r.Array)
			}
			return r
		},
		Tolerance: spec.Summed("a product in any order: n·u·|product|"),
		Samples:   reductions(ops.Prod, 0.8, 1.25),
	})
	spec.Register("max", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return extremes(c.In[0], reference.Attr[[]int](c), false) },
		Tolerance: spec.Exact,
		Samples:   append(reductions(ops.Max, -4, 4), specialReduction(ops.Max)...),
	})
	spec.Register("min", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return extremes(c.In[0], reference.Attr[[]int](c), true) },
		Tolerance: spec.Exact,
		Samples:   append(reductions(ops.Min, -4, 4), specialReduction(ops.Min)...),
	})
	spec.Register("argmax", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return positions(c, false) },
		Tolerance: spec.Exact,
		Samples:   argReductions(ops.ArgMax),
	})
	spec.Register("argmin", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return positions(c, true) },
		Tolerance: spec.Exact,
		Samples:   argReductions(ops.ArgMin),
	})
	spec.Register("any", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x := c.In[0]
			return fold(x, reference.Attr[[]int](c), x.DType, 0, func(y spec.Array, p, q int) { y.U[p] |= x.U[q] })
		},
		Tolerance: spec.Exact,
		Samples:   reductions(ops.Any, 0, 1),
	})
	spec.Register("all", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x := c.In[0]
			return fold(x, reference.Attr[[]int](c), x.DType, 1, func(y spec.Array, p, q int) { y.U[p] &= x.U[q] })
		},
		Tolerance: spec.Exact,
		Samples:   reductions(ops.All, 0, 1),
	})
	spec.Register("mean", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return means(c.In[0], reference.Attr[[]int](c)) },
		Tolerance: spec.Tolerance{ULP: 3, ULP64: 1, Terms: 1, Stored: 1, Source: spec.Composition},
		Samples:   reductions(ops.Mean, -4, 4),
	})
	spec.Register("variance", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return variances(c.In[0], reference.Attr[[]int](c)) },
		Tolerance: spec.Tolerance{ULP: 3, ULP64: 1, Terms: 1, Stored: 4, Source: spec.Composition},
		Samples:   reductions(ops.Variance, -4, 4),
	})
	spec.Register("log_sum_exp", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return logSums(c.In[0], reference.Attr[[]int](c)) },
		Tolerance: spec.Tolerance{ULP: 6, ULP64: 6, Terms: 1, Stored: 4, Source: spec.Composition},
		Samples: append(reductions(ops.LogSumExp, -4, 4), spec.Sample{
			Label: "far apart", Operands: []spec.Operand{{Shape: []int{9, 21}, Lo: -200, Hi: 200}}, Attr: []int{1},
			Build: func(in []*ops.Node) *ops.Node { return ops.LogSumExp(in[0], 1) },
			Only:  []tensor.DType{tensor.BFloat16, tensor.Float32, tensor.Float64},
		}),
	})
}

// fold starts every element of the result with a number and gives it one
// element of x after the other, in row-major order.
func fold(x spec.Array, axes []int, dt tensor.DType, start float64, step func(y spec.Array, p, q int)) spec.Result {
	y := spec.NewArray(dt, remaining(x.Shape, axes)...)
	for p := range y.Len() {
		switch {
		case y.F != nil:
			y.F[p] = start
		case y.I != nil:
			y.I[p] = int64(start)
		default:
			y.U[p] = uint64(start)
		}
	}
	overFold(x.Shape, axes, func(p, q int) { step(y, p, q) })
	return reference.Exactly(y)
}

// overFold visits every element q of a tensor of some shape together with the
// element p of the result that it is folded into.
func overFold(shape, axes []int, visit func(p, q int)) {
	keep := remaining(shape, axes)
	gone := folded(len(shape), axes)
	to := make([]int, len(keep))
	for q, at := range reference.Coordinates(shape) {
		k := 0
		for a, i := range at {
			if !gone[a] {
				to[k] = i
				k++
			}
		}
		visit(reference.Position(keep, to), q)
	}
}

// folded says of each axis whether it vanishes; no axes means all.
func folded(rank int, axes []int) []bool {
	gone := make([]bool, rank)
	for a := range gone {
		gone[a] = len(axes) == 0
	}
	for _, a := range axes {
		gone[reference.WrapAxis(a, rank)] = true
	}
	return gone
}

func remaining(shape, axes []int) []int {
	keep := []int{}
	for a, gone := range folded(len(shape), axes) {
		if !gone {
			keep = append(keep, shape[a])
		}
	}
	return keep
}

// foldedCount is how many elements of x each element of y was folded from.
func foldedCount(x, y spec.Array) float64 {
	if y.Len() == 0 {
		return 0
	}
	return float64(x.Len() / y.Len())
}

// sums adds in float64; Terms is Σ|x|.
func sums(x spec.Array, axes []int) spec.Result {
	r := fold(x, axes, x.DType, 0, func(y spec.Array, p, q int) {
		switch {
		case y.F != nil:
			y.F[p] += x.F[q]
		case y.I != nil:
			y.I[p] = reference.WrapInt(y.DType, y.I[p]+x.I[q])
		default:
			y.U[p] = reference.WrapUint(y.DType, y.U[p]+x.U[q])
		}
	})
	if r.F != nil {
		r.Terms = make([]float64, r.Len())
		overFold(x.Shape, axes, func(p, q int) { r.Terms[p] += math.Abs(x.F[q]) })
		r.N = foldedCount(x, r.Array)
	}
	return r
}

// extremes folds to the largest or smallest element. Nothing gives the
// identity of the fold.
func extremes(x spec.Array, axes []int, smallest bool) spec.Result {
	y := spec.NewArray(x.DType, remaining(x.Shape, axes)...)
	limit := spec.FromTensor(tensor.Must(tensor.Cast(tensor.Scalar(math.Inf(map[bool]int{true: 1, false: -1}[smallest])), x.DType)))
	for p := range y.Len() {
		reference.CopyElement(y, p, limit, 0)
	}
	overFold(x.Shape, axes, func(p, q int) {
		if reference.Beats(x, q, y, p, smallest) {
			reference.CopyElement(y, p, x, q)
		}
	})
	return reference.Exactly(y)
}

// positions folds to the index along an axis of the first extreme.
func positions(c spec.Case, smallest bool) spec.Result {
	x := c.In[0]
	var axes []int
	switch a := c.Attr.(type) {
	case int:
		axes = []int{a}
	default:
		axes = reference.Attr[[]int](c)
	}
	y := spec.NewArray(tensor.Int64, remaining(x.Shape, axes)...)
	best := spec.NewArray(x.DType, y.Shape...)
	seen := make([]int64, y.Len())
	overFold(x.Shape, axes, func(p, q int) {
		if seen[p] == 0 || reference.Beats(x, q, best, p, smallest) {
			reference.CopyElement(best, p, x, q)
			y.I[p] = seen[p]
		}
		seen[p]++
	})
	return reference.Exactly(y)
}

// means is Σx / n; the mean of nothing is NaN.
func means(x spec.Array, axes []int) spec.Result {
	r := sums(x, axes)
	n := foldedCount(x, r.Array)
	for p := range r.F {
		r.F[p] /= n
		r.Terms[p] /= n
	}
	r.N = n + 2
	return r
}

// variances is Σ(x - mean)² / n, in two passes. Terms includes the effect of the error of
// the mean on the squares.
func variances(x spec.Array, axes []int) spec.Result {
	m := means(x, axes)
	n := foldedCount(x, m.Array)
	y := spec.NewArray(x.DType, m.Shape...)
	terms := make([]float64, y.Len())
	overFold(x.Shape, axes, func(p, q int) {
		d := x.F[q] - m.F[p]
		y.F[p] += d * d
		terms[p] += d*d + 2*math.Abs(d)*m.Terms[p]
	})
	for p := range y.F {
		y.F[p] /= n
		terms[p] /= n
		// The error of the mean counts twice where all are alike: of float32, and less of wider floats.
		terms[p] += m.Terms[p] * m.Terms[p] * (n + 2) * 0x1p-24
	}
	return spec.Result{Array: y, Terms: terms, N: n + 6}
}

// logSums is log Σ e^x, with the largest x taken out first.
func logSums(x spec.Array, axes []int) spec.Result {
	top := extremes(x, axes, false)
	y := spec.NewArray(x.DType, top.Shape...)
	overFold(x.Shape, axes, func(p, q int) { y.F[p] += math.Exp(x.F[q] - reference.Shift(top.F[p])) })
	terms := make([]float64, y.Len())
	n := foldedCount(x, y)
	for p := range y.F {
		// The logarithm turns the relative error of the sum into an absolute one.
		terms[p] = 1 + math.Abs(reference.Shift(top.F[p])) + math.Abs(math.Log(y.F[p]))
		y.F[p] = math.Log(y.F[p]) + reference.Shift(top.F[p])
	}
	return spec.Result{Array: y, Terms: terms, N: n + 8}
}

// reductions are samples of call with values in [lo, hi]: few and many rows, short and
// long folds, inner, outer, middle and all axes.
func reductions(call func(x *ops.Node, axes ...int) *ops.Node, lo, hi float64) []spec.Sample {
	var out []spec.Sample
	for _, c := range []struct {
		label string
		shape []int
		axes  []int
	}{
		{"inner", []int{7, 33}, []int{1}},
		{"outer", []int{33, 7}, []int{0}},
		{"middle", []int{3, 17, 5}, []int{1}},
		{"two", []int{4, 9, 5, 3}, []int{0, 2}},
		{"all", []int{5, 7, 3}, nil},
		{"scalar", []int{}, nil},
		{"empty fold", []int{4, 0}, []int{1}},
		{"empty result", []int{0, 4}, []int{1}},
		{"long", []int{2, 5003}, []int{-1}},
		{"tall", []int{3001, 3}, []int{0}},
	} {
		out = append(out, spec.Sample{
			Label: c.label, Operands: []spec.Operand{{Shape: c.shape, Lo: lo, Hi: hi}}, Attr: c.axes,
			Build: func(in []*ops.Node) *ops.Node { return call(in[0], c.axes...) },
		})
	}
	return out
}

func specialReduction(call func(x *ops.Node, axes ...int) *ops.Node) []spec.Sample {
	return []spec.Sample{{
		Label: "special", Operands: []spec.Operand{{Shape: []int{31, 40}, Special: true}}, Attr: []int{1},
		Build: func(in []*ops.Node) *ops.Node { return call(in[0], 1) },
	}}
}

func argReductions(call func(x *ops.Node, axis int) *ops.Node) []spec.Sample {
	var out []spec.Sample
	for _, c := range []struct {
		label string
		o     spec.Operand
		axis  int
	}{
		{"inner", spec.Operand{Shape: []int{7, 33}}, 1},
		{"outer", spec.Operand{Shape: []int{33, 7}}, 0},
		{"middle", spec.Operand{Shape: []int{3, 17, 5}}, -2},
		{"one", spec.Operand{Shape: []int{4, 1}}, 1},
		{"ties", spec.Operand{Shape: []int{5, 64}, Lo: 0, Hi: 3}, 1},
		{"long", spec.Operand{Shape: []int{2, 5003}}, 1},
		{"empty result", spec.Operand{Shape: []int{0, 4}}, 1},
		{"special", spec.Operand{Shape: []int{31, 40}, Special: true}, 1},
	} {
		out = append(out, spec.Sample{
			Label: c.label, Operands: []spec.Operand{c.o}, Attr: c.axis,
			Build: func(in []*ops.Node) *ops.Node { return call(in[0], c.axis) },
		})
	}
	return out
}
