package linalg

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// MatrixOrder names a norm of matrices.
type MatrixOrder string

// Norms of a matrix with singular values s.
const (
	Frobenius MatrixOrder = "fro"  // √Σ a[i, j]²
	Nuclear   MatrixOrder = "nuc"  // Σ s
	Spectral  MatrixOrder = "2"    // max s
	Smallest  MatrixOrder = "-2"   // min s
	OneNorm   MatrixOrder = "1"    // max over columns of Σ |a|
	OneLeast  MatrixOrder = "-1"   // min over columns of Σ |a|
	InfNorm   MatrixOrder = "inf"  // max over rows of Σ |a|
	InfLeast  MatrixOrder = "-inf" // min over rows of Σ |a|
)

var matrixOrders = []MatrixOrder{Frobenius, Nuclear, Spectral, Smallest, OneNorm, OneLeast, InfNorm, InfLeast}

// MatrixNorm returns a norm of the matrices that lie along two axes of a, rows and columns, or the last two if none are named; these axes
// vanish. The derivative of a Frobenius norm of zeros is 0. a is float32 or float64. Errors: dtype; the order is
// unknown; not two different axes.
// Source: Golub and Van Loan, Matrix Computations (2013), section 2.3.
func MatrixNorm(a *ops.Node, order MatrixOrder, axes ...int) *ops.Node {
	return ops.Apply("linalg.matrix_norm", matrixNormAttr{string(order), axes}, a)
}

type matrixNormAttr struct {
	Order string `default:"fro" doc:"fro, nuc, 2, -2, 1, -1, inf or -inf"`
	Axes  []int  `default:"" doc:"those of rows and of columns; none: the last two"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.matrix_norm", Category: "linear algebra",
	Attributes: ops.AttributesOf[matrixNormAttr](), Operands: operandA, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		a, rank := c.Attr.(matrixNormAttr), len(c.Shape(0))
		if !slices.Contains(matrixOrders, MatrixOrder(a.Order)) {
			return nil, 0, fmt.Errorf("the order %q is none of %q", a.Order, matrixOrders)
		}
		perm, err := a.order(rank)
		if err != nil {
			return nil, 0, err
		}
		shape := []int{}
		for _, i := range perm[:rank-2] {
			shape = append(shape, c.Shape(0)[i])
		}
		return shape, c.DType(0), nil
	},
	Compose: func(c *ops.Call) *ops.Node {
		a, x := c.Attr.(matrixNormAttr), c.In[0]
		if perm, _ := a.order(x.Rank()); !slices.IsSorted(perm) {
			x = ops.Transpose(x, perm...)
		}
		return normOf(x, MatrixOrder(a.Order))
	},
})

// order moves the axes of rows and columns to the end.
func (a matrixNormAttr) order(rank int) ([]int, error) {
	axes := a.Axes
	if len(axes) == 0 {
		axes = []int{-2, -1}
	}
	if len(axes) != 2 {
		return nil, fmt.Errorf("%v are not the axes of rows and of columns", axes)
	}
	return shapes.ToEnd(axes, rank)
}

// normOf is a norm of the last two axes of x.
func normOf(x *ops.Node, order MatrixOrder) *ops.Node {
	switch order {
	case Frobenius:
		s := ops.Sum(ops.Square(x), -2, -1)
		zero := ops.Equal(s, ops.ScalarLike(s, 0))
		return ops.Where(zero, ops.ScalarLike(s, 0), ops.Sqrt(ops.Where(zero, ops.ScalarLike(s, 1), s)))
	case Nuclear:
		return ops.Sum(SVDVals(x), -1)
	case Spectral:
		return largest(SVDVals(x))
	case Smallest:
		return ops.Min(SVDVals(x), -1)
	case OneNorm:
		return largest(ops.Sum(ops.Abs(x), -2))
	case OneLeast:
		return ops.Min(ops.Sum(ops.Abs(x), -2), -1)
	case InfNorm:
		return largest(ops.Sum(ops.Abs(x), -1))
	default:
		return ops.Min(ops.Sum(ops.Abs(x), -1), -1)
	}
}

// largest is the maximum over the last axis of numbers that are not negative, and 0 of an empty axis. A maximum of 0 keeps its whole
// derivative, which [ops.Maximum] with 0 would halve.
func largest(x *ops.Node) *ops.Node {
	y := ops.Max(x, -1)
	return ops.Where(ops.Less(y, 0), 0, y)
}

// Cond returns the condition numbers of matrices:
//
//	‖a‖ · ‖a⁻¹‖; for the orders 2 and -2 the quotient of the largest and the smallest singular value, or its reciprocal
//
// a is [..., n, n], or for orders 2 and -2 [..., m, n], float32 or float64. Singular matrices have Inf for 2, 0 for -2 and Inf for
// others. Errors: dtype; shapes; the order is unknown.
// Source: NumPy, numpy.linalg.cond.
func Cond(a *ops.Node, order MatrixOrder) *ops.Node {
	return ops.Apply("linalg.cond", condAttr{string(order)}, a)
}

type condAttr struct {
	Order string `default:"2" doc:"fro, nuc, 2, -2, 1, -1, inf or -inf"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.cond", Category: "linear algebra",
	Attributes: ops.AttributesOf[condAttr](), Operands: operandA, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		order := MatrixOrder(c.Attr.(condAttr).Order)
		if !slices.Contains(matrixOrders, order) {
			return nil, 0, fmt.Errorf("the order %q is none of %q", order, matrixOrders)
		}
		if order != Spectral && order != Smallest {
			return numberEach(c)
		}
		batch, m, n, err := matrixOf(c, 0)
		if err == nil && min(m, n) == 0 {
			err = fmt.Errorf("%v are empty matrices, which have no singular value", c.Shape(0))
		}
		return batch, c.DType(0), err
	},
	Compose: func(c *ops.Call) *ops.Node {
		x, order := c.In[0], MatrixOrder(c.Attr.(condAttr).Order)
		if order == Spectral || order == Smallest {
			s := SVDVals(x)
			k := s.Dim(-1)
			first, last := build.Cut(s, -1, 0, 1), build.Cut(s, -1, k-1, k)
			if order == Smallest {
				first, last = last, first
			}
			return ops.Reshape(ops.Div(first, last), batchOf(x)...)
		}
		inverse, info := InverseEx(x)
		k := ops.Mul(normOf(x, order), normOf(inverse, order))
		return ops.Where(ops.Equal(info, ops.ScalarLike(info, 0)), k, infinity(k))
	},
})
