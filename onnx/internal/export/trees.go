package export

import (
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// domainML is the domain of the operators of classical models.
const domainML = "ai.onnx.ml"

// maxTreeNodes bounds the number of nodes: a step that several paths lead to is written once for each path.
const maxTreeNodes = 1 << 24

var aggregates = map[engine.Aggregate]string{
	engine.Aggregate(ops.TreeSum): "SUM", engine.Aggregate(ops.TreeMean): "AVERAGE", engine.Aggregate(ops.TreeMin): "MIN",
	engine.Aggregate(ops.TreeMax): "MAX",
}

// An ensemble of trees is written from its tables: of each tree the steps, which go left where a feature is at most a number.
var _ = define("tree_ensemble", func(c *call) []string {
	a, ok := c.n.Attr().(interface{ Ensemble() engine.Trees })
	if !ok {
		return nil
	}
	e := a.Ensemble()
	if c.dtype() != tensor.Float32 {
		return c.refused("TreeEnsembleRegressor gives float32 and no %v", c.dtype())
	}
	if e.Count == 0 {
		return []string{c.expand(c.number(0, c.dtype()), nil, c.n.Shape())}
	}
	w := &treeWriter{c: c, features: int(e.Features), lists: map[string][]int{}}
	for i := range w.tables {
		t, ok := constant(c.in[1+i])
		if !ok {
			return c.refused("its tables are not constant")
		}
		w.tables[i] = t
	}
	w.nodes = w.numbers(0)
	roots := w.numbers(1)
	for tree := range int(e.Count) {
		w.tree, w.next = tree, 0
		if w.walk(roots[2*tree], 0) < 0 {
			return c.refused("it has more than %d steps", maxTreeNodes)
		}
	}
	attrs := []*model.Attr{anInt("n_targets", int(e.Targets)), text("aggregate_function", aggregates[e.Aggregate]),
		text("post_transform", "NONE")}
	for _, name := range []string{"nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_truenodeids", "nodes_falsenodeids",
		"nodes_missing_value_tracks_true", "target_treeids", "target_nodeids", "target_ids"} {
		attrs = append(attrs, ints(name, w.lists[name]))
	}
	attrs = append(attrs, someFloats("nodes_values", w.values), texts("nodes_modes", w.modes...), someFloats("target_weights", w.weights))
	return c.do("TreeEnsembleRegressor", []string{c.arg(0)}, attrs...)
})

func someFloats(name string, v []float32) *model.Attr {
	return &model.Attr{Name: name, Type: model.AttrFloats, Floats: v}
}

// treeWriter makes the lists of the operator.
type treeWriter struct {
	c        *call
	features int
	tables   [5]*tensor.Tensor // nodes, roots, starts, targets, weights
	tree     int
	next     int // number of the next node of the tree
	count    int
	nodes    []int
	lists    map[string][]int
	values   []float32
	modes    []string
	weights  []float32
}

func (w *treeWriter) numbers(i int) []int {
	v := make([]int, 0, w.tables[i].Len())
	for _, x := range w.tables[i].All() {
		v = append(v, int(x))
	}
	return v
}

// walk writes the step at a place of the table and all below, and is its number; -1 where there are too many.
func (w *treeWriter) walk(at, depth int) int {
	word := func(i int) int { return w.nodes[4*at+i] }
	key, feature, left, leaf := word(0), word(1), word(2), word(3)
	if key == math.MaxInt32 && leaf < 0 && left != at { // a way that joins another one
		if depth > maxTreeNodes {
			return -1
		}
		return w.walk(left, depth+1)
	}
	if w.count++; w.count > maxTreeNodes {
		return -1
	}
	id := w.next
	w.next++
	add := func(name string, v int) { w.lists[name] = append(w.lists[name], v) }
	row := len(w.modes)
	missing := 0
	if feature >= w.features { // not a number goes left
		feature, missing = feature-w.features, 1
	}
	add("nodes_treeids", w.tree)
	add("nodes_nodeids", id)
	add("nodes_featureids", feature)
	add("nodes_truenodeids", 0)
	add("nodes_falsenodeids", 0)
	add("nodes_missing_value_tracks_true", missing)
	if leaf >= 0 {
		w.modes, w.values = append(w.modes, "LEAF"), append(w.values, 0)
		starts, to := w.numbersOnce(2), w.numbersOnce(3)
		for k := starts[leaf]; k < starts[leaf+1]; k++ {
			add("target_treeids", w.tree)
			add("target_nodeids", id)
			add("target_ids", to[k])
			w.weights = append(w.weights, float32(w.tables[4].Float64At(k)))
		}
		return id
	}
	mode, value := "BRANCH_LEQ", floatOfKey(int32(key))
	if key < int(engine.FloatKey32(float32(negInf))) { // no number is that small
		mode, value = "BRANCH_LT", float32(negInf)
	}
	w.modes, w.values = append(w.modes, mode), append(w.values, value)
	yes := w.walk(left, depth)
	no := w.walk(left+1, depth)
	if yes < 0 || no < 0 {
		return -1
	}
	w.lists["nodes_truenodeids"][row], w.lists["nodes_falsenodeids"][row] = yes, no
	return id
}

// numbersOnce is numbers of a table that is read again and again.
func (w *treeWriter) numbersOnce(i int) []int {
	key := string(rune('0' + i))
	if w.lists[key] == nil {
		w.lists[key] = w.numbers(i)
	}
	return w.lists[key]
}

// floatOfKey is the largest number whose key is at most this, see [engine.FloatKey32]. No number has the
// key -1, which would be the key of the other zero.
func floatOfKey(key int32) float32 {
	if key == -1 {
		key = -2
	}
	return math.Float32frombits(uint32(key ^ key>>31&math.MaxInt32))
}

// UsesML reports whether g has operators of classical models.
func UsesML(g *model.Graph) (uses bool) {
	walk(g.Nodes, func(n *model.Node) { uses = uses || n.Domain == domainML })
	return uses
}
