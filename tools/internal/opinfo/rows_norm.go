package opinfo

import (
	"slices"

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
		if c.float("eps", 0) < 0 {
			var axes []int
			for i := range n {
				axes = append(axes, x.Rank()-1-i)
			}
			return list(c.negativeEps(x, axes, c.x("weight"), c.x("bias")))
		}
		return list(c.affine("layer_norm", attrs{"eps": c.float("eps", 1e-5), "axes": n}, x, x.Shape()[x.Rank()-n:]))
	}
	return []*Row{
		row("nn.functional.layer_norm", "input normalized_shape weight bias eps", "ops.LayerNormOver(x, axes, scale, shift, eps)", layer),
		row("native_layer_norm", "input normalized_shape weight bias eps", "ops.LayerNormOver(x, axes, scale, shift, eps)",
			func(c *Call) []*ops.Node {
				x := c.x("input")
				var axes []int
				for i := range len(c.ints("normalized_shape")) {
					axes = append(axes, x.Rank()-1-i)
				}
				mean := ops.KeepDims(ops.Mean(x, axes...))
				rstd := ops.Rsqrt(ops.Add(ops.KeepDims(ops.Variance(x, axes...)), c.float("eps", 1e-5)))
				return append(layer(c), mean, rstd)
			}),
		row("nn.functional.group_norm", "input num_groups weight bias eps", "ops.GroupNorm(x, groups, scale, shift, eps)",
			func(c *Call) []*ops.Node {
				x := c.x("input")
				if c.float("eps", 0) < 0 {
					groups := c.int("num_groups", 1)
					per := x.Dim(1) / groups
					shape := append([]int{x.Dim(0), groups, per}, x.Shape()[2:]...)
					var axes []int
					for i := 2; i < len(shape); i++ {
						axes = append(axes, i)
					}
					of := slices.Repeat([]int{1}, len(shape))
					of[1], of[2] = groups, per
					var w, b *ops.Node
					if w = c.x("weight"); w != nil {
						w = ops.Reshape(w, of...)
					}
					if b = c.x("bias"); b != nil {
						b = ops.Reshape(b, of...)
					}
					return list(ops.Reshape(c.negativeEps(ops.Reshape(x, shape...), axes, w, b), x.Shape()...))
				}
				return list(c.affine("group_norm", attrs{"eps": c.float("eps", 1e-5), "groups": c.int("num_groups", 1)}, x, []int{x.Dim(1)}))
			}),
		row("nn.functional.instance_norm", "input running_mean running_var weight bias use_input_stats momentum eps",
			"ops.InstanceNorm(x, scale, shift, eps)", func(c *Call) []*ops.Node {
				x := c.x("input")
				if !c.bool("use_input_stats", true) {
					c.as("ops.BatchNorm(x, scale, shift, mean, variance, eps)")
					return list(c.batchNorm(x))
				}
				return list(c.affine("instance_norm", attrs{"eps": c.float("eps", 1e-5)}, x, []int{x.Dim(1)}))
			}),
		row("nn.functional.local_response_norm", "input size alpha beta k", "ops.LocalResponseNorm(x, ops.LocalResponseNormOptions{...})",
			func(c *Call) []*ops.Node {
				return list(call("local_response_norm", attrs{"size": c.int("size", 1), "alpha": c.float("alpha", 1e-4), "beta": c.float("beta", 0.75),
					"k": c.float("k", 1)}, c.x("input")))
			}),
		row("nn.functional.batch_norm", "input running_mean running_var weight bias training momentum eps",
			"y, mean, variance := ops.BatchNormTrain(x, scale, shift, eps)", func(c *Call) []*ops.Node {
				x := c.x("input")
				if c.bool("training", false) {
					return list(c.batchNormTrain(x)[0])
				}
				c.as("ops.BatchNorm(x, scale, shift, mean, variance, eps)")
				return list(c.batchNorm(x))
			}),
		row("native_batch_norm", "input weight bias running_mean running_var training momentum eps",
			"y, mean, variance := ops.BatchNormTrain(x, scale, shift, eps)", func(c *Call) []*ops.Node {
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
			if x.Rank() == 0 { // PyTorch takes a number for a vector of one
				y := call("normalize", attrs{"p": c.float("p", 2), "axis": 0, "eps": c.float("eps", 1e-12)}, ops.Reshape(x, 1))
				return list(ops.Reshape(y))
			}
			if p := c.float("p", 2); p < 0 {
				c.as("ops.Div(x, ops.Maximum(ops.KeepDims(ops.VectorNorm(x, p, dim)), eps))")
				n := c.norm(x, p, []int{axis(x, c.int("dim", 1))})
				return list(ops.Div(x, ops.Maximum(keep(n, x, []int{axis(x, c.int("dim", 1))}), c.float("eps", 1e-12))))
			}
			if c.float("p", 2) == 0 {
				c.as("ops.Div(x, ops.Maximum(ops.KeepDims(ops.Sum(ops.Cast(ops.NotEqual(x, 0), dtype), dim)), eps))")
				n := ops.KeepDims(ops.Sum(ops.Cast(ops.NotEqual(x, scalar(x, 0)), x.DType()), axis(x, c.int("dim", 1))))
				return list(ops.Div(x, ops.Maximum(n, c.float("eps", 1e-12))))
			}
			return list(call("normalize", attrs{"p": c.float("p", 2), "axis": axis(x, c.int("dim", 1)), "eps": c.float("eps", 1e-12)}, x))
		}},
		{Torch: "renorm", Signature: "input p dim maxnorm", Go: "ops.Renorm(x, p, dim, max)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			return list(call("renorm", attrs{"p": c.float("p", 2), "axis": axis(x, c.int("dim", 0)), "max": c.float("maxnorm", 1)}, x))
		}},
	}
}

// negativeEps is a normalisation over axes with an eps below 0, which PyTorch's test tries and the ops refuse.
func (c *Call) negativeEps(x *ops.Node, axes []int, w, b *ops.Node) *ops.Node {
	c.as("ops.Mul(ops.Sub(x, mean), ops.Rsqrt(ops.Add(variance, eps)))")
	y := ops.Mul(ops.Sub(x, ops.KeepDims(ops.Mean(x, axes...))), ops.Rsqrt(ops.Add(ops.KeepDims(ops.Variance(x, axes...)), c.float("eps", 0))))
	if w != nil {
		y = ops.Mul(y, w)
	}
	if b != nil {
		y = ops.Add(y, b)
	}
	return y
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
