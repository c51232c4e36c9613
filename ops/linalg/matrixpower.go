package linalg

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

func infinity(like *ops.Node) *ops.Node { return ops.ScalarLike(like, math.Inf(1)) }

// MatrixPower returns the n-th power of square matrices, by repeated squaring: of the inverse where n is negative; the identity where it
// is 0. a is [..., m, m], any number where n is not negative, and else float32 or float64. Errors: dtype; matrices are
// not square.
func MatrixPower(a *ops.Node, n int) *ops.Node {
	return ops.Apply("linalg.matrix_power", matrixPowerAttr{n}, a)
}

type matrixPowerAttr struct {
	N int `doc:"how often the matrix is a factor; negative: its inverse"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.matrix_power", Category: "linear algebra",
	Attributes: ops.AttributesOf[matrixPowerAttr](), Operands: operandA, DTypes: dtypes.Numbers,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		n := c.Attr.(matrixPowerAttr).N
		if n < 0 && c.DType(0) != tensor.Float32 && c.DType(0) != tensor.Float64 {
			return nil, 0, fmt.Errorf("inverses are of float32 and float64, not of %v", c.DType(0))
		}
		if n < -1<<30 || n > 1<<30 {
			return nil, 0, fmt.Errorf("a power of %d is out of all bounds", n)
		}
		return squareResult(c)
	},
	Compose: func(c *ops.Call) *ops.Node {
		x, n := c.In[0], c.Attr.(matrixPowerAttr).N
		if n < 0 {
			x, n = Inverse(x), -n
		}
		if n == 0 {
			return identity(x, rowsOf(x), columnsOf(x))
		}
		var y *ops.Node
		for ; ; x = ops.MatMul(x, x) {
			if n&1 != 0 && y == nil {
				y = x
			} else if n&1 != 0 {
				y = ops.MatMul(y, x)
			}
			if n >>= 1; n == 0 {
				return y
			}
		}
	},
})

// MatrixExp returns the exponentials of square matrices:
//
//	y = Σ_k aᵏ / k!
//
// a is [..., n, n], float32 or float64, computed in float64 by scaling and squaring. A matrix with an element that is not finite gives NaN. Errors: dtype;
// matrices are not square.
// Source: Higham, The Scaling and Squaring Method for the Matrix Exponential Revisited (2005); its derivative: Al-Mohy and Higham,
// Computing the Fréchet Derivative of the Matrix Exponential (2009), equation 1.7.
func MatrixExp(a *ops.Node) *ops.Node { return ops.Apply("linalg.matrix_exp", nil, a) }

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.matrix_exp", Category: "linear algebra",
	Operands: operandA, DTypes: dtypes.Wide, Result: squareResult,
	Kernel: hostMatrices([]int{2}, []int{2}, func(_ *ops.Call, out, in []dense.Matrix) {
		dense.Put(out[0], dense.Exp(in[0]))
	}),
	// exp [aᵀ d; 0 aᵀ] has the derivative in its upper right quarter.
	Grad: func(b *ops.Back) {
		a, d := build.SwapLast(b.In(0)), b.Grad()
		n := rowsOf(a)
		block := ops.Concat(-2, ops.Concat(-1, a, d), ops.Concat(-1, ops.ZerosLike(a), a))
		b.Add(0, build.Cut(build.Cut(MatrixExp(block), -2, 0, n), -1, n, 2*n))
	},
})
