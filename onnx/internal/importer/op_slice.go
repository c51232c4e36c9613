package importer

import (
	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func int64s(shape []int) (*tensor.Tensor, error) {
	v := make([]int64, len(shape))
	for i, d := range shape {
		v[i] = int64(d)
	}
	return tensor.FromSlice(v, len(v))
}

func constant(c *call) []*value {
	switch {
	case c.attrs["value"] != nil:
		a := c.attr("value", model.AttrTensor).Tensor
		v := c.known(a.Tensor(nil))
		v[0].narrow = NarrowOf(a.Type)
		return v
	case c.attrs["value_int"] != nil:
		return []*value{{host: tensor.Scalar(c.attr("value_int", model.AttrInt).Int)}}
	case c.attrs["value_float"] != nil:
		return []*value{{host: tensor.Scalar(c.attr("value_float", model.AttrFloat).Float)}}
	case c.attrs["value_ints"] != nil:
		return c.known(int64s(c.intList("value_ints")))
	case c.attrs["value_floats"] != nil:
		f := c.attr("value_floats", model.AttrFloats).Floats
		return c.known(tensor.FromSlice(f, len(f)))
	}
	c.fail("its value is a string, a sparse tensor or missing")
	return nil
}

func split(c *call) []*value {
	x := c.x(0)
	axis := c.axis(c.int("axis", 0), x.Rank())
	var sizes []int
	var given bool
	if c.version == 1 && c.has(1) {
		sizes, given = c.ints(1), true
	} else {
		sizes, given = c.intsOrInput("split", 1, 13)
	}
	if !given {
		parts := len(c.n.Outputs)
		if c.version >= 18 {
			if n := c.int("num_outputs", parts); n != parts {
				c.fail("num_outputs is %d, and there are %d outputs", n, parts)
			}
		}
		if parts <= 0 {
			c.fail("%d outputs", parts)
		}
		each := (x.Dim(axis) + parts - 1) / parts
		for left := x.Dim(axis); len(sizes) < parts; left -= each {
			sizes = append(sizes, max(0, min(each, left)))
		}
	}
	return out(ops.SplitSizes(x, axis, sizes...)...)
}

func slice(c *call) []*value {
	x := c.x(0)
	var starts, ends, axes, steps []int
	if c.version < 10 {
		starts, ends, axes = c.intList("starts"), c.intList("ends"), c.intList("axes")
	} else {
		starts, ends = c.ints(1), c.ints(2)
		if c.has(3) {
			axes = c.ints(3)
		}
		if c.has(4) {
			steps = c.ints(4)
		}
	}
	var ranges []ops.Range
	for i, start := range starts {
		axis, step := i, 1
		if axes != nil {
			axis = c.axis(axes[i], x.Rank())
		}
		if steps != nil {
			step = steps[i]
		}
		if step == 0 {
			c.fail("the step along axis %d is 0", axis)
		}
		n, end := x.Dim(axis), ends[i]
		if start < 0 {
			start += n
		}
		if end < 0 {
			end += n
		}
		if step > 0 {
			start, end = min(max(start, 0), n), min(max(end, 0), n)
			ranges = append(ranges, ops.Range{Axis: axis, Start: start, Stop: max(start, end), Step: step, Exact: true})
			continue
		}
		start, end = min(max(start, 0), n-1), min(max(end, -1), n-1)
		switch {
		case start <= end || n == 0:
			ranges = append(ranges, ops.Range{Axis: axis, Exact: true})
		case end < 0: // down to the first element
			ranges = append(ranges, ops.Range{Axis: axis, Start: start, Step: step})
		default:
			ranges = append(ranges, ops.Range{Axis: axis, Start: start, Stop: end, Step: step, Exact: true})
		}
	}
	return out(ops.Slice(x, ranges...))
}
