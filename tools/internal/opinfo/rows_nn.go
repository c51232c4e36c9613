package opinfo

import (
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// layers are convolutions, pools, normalisations and interpolation of torch.nn.functional.
func layers() []*Row {
	var rows []*Row
	for n := 1; n <= 3; n++ {
		d := string(rune('0'+n)) + "d"
		rows = append(rows,
			&Row{Torch: "nn.functional.conv" + d, Signature: "input weight bias stride padding dilation groups",
				Go: "ops.Conv(x, w, bias, &ops.ConvOptions{...})", Build: func(c *Call) []*ops.Node { return list(c.conv(n)) }},
			&Row{Torch: "nn.functional.conv_transpose" + d, Signature: "input weight bias stride padding output_padding groups dilation",
				Go:    "ops.ConvTranspose(x, w, bias, &ops.ConvTransposeOptions{...})",
				Build: func(c *Call) []*ops.Node { return list(c.convTranspose(n)) }},
			&Row{Torch: "nn.functional.avg_pool" + d, Signature: "input kernel_size stride padding ceil_mode count_include_pad divisor_override",
				Go: "ops.AvgPool(x, ops.PoolingOptions{...})", Build: func(c *Call) []*ops.Node {
					a := c.window(n)
					a["count_pad"] = c.bool("count_include_pad", true)
					divisor := c.int("divisor_override", 0)
					if a["divisor"] = max(divisor, -divisor); divisor < 0 {
						c.as("ops.Neg(ops.AvgPool(x, ops.PoolingOptions{...}))")
						return list(ops.Neg(call("avg_pool", a, c.x("input"))))
					}
					return list(call("avg_pool", a, c.x("input")))
				}},
			&Row{Torch: "nn.functional.max_pool" + d, Signature: "input kernel_size stride padding dilation ceil_mode return_indices",
				Go: "y, indices := ops.MaxPoolWithIndices(x, ops.PoolingOptions{...}, false)", Build: func(c *Call) []*ops.Node {
					a := c.window(n)
					if a["dilation"] = c.each("dilation", n, 1); !c.bool("return_indices", false) {
						c.as("ops.MaxPool(x, ops.PoolingOptions{...})")
						return list(call("max_pool", a, c.x("input")))
					}
					return callAll("max_pool_indices", a, c.x("input"))
				}},
			&Row{Torch: "nn.functional.lp_pool" + d, Signature: "input norm_type kernel_size stride ceil_mode",
				Go: "ops.LPPool(x, p, ops.PoolingOptions{...})", Build: func(c *Call) []*ops.Node {
					a := c.window(n)
					a["p"] = c.float("norm_type", 2)
					return list(call("lp_pool", a, c.x("input")))
				}},
			&Row{Torch: "nn.functional.adaptive_avg_pool" + d, Signature: "input output_size", Go: "ops.AdaptiveAvgPool(x, size...)",
				Note: "None is -1", Build: func(c *Call) []*ops.Node {
					return list(call("adaptive_avg_pool", attrs{"size": c.adaptive(n)}, c.x("input")))
				}},
			&Row{Torch: "nn.functional.adaptive_max_pool" + d, Signature: "input output_size return_indices",
				Go: "y, indices := ops.AdaptiveMaxPool(x, size...)", Note: "None is -1", Build: func(c *Call) []*ops.Node {
					return callAll("adaptive_max_pool", attrs{"size": c.adaptive(n)}, c.x("input"))
				}},
		)
		unpool := &Row{Torch: "nn.functional.max_unpool" + d, Signature: "input indices kernel_size stride padding output_size",
			Go: "ops.MaxUnpool(x, indices, size...)", Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				size := c.ints("output_size")
				kernel, pad := c.each("kernel_size", n, 1), c.each("padding", n, 0)
				stride := kernel
				if c.has("stride") {
					stride = c.each("stride", n, 1)
				}
				if len(size) == 0 {
					for i := range n {
						size = append(size, (x.Dim(x.Rank()-n+i)-1)*stride[i]-2*pad[i]+kernel[i])
					}
				}
				size = size[len(size)-n:]
				if _, ok := ops.OpNamed("max_unpool"); ok {
					return list(call("max_unpool", attrs{"size": size}, x, c.x("indices")))
				}
				c.as("ops.Add(ops.Scatter(zeros, -1, indices, ops.StopGradient(x)), ops.ScatterAdd(zeros, -1, indices, ops.Sub(x, ops.StopGradient(x))))")
				lead := x.Shape()[:x.Rank()-n]
				flat := func(v *ops.Node) *ops.Node {
					return ops.Reshape(v, append(slices.Clone(lead), v.Size()/max(1, product(lead)))...)
				}
				zeros := c.g.Full(x.DType(), 0, append(slices.Clone(lead), product(size))...)
				// Where windows overlap one position comes twice: the last value stays, and PyTorch gives all of them its derivative.
				idx, fixed := flat(c.x("indices")), ops.StopGradient(flat(x))
				y := ops.Add(ops.Scatter(zeros, len(lead), idx, fixed), ops.ScatterAdd(zeros, len(lead), idx, ops.Sub(flat(x), fixed)))
				return list(ops.Reshape(y, append(slices.Clone(lead), size...)...))
			}}
		random := &Row{
			Torch: "nn.functional.fractional_max_pool" + d, Signature: "input kernel_size output_size output_ratio return_indices _random_samples",
			Go: "y, indices := ops.FractionalMaxPool(x, samples, window, size)", Note: "windows that PyTorch draws by itself lie elsewhere",
			Build: func(c *Call) []*ops.Node { return c.fractional(n) },
		}
		rows = append(rows, unpool, also(unpool.Torch+".grad", unpool), random)
	}
	interpolate := func(torch, mode, fixed string) *Row {
		r := &Row{Torch: torch, Signature: "input size scale_factor mode align_corners recompute_scale_factor antialias",
			Go: "ops.Interpolate(x, ops.InterpolateOptions{Mode: ops." + mode + "})", Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				n := x.Rank() - 2
				a := attrs{"mode": fixed}
				if c.has("size") {
					a["size"] = c.each("size", n, 1)
				} else {
					s := c.floats("scale_factor")
					if len(s) == 1 {
						s = slices.Repeat(s, n)
					}
					a["scale"] = s
				}
				align := c.bool("align_corners", torch == "nn.functional.upsample_bilinear")
				switch {
				case fixed == "nearest" || fixed == "area":
				case align:
					a["coords"] = "align_corners"
				}
				if c.bool("antialias", false) {
					c.refuse("antialias")
				}
				if c.has("mode") { // else one of the older functions that have their mode in their name
					c.refuseOther("mode", torch[strings.LastIndexByte(torch, '.')+1:])
				}
				return list(call("interpolate", a, x))
			}}
		if torch == "nn.functional.upsample_bilinear" || torch == "nn.functional.upsample_nearest" {
			r.Signature = "input size scale_factor"
		}
		return r
	}
	rows = append(rows,
		interpolate("nn.functional.interpolate.nearest", "InterpolateNearest", "nearest"),
		interpolate("nn.functional.interpolate.linear", "InterpolateLinear", "linear"),
		interpolate("nn.functional.interpolate.bilinear", "InterpolateLinear", "linear"),
		interpolate("nn.functional.interpolate.trilinear", "InterpolateLinear", "linear"),
		interpolate("nn.functional.interpolate.bicubic", "InterpolateCubic", "cubic"),
		interpolate("nn.functional.interpolate.area", "InterpolateArea", "area"),
		interpolate("nn.functional.upsample_bilinear", "InterpolateLinear", "linear"),
		interpolate("nn.functional.upsample_nearest", "InterpolateNearest", "nearest"),
	)
	for _, name := range []string{"dropout", "dropout2d", "dropout3d", "feature_alpha_dropout.with_train",
		"feature_alpha_dropout.without_train"} {
		rows = append(rows, dropout("nn.functional."+name))
	}
	rows = append(rows, &Row{
		Torch: "nn.functional._scaled_dot_product_attention", Signature: "q k v attn_mask dropout_p need_attn_weights is_causal",
		Go:   "ops.Attention(q, k, v, &ops.AttentionOptions{Mask: mask})",
		Note: "the weights, its second result, are a softmax of scores here", Build: scaledDotProductAttention,
	})
	return append(rows, normalisations()...)
}

