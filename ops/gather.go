package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Gather returns the slices of x along axis that the integers idx name:
//
//	y[p, i, q] = x[p, idx[i], q]
//
// where i stands for all axes of idx, which take the place of axis. An index
// outside [0, extent) gives zeros. Errors: idx is not an integer; the axis does
// not exist.
func Gather(x *Node, axis int, idx *Node) *Node { return indexed("gather", x, axis, idx) }

// TakeAlong returns for every position of the integers idx the element of x
// that it names along axis:
//
//	y[p, i, q] = x[p, idx[p, i, q], q]
//
// idx has the rank of x and its extents in every axis but axis. An index outside
// [0, extent) gives 0. Errors: idx is not an integer; the axis does not exist;
// shapes differ beside axis.
func TakeAlong(x *Node, axis int, idx *Node) *Node { return indexed("take_along", x, axis, idx) }

func indexed(name string, x *Node, axis int, more ...*Node) *Node {
	operands := append([]*Node{x}, more...)
	if x == nil || x.bad {
		return apply(name, nil, operands...)
	}
	a, err := axisOf(axis, x.Rank())
	if err != nil {
		return x.graph.fail(name, operands, err)
	}
	return apply(name, ir.GatherAttr{a, name == "take_along"}, operands...)
}

// indexType checks operand i to be integers.
func (c *Call) indexType(i int) error {
	if !c.dt(i).IsInt() {
		return fmt.Errorf("indices are %v, not integers (cast with ops.Cast)", c.dt(i))
	}
	return nil
}

var _ = define(Op{
	Name: "gather", Arity: 2, DTypes: every, kind: ir.KindGather,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		x, axis := c.shape(0), c.Attr.(ir.GatherAttr).Axis
		return slices.Concat(x[:axis], c.shape(1), x[axis+1:]), c.dt(0), c.indexType(1)
	},
	Grad: func(b *Back) {
		b.Add(0, ScatterAdd(zerosLike(b.In(0)), b.node.attr.(ir.GatherAttr).Axis, b.In(1), b.Grad()))
	},
	Samples: slices.Concat(
		gatherCase("rows", Gather, []int{9, 5}, 0, []int{7}),
		gatherCase("columns", Gather, []int{4, 9}, -1, []int{2, 3}),
		gatherCase("middle", Gather, []int{3, 7, 4}, 1, []int{5}),
		gatherCase("scalar index", Gather, []int{6, 3}, 0, []int{}),
		gatherCase("no indices", Gather, []int{6, 3}, 0, []int{0}),
		gatherCase("from nothing", Gather, []int{0, 3}, 0, []int{4}),
	),
})

var _ = define(Op{
	Name: "take_along", Arity: 2, DTypes: every, kind: ir.KindGather,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		x, idx, axis := c.shape(0), c.shape(1), c.Attr.(ir.GatherAttr).Axis
		want := slices.Clone(x)
		if len(idx) == len(x) {
			want[axis] = idx[axis]
		}
		if !slices.Equal(want, idx) {
			return nil, 0, fmt.Errorf("indices %v do not fit %v beside axis %d", idx, x, axis)
		}
		return idx, c.dt(0), c.indexType(1)
	},
	// Every element collects what was taken from it: a sum over the positions.
	Grad: func(b *Back) {
		x, idx, axis := b.In(0), b.In(1), b.node.attr.(ir.GatherAttr).Axis
		where := ExpandDims(x.graph.Iota(tensor.Int64, axis, x.shape...), axis+1)
		taken := Equal(where, ExpandDims(Cast(idx, tensor.Int64), axis))
		d := ExpandDims(b.Grad(), axis)
		b.Add(0, Sum(Where(taken, d, ScalarLike(d, 0)), axis+1))
	},
	Samples: slices.Concat(
		gatherCase("one a row", TakeAlong, []int{9, 5}, 1, []int{9, 1}),
		gatherCase("several", TakeAlong, []int{4, 6, 3}, 1, []int{4, 8, 3}),
		gatherCase("vector", TakeAlong, []int{7}, 0, []int{3}),
	),
})

// gatherCase tries int32 and int64 indices, some of them outside the axis.
func gatherCase(label string, call func(x *Node, axis int, idx *Node) *Node, shape []int, axis int, idx []int) []Sample {
	var out []Sample
	a := axis
	if a < 0 {
		a += len(shape)
	}
	for _, dt := range []tensor.DType{tensor.Int32, tensor.Int64} {
		out = append(out, Sample{
			Label:    label + " " + dt.String(),
			Operands: []Operand{{Shape: shape}, {Shape: idx, DType: dt, Lo: -1, Hi: float64(shape[a])}},
			Attr:     axis,
			Build:    func(in []*Node) *Node { return call(in[0], axis, in[1]) },
		})
	}
	return out
}

// ScatterAdd returns x with the updates added to the slices along axis that
// the integers idx name:
//
//	y[p, v, q] = x[p, v, q] + Σ_{i: idx[i] = v} updates[p, i, q]
//
// where i stands for all axes of idx. Sums are taken in the order of i, so
// results repeat, and are as exact as those of [Sum]. An index outside [0, extent) is skipped. updates has the shape
// of Gather(x, axis, idx) and the dtype of x. Errors: dtypes; shapes; the axis
// does not exist.
func ScatterAdd(x *Node, axis int, idx, updates *Node) *Node {
	return indexed("scatter_add", x, axis, idx, updates)
}

var _ = define(Op{
	Name: "scatter_add", Arity: 3, DTypes: numbers, kind: ir.KindScatter,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		x, axis := c.shape(0), c.Attr.(ir.GatherAttr).Axis
		want := slices.Concat(x[:axis], c.shape(1), x[axis+1:])
		switch {
		case c.dt(2) != c.dt(0):
			return nil, 0, fmt.Errorf("dtypes differ: %v and updates of %v (cast with ops.Cast)", c.dt(0), c.dt(2))
		case !slices.Equal(want, c.shape(2)):
			return nil, 0, fmt.Errorf("updates are %v, not %v", c.shape(2), want)
		}
		return x, c.dt(0), c.indexType(1)
	},
	Grad: func(b *Back) {
		b.Add(0, b.Grad())
		b.Add(2, Gather(b.Grad(), b.node.attr.(ir.GatherAttr).Axis, b.In(1)))
	},
	Samples: slices.Concat(
		scatterCase("rows", []int{9, 5}, 0, []int{17}),
		scatterCase("columns", []int{4, 6}, 1, []int{2, 3}),
		scatterCase("middle", []int{3, 5, 4}, 1, []int{7}),
		scatterCase("vector", []int{6}, 0, []int{31}),
		scatterCase("no updates", []int{6, 2}, 0, []int{0}),
		scatterCase("one bin", []int{1, 3}, 0, []int{40}),
	),
})

func scatterCase(label string, shape []int, axis int, idx []int) []Sample {
	updates := slices.Concat(shape[:axis], idx, shape[axis+1:])
	var out []Sample
	for _, dt := range []tensor.DType{tensor.Int32, tensor.Int64} {
		out = append(out, Sample{
			Label:    label + " " + dt.String(),
			Operands: []Operand{{Shape: shape}, {Shape: idx, DType: dt, Lo: -1, Hi: float64(shape[axis])}, {Shape: updates}},
			Attr:     axis,
			Build:    func(in []*Node) *Node { return ScatterAdd(in[0], axis, in[1], in[2]) },
		})
	}
	return out
}
