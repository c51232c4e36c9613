package importer

import (
	"slices"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func quantize(c *call) []*value {
	x, scale, zero := c.x(0), c.x(1), c.opt(2)
	to, narrow := tensor.Uint8, model.DataType(0)
	if zero != nil {
		to, narrow = zero.DType(), c.in[2].narrow
	}
	if t := model.DataType(c.int("output_dtype", 0)); t.Narrow() {
		to, narrow = t.DType(), t
	} else if t != 0 {
		to = c.dtype(int(t))
	}
	saturate := c.flag("saturate", true)
	if p := c.int("precision", 0); p != 0 && c.dtype(p) != x.DType() {
		c.fail("precision %v for an operand of %v is not supported", c.dtype(p), x.DType())
	}
	if zero == nil && to != tensor.Uint8 {
		zero = c.b.g.Zeros(to, scale.Shape()...)
	}
	axis, block := c.int("axis", 1), c.int("block_size", 0)
	scale, zero, axis = c.blocked(x, scale, zero, axis, block)
	if !x.DType().IsFloat() {
		x = ops.Cast(x, scale.DType())
	}
	if narrow == 0 && axis != whole {
		return out(ops.QuantizeLinear(x, ops.Cast(scale, x.DType()), zero, axis))
	}
	spread := func(s *ops.Node) *ops.Node { return along(s, axis, x.Rank()) }
	y := ops.Div(ops.Cast(x, tensor.Float32), ops.Cast(spread(scale), tensor.Float32))
	format, isFloat := narrow.Float()
	if isFloat {
		return []*value{{node: rounded(y, format, saturate, false), narrow: narrow}}
	}
	y = ops.Round(y)
	if zero != nil {
		y = ops.Add(y, ops.Cast(spread(zero), tensor.Float32))
	}
	if narrow != 0 {
		lo, hi := limits(narrow)
		y = ops.Clip(y, lo, hi)
	}
	return []*value{{node: ops.Cast(y, to), narrow: narrow}} // a cast to integers saturates
}

func dequantize(c *call) []*value {
	x, scale, zero := c.x(0), c.x(1), c.opt(2)
	axis, block := c.int("axis", 1), c.int("block_size", 0)
	scale, zero, axis = c.blocked(x, scale, zero, axis, block)
	dt := scale.DType()
	if t := c.int("output_dtype", 0); t != 0 {
		dt = c.dtype(t)
	}
	if axis != whole && x.DType().IsInt() {
		return out(ops.Cast(ops.DequantizeLinear(x, scale, zero, axis), dt))
	}
	d := ops.Cast(x, tensor.Float64)
	if zero != nil {
		d = ops.Sub(d, ops.Cast(along(zero, axis, x.Rank()), tensor.Float64))
	}
	return out(ops.Cast(ops.Mul(ops.Cast(d, tensor.Float32), ops.Cast(along(scale, axis, x.Rank()), tensor.Float32)), dt))
}

// along gives a scale that has a value for each index of an axis the axes behind it.
func along(s *ops.Node, axis, rank int) *ops.Node {
	if s == nil || s.Rank() != 1 || axis == whole {
		return s
	}
	shape := slices.Repeat([]int{1}, rank-axis)
	shape[0] = s.Dim(0)
	return ops.Reshape(s, shape...)
}

// whole is the axis of scales that have a value for each element.
const whole = 1 << 30

// blocked stretches scales and zero points of blocks along an axis to one for each element.
func (c *call) blocked(x, scale, zero *ops.Node, axis, block int) (*ops.Node, *ops.Node, int) {
	if scale.Size() == 1 && block == 0 {
		return zeroPoint(scale), zeroPoint(zero), 0
	}
	axis = c.axis(axis, x.Rank())
	if block == 0 {
		return scale, zero, axis
	}
	stretch := func(s *ops.Node) *ops.Node {
		if s == nil {
			return nil
		}
		s = ops.RepeatInterleave(s, axis, block)
		if s.Dim(axis) < x.Dim(axis) {
			c.fail("%d blocks of %d are fewer than the %d elements of axis %d", s.Dim(axis)/block, block, x.Dim(axis), axis)
		}
		return ops.Narrow(s, axis, 0, x.Dim(axis))
	}
	return stretch(scale), stretch(zero), whole
}
