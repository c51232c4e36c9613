package bench

import (
	"fmt"

	"github.com/anycl/anycl/ops"
)

func namedLayers() []*named {
	return append(namedWindows(), namedNorms()...)
}

// namedWindows are convolutions, pools and resampling.
func namedWindows() []*named {
	images := []leaf{floats(8, 64, 56, 56)}
	line := []leaf{floats(8, 64, 1024), floats(64, 64, 5).drawn(0.1, 0)}
	volume := []leaf{floats(2, 16, 16, 32, 32), floats(32, 16, 3, 3, 3).drawn(0.05, 0)}
	up := []leaf{floats(8, 32, 28, 28), floats(32, 16, 4, 4).drawn(0.1, 0)}
	return []*named{
		{name: "conv1d/8x64x1024-64x5", torch: "F.conv1d({0}, {1}, padding=2)", leaves: line,
			ours: func(x []*ops.Node) *ops.Node { return ops.Conv(x[0], x[1], nil, &ops.ConvOptions{Pad: []int{2}}) },
			composed: func(x []*ops.Node) *ops.Node {
				return ops.Squeeze(ops.Conv2D(ops.ExpandDims(x[0], 2), ops.ExpandDims(x[1], 2), ops.Conv2DOptions{Pad: [2]int{0, 2}}), 2)
			}},
		{name: "conv1d-grad/8x64x1024-64x5", torch: "F.conv1d({0}, {1}, padding=2)", leaves: line, grad: []int{8, 64, 1024},
			ours: func(x []*ops.Node) *ops.Node { return ops.Conv(x[0], x[1], nil, &ops.ConvOptions{Pad: []int{2}}) }},
		{name: "conv3d/2x16x16x32x32-32", torch: "F.conv3d({0}, {1}, padding=1)", leaves: volume, ours: func(x []*ops.Node) *ops.Node {
			return ops.Conv(x[0], x[1], nil, &ops.ConvOptions{Pad: []int{1, 1, 1}})
		}},
		{name: "conv-transpose2d/8x32x28x28-16x4", torch: "F.conv_transpose2d({0}, {1}, stride=2, padding=1)", leaves: up,
			ours: func(x []*ops.Node) *ops.Node {
				return ops.ConvTranspose(x[0], x[1], nil, &ops.ConvTransposeOptions{ConvOptions: ops.ConvOptions{Stride: []int{2, 2},
					Pad: []int{1, 1}}})
			}},
		{name: "max-pool3d/2x32x16x32x32", torch: "F.max_pool3d({0}, 2)", leaves: []leaf{floats(2, 32, 16, 32, 32)},
			ours: func(x []*ops.Node) *ops.Node {
				return ops.MaxPool(x[0], ops.PoolingOptions{Size: []int{2, 2, 2}})
			}},
		{name: "avg-pool1d/8x64x4096", torch: "F.avg_pool1d({0}, 4)", leaves: []leaf{floats(8, 64, 4096)}, ours: func(x []*ops.Node) *ops.Node {
			return ops.AvgPool(x[0], ops.PoolingOptions{Size: []int{4}})
		}},
		{name: "adaptive-avg-pool/8x64x56x56-7", torch: "F.adaptive_avg_pool2d({0}, 7)", leaves: images,
			ours: func(x []*ops.Node) *ops.Node { return ops.AdaptiveAvgPool(x[0], 7, 7) }},
		{name: "adaptive-max-pool/8x64x56x56-5", torch: "F.adaptive_max_pool2d({0}, 5)", leaves: images,
			ours: func(x []*ops.Node) *ops.Node { return first(ops.AdaptiveMaxPool(x[0], 5, 5)) }},
		{name: "lp-pool/8x64x56x56", torch: "F.lp_pool2d({0}.abs(), 3, 2)", leaves: images, ours: func(x []*ops.Node) *ops.Node {
			return ops.LPPool(ops.Abs(x[0]), 3, ops.PoolingOptions{Size: []int{2, 2}})
		}},
		{name: "max-pool-indices/8x64x56x56", torch: "F.max_pool2d({0}, 2, return_indices=True)[1]", leaves: images,
			ours: func(x []*ops.Node) *ops.Node {
				_, at := ops.MaxPoolWithIndices(x[0], ops.PoolingOptions{Size: []int{2, 2}}, false)
				return at
			}},
		resize("nearest", "mode='nearest'", ops.InterpolateOptions{Mode: ops.InterpolateNearest}),
		resize("bilinear", "mode='bilinear', align_corners=False", ops.InterpolateOptions{Mode: ops.InterpolateLinear}),
		resize("bicubic", "mode='bicubic', align_corners=False", ops.InterpolateOptions{Mode: ops.InterpolateCubic}),
		{name: "grid-sample/8x16x64x64", torch: "F.grid_sample({0}, torch.tanh({1}), align_corners=False)",
			leaves: []leaf{floats(8, 16, 64, 64), floats(8, 64, 64, 2)},
			ours:   func(x []*ops.Node) *ops.Node { return ops.GridSample(x[0], ops.Tanh(x[1]), nil) }},
	}
}

