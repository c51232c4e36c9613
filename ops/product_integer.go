package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// quantAttr is what the products of quantised integers and the conversions have in
// common: which operands, beyond the first ones, a call has.
type quantAttr struct {
	first, second bool // zero points
	conv          Conv2DOptions
	axis          int
}

// zeros are the zero points of a call, as int32; nil where there is none, or 0.
func (a quantAttr) zeros(c *Call) (first, second *Node) {
	zero := func(i int) *Node {
		if isFilledWith(c.In[i], 0) {
			return nil
		}
		return Cast(c.In[i], tensor.Int32)
	}
	if a.first {
		first = zero(2)
	}
	if a.second {
		second = zero(2 + ir.Btoi(a.first))
	}
	return first, second
}

// given are operands and those of the optional ones that there are.
func given(in []*Node, optional ...*Node) []*Node {
	return append(in, slices.DeleteFunc(optional, func(n *Node) bool { return n == nil })...)
}

// bytesOf checks that operand i is one of 8 bits and that its zero point, which is
// operand z if has, is of the same dtype.
func bytesOf(c *Call, name string, i int, has bool, z int) error {
	dt := c.dt(i)
	switch {
	case dt != tensor.Int8 && dt != tensor.Uint8:
		return fmt.Errorf("%s is %v, not int8 or uint8 (quantise with ops.QuantizeLinear)", name, dt)
	case has && c.dt(z) != dt:
		return fmt.Errorf("%s is %v, and its zero point %v", name, dt, c.dt(z))
	}
	return nil
}

// bytes checks both operands, and says which one the second zero point is.
func (a quantAttr) bytes(c *Call, first, second string) (zero int, err error) {
	zero = 2 + ir.Btoi(a.first)
	if err = bytesOf(c, first, 0, a.first, 2); err == nil {
		err = bytesOf(c, second, 1, a.second, zero)
	}
	return zero, err
}

// MatMulInteger returns the matrix product of 8-bit integers, less their zero
// points, in 32 bits:
//
//	y[..., i, j] = Σ_k (a[..., i, k] - aZero) · (b[..., k, j] - bZero)
//
// a and b are int8 or uint8, each by itself; y is int32. Sums are exact as long as
// they fit, and wrap modulo 2^32 where they do not: 2^16 products of the largest
// bytes fit. Matrices, vectors and batches are those of [MatMul]. A zero point is
// of its operand's dtype: one value; or [M] for a, one for each row, and [N] for
// b, one for each column; or of the operand's rank with an axis of 1 for k. nil
// stands for 0. Integers have no derivative: [Gradients] refuses them.
// Errors: those of MatMul; dtypes; a zero point of another shape.
// Source: ONNX, operator MatMulInteger.
func MatMulInteger(a, b, aZero, bZero *Node) *Node {
	return ofMatrices("matmul_integer", quantAttr{first: aZero != nil, second: bZero != nil}, a, b, given(nil, aZero, bZero)...)
}

var eightBits = []tensor.DType{tensor.Int8, tensor.Uint8}

var _ = define(Op{
	Name: "matmul_integer", Arity: -1, Least: 2, Most: 4, DTypes: eightBits,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		at := c.Attr.(quantAttr)
		second, err := at.bytes(c, "a", "b")
		if err != nil {
			return nil, 0, err
		}
		shape, err := matMulShape(c.shape(0), c.shape(1))
		if err != nil {
			return nil, 0, err
		}
		if at.first && !zeroFits(c.shape(2), c.shape(0), -2) {
			return nil, 0, fmt.Errorf("the zero point of a is %v, not one, one for each row, or with 1 for k of %v", c.shape(2), c.shape(0))
		}
		if at.second && !zeroFits(c.shape(second), c.shape(1), -1) {
			return nil, 0, fmt.Errorf("the zero point of b is %v, not one, one for each column, or with 1 for k of %v", c.shape(second), c.shape(1))
		}
		return shape, tensor.Int32, nil
	},
	// The sum of products multiplied out: what multiplies bytes sees bytes, and zero
	// points cost sums of rows and columns, which the epilogue takes in.
	Compose: func(c *Call) *Node {
		za, zb := c.Attr.(quantAttr).zeros(c)
		a, b := Cast(c.In[0], tensor.Int32), Cast(c.In[1], tensor.Int32)
		y := MatMul(a, b)
		if za != nil {
			if za.Rank() == 1 && za.Size() != 1 {
				za = ExpandDims(za, 1)
			}
			y = Sub(y, Mul(za, ExpandDims(Sum(b, -2), -2)))
		}
		if zb != nil {
			rows := ExpandDims(Sum(a, -1), -1)
			if za != nil {
				rows = Sub(rows, Mul(za, ScalarLike(za, float64(a.Dim(-1)))))
			}
			y = Sub(y, Mul(rows, zb))
		}
		return y
	},
})

// zeroFits reports whether a zero point of shape z is one value, or one for each
// element along axis own, -2 or -1, of matrices of shape x.
func zeroFits(z, x []int, own int) bool {
	if ir.Product(z) == 1 && len(z) <= 1 {
		return true
	}
	n := len(x)
	if len(z) == 1 {
		return z[0] == x[n+own]
	}
	one := slices.Clone(x)
	one[n-3-own] = 1
	return slices.Equal(z, one)
}
