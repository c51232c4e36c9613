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

func trees(a *Attr, x []*ops.Node) *ops.Node {
	return ops.TreeRegress(x[0], forest(a.Size, x[0].Shape()[1]))
}

// treeDepth is that of each tree of a forest.
const treeDepth = 6

// forest is so many whole trees over normal features.
func forest(trees, features int) *ops.TreeEnsemble {
	rng := rand.New(rand.NewPCG(uint64(trees), uint64(features)))
	e := &ops.TreeEnsemble{Aggregate: ops.TreeMean}
	for range trees {
		inner := 1<<treeDepth - 1
		nodes := make([]ops.TreeNode, 2*inner+1)
		for i := range nodes {
			if i < inner {
				nodes[i] = ops.TreeNode{Feature: rng.IntN(features), Value: rng.NormFloat64(), True: 2*i + 1, False: 2*i + 2}
			} else {
				nodes[i] = ops.TreeNode{Mode: ops.TreeLeaf, Weights: []ops.TreeWeight{{Value: rng.NormFloat64()}}}
			}
		}
		e.Trees = append(e.Trees, nodes)
	}
	return e
}
