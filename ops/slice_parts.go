package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Select returns the slice of x at one index of an axis, without the axis; a negative index counts from the end. It costs
// nothing. Errors: the axis or the index does not exist.
// Source: PyTorch, select.
func Select(x *Node, axis, index int) *Node {
	y := Narrow(x, axis, index, 1)
	if y.bad {
		return y
	}
	return Squeeze(y, axis)
}

// Narrow returns length slices of x along an axis from start on, which counts from the end where negative. It costs nothing.
// Errors: the axis does not exist or is shorter.
// Source: PyTorch, narrow.
func Narrow(x *Node, axis, start, length int) *Node {
	if x == nil || x.bad {
		return apply("slice", nil, x)
	}
	if hasOpenSizes(x) {
		return sized1("narrow", x, func(x *Node, size func(d int) int) *Node { return Narrow(x, axis, size(start), size(length)) })
	}
	a, err := shapes.Axis(axis, x.Rank())
	if err != nil {
		return x.graph.fail("narrow", []*Node{x}, err)
	}
	n := x.shape[a]
	if start < 0 {
		start += n
	}
	if start < 0 || length < 0 || length > n-start {
		return x.graph.fail("narrow", []*Node{x}, fmt.Errorf("axis %d of %v has no %d slices from %d on", axis, x.shape, length, start))
	}
	return Slice(x, Between(a, start, start+length))
}

// SplitSizes returns x cut along an axis into parts of the given extents. It costs nothing. Errors: the axis does not
// exist; the extents do not add up to its own.
// Source: PyTorch, split with a list; ONNX, operator Split.
func SplitSizes(x *Node, axis int, sizes ...int) []*Node {
	fail := func(n *Node) []*Node { return slices.Repeat([]*Node{n}, max(len(sizes), 1)) }
	if x == nil || x.bad {
		return fail(apply("slice", nil, x))
	}
	if hasOpenSizes(x) {
		return x.graph.sized("split", []*Node{x}, max(len(sizes), 1), func(_ *Graph, in []*Node, size func(d int) int) []*Node {
			return SplitSizes(in[0], axis, sizesOf(sizes, size)...)
		})
	}
	a, err := shapes.Axis(axis, x.Rank())
	if err == nil {
		sum := plus(sizes...)
		if slices.Min(append(sizes, 0)) < 0 || sum != x.shape[a] {
			err = fmt.Errorf("axis %d of %v does not split into %v", axis, x.shape, sizes)
		}
	}
	if err != nil {
		return fail(x.graph.fail("split", []*Node{x}, err))
	}
	var out []*Node
	from := 0
	for _, n := range sizes {
		out = append(out, Slice(x, Between(a, from, from+n)))
		from += n
	}
	return out
}

// Chunk returns x cut along an axis into at most n parts of equal extent, the last of which may be shorter, as PyTorch's chunk does;
// [Split] wants equal ones. It costs nothing. Errors: the axis does not exist; n is less than 1.
func Chunk(x *Node, axis, n int) []*Node {
	if x == nil || x.bad {
		return []*Node{apply("slice", nil, x)}
	}
	a, err := shapes.Axis(axis, x.Rank())
	if err == nil && n < 1 {
		err = fmt.Errorf("%d parts", n)
	}
	if err == nil && isOpen(x.shape[a]) {
		err = errOpenCount
	}
	if err != nil {
		return []*Node{x.graph.fail("chunk", []*Node{x}, err)}
	}
	size := max((x.shape[a]+n-1)/n, 1)
	var sizes []int
	for rest := x.shape[a]; rest > 0; rest -= size {
		sizes = append(sizes, min(size, rest))
	}
	if len(sizes) == 0 { // PyTorch gives n empty parts
		sizes = make([]int, n)
	}
	return SplitSizes(x, a, sizes...)
}

