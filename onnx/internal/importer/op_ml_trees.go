package importer

import (
	"slices"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: ml + "TreeEnsembleRegressor", since: 1, ignore: []string{"nodes_hitrates", "nodes_hitrates_as_tensor"},
			build: func(c *call) []*value {
				e := c.trees("target")
				if e.Targets = c.int("n_targets", 1); e.Targets < 1 {
					c.refuse("n_targets is %d", e.Targets)
				}
				aggregates := map[string]ops.TreeAggregate{"SUM": ops.TreeSum, "AVERAGE": ops.TreeMean, "MIN": ops.TreeMin, "MAX": ops.TreeMax}
				name := c.str("aggregate_function", "SUM")
				a, ok := aggregates[name]
				if !ok {
					c.refuse("aggregate_function %q is not known", name)
				}
				e.Aggregate = a
				y := ops.TreeRegress(c.features(), e)
				return out(ops.Cast(y, tensor.Float32))
			}},
		{name: ml + "TreeEnsembleClassifier", since: 1, ignore: []string{"nodes_hitrates", "nodes_hitrates_as_tensor"},
			build: func(c *call) []*value {
				e := c.trees("class")
				labels := c.intList("classlabels_int64s")
				if len(labels) < 2 {
					c.refuse("labels are supported where they are integers, two or more")
				}
				for _, l := range labels {
					e.Labels = append(e.Labels, int64(l))
				}
				e.Targets = len(labels)
				if ids := c.intList("class_ids"); len(labels) == 2 && len(slices.Compact(slices.Sorted(slices.Values(ids)))) == 1 {
					if ids[0] != 0 {
						c.refuse("weights of two classes are all those of class %d, not of 0, which stands for the probability of the second", ids[0])
					}
					e.Targets = 1 // a score for one of two classes
					for _, tree := range e.Trees {
						for _, n := range tree {
							for k := range n.Weights {
								n.Weights[k].Target = 0
							}
						}
					}
				}
				y, scores := ops.TreeClassify(c.features(), e)
				return out(y, ops.Cast(scores, tensor.Float32))
			}},
	}
})

// features are the samples, as floats.
func (c *call) features() *ops.Node {
	x := c.x(0)
	if dt := x.DType(); dt != tensor.Float32 && dt != tensor.Float64 {
		x = ops.Cast(x, tensor.Float32)
	}
	if x.Rank() == 1 {
		x = ops.Unsqueeze(x, 0)
	}
	return x
}

// numbers returns the numbers of an attribute of floats, or of the tensor that may stand in its place.
func (c *call) numbers(name string) []float64 {
	if a := c.attr(name+"_as_tensor", model.AttrTensor); a != nil {
		t, err := a.Tensor.Tensor(nil)
		c.check(err)
		v := make([]float64, 0, t.Len())
		for _, x := range t.All() {
			v = append(v, x)
		}
		return v
	}
	var v []float64
	for _, x := range c.exact(name) {
		v = append(v, float64(x))
	}
	return v
}

var treeModes = map[string]ops.TreeMode{
	"BRANCH_LEQ": ops.TreeLessEqual, "BRANCH_LT": ops.TreeLess, "BRANCH_GTE": ops.TreeGreaterEqual, "BRANCH_GT": ops.TreeGreater,
	"BRANCH_EQ": ops.TreeEqual, "BRANCH_NEQ": ops.TreeNotEqual, "LEAF": ops.TreeLeaf,
}

// trees reads the nodes of an ensemble, whose weights have attributes of that prefix.
func (c *call) trees(prefix string) *ops.TreeEnsemble {
	ids, nodes := c.intList("nodes_treeids"), c.intList("nodes_nodeids")
	features, values, modes := c.intList("nodes_featureids"), c.numbers("nodes_values"), c.strList("nodes_modes")
	yes, no, missing := c.intList("nodes_truenodeids"), c.intList("nodes_falsenodeids"), c.intList("nodes_missing_value_tracks_true")
	n := len(ids)
	if n == 0 || len(nodes) != n || len(features) != n || len(values) != n || len(modes) != n || len(yes) != n || len(no) != n ||
		len(missing) != 0 && len(missing) != n {
		c.refuse("the lists of nodes have different lengths")
	}
	type place struct{ tree, node int }
	where, trees := map[place]place{}, map[int]int{} // of a node by its numbers in the file
	e := &ops.TreeEnsemble{}
	for i := range n {
		t, ok := trees[ids[i]]
		if !ok {
			t = len(e.Trees)
			trees[ids[i]] = t
			e.Trees = append(e.Trees, nil)
		}
		key := place{ids[i], nodes[i]}
		if _, twice := where[key]; twice {
			c.refuse("tree %d has node %d twice", ids[i], nodes[i])
		}
		where[key] = place{t, len(e.Trees[t])}
		mode, ok := treeModes[modes[i]]
		if !ok {
			c.refuse("mode %q of a node is not known", modes[i])
		}
		e.Trees[t] = append(e.Trees[t], ops.TreeNode{Mode: mode, Feature: features[i], Value: values[i], MissingTrue: missing != nil &&
			missing[i] != 0})
	}
	for i := range n {
		at := where[place{ids[i], nodes[i]}]
		node := &e.Trees[at.tree][at.node]
		if node.Mode == ops.TreeLeaf {
			continue
		}
		t, ok1 := where[place{ids[i], yes[i]}]
		f, ok2 := where[place{ids[i], no[i]}]
		if !ok1 || !ok2 {
			c.refuse("node %d of tree %d has a child that does not exist", nodes[i], ids[i])
		}
		node.True, node.False = t.node, f.node
	}
	of, leaves, targets, weights := c.intList(prefix+"_treeids"), c.intList(prefix+"_nodeids"), c.intList(prefix+"_ids"),
		c.numbers(prefix+"_weights")
	if len(leaves) != len(of) || len(targets) != len(of) || len(weights) != len(of) {
		c.refuse("the lists of weights have different lengths")
	}
	for i := range of {
		at, ok := where[place{of[i], leaves[i]}]
		if !ok {
			c.refuse("node %d of tree %d has a weight and does not exist", leaves[i], of[i])
		}
		node := &e.Trees[at.tree][at.node]
		node.Weights = append(node.Weights, ops.TreeWeight{Target: targets[i], Value: weights[i]})
	}
	e.Base = c.numbers("base_values")
	if len(e.Base) == 0 {
		e.Base = nil
	}
	transforms := map[string]ops.TreeTransform{"NONE": ops.TreeRaw, "LOGISTIC": ops.TreeLogistic, "SOFTMAX": ops.TreeSoftmax,
		"SOFTMAX_ZERO": ops.TreeSoftmaxZero}
	name := c.str("post_transform", "NONE")
	t, ok := transforms[name]
	if !ok {
		c.refuse("post_transform %q is not supported", name)
	}
	e.Transform = t
	return e
}
