package ops

import (
	"errors"
	"fmt"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

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
	Operands: []Operand{{Name: "x"}, {Name: "w", DTypes: eightBits}, {Name: "zeros", DTypes: eightBits, Optional: true, Repeated: true}}, DTypes: eightBits,
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
