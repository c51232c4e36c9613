package ops

import (
	"slices"

	"github.com/anycl/anycl/internal/ir"
)

// The derivative of a product by one factor is the product of the others, a
// polynomial of one degree less.

// others are for each element of x the product of all other elements that a
// reduction over the same axes multiplies it with:
//
//	y[p, i] = Π_j x[p, j],  j ≠ i
//
// Its value is a quotient, product / factor, where no factor is zero. A rule
// made of that quotient and of questions for zeros would have no derivatives
// of its own: those are taken of othersTree, which is made of products alone.
func others(x *Node, axes []int) *Node { return apply("others", ir.ReduceAttr{Axes: axes}, x) }

var _ = define(Op{
	Name: "others", Attributes: AttributesOf[ir.ReduceAttr](), Operands: operandX, hidden: true, Result: same,
	Compose: func(c *Call) *Node {
		x, axes := c.In[0], c.axes()
		if len(axes) == 0 || foldSize(c) <= fewFactors {
			return othersTree(x, axes)
		}
		// A zero leaves a product only to itself, and only when it is alone.
		zero, one := ScalarLike(x, 0), ScalarLike(x, 1)
		isZero := Equal(x, zero)
		factors := Where(isZero, one, x)
		rest := spread(reduction("prod", factors, axes), x, axes)
		zeros := spread(reduction("sum", Cast(isZero, x.dtype), axes), x, axes)
		return Where(isZero,
			Where(Equal(zeros, one), rest, zero),
			Where(Equal(zeros, zero), Div(rest, factors), zero))
	},
	Grad: func(b *Back) {
		x := b.In(0)
		tree := Cast(othersTree(widen(x), b.Attr().(ir.ReduceAttr).Axes), x.dtype)
		if d := pullBack([]*Node{tree}, []*Node{b.Grad()}, []*Node{x})[0]; d != nil {
			b.Add(0, d)
		}
	},
})

// fewFactors is up to how many factors are multiplied in less time than their
// product is found and divided: a launch less, and half the time.
const fewFactors = 4

// othersTree is others by products alone: in time linear in the size of x, at a
// depth of the logarithm of how many factors there are.
func othersTree(x *Node, axes []int) *Node {
	if len(axes) == 0 || x.Size() == 0 {
		return BroadcastTo(ScalarLike(x, 1), x.shape...)
	}
	// Neighbouring axes are one long one.
	first, end := len(axes)-1, axes[len(axes)-1]+1
	for first > 0 && axes[first-1] == axes[first]-1 {
		first--
	}
	axis := axes[first]
	long := Reshape(x, slices.Concat(x.shape[:axis], []int{ir.Product(x.shape[axis:end])}, x.shape[end:])...)
	y, all := othersAlong(long, axis, first > 0)
	if first > 0 {
		y = Mul(y, ExpandDims(othersTree(all, axes[:first]), axis))
	}
	return Reshape(y, x.shape...)
}

// othersAlong is othersTree for one axis that is not empty. It pairs each
// element of the first half of the axis with one of the second: the others of
// an element are its partner and the others of the pair, among the products of all
// pairs. With whole it gives the product of all as well.
func othersAlong(x *Node, axis int, whole bool) (y, all *Node) {
	n := x.shape[axis]
	if n == 1 {
		return BroadcastTo(ScalarLike(x, 1), x.shape...), Reshape(x, slices.Delete(slices.Clone(x.shape), axis, axis+1)...)
	}
	m := (n + 1) / 2
	even := Pad(x, 1, Padding{axis, 0, 2*m - n})
	halves := Reshape(even, slices.Concat(x.shape[:axis], []int{2, m}, x.shape[axis+1:])...)
	y = Flip(halves, axis)
	if m > 1 || whole {
		pairs := Mul(Slice(even, Range{Axis: axis, Stop: m}), Slice(even, Range{Axis: axis, Start: m, Stop: 2 * m}))
		var rest *Node
		if rest, all = othersAlong(pairs, axis, whole); m > 1 {
			y = Mul(y, ExpandDims(rest, axis))
		}
	}
	return Slice(Reshape(y, even.shape...), Range{Axis: axis, Stop: n}), all
}
