package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// QuantizeLinear returns x as integers of 8 or 16 bits:
//
//	y = saturate(round(x / scale) + zero)
//
// round takes the nearest whole number, of two the even one, and saturate the
// nearest bound of y's dtype; NaN gives 0. x is a float and scale one of the same
// dtype; y has the dtype of zero, and is uint8 where zero is nil, which counts as 0.
// scale and zero are one value each, or one for each element along axis. 16-bit
// floats are computed in float32. The derivative is 0. Errors: dtypes; shapes; the
// axis does not exist.
// Source: ONNX, operator QuantizeLinear.
func QuantizeLinear(x, scale, zero *Node, axis int) *Node {
	return apply("quantize_linear", channelAttr{axis}, given([]*Node{x, scale}, zero)...)
}

// DequantizeLinear returns the real numbers that the integers x stand for:
//
//	y = (x - zero) · scale
//
// x has 8, 16 or 32 bits; scale is a float, whose dtype y has; zero is of x's
// dtype, or nil for 0. The difference is exact for 8 and 16 bits and wraps for 32,
// and is rounded to scale's dtype, or float32 where that has 16 bits, before it is
// multiplied. scale and zero are one value each, or one for each element along axis. It has a
// derivative with respect to scale. Errors: as QuantizeLinear.
// Source: ONNX, operator DequantizeLinear.
func DequantizeLinear(x, scale, zero *Node, axis int) *Node {
	return apply("dequantize_linear", channelAttr{axis}, given([]*Node{x, scale}, zero)...)
}

var (
	narrow   = []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16}
	upToWord = append(slices.Clone(narrow), tensor.Int32)
)

type channelAttr struct {
	Axis int `default:"1" doc:"that scale and zero point have a value for each index of, where they have more than one"`
}

var _ = define(Op{
	Name: "quantize_linear", Category: "quantization",
	Attributes: AttributesOf[channelAttr](),
	Operands:   []Operand{{Name: "x"}, {Name: "scale"}, {Name: "zero", DTypes: narrow, Optional: true}}, DTypes: floats, Flat: true,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		dt := tensor.Uint8
		if len(c.In) > 2 {
			dt = c.dt(2)
		}
		return c.shape(0), dt, scaleFits(c)
	},
	Compose: func(c *Call) *Node {
		y := Round(Div(widen(c.In[0]), widen(along(c, 1))))
		if len(c.In) < 3 {
			return Cast(y, tensor.Uint8)
		}
		return Cast(Add(y, Cast(along(c, 2), y.dtype)), c.dt(2))
	},
})

var _ = define(Op{
	Name: "dequantize_linear", Category: "quantization",
	Attributes: AttributesOf[channelAttr](),
	Operands:   []Operand{{Name: "x"}, {Name: "scale", DTypes: floats}, {Name: "zero", Optional: true}}, DTypes: upToWord,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		return c.shape(0), c.dt(1), scaleFits(c)
	},
	Compose: func(c *Call) *Node {
		x, scale := Cast(c.In[0], tensor.Int32), widen(along(c, 1))
		if len(c.In) > 2 {
			x = Sub(x, Cast(along(c, 2), tensor.Int32))
		}
		return Cast(Mul(Cast(x, scale.dtype), scale), c.dt(1))
	},
})

// scaleFits checks the shapes of scale and zero point.
func scaleFits(c *Call) error {
	x := c.shape(0)
	for i := 1; i < len(c.In); i++ {
		z := c.shape(i)
		if len(z) == 0 || len(z) == 1 && z[0] == 1 {
			continue
		}
		axis, err := shapes.Axis(c.Attr.(channelAttr).Axis, len(x))
		switch {
		case err != nil:
			return err
		case len(z) != 1 || z[0] != x[axis]:
			return fmt.Errorf("the %s is %v, not one value or one for each of %v along axis %d", [...]string{1: "scale", 2: "zero point"}[i], z, x,
				axis)
		}
	}
	return nil
}

// along is operand i, of one value or one along the axis, so that it broadcasts
// with operand 0.
func along(c *Call, i int) *Node {
	z := c.In[i]
	if z.Size() == 1 {
		return Reshape(z)
	}
	axis, _ := shapes.Axis(c.Attr.(channelAttr).Axis, len(c.shape(0)))
	shape := slices.Repeat([]int{1}, len(c.shape(0))-axis)
	shape[0] = z.Size()
	return Reshape(z, shape...)
}