// dropout is a row for the cases without randomness: nothing is dropped, or everything.
func dropout(torch string) *Row {
	return &Row{Torch: torch, Signature: "input p training", Go: "ops.Dropout(x, rate)",
		Note: "other elements than PyTorch's are dropped; without training it is left out", Build: func(c *Call) []*ops.Node {
			x, p := c.x("input"), c.float("p", 0.5)
			switch training := c.bool("training", !strings.HasSuffix(torch, "without_train")); {
			case !training || p == 0:
				c.as("x")
				return list(ops.Reshape(x, x.Shape()...))
			case p == 1:
				c.as("ops.Mul(x, 0)")
				return list(ops.Mul(x, 0))
			}
			c.refuse("it draws at random")
			return nil
		}}
}

func scaledDotProductAttention(c *Call) []*ops.Node {
	if c.float("dropout_p", 0) > 0 {
		c.refuse("it draws at random")
	}
	q, k, v := c.x("q"), c.x("k"), c.x("v")
	mask := c.x("attn_mask")
	if c.bool("is_causal", false) { // the first query sees the first key
		mask = c.g.Const(tensor.Must(tensor.FromSlice(lowerTriangle(q.Dim(-2), k.Dim(-2)), q.Dim(-2), k.Dim(-2))))
	}
	y := ops.Attention(q, k, v, &ops.AttentionOptions{Mask: mask})
	scores := times(ops.MatMul(q, transposed(k)), 1/math.Sqrt(float64(q.Dim(-1))))
	switch {
	case mask == nil:
	case mask.DType() == tensor.Bool:
		scores = ops.Where(mask, scores, math.Inf(-1))
	default:
		scores = ops.Add(scores, mask)
	}
	return list(y, ops.Softmax(scores, -1))
}