// Unstack returns the slices of x along an axis, each without it: the inverse of [Stack]. It costs nothing. Errors: the axis does not
// exist.
func Unstack(x *Node, axis int) []*Node {
	if x == nil || x.bad {
		return []*Node{apply("slice", nil, x)}
	}
	a, err := shapes.Axis(axis, x.Rank())
	if err == nil && isOpen(x.shape[a]) {
		err = errOpenCount
	}
	if err != nil {
		return []*Node{x.graph.fail("unstack", []*Node{x}, err)}
	}
	out := make([]*Node, x.shape[a])
	for i := range out {
		out[i] = Select(x, a, i)
	}
	return out
}

// Unbind is [Unstack] by PyTorch's name.
func Unbind(x *Node, axis int) []*Node { return Unstack(x, axis) }

// SliceScatter returns x with the part that the ranges select, as [Slice] does, replaced by src. Derivatives go to src there
// and to x elsewhere. It is folded into the kernels that read it. Errors: as Slice; dtypes differ; src has not the shape of the part.
// Source: PyTorch, slice_scatter.
func SliceScatter(x, src *Node, ranges ...Range) *Node {
	if hasOpenSizes(x) {
		return x.graph.sized("slice_scatter", []*Node{x, src}, 1, func(_ *Graph, in []*Node, size func(d int) int) []*Node {
			return []*Node{SliceScatter(in[0], in[1], knownRanges(ranges, size)...)}
		})[0]
	}
	part := Slice(x, ranges...)
	if part.bad {
		return part
	}
	return apply("slice_scatter", part.attr, x, src)
}

var _ = define(Op{
	Name: "slice_scatter", Category: "layout", Complex: eachPart, Attributes: AttributesOf[affineAttr](),
	Operands: []Operand{{Name: "x"}, {Name: "src"}}, DTypes: every,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(affineAttr)
		if !slices.Equal(a.Shape, c.shape(1)) {
			return nil, 0, fmt.Errorf("src is %v, and the part of x %v", c.shape(1), a.Shape)
		}
		return c.shape(0), c.dt(0), a.within(c.shape(0))
	},
	Compose: func(c *Call) *Node {
		at := unsliceAttr{c.Attr.(affineAttr), c.shape(0)}
		return instead(c.In[0], c.In[1], func(src *Node) *Node { return apply("unslice", at, src) })
	},
})

// instead is x with src where the view into brings it.
func instead(x, src *Node, into func(src *Node) *Node) *Node {
	return Where(into(x.graph.Full(tensor.Bool, 1, src.shape...)), into(src), x)
}

// SelectScatter returns x with its slice at one index of an axis replaced by src, which lacks the axis. See [SliceScatter].
// Source: PyTorch, select_scatter.
func SelectScatter(x, src *Node, axis, index int) *Node {
	if hasOpenSizes(x) {
		return x.graph.sized("select_scatter", []*Node{x, src}, 1, func(_ *Graph, in []*Node, _ func(d int) int) []*Node {
			return []*Node{SelectScatter(in[0], in[1], axis, index)}
		})[0]
	}
	if part := Select(x, axis, index); part.bad {
		return part
	}
	a, _ := shapes.Axis(axis, x.Rank())
	if index < 0 {
		index += x.shape[a]
	}
	return SliceScatter(x, ExpandDims(src, a), Between(a, index, index+1))
}

// DiagonalScatter returns x with a diagonal, as [Diagonal] gives it, replaced by src. See [SliceScatter].
// Source: PyTorch, diagonal_scatter.
func DiagonalScatter(x, src *Node, offset, axis1, axis2 int) *Node {
	return apply("diagonal_scatter", diagonalAttr{offset, axis1, axis2}, x, src)
}

