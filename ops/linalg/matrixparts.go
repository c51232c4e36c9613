package linalg

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// Parts of matrices, of which decompositions and their gradients consist, and rules for their shapes.

// hostMatrices is the kernel of an op that decomposes matrices, see [build.HostMatrices].
func hostMatrices(in, out []int, f func(c *ops.Call, out, in []dense.Matrix)) func(c *ops.Call) ops.KernelOptions {
	return build.HostMatrices("LAPACK decomposes matrices on the CPU", in, out, f)
}

// matrixOf splits the shape of operand i into the shape of its batch and the extents of its matrices.
func matrixOf(c *ops.Call, i int) (batch []int, m, n int, err error) {
	s := c.Shape(i)
	if len(s) < 2 {
		return nil, 0, 0, fmt.Errorf("%s is %v, not a matrix or a batch of matrices", c.OperandName(i), s)
	}
	return slices.Clone(s[:len(s)-2]), s[len(s)-2], s[len(s)-1], nil
}

// squareOf is matrixOf for an operand of square matrices.
func squareOf(c *ops.Call, i int) (batch []int, n int, err error) {
	batch, m, n, err := matrixOf(c, i)
	if err == nil && m != n {
		err = fmt.Errorf("%s is %v, whose matrices are not square", c.OperandName(i), c.Shape(i))
	}
	return batch, n, err
}

// squareResult gives the result the shape of operand 0, whose matrices are square.
func squareResult(c *ops.Call) ([]int, tensor.DType, error) {
	_, _, err := squareOf(c, 0)
	return c.Shape(0), c.DType(0), err
}

// extentsOf returns the number of matrices of x, and their extents.
func extentsOf(x ops.Primitive) (batch, m, n int64) {
	s := x.Shape()
	k := len(s) - 2
	return int64(ir.Product(s[:k])), int64(s[k]), int64(s[k+1])
}

// batchOf is the shape of x without its matrices.
func batchOf(x *ops.Node) []int { return x.Shape()[:len(x.Shape())-2] }

// rowsOf and columnsOf are the extents of its matrices.
func rowsOf(x *ops.Node) int { return x.Dim(-2) }

func columnsOf(x *ops.Node) int { return x.Dim(-1) }

// diagonalOffset is the difference column - row of every element of m x n matrices.
func diagonalOffset(g *ops.Graph, m, n int) *ops.Node {
	return ops.Sub(g.Iota(tensor.Int32, 1, m, n), g.Iota(tensor.Int32, 0, m, n))
}

// identity are m x n matrices with ones on the diagonal, as many as the batch of like has.
func identity(like *ops.Node, m, n int) *ops.Node {
	if build.Failed(like) {
		return like
	}
	at := diagonalOffset(like.Graph(), m, n)
	return ops.BroadcastTo(ops.Cast(ops.Equal(at, ops.ScalarLike(at, 0)), like.DType()), shapes.With(batchOf(like), m, n)...)
}

// onDiagonal are square matrices with the last axis of v on the diagonal.
func onDiagonal(v *ops.Node) *ops.Node {
	if build.Failed(v) {
		return v
	}
	n := v.Dim(-1)
	at := diagonalOffset(v.Graph(), n, n)
	return ops.Where(ops.Equal(at, ops.ScalarLike(at, 0)), ops.ExpandDims(v, -1), ops.ScalarLike(v, 0))
}

// withDiagonal is x with the last axis of v as its diagonal.
func withDiagonal(x, v *ops.Node) *ops.Node {
	if build.Failed(x) || build.Failed(v) {
		return ops.Add(x, v)
	}
	at := diagonalOffset(x.Graph(), rowsOf(x), columnsOf(x))
	return ops.Where(ops.Equal(at, ops.ScalarLike(at, 0)), ops.ExpandDims(v, -1), x)
}

// scaleRows multiplies each row of x by an element of the last axis of v, scaleColumns each column.
func scaleRows(v, x *ops.Node) *ops.Node { return ops.Mul(x, ops.ExpandDims(v, -1)) }

func scaleColumns(x, v *ops.Node) *ops.Node { return ops.Mul(x, ops.ExpandDims(v, -2)) }

// safeQuotient is a / b, and 0 where b is.
func safeQuotient(a, b *ops.Node) *ops.Node {
	zero := ops.Equal(b, ops.ScalarLike(b, 0))
	return ops.Where(zero, ops.ScalarLike(a, 0), ops.Div(a, ops.Where(zero, ops.ScalarLike(b, 1), b)))
}

// stretchBatches gives all operands the same batch, to which their batches broadcast; the last ranks[i] axes of each are its own.
func stretchBatches(xs []*ops.Node, ranks []int) ([]*ops.Node, error) {
	var batch []int
	var err error
	for i, x := range xs {
		if batch, err = tensor.Broadcast(batch, x.Shape()[:x.Rank()-ranks[i]]); err != nil {
			return nil, err
		}
	}
	out := make([]*ops.Node, len(xs))
	for i, x := range xs {
		out[i] = ops.BroadcastTo(x, shapes.With(batch, x.Shape()[x.Rank()-ranks[i]:]...)...)
	}
	return out, nil
}

var (
	operandOne   = []ops.Operand{{Name: "x"}}
	operandsBoth = []ops.Operand{{Name: "a"}, {Name: "b"}}
)
