package bench

import (
	"math/rand/v2"

	"github.com/anycl/anycl/ops"
)

func sorted(a *Attr, x []*ops.Node) *ops.Node {
	values, _ := ops.Sort(x[0], a.Axis, nil)
	return values
}

func topK(a *Attr, x []*ops.Node) *ops.Node {
	values, _ := ops.TopK(x[0], a.Size, a.Axis, nil)
	return values
}

func unique(_ *Attr, x []*ops.Node) *ops.Node { return ops.Unique(x[0], nil).Values }

func suppress(_ *Attr, x []*ops.Node) *ops.Node {
	selected, _ := ops.NonMaxSuppression(x[0], x[1], &ops.SuppressOptions{IoU: 0.5, Centre: true})
	return selected
}

// suppressed are the scores of the best Size boxes of each class that overlap little: where two
// are alike, the boxes may change places.
func suppressed(a *Attr, x []*ops.Node) *ops.Node {
	selected, _ := ops.NonMaxSuppression(x[0], x[1], &ops.SuppressOptions{PerClass: a.Size, IoU: 0.5, Score: new(a.Value)})
	n := x[1].Dim(2)
	at := ops.Add(ops.Mul(column(selected, 1), ops.ScalarLike(selected, float64(n))), column(selected, 2)) // -1 is outside
	return ops.Gather(ops.Reshape(x[1], -1), 0, at)
}

// kept are the cells, of Groups, of the best Size boxes that overlap little.
func kept(a *Attr, x []*ops.Node) *ops.Node {
	selected, _ := ops.NonMaxSuppression(x[0], x[1], &ops.SuppressOptions{PerClass: a.Size, Capacity: a.Size, IoU: 0.7, Centre: true})
	box := ops.Reshape(column(selected, 2), a.Size)
	return ops.Rem(ops.Maximum(box, ops.ScalarLike(box, 0)), ops.ScalarLike(box, float64(a.Groups)))
}

func column(x *ops.Node, i int) *ops.Node {
	return ops.Slice(x, ops.Range{Axis: 1, Start: i, Stop: i + 1})
}

// hostOnly are the steps that some devices leave to the CPU path.
var hostOnly = map[string]bool{"call": true, "suppress": true, "suppressed": true, "kept": true}

// lookup is the row of each of Size ids, which stand in another order.
func lookup(a *Attr, x []*ops.Node) *ops.Node {
	keys, values := make([]int64, a.Size), make([]int64, a.Size)
	for i := range keys {
		keys[i], values[i] = int64(i), int64((i*7919+1)%a.Size)
	}
	return ops.Lookup(x[0], keys, values, 0)
}

func trees(a *Attr, x []*ops.Node) *ops.Node { return ops.TreeRegress(x[0], forest(a, x[0].Dim(1))) }

func classify(a *Attr, x []*ops.Node) *ops.Node {
	_, scores := ops.TreeClassify(x[0], forest(a, x[0].Dim(1)))
	return scores
}

// forest is one of Size whole trees of Stride steps each over normal features, for Groups targets.
func forest(a *Attr, features int) *ops.TreeEnsemble {
	rng := rand.New(rand.NewPCG(uint64(a.Size), uint64(features)))
	e := &ops.TreeEnsemble{Targets: max(1, a.Groups), Aggregate: ops.TreeMean}
	for range a.Size {
		inner := 1<<a.Stride - 1
		nodes := make([]ops.TreeNode, 2*inner+1)
		for i := range nodes {
			if i < inner {
				nodes[i] = ops.TreeNode{Feature: rng.IntN(features), Value: rng.NormFloat64(), True: 2*i + 1, False: 2*i + 2}
			} else {
				nodes[i] = ops.TreeNode{Mode: ops.TreeLeaf, Weights: []ops.TreeWeight{{Target: rng.IntN(e.Targets), Value: rng.NormFloat64()}}}
			}
		}
		e.Trees = append(e.Trees, nodes)
	}
	return e
}