// resize doubles the extents of images.
func resize(mode, torch string, o ops.InterpolateOptions) *named {
	o.Size = []int{112, 112}
	return &named{
		name: "resize-" + mode + "/8x32x56x56-112", torch: "F.interpolate({0}, size=(112, 112), " + torch + ")",
		bytes:  4 * 8 * 32 * (56*56 + 112*112),
		leaves: []leaf{floats(8, 32, 56, 56)}, ours: func(x []*ops.Node) *ops.Node { return ops.Interpolate(x[0], o) },
	}
}

func namedNorms() []*named {
	images, channel := floats(8, 64, 56, 56), floats(64).drawn(0.1, 1)
	all := []*named{
		{name: "group-norm/8x64x56x56-8", torch: "F.group_norm({0}, 8, {1}, {2})", leaves: []leaf{images, channel, channel},
			ours: func(x []*ops.Node) *ops.Node { return ops.GroupNorm(x[0], 8, x[1], x[2], 1e-5) }},
		{name: "group-norm-grad/8x64x56x56-8", torch: "F.group_norm({0}, 8, {1}, {2})", leaves: []leaf{images, channel, channel},
			grad: []int{8, 64, 56, 56},
			ours: func(x []*ops.Node) *ops.Node { return ops.GroupNorm(x[0], 8, x[1], x[2], 1e-5) }},
		{name: "instance-norm/8x64x56x56", torch: "F.instance_norm({0})", leaves: []leaf{images},
			ours: func(x []*ops.Node) *ops.Node { return ops.InstanceNorm(x[0], nil, nil, 1e-5) }},
		{name: "batch-norm-train/8x64x56x56", torch: "F.batch_norm({0}, None, None, {1}, {2}, True)", leaves: []leaf{images, channel, channel},
			ours: func(x []*ops.Node) *ops.Node {
				y, _, _ := ops.BatchNormTrain(x[0], x[1], x[2], 1e-5)
				return y
			}},
		{name: "local-response-norm/8x64x56x56", torch: "F.local_response_norm({0}, 5)", leaves: []leaf{images},
			ours: func(x []*ops.Node) *ops.Node {
				return ops.LocalResponseNorm(x[0], ops.LocalResponseNormOptions{Size: 5})
			}},
		{name: "log-softmax/1024x1024", torch: "torch.log_softmax({0}, 1)", leaves: []leaf{floats(1024, 1024)}, bytes: 8 * million,
			ours: func(x []*ops.Node) *ops.Node { return ops.LogSoftmax(x[0], 1) }},
		{name: "normalize/1024x1024", torch: "F.normalize({0})", leaves: []leaf{floats(1024, 1024)}, bytes: 8 * million,
			ours: func(x []*ops.Node) *ops.Node { return ops.Normalize(x[0], 2, 1, 1e-12) }},
		{name: "glu/1024x1024", torch: "F.glu({0})", leaves: []leaf{floats(1024, 1024)}, bytes: 6 * million,
			ours: func(x []*ops.Node) *ops.Node { return ops.GLU(x[0], -1) }},
	}
	return append(all, recurrent("lstm", 4, "LSTM"), recurrent("gru", 3, "GRU"), recurrent("rnn", 1, "RNN"))
}

// recurrent is a layer over a sequence of 32 vectors of 64 numbers in 16 rows, with a state of 128.
func recurrent(name string, gates int, torch string) *named {
	const steps, rows, in, hidden = 32, 16, 64, 128
	call := map[string]string{
		"LSTM": "torch.lstm({0}, (torch.zeros(1, 16, 128), torch.zeros(1, 16, 128)), [{1}, {2}, {3}, {3}], True, 1, 0.0, False, False, False)[0]",
		"GRU":  "torch.gru({0}, torch.zeros(1, 16, 128), [{1}, {2}, {3}, {3}], True, 1, 0.0, False, False, False)[0]",
		"RNN":  "torch.rnn_tanh({0}, torch.zeros(1, 16, 128), [{1}, {2}, {3}, {3}], True, 1, 0.0, False, False, False)[0]",
	}[torch]
	return &named{
		name: fmt.Sprintf("%s/%dx%dx%d-%d", name, steps, rows, in, hidden), torch: call,
		leaves: []leaf{floats(steps, rows, in), floats(gates*hidden, in).drawn(0.1, 0), floats(gates*hidden, hidden).drawn(0.1, 0),
			floats(gates*hidden).drawn(0.1, 0)},
		ours: func(x []*ops.Node) (y *ops.Node) {
			w := []ops.RecurrentWeights{{Input: x[1], Hidden: x[2], InputBias: x[3], HiddenBias: x[3]}}
			switch torch {
			case "LSTM":
				y, _, _ = ops.LSTM(x[0], nil, nil, w, nil)
			case "GRU":
				y, _ = ops.GRU(x[0], nil, w, nil)
			default:
				y, _ = ops.RNN(x[0], nil, w, nil)
			}
			return y
		},
	}
}
