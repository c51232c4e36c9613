package linalg

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/ops"
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
