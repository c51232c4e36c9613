package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// quantAttr is the attribute of products of quantised integers and of conversions:
// which operands, beyond the first ones, a call has.
type quantAttr struct {
	First  bool `attr:"zero_of_a" default:"false" doc:"the first operand after the matrices is the zero point of the first"`
	Second bool `attr:"zero_of_b" default:"false" doc:"the last operand is the zero point of the second matrix"`
}

// zeros are the zero points of a call, as int32; nil where there is none, or 0.
func (a quantAttr) zeros(c *Call) (first, second *Node) {
	zero := func(i int) *Node {
		if isFilledWith(c.In[i], 0) {
			return nil
		}
		return Cast(c.In[i], tensor.Int32)
	}
	if a.First {
		first = zero(2)
	}
	if a.Second {
		second = zero(2 + ir.Btoi(a.First))
	}
	return first, second
}

// given are operands and those of the optional ones that are not nil.
func given(in []*Node, optional ...*Node) []*Node {
	return append(in, slices.DeleteFunc(optional, func(n *Node) bool { return n == nil })...)
}

// bytes checks the zero points of both operands, and says which one the second zero point is.
func (a quantAttr) bytes(c *Call, first, second string) (zero int, err error) {
	zero = 2 + ir.Btoi(a.First)
	if want := zero + ir.Btoi(a.Second); len(c.In) != want {
		return 0, fmt.Errorf("takes %d operands where it says which zero points there are, not %d", want, len(c.In))
	}
	switch {
	case a.First && c.dt(2) != c.dt(0):
		err = fmt.Errorf("%s is %v, and its zero point %v", first, c.dt(0), c.dt(2))
	case a.Second && c.dt(zero) != c.dt(1):
		err = fmt.Errorf("%s is %v, and its zero point %v", second, c.dt(1), c.dt(zero))
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
	return ofMatrices("matmul_integer", quantAttr{First: aZero != nil, Second: bZero != nil}, a, b, given(nil, aZero, bZero)...)
}

var eightBits = []tensor.DType{tensor.Int8, tensor.Uint8}

var _ = define(Op{
	Name: "matmul_integer", Category: "quantization",
	Attributes: AttributesOf[quantAttr](),
	Operands:   []Operand{{Name: "a"}, {Name: "b", DTypes: eightBits}, {Name: "zeros", DTypes: eightBits, Optional: true, Repeated: true}},
	DTypes:     eightBits,
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
		if at.First && !zeroFits(c.shape(2), c.shape(0), -2) {
			return nil, 0, fmt.Errorf("the zero point of a is %v, not one, one for each row, or with 1 for k of %v", c.shape(2), c.shape(0))
		}
		if at.Second && !zeroFits(c.shape(second), c.shape(1), -1) {
			return nil, 0, fmt.Errorf("the zero point of b is %v, not one, one for each column, or with 1 for k of %v", c.shape(second), c.shape(1))
		}
		return shape, tensor.Int32, nil
	},
	// The sum of products multiplied out: instructions that multiply bytes see bytes, and zero
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

// ConvInteger returns the convolution [Conv2D] of 8-bit integers, less their zero
// points, in 32 bits:
//
//	y[n, o, i, j] = Σ_{c,u,v} (x[n, g·C/G + c, i·s₀ + u·d₀ - p₀, j·s₁ + v·d₁ - p₁] - xZero) · (w[o, c, u, v] - wZero[o])
//
// x and w are int8 or uint8, each by itself; y is int32 and wraps. Positions
// outside x count as 0, as though x were xZero there. xZero is one value, wZero one
// value or [O]; they have the dtype of x and w, and nil stands for 0. Integers have
// no derivative: [Gradients] refuses them. Errors: those of Conv2D; dtypes; a zero
// point of another shape.
// Source: ONNX, operator ConvInteger.
func ConvInteger(x, w, xZero, wZero *Node, o Conv2DOptions) *Node {
	return apply("conv_integer", convQuantAttr{quantAttr{First: xZero != nil, Second: wZero != nil}, o}, given([]*Node{x, w}, xZero, wZero)...)
}

type convQuantAttr struct {
	quantAttr
	Conv Conv2DOptions `default:"{}" doc:"stride, padding, dilation and groups"`
}

var _ = define(Op{
	Name: "conv_integer", Category: "quantization", Attributes: AttributesOf[convQuantAttr](), Complete: func(c *Call) error {
		a := c.Attr.(convQuantAttr)
		a.Conv = a.Conv.normal()
		c.Attr = a
		return nil
	},
	Operands: []Operand{{Name: "x"}, {Name: "w", DTypes: eightBits}, {Name: "zeros", DTypes: eightBits, Optional: true, Repeated: true}},
	DTypes:   eightBits,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		at := c.Attr.(convQuantAttr)
		second, err := at.bytes(c, "x", "w")
		if err != nil {
			return nil, 0, err
		}
		shape, err := at.Conv.shape(c.shape(0), c.shape(1))
		switch {
		case err != nil:
			return nil, 0, err
		case at.First && (len(c.shape(2)) > 1 || c.In[2].Size() != 1):
			return nil, 0, errors.New("the zero point of x is not one value")
		case at.Second && (len(c.shape(second)) > 1 || c.In[second].Size() != 1 && c.In[second].Size() != shape[1]):
			return nil, 0, fmt.Errorf("the zero point of w is %v, not one value or one for each of %d channels", c.shape(second), shape[1])
		}
		return shape, tensor.Int32, nil
	},
	// Multiplied out as matmul_integer. The edge is written as bytes: zeros around
	// x - xZero, modulo 256, to which xZero is added again.
	Compose: func(c *Call) *Node {
		at := c.Attr.(convQuantAttr)
		o, x, w := at.Conv, c.In[0], Cast(c.In[1], tensor.Int32)
		zx, zw := at.zeros(c)
		if o.Pad != [2]int{} {
			if zx != nil {
				zero := Reshape(c.In[2])
				x = Add(Pad(Sub(x, zero), 0, o.padding()...), zero)
			} else {
				x = Pad(x, 0, o.padding()...)
			}
			x = materialize(x, 0, 2, 3, 1)
			o.Pad = [2]int{}
		}
		x = Cast(x, tensor.Int32)
		y := o.sum(x, w)
		if zx != nil {
			zx = Reshape(zx)
			y = Sub(y, Mul(zx, Reshape(Sum(w, 1, 2, 3), w.Dim(0), 1, 1)))
		}
		if zw != nil {
			sums := Sum(o.images(x, w.shape), 2, 5, 6) // [N, G, H', W']
			if zx != nil {
				sums = Sub(sums, Mul(zx, ScalarLike(zx, float64(ir.Product(w.shape[1:])))))
			}
			s := sums.shape
			sums = BroadcastTo(ExpandDims(sums, 2), s[0], s[1], w.Dim(0)/o.Groups, s[2], s[3])
			y = Sub(y, Mul(Reshape(sums, y.shape...), Reshape(zw, zw.Size(), 1, 1)))
		}
		return y
	},
})