var _ = define(Op{
	Name: "diagonal_scatter", Category: "layout", Complex: eachPart, Attributes: AttributesOf[diagonalAttr](),
	Operands: []Operand{{Name: "x"}, {Name: "src"}}, DTypes: every,
	Complete: func(c *Call) error {
		a := c.Attr.(diagonalAttr)
		err := a.complete(len(c.shape(0)))
		c.Attr = a
		return err
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(diagonalAttr)
		if want := append(a.rest(c.shape(0)), a.count(c.shape(0))); !slices.Equal(want, c.shape(1)) {
			return nil, 0, fmt.Errorf("src is %v, and the diagonal %v", c.shape(1), want)
		}
		return same(c)
	},
	Compose: func(c *Call) *Node {
		at := undiagonalAttr{c.Attr.(diagonalAttr), c.shape(0)}
		return instead(c.In[0], c.In[1], func(src *Node) *Node { return apply("undiagonal", at, src) })
	},
})

// Permute is [Transpose] by PyTorch's name.
func Permute(x *Node, axes ...int) *Node { return Transpose(x, axes...) }

// Unsqueeze is [ExpandDims] by PyTorch's name, for one axis or several.
func Unsqueeze(x *Node, axes ...int) *Node { return ExpandDims(x, axes...) }

// Expand returns x stretched to shape as [BroadcastTo] does, where an extent of -1 keeps that of x. It costs nothing. Errors: as
// BroadcastTo; a -1 for an axis that x lacks.
// Source: PyTorch, expand.
func Expand(x *Node, shape ...int) *Node {
	if x == nil || x.bad {
		return apply("broadcast_to", nil, x)
	}
	full := slices.Clone(shape)
	for i, n := range full {
		if n != -1 {
			continue
		}
		of := i - len(full) + x.Rank()
		if of < 0 {
			return x.graph.fail("expand", []*Node{x}, fmt.Errorf("%v lacks axis %d of %v", x.shape, i, shape))
		}
		full[i] = x.shape[of]
	}
	return BroadcastTo(x, full...)
}

// FlattenRange returns x with the axes from start up to end, itself included, merged into one; of a scalar, a vector of one element. It
// costs nothing. Errors: an axis does not exist; end comes before start.
// Source: PyTorch, flatten.
func FlattenRange(x *Node, start, end int) *Node {
	if x == nil || x.bad {
		return apply("reshape", nil, x)
	}
	if hasOpenSizes(x) {
		return sized1("flatten", x, func(x *Node, _ func(d int) int) *Node { return FlattenRange(x, start, end) })
	}
	rank := max(x.Rank(), 1)
	a, err := shapes.Axis(start, rank)
	b, err2 := shapes.Axis(end, rank)
	if err == nil {
		if err = err2; err == nil && b < a {
			err = fmt.Errorf("axis %d comes before axis %d", end, start)
		}
	}
	if err != nil {
		return x.graph.fail("flatten", []*Node{x}, err)
	}
	if x.Rank() == 0 {
		return Reshape(x, 1)
	}
	return Reshape(x, slices.Concat(x.shape[:a], []int{ir.Product(x.shape[a : b+1])}, x.shape[b+1:])...)
}

// Unflatten returns x with an axis taken apart into those of shape, of which one extent may be -1: it follows from the others. It costs
// nothing. Errors: the axis does not exist or has another size.
// Source: PyTorch, unflatten.
func Unflatten(x *Node, axis int, shape ...int) *Node {
	if x == nil || x.bad {
		return apply("reshape", nil, x)
	}
	if hasOpenSizes(x) {
		return sized1("unflatten", x, func(x *Node, size func(d int) int) *Node { return Unflatten(x, axis, sizesOf(shape, size)...) })
	}
	a, err := shapes.Axis(axis, x.Rank())
	if err != nil {
		return x.graph.fail("unflatten", []*Node{x}, err)
	}
	full, err := inferExtent(shape, x.shape[a])
	if err != nil {
		return x.graph.fail("unflatten", []*Node{x}, fmt.Errorf("axis %d of %v to %v: %w", axis, x.shape, shape, err))
	}
	return Reshape(x, slices.Concat(x.shape[:a], full, x.shape[a+1:])...)
}
