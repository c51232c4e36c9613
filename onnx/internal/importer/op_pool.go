package importer

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: "MaxPool", since: 1, build: maxPool},
		{name: "AveragePool", since: 1, build: averagePool},
		{name: "LpPool", since: 2, build: lpPool},
		{name: "GlobalAveragePool", since: 1, build: unary(ops.GlobalAvgPool)},
		{name: "GlobalMaxPool", since: 1, build: unary(ops.GlobalMaxPool)},
		{name: "GlobalLpPool", since: 1, build: func(c *call) []*value {
			p := 2.0
			if c.version < 2 {
				p = c.float("p", 2)
			} else {
				p = float64(c.int("p", 2))
			}
			return out(ops.GlobalLPPool(c.x(0), p))
		}},
		{name: "MaxUnpool", since: 9, build: maxUnpool},
	}
})

// pooling are the options of a pooling of x. Padding that op pool does not take is added to x, with the value fill.
func (c *call) pooling(x *ops.Node, fill float64) (*ops.Node, ops.PoolingOptions) {
	s := c.spatial(x, nil)
	ceil := c.flag("ceil_mode", false)
	x = s.padded(x, fill)
	o := ops.PoolingOptions{Size: s.size, Stride: s.stride, Pad: s.before, PadAfter: s.after, Dilation: s.dilation, Ceil: ceil}
	return x, o
}

// excess adds the padding that is as wide as a window to x.
func excess(x *ops.Node, o *ops.PoolingOptions, fill float64) *ops.Node {
	var paddings []ops.Padding
	for i, k := range o.Size {
		reach := o.Dilation[i]*(k-1) + 1
		if o.Pad[i] >= min(k, reach) || o.PadAfter[i] >= min(k, reach) {
			paddings = append(paddings, ops.Padding{Axis: i + 2, Before: o.Pad[i], After: o.PadAfter[i]})
			o.Pad[i], o.PadAfter[i] = 0, 0
		}
	}
	if paddings == nil {
		return x
	}
	return ops.Pad(x, fill, paddings...)
}

func maxPool(c *call) []*value {
	x, o := c.pooling(c.x(0), math.Inf(-1))
	columns := c.flag("storage_order", false)
	if !c.wants(1) {
		least := math.Inf(-1)
		if !x.DType().IsFloat() {
			least = identity(x.DType(), least)
		}
		return out(ops.MaxPool(excess(x, &o, least), o))
	}
	y, at := ops.MaxPoolWithIndices(x, o, true)
	if columns { // positions count with the first spatial axis fastest
		at = columnMajor(at, x.Shape()[2:])
	}
	return out(y, at)
}

// columnMajor counts positions in the last axes with the first of them fastest.
func columnMajor(at *ops.Node, extents []int) *ops.Node {
	whole := int64(product(extents))
	rest, sum, stride := ops.Mod(at, whole), ops.Mul(ops.FloorDivide(at, whole), whole), whole
	for i := len(extents) - 1; i >= 0; i-- {
		d := int64(extents[i])
		stride /= d
		sum = ops.Add(sum, ops.Mul(ops.Mod(rest, d), stride))
		rest = ops.FloorDivide(rest, d)
	}
	return sum
}

func averagePool(c *call) []*value {
	x, o := c.pooling(c.x(0), 0)
	o.CountPad = c.flag("count_include_pad", false)
	if wide := excessive(o); !wide {
		return out(ops.AvgPool(x, o))
	}
	// The average of x padded with zeros, divided by the average of ones for the elements that count.
	there := c.b.g.Ones(x.DType(), x.Shape()...)
	fill := 0.0
	if o.CountPad {
		fill = 1
	}
	o.CountPad = false
	o2 := o
	o2.Pad, o2.PadAfter = append([]int{}, o.Pad...), append([]int{}, o.PadAfter...)
	sum, count := ops.AvgPool(excess(x, &o, 0), o), ops.AvgPool(excess(there, &o2, fill), o2)
	return out(ops.Div(sum, count))
}

func excessive(o ops.PoolingOptions) bool {
	for i, k := range o.Size {
		if o.Pad[i] >= k || o.PadAfter[i] >= k {
			return true
		}
	}
	return false
}

func lpPool(c *call) []*value {
	x, o := c.pooling(c.x(0), 0)
	return out(ops.LPPool(excess(x, &o, 0), float64(c.int("p", 2)), o))
}

func maxUnpool(c *call) []*value {
	x, at := c.x(0), ops.Cast(c.x(1), tensor.Int64)
	s := c.spatial(x, nil)
	extents := c.extents(x)
	natural := make([]int, len(extents))
	for i, d := range extents {
		natural[i] = (d-1)*s.stride[i] - s.before[i] - s.after[i] + s.size[i]
	}
	size := natural
	if c.has(2) {
		size = c.ints(2)
		if len(size) == x.Rank() {
			size = size[2:]
		}
	}
	// Positions count in all of the result, and in its spatial axes here.
	return out(ops.MaxUnpool(x, ops.Mod(at, int64(product(size))), size...))
}
