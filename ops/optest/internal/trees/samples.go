package trees

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// treeAttr is the Attr of samples of tree ensembles, for their reference.
type treeAttr struct {
	Ensemble func() *ops.TreeEnsemble
	// Classify says that the op is TreeClassify; Labels, that the result is the
	// labels and not the scores.
	Classify, Labels bool
}

// treeModel is an ensemble that a sample tries.
type treeModel struct {
	label                 string
	samples, features     int
	trees, depth, targets int
	modes                 []ops.TreeMode
	perLeaf               int
	aggregate             ops.TreeAggregate
	transform             ops.TreeTransform
	negative              bool // some weights are
	based                 bool
}

func treeSamples() (out []spec.Sample) {
	all := []ops.TreeMode{ops.TreeLessEqual, ops.TreeLess, ops.TreeGreaterEqual, ops.TreeGreater, ops.TreeEqual, ops.TreeNotEqual,
		ops.TreeMember}
	plain := all[:1]
	for _, m := range []treeModel{
		{"boosted", 70, 6, 20, 5, 1, plain, 1, ops.TreeSum, ops.TreeRaw, true, true},
		{"one sample", 1, 9, 300, 4, 1, plain, 1, ops.TreeSum, ops.TreeLogistic, true, false},
		{"few samples", 5, 9, 40, 6, 2, all, 1, ops.TreeMean, ops.TreeRaw, true, true},
		{"forest", 33, 4, 12, 7, 3, plain, 3, ops.TreeMean, ops.TreeRaw, false, false},
		{"every mode", 300, 3, 9, 6, 2, all, 2, ops.TreeSum, ops.TreeRaw, true, false},
		{"least", 40, 5, 7, 4, 2, all, 1, ops.TreeMin, ops.TreeRaw, true, true},
		{"most of one sample", 1, 5, 7, 4, 3, all, 1, ops.TreeMax, ops.TreeRaw, true, false},
		{"roots that are leaves", 9, 2, 4, 0, 1, plain, 1, ops.TreeSum, ops.TreeRaw, true, false},
		{"no trees", 9, 2, 0, 0, 2, plain, 1, ops.TreeMean, ops.TreeSoftmaxZero, true, true},
		{"no samples", 0, 2, 4, 2, 1, plain, 1, ops.TreeSum, ops.TreeRaw, true, false},
	} {
		out = append(out, m.sample(false, false))
	}
	for _, m := range []treeModel{
		{"classes", 50, 5, 21, 4, 3, plain, 1, ops.TreeSum, ops.TreeSoftmax, true, true},
		{"two classes", 50, 5, 21, 4, 2, all, 2, ops.TreeSum, ops.TreeSoftmaxZero, false, false},
		{"one score", 50, 5, 15, 4, 1, plain, 1, ops.TreeSum, ops.TreeLogistic, true, true},
		{"one probability", 50, 5, 15, 4, 1, plain, 1, ops.TreeMean, ops.TreeRaw, false, false},
		{"one positive score", 50, 5, 15, 4, 1, plain, 1, ops.TreeSum, ops.TreeLogistic, false, false},
	} {
		out = append(out, m.sample(true, false), m.sample(true, true))
	}
	return out
}

func (m treeModel) sample(classify, labels bool) spec.Sample {
	model := sync.OnceValue(func() *ops.TreeEnsemble { // made only when a test asks for it, so that programs start as fast
		e := m.ensemble()
		if classify {
			e.Labels = []int64{7, -3, 12}[:max(m.targets, 2)]
		}
		return e
	})
	label := m.label
	switch {
	case labels:
		label += " labels"
	case classify:
		label += " scores"
	}
	return spec.Sample{
		Label: label, Attr: treeAttr{model, classify, labels},
		Operands: []spec.Operand{{Shape: []int{m.samples, m.features}, Special: m.samples > 1, Lo: -3, Hi: 3}},
		Build: func(in []*ops.Node) *ops.Node {
			if !classify {
				return ops.TreeRegress(in[0], model())
			}
			l, s := ops.TreeClassify(in[0], model())
			if labels {
				return l
			}
			return s
		},
	}
}

// ensemble draws a model. Its values are quarters and values that samples have,
// so that the comparisons are often equal.
func (m treeModel) ensemble() *ops.TreeEnsemble {
	rng := rand.New(rand.NewPCG(uint64(len(m.label)), uint64(m.trees)))
	value := func() float64 {
		switch rng.IntN(8) {
		case 0:
			return []float64{0, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1), 1, -3, 0.1}[rng.IntN(8)]
		case 1:
			return []float64{1e-320, 1e300, -1e300, 1 + 1e-12, math.MaxFloat32}[rng.IntN(5)]
		}
		return float64(rng.IntN(25)-12) / 4
	}
	e := &ops.TreeEnsemble{Targets: m.targets, Aggregate: m.aggregate, Transform: m.transform}
	for range m.trees {
		var nodes []ops.TreeNode
		var grow func(depth int) int
		grow = func(depth int) int {
			at := len(nodes)
			nodes = append(nodes, ops.TreeNode{})
			if depth == 0 || depth < m.depth && rng.IntN(5) == 0 {
				n := ops.TreeNode{Mode: ops.TreeLeaf}
				for k := range m.perLeaf {
					w := float64(rng.IntN(64)+1) / 64
					if m.negative && rng.IntN(2) == 0 {
						w = -w
					}
					n.Weights = append(n.Weights, ops.TreeWeight{Target: (k + rng.IntN(m.targets)) % m.targets, Value: w})
				}
				nodes[at] = n
				return at
			}
			n := ops.TreeNode{Mode: m.modes[rng.IntN(len(m.modes))], Feature: rng.IntN(m.features), Value: value(), MissingTrue: rng.IntN(2) == 0}
			if n.Mode == ops.TreeMember {
				for range rng.IntN(4) {
					n.Set = append(n.Set, value())
				}
			}
			n.True, n.False = grow(depth-1), grow(depth-1)
			nodes[at] = n
			return at
		}
		grow(m.depth)
		e.Trees = append(e.Trees, nodes)
	}
	if m.based {
		for t := range m.targets {
			e.Base = append(e.Base, float64(t)/8-0.25)
		}
	}
	return e
}
