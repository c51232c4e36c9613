package importer

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: "QuantizeLinear", since: 10, narrow: true, build: quantize},
		{name: "DequantizeLinear", since: 10, narrow: true, build: dequantize},
		{name: "DynamicQuantizeLinear", since: 11, build: func(c *call) []*value {
			y, scale, zero := ops.DynamicQuantizeLinear(c.x(0))
			return out(y, scale, zero)
		}},
		{name: "MatMulInteger", since: 10, build: func(c *call) []*value {
			return out(ops.MatMulInteger(c.x(0), c.x(1), zeroPoint(c.opt(2)), zeroPoint(c.opt(3))))
		}},
		{name: "QLinearMatMul", since: 10, build: func(c *call) []*value {
			aScale, bScale, yScale := c.x(1), c.x(4), c.x(6)
			dt := tensor.Float32 // the product of two scales of 16 bits may be none
			wide := func(s *ops.Node) *ops.Node { return zeroPoint(ops.Cast(s, dt)) }
			return out(ops.QLinearMatMul(ops.Quantized{Value: c.x(0), Scale: wide(aScale), Zero: zeroPoint(c.x(2))},
				ops.Quantized{Value: c.x(3), Scale: wide(bScale), Zero: zeroPoint(c.x(5))}, wide(yScale), zeroPoint(c.x(7))))
		}},
		{name: "ConvInteger", since: 10, build: func(c *call) []*value {
			x, w, o := c.conv2D(0, 1)
			return out(ops.ConvInteger(x(c.opt(2)), w, zeroPoint(c.opt(2)), zeroPoint(c.opt(3)), o))
		}},
		{name: "QLinearConv", since: 10, build: func(c *call) []*value {
			x, w, o := c.conv2D(0, 3)
			bias := c.opt(8)
			return out(ops.QLinearConv(ops.Quantized{Value: x(c.x(2)), Scale: zeroPoint(c.x(1)), Zero: zeroPoint(c.x(2))},
				ops.Quantized{Value: w, Scale: zeroPoint(c.x(4)), Zero: zeroPoint(c.x(5))}, bias, zeroPoint(c.x(6)), zeroPoint(c.x(7)), o))
		}},
	}
})

// zeroPoint is a zero point or scale, a scalar where it is one value.
func zeroPoint(z *ops.Node) *ops.Node {
	if z != nil && z.Size() == 1 {
		return ops.Reshape(z)
	}
	return z
}

// conv2D are the image, padded with its zero point where the op cannot, the kernel, and the options of a convolution of integers.
func (c *call) conv2D(xi, wi int) (func(zero *ops.Node) *ops.Node, *ops.Node, ops.Conv2DOptions) {
	x, w := c.x(xi), c.x(wi)
	s := c.spatial(x, w.Shape()[2:])
	if len(s.size) != 2 {
		c.fail("convolutions of integers are supported for 2 spatial axes, not %d", len(s.size))
	}
	o := ops.Conv2DOptions{Stride: [2]int(s.stride), Dilation: [2]int(s.dilation), Groups: c.int("group", 1)}
	if slices.Equal(s.before, s.after) && s.before[0] >= 0 && s.before[1] >= 0 {
		o.Pad = [2]int(s.before)
		return func(*ops.Node) *ops.Node { return x }, w, o
	}
	return func(zero *ops.Node) *ops.Node {
		paddings := []ops.Padding{{Axis: 2, Before: s.before[0], After: s.after[0]}, {Axis: 3, Before: s.before[1], After: s.after[1]}}
		if zero == nil {
			return ops.Pad(x, 0, paddings...)
		}
		there := ops.Pad(c.b.g.Ones(tensor.Bool, x.Shape()...), 0, paddings...)
		return ops.Where(there, ops.Pad(x, 0, paddings...), ops.Reshape(zero))
	}, w, o
}
