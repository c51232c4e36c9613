package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Gather returns the slices of x along axis that the integers idx name:
//
//	y[p, i, q] = x[p, idx[i], q]
//
// where i stands for all axes of idx, which take the place of axis. An index
// outside [0, extent) gives zeros. Errors: idx is not an integer; the axis does
// not exist.
func Gather(x *Node, axis int, idx *Node) *Node {
	return apply("gather", ir.GatherAttr{Axis: axis}, x, idx)
}

// TakeAlong returns for every position of the integers idx the element of x
// that it names along axis:
//
//	y[p, i, q] = x[p, idx[p, i, q], q]
//
// idx has the rank of x and its extents in every axis but axis. An index outside
// [0, extent) gives 0. Errors: idx is not an integer; the axis does not exist;
// shapes differ beside axis.
func TakeAlong(x *Node, axis int, idx *Node) *Node {
	return apply("take_along", ir.GatherAttr{Axis: axis}, x, idx)
}

// completeIndex resolves the axis that an index selects from.
func completeIndex(along bool) func(c *Call) error {
	return func(c *Call) error {
		axis, err := shapes.Axis(c.Attr.(ir.GatherAttr).Axis, len(c.shape(0)))
		c.Attr = ir.GatherAttr{Axis: axis, Along: along}
		return err
	}
}

var indexing = []Operand{{Name: "x"}, {Name: "idx", DTypes: ints}}

var _ = define(Op{
	Name:    "gather",
	Complex: eachPart, Category: "indexing",
	Attributes: AttributesOf[ir.GatherAttr](), Complete: completeIndex(false),
	Operands: indexing, DTypes: every, kind: ir.KindGather,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		x, axis := c.shape(0), c.Attr.(ir.GatherAttr).Axis
		return slices.Concat(x[:axis], c.shape(1), x[axis+1:]), c.dt(0), nil
	},
	Grad: func(b *Back) {
		b.Add(0, ScatterAdd(zerosLike(b.In(0)), b.Attr().(ir.GatherAttr).Axis, b.In(1), b.Grad()))
	},
})

var _ = define(Op{
	Name:    "take_along",
	Complex: eachPart, Category: "indexing",
	Attributes: AttributesOf[ir.GatherAttr](), Complete: completeIndex(true),
	Operands: indexing, DTypes: every, kind: ir.KindGather,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		x, idx, axis := c.shape(0), c.shape(1), c.Attr.(ir.GatherAttr).Axis
		want := slices.Clone(x)
		if len(idx) == len(x) {
			want[axis] = idx[axis]
		}
		if !slices.Equal(want, idx) {
			return nil, 0, fmt.Errorf("indices %v do not fit %v beside axis %d", idx, x, axis)
		}
		return idx, c.dt(0), nil
	},
	Grad: func(b *Back) {
		x, idx, axis := b.In(0), b.In(1), b.Attr().(ir.GatherAttr).Axis
		if idx.shape[axis] != 1 {
			b.Add(0, scatterInto(zerosLike(x), idx, b.Grad(), ir.ScatterAttr{Axis: axis, Along: true}))
			return
		}
		// One element of each line, as labels choose it: a comparison fuses with what reads the gradient, a scatter does not.
		here := Equal(x.graph.Iota(tensor.Int64, axis, x.shape...), Cast(idx, tensor.Int64))
		b.Add(0, Where(here, b.Grad(), ScalarLike(b.Grad(), 0)))
	},
})
