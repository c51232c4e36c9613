package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Parts of matrices, which decompositions and their gradients are made of, and rules for their shapes.

// matrixFloats are the dtypes of decompositions: 16 bits are too few for them.
var matrixFloats = []tensor.DType{tensor.Float32, tensor.Float64}

// matrixOf splits the shape of operand i in that of its batch and the extents of its matrices.
func (c *Call) matrixOf(i int) (batch []int, m, n int, err error) {
	s := c.shape(i)
	if len(s) < 2 {
		return nil, 0, 0, fmt.Errorf("%s is %v, not a matrix or a batch of matrices", c.operand(i), s)
	}
	return slices.Clone(s[:len(s)-2]), s[len(s)-2], s[len(s)-1], nil
}

// squareOf is matrixOf for an operand of square matrices.
func (c *Call) squareOf(i int) (batch []int, n int, err error) {
	batch, m, n, err := c.matrixOf(i)
	if err == nil && m != n {
		err = fmt.Errorf("%s is %v, whose matrices are not square", c.operand(i), c.shape(i))
	}
	return batch, n, err
}

// squareResult gives the result the shape of operand 0, whose matrices are square.
func squareResult(c *Call) ([]int, tensor.DType, error) {
	_, _, err := c.squareOf(0)
	return c.shape(0), c.dt(0), err
}

// with is a shape with more axes.
func with(shape []int, more ...int) []int { return slices.Concat(shape, more) }

// batchOf is the shape of x without its matrices.
func batchOf(x *Node) []int { return x.shape[:len(x.shape)-2] }

// rowsOf and columnsOf are the extents of its matrices.
func rowsOf(x *Node) int { return x.shape[len(x.shape)-2] }

func columnsOf(x *Node) int { return x.shape[len(x.shape)-1] }

// cutAxis is the part of x from index from on up to and without to along axis, which counts from the end where it is negative.
func cutAxis(x *Node, axis, from, to int) *Node {
	if x.bad {
		return x
	}
	if axis < 0 {
		axis += x.Rank()
	}
	if from == 0 && to == x.shape[axis] {
		return x
	}
	return part(x, axis, from, to-from)
}

// diagonalOffset is the difference column - row of every element of m x n matrices.
func diagonalOffset(g *Graph, m, n int) *Node {
	return Sub(g.Iota(tensor.Int32, 1, m, n), g.Iota(tensor.Int32, 0, m, n))
}

// lowerPart is x with zeros above the k-th diagonal, upperPart x with zeros below it.
func lowerPart(x *Node, k int) *Node { return trianglePart(x, k, LessEqual) }

func upperPart(x *Node, k int) *Node { return trianglePart(x, k, GreaterEqual) }

func trianglePart(x *Node, k int, compare func(a, b *Node) *Node) *Node {
	if x.bad {
		return x
	}
	at := diagonalOffset(x.graph, rowsOf(x), columnsOf(x))
	return Where(compare(at, ScalarLike(at, float64(k))), x, ScalarLike(x, 0))
}

// identity are m x n matrices with ones on the diagonal, as many as the batch of like has.
func identity(like *Node, m, n int) *Node {
	if like.bad {
		return like
	}
	at := diagonalOffset(like.graph, m, n)
	return BroadcastTo(Cast(Equal(at, ScalarLike(at, 0)), like.dtype), with(batchOf(like), m, n)...)
}

// onDiagonal are square matrices with the last axis of v on the diagonal.
func onDiagonal(v *Node) *Node {
	if v.bad {
		return v
	}
	n := v.shape[v.Rank()-1]
	at := diagonalOffset(v.graph, n, n)
	return Where(Equal(at, ScalarLike(at, 0)), ExpandDims(v, -1), ScalarLike(v, 0))
}

// withDiagonal is x with the last axis of v as its diagonal.
func withDiagonal(x, v *Node) *Node {
	if x.bad || v.bad {
		return Add(x, v)
	}
	at := diagonalOffset(x.graph, rowsOf(x), columnsOf(x))
	return Where(Equal(at, ScalarLike(at, 0)), ExpandDims(v, -1), x)
}

// diagonalOf is the main diagonal of the matrices of x.
func diagonalOf(x *Node) *Node {
	if x.bad {
		return x
	}
	k := min(rowsOf(x), columnsOf(x))
	x = cutAxis(cutAxis(x, -2, 0, k), -1, 0, k)
	return apply("equal_axes", equalAxesAttr{x.Rank() - 2, x.Rank() - 1}, x)
}

type equalAxesAttr struct{ First, Second int }

// The elements of x whose coordinates on two axes are equal; the second axis vanishes.
var _ = define(Op{
	Name: "equal_axes", Attributes: AttributesOf[equalAxesAttr](), Operands: operandX, DTypes: every, hidden: true,
	Traits: Traits(ir.TraitRepeats),
	Result: func(c *Call) ([]int, tensor.DType, error) {
		return slices.Delete(slices.Clone(c.shape(0)), c.Attr.(equalAxesAttr).Second, c.Attr.(equalAxesAttr).Second+1), c.dt(0), nil
	},
	View: func(p Primitive, at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
		a := p.Attr().(equalAxesAttr)
		return slices.Insert(slices.Clone(at), a.Second, at[a.First]), nil
	},
	Grad: func(b *Back) {
		x, a := b.In(0), b.Attr().(equalAxesAttr)
		i, j := x.graph.Iota(tensor.Int32, a.First, x.shape...), x.graph.Iota(tensor.Int32, a.Second, x.shape...)
		b.Add(0, Where(Equal(i, j), ExpandDims(b.Grad(), a.Second), ScalarLike(b.Grad(), 0)))
	},
})

// scaleRows multiplies each row of x by an element of the last axis of v, scaleColumns each column.
func scaleRows(v, x *Node) *Node { return Mul(x, ExpandDims(v, -1)) }

func scaleColumns(x, v *Node) *Node { return Mul(x, ExpandDims(v, -2)) }

// safeQuotient is a / b, and 0 where b is.
func safeQuotient(a, b *Node) *Node {
	zero := Equal(b, ScalarLike(b, 0))
	return Where(zero, ScalarLike(a, 0), Div(a, Where(zero, ScalarLike(b, 1), b)))
}

// stretchBatches gives all operands the same batch, to which their batches broadcast; the last ranks[i] axes of each are its own.
func stretchBatches(xs []*Node, ranks []int) ([]*Node, error) {
	var batch []int
	var err error
	for i, x := range xs {
		if batch, err = tensor.Broadcast(batch, x.shape[:x.Rank()-ranks[i]]); err != nil {
			return nil, err
		}
	}
	out := make([]*Node, len(xs))
	for i, x := range xs {
		out[i] = BroadcastTo(x, with(batch, x.shape[x.Rank()-ranks[i]:]...)...)
	}
	return out, nil
}
