package opinfo

import (
	"github.com/anycl/anycl/ops"
)

func normalisations() []*Row {
	const of = "input weight bias"
	row := func(torch, signature, text string, f func(c *Call) []*ops.Node) *Row {
		return &Row{Torch: torch, Signature: signature, Go: text, Grads: of, Build: f}
	}
	layer := func(c *Call) []*ops.Node {
		x := c.x("input")
		n := len(c.ints("normalized_shape"))
		return list(c.affine("layer_norm", attrs{"eps": c.float("eps", 1e-5), "axes": n}, x, x.Shape()[x.Rank()-n:]))
	}
	return []*Row{
		row("nn.functional.layer_norm", "input normalized_shape weight bias eps", "ops.LayerNormOver(x, axes, scale, shift, eps)", layer),
		row("native_layer_norm", "input normalized_shape weight bias eps", "ops.LayerNormOver(x, axes, scale, shift, eps)", func(c *Call) []*ops.Node {
			x := c.x("input")
			var axes []int
			for i := range len(c.ints("normalized_shape")) {
				axes = append(axes, x.Rank()-1-i)
			}
			mean := ops.KeepDims(ops.Mean(x, axes...))
			rstd := ops.Rsqrt(ops.Add(ops.KeepDims(ops.Variance(x, axes...)), c.float("eps", 1e-5)))
			return append(layer(c), mean, rstd)
		}),
		row("nn.functional.group_norm", "input num_groups weight bias eps", "ops.GroupNorm(x, groups, scale, shift, eps)", func(c *Call) []*ops.Node {
			x := c.x("input")
			return list(c.affine("group_norm", attrs{"eps": c.float("eps", 1e-5), "groups": c.int("num_groups", 1)}, x, []int{x.Dim(1)}))
		}),
		row("nn.functional.instance_norm", "input running_mean running_var weight bias use_input_stats momentum eps", "ops.InstanceNorm(x, scale, shift, eps)", func(c *Call) []*ops.Node {
			x := c.x("input")
			if !c.bool("use_input_stats", true) {
				c.as("ops.BatchNorm(x, scale, shift, mean, variance, eps)")
				return list(c.batchNorm(x))
			}
			return list(c.affine("instance_norm", attrs{"eps": c.float("eps", 1e-5)}, x, []int{x.Dim(1)}))
		}),
		row("nn.functional.local_response_norm", "input size alpha beta k", "ops.LocalResponseNorm(x, ops.LocalResponseNormOptions{...})", func(c *Call) []*ops.Node {
			return list(call("local_response_norm", attrs{"size": c.int("size", 1), "alpha": c.float("alpha", 1e-4), "beta": c.float("beta", 0.75), "k": c.float("k", 1), "above": true}, c.x("input")))
		}),
		row("nn.functional.batch_norm", "input running_mean running_var weight bias training momentum eps", "y, mean, variance := ops.BatchNormTrain(x, scale, shift, eps)", func(c *Call) []*ops.Node {
			x := c.x("input")
			if c.bool("training", false) {
				return list(c.batchNormTrain(x)[0])
			}
			c.as("ops.BatchNorm(x, scale, shift, mean, variance, eps)")
			return list(c.batchNorm(x))
		}),
		row("native_batch_norm", "input weight bias running_mean running_var training momentum eps", "y, mean, variance := ops.BatchNormTrain(x, scale, shift, eps)", func(c *Call) []*ops.Node {
			x := c.x("input")
			if c.bool("training", false) {
				out := c.batchNormTrain(x)
				return list(out[0], out[1], ops.Rsqrt(ops.Add(out[2], c.float("eps", 1e-5))))
			}
			c.as("ops.BatchNorm(x, scale, shift, mean, variance, eps)")
			none := c.g.Full(x.DType(), 0, 0)
			return list(c.batchNorm(x), none, none)
		}),
		{Torch: "nn.functional.normalize", Signature: "input p dim eps", Go: "ops.Normalize(x, p, dim, eps)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			return list(call("normalize", attrs{"p": c.float("p", 2), "axis": axis(x, c.int("dim", 1)), "eps": c.float("eps", 1e-12)}, x))
		}},
		{Torch: "renorm", Signature: "input p dim maxnorm", Go: "ops.Renorm(x, p, dim, max)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			return list(call("renorm", attrs{"p": c.float("p", 2), "axis": axis(x, c.int("dim", 0)), "max": c.float("maxnorm", 1)}, x))
		}},
	}
}

// affine calls a normalisation with weight and bias, where there are any.
func (c *Call) affine(op string, a attrs, x *ops.Node, shape []int) *ops.Node {
	w, b := c.x("weight"), c.x("bias")
	if w == nil && b != nil {
		w = c.g.Full(x.DType(), 1, shape...)
	}
	return call(op, a, x, w, b)
}

// parameters are weight and bias of channels, or ones and zeros.
func (c *Call) parameters(x *ops.Node) (w, b *ops.Node) {
	if w = c.x("weight"); w == nil {
		w = c.g.Full(x.DType(), 1, x.Dim(1))
	}
	if b = c.x("bias"); b == nil {
		b = c.g.Full(x.DType(), 0, x.Dim(1))
	}
	return w, b
}

func (c *Call) batchNorm(x *ops.Node) *ops.Node {
	w, b := c.parameters(x)
	return ops.BatchNorm(x, w, b, c.x("running_mean"), c.x("running_var"), c.float("eps", 1e-5))
}

func (c *Call) batchNormTrain(x *ops.Node) []*ops.Node {
	w, b := c.parameters(x)
	y, mean, variance := ops.BatchNormTrain(x, w, b, c.float("eps", 1e-5))
	return list(y, mean, variance)
}