func lowerTriangle(rows, columns int) []bool {
	t := make([]bool, rows*columns)
	for i := range rows {
		for j := range min(i+1, columns) {
			t[i*columns+j] = true
		}
	}
	return t
}

// batched gives the attributes and operands of a window op where the input has no axis for the batch.
func batched(x *ops.Node, n int, f func(x *ops.Node) *ops.Node) *ops.Node {
	if x.Rank() == n+2 {
		return f(x)
	}
	return ops.Squeeze(f(ops.ExpandDims(x, 0)), 0)
}

func (c *Call) conv(n int) *ops.Node {
	a := attrs{"stride": c.each("stride", n, 1), "dilation": c.each("dilation", n, 1), "groups": c.int("groups", 1)}
	if mode := c.str("padding", ""); mode != "" {
		a["mode"] = mode
	} else {
		a["pad"] = c.each("padding", n, 0)
	}
	return batched(c.x("input"), n, func(x *ops.Node) *ops.Node { return call("conv", a, x, c.x("weight"), c.x("bias")) })
}

func (c *Call) convTranspose(n int) *ops.Node {
	a := attrs{"stride": c.each("stride", n, 1), "dilation": c.each("dilation", n, 1), "groups": c.int("groups", 1),
		"pad": c.each("padding", n, 0), "output_pad": c.each("output_padding", n, 0)}
	return batched(c.x("input"), n, func(x *ops.Node) *ops.Node { return call("conv_transpose", a, x, c.x("weight"), c.x("bias")) })
}

// window are the attributes of a pool over n axes.
func (c *Call) window(n int) attrs {
	a := attrs{"size": c.each("kernel_size", n, 1), "pad": c.each("padding", n, 0), "ceil": c.bool("ceil_mode", false)}
	if c.has("stride") && len(c.ints("stride")) > 0 {
		a["stride"] = c.each("stride", n, 1)
	}
	return a
}

// adaptive are the extents of a result, -1 for those that stay.
func (c *Call) adaptive(n int) []int {
	v, ok := c.value("output_size").([]any)
	if !ok {
		return slices.Repeat([]int{c.int("output_size", 1)}, n)
	}
	var size []int
	for _, e := range v {
		if e == nil {
			size = append(size, -1)
			continue
		}
		size = append(size, int(c.toFloat("output_size", e)))
	}
	if len(size) == 1 {
		size = slices.Repeat(size, n)
	}
	return size
}

func product(s []int) int {
	p := 1
	for _, n := range s {
		p *= n
	}
	return p
}

// fractional pools over n axes: with the samples of the call, or where windows lie in the same places for all.
func (c *Call) fractional(n int) []*ops.Node {
	x := c.x("input")
	window, extents := c.each("kernel_size", n, 1), x.Shape()[x.Rank()-n:]
	size := make([]int, n)
	if c.has("output_size") {
		size = c.each("output_size", n, 1)
	} else {
		ratio := c.floats("output_ratio")
		for i, extent := range extents {
			size[i] = int(float64(extent) * ratio[min(i, len(ratio)-1)])
		}
	}
	if x.Rank() != n+2 {
		c.refuse("an image without a batch")
	}
	samples := c.x("_random_samples")
	if samples == nil {
		for i, m := range size {
			if m > 2 && (extents[i]-window[i])%(m-1) != 0 {
				c.refuse("it draws its windows at random")
			}
		}
		samples = c.g.Full(x.DType(), 0, x.Dim(0), x.Dim(1), n)
	} else if n == 2 {
		samples = ops.Flip(samples, 2) // columns before rows
	}
	return callAll("fractional_max_pool", attrs{"window": window, "size": size}, x, samples)
}
