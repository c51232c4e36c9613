package fusion

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Extents of the image that producers are given: batch, channels, height and width.
const batch, channels, height, width = 8, 8, 64, 64

// A Part computes something with x; further operands come from in.
type Part struct {
	Name   string
	Build  func(in *inputs, x *ops.Node) *ops.Node
	Random bool // values differ from run to run
}

// Producers are views, indexed reads, element-wise functions from cheap to dear, random numbers and results of folds.
var Producers = []Part{
	{Name: "gather channels", Build: func(in *inputs, x *ops.Node) *ops.Node { return ops.Gather(x, 1, in.indices(channels, channels)) }},
	{Name: "gather rows", Build: func(in *inputs, x *ops.Node) *ops.Node { return ops.Gather(x, 2, in.indices(height, height)) }},
	{Name: "gather columns", Build: func(in *inputs, x *ops.Node) *ops.Node { return ops.Gather(x, 3, in.indices(width, width)) }},
	{Name: "where", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Where(ops.Greater(x, 0.0), x, ops.Exp(x)) }},
	{Name: "gelu", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.GELU(x) }},
	{Name: "bias", Build: func(in *inputs, x *ops.Node) *ops.Node { return ops.Add(x, in.floats(channels, 1, 1)) }},
	{Name: "half", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Cast(ops.Cast(x, tensor.Float16), tensor.Float32) }},
	{Name: "normal", Random: true, Build: func(_ *inputs, x *ops.Node) *ops.Node {
		return ops.Add(x, x.Graph().Normal(tensor.Float32, batch, channels, height, width))
	}},
	{Name: "dropout", Random: true, Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Dropout(x, 0.3) }},
	{Name: "one-hot", Build: func(in *inputs, _ *ops.Node) *ops.Node {
		return ops.Reshape(ops.OneHot(in.indices(batch*channels*height, width), width, tensor.Float32), batch, channels, height, width)
	}},
	{Name: "lower triangle", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Tril(x, 0) }},
	{Name: "concat channels", Build: func(_ *inputs, x *ops.Node) *ops.Node { return halves(x, 1, channels/2) }},
	{Name: "concat columns", Build: func(_ *inputs, x *ops.Node) *ops.Node { return halves(x, 3, 20) }},
	{Name: "transpose rows", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Transpose(x, 0, 1, 3, 2) }},
	{Name: "channels last", Build: func(_ *inputs, x *ops.Node) *ops.Node {
		return ops.Transpose(ops.Reshape(x, batch, height, width, channels), 0, 3, 1, 2)
	}},
	{Name: "flip", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Flip(x, 3) }},
	{Name: "roll", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Roll(x, []int{5}, 3) }},
	{Name: "repeat", Build: func(_ *inputs, x *ops.Node) *ops.Node {
		return ops.RepeatInterleave(ops.Narrow(x, 3, 0, width/2), 3, 2)
	}},
	{Name: "pixel shuffle", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Tile(ops.PixelShuffle(x, 2), 1, 4, 1, 1) }},
	{Name: "pad mirrored", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.PadWith(x, "reflect", around...) }},
	{Name: "pad constant", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Pad(x, 0, around...) }},
	{Name: "resize nearest", Build: func(_ *inputs, x *ops.Node) *ops.Node {
		return ops.Interpolate(quarter(x), ops.InterpolateOptions{Scale: []float64{2, 2}})
	}},
	{Name: "resize linear", Build: func(_ *inputs, x *ops.Node) *ops.Node {
		return ops.Interpolate(quarter(x), ops.InterpolateOptions{Mode: "linear", Scale: []float64{2, 2}})
	}},
	{Name: "cumulative sum", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.CumSum(x, 3, nil) }},
	{Name: "softmax rows", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Softmax(x, 3) }},
	{Name: "softmax channels", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Softmax(x, 1) }},
}

// around is a border of two elements.
var around = []ops.Padding{{Axis: 2, Before: 2, After: 2}, {Axis: 3, Before: 2, After: 2}}

// halves joins x[:at] and twice x[at:] along an axis.
func halves(x *ops.Node, axis, at int) *ops.Node {
	return ops.Concat(axis, ops.Narrow(x, axis, 0, at), ops.Mul(ops.Narrow(x, axis, at, x.Shape()[axis]-at), 2.0))
}

// quarter is the first half of the rows and columns.
func quarter(x *ops.Node) *ops.Node { return ops.Narrow(ops.Narrow(x, 2, 0, height/2), 3, 0, width/2) }
