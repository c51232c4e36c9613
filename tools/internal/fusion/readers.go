package fusion

import "github.com/anycl/anycl/ops"

// Readers are kernels of every family that read an image once, several times, or where an index says.
var Readers = []Part{
	{Name: "convolution 3x3", Build: func(in *inputs, x *ops.Node) *ops.Node {
		return ops.Conv2D(x, in.floats(8, channels, 3, 3), ops.Conv2DOptions{Pad: [2]int{1, 1}})
	}},
	{Name: "convolution 1x1", Build: func(in *inputs, x *ops.Node) *ops.Node {
		return ops.Conv2D(x, in.floats(16, channels, 1, 1), ops.Conv2DOptions{})
	}},
	{Name: "depthwise 3x3", Build: func(in *inputs, x *ops.Node) *ops.Node {
		return ops.Conv2D(x, in.floats(channels, 1, 3, 3), ops.Conv2DOptions{Pad: [2]int{1, 1}, Groups: channels})
	}},
	{Name: "product, left", Build: func(in *inputs, x *ops.Node) *ops.Node { return ops.MatMul(x, in.floats(columns(x), 32)) }},
	{Name: "product, right", Build: func(in *inputs, x *ops.Node) *ops.Node { return ops.MatMul(in.floats(16, x.Shape()[2]), x) }},
	{Name: "product, both", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.MatMul(ops.Transpose(x, 0, 1, 3, 2), x) }},
	{Name: "max pool 3x3", Build: func(_ *inputs, x *ops.Node) *ops.Node {
		return ops.MaxPool2D(x, ops.PoolOptions{Size: [2]int{3, 3}, Stride: [2]int{1, 1}})
	}},
	{Name: "mean pool 2x2", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.AvgPool2D(x, ops.PoolOptions{Size: [2]int{2, 2}}) }},
	{Name: "sum rows", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Sum(x, 3) }},
	{Name: "sum channels", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Sum(x, 1) }},
	{Name: "sum batch", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Sum(x, 0) }},
	{Name: "variance", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Variance(x, 2, 3) }},
	{Name: "log-sum-exp", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.LogSumExp(x, 3) }},
	{Name: "largest channel", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.ArgMax(x, 1) }},
	{Name: "softmax rows", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Softmax(x, 3) }},
	{Name: "softmax channels", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Softmax(x, 1) }},
	{Name: "RMS norm", Build: func(in *inputs, x *ops.Node) *ops.Node { return ops.RMSNorm(x, in.floats(columns(x)), 1e-5) }},
	{Name: "group norm", Build: func(in *inputs, x *ops.Node) *ops.Node {
		return ops.GroupNorm(x, 4, in.floats(channels), in.floats(channels), 1e-5)
	}},
	{Name: "cumulative rows", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.CumSum(x, 3, nil) }},
	{Name: "cumulative columns", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.CumSum(x, 2, nil) }},
	{Name: "sort", Build: func(_ *inputs, x *ops.Node) *ops.Node { return first(ops.Sort(x, 3, nil)) }},
	{Name: "top-k", Build: func(_ *inputs, x *ops.Node) *ops.Node { return first(ops.TopK(x, 4, 3, nil)) }},
	{Name: "gather", Build: func(in *inputs, x *ops.Node) *ops.Node { return ops.Gather(x, 3, in.indices(64, 60)) }},
	{Name: "resize linear", Build: func(_ *inputs, x *ops.Node) *ops.Node {
		return ops.Interpolate(x, ops.InterpolateOptions{Mode: "linear", Size: []int{48, 48}})
	}},
	{Name: "resize cubic", Build: func(_ *inputs, x *ops.Node) *ops.Node {
		return ops.Interpolate(x, ops.InterpolateOptions{Mode: "cubic", Size: []int{80, 80}})
	}},
	{Name: "grid sample", Build: func(in *inputs, x *ops.Node) *ops.Node { return ops.GridSample(x, in.floats(batch, 32, 32, 2), nil) }},
	{Name: "sine", Build: func(_ *inputs, x *ops.Node) *ops.Node { return ops.Sin(x) }},
}

// columns is the last extent of x.
func columns(x *ops.Node) int { return x.Shape()[x.Rank()-1] }

// first leaves the positions out.
func first(values, _ *ops.Node) *ops.Node { return values }
