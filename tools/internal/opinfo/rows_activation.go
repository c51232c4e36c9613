package opinfo

import (
	"slices"

	"github.com/anycl/anycl/ops"
)

// activations are those of torch.nn.functional.
func activations() []*Row {
	act := func(name, function, op string) *Row { return one("nn.functional."+name, function, op) }
	with := func(name, signature, text string, f func(c *Call, x *ops.Node) *ops.Node) *Row {
		return &Row{Torch: "nn.functional." + name, Signature: "input " + signature, Go: text,
			Build: func(c *Call) []*ops.Node { return list(f(c, c.floating("input"))) }}
	}
	softmax := func(torch, text, op string) *Row {
		return &Row{Torch: torch, Signature: "input dim _stacklevel dtype", Go: text, Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			x = cast(x, c.dtype("dtype", x.DType()))
			if x.Rank() == 0 {
				return list(ops.Reshape(ops.Apply(op, map[string]any{"axis": 0}, ops.Reshape(x, 1))))
			}
			return list(ops.Apply(op, map[string]any{"axis": axis(x, c.int("dim", -1))}, x))
		}}
	}
	soft := softmax("softmax", "ops.Softmax(x, dim)", "softmax")
	softDType := softmax("softmax.with_dtype", "ops.Softmax(ops.Cast(x, dtype), dim)", "softmax")
	logSoft := softmax("log_softmax", "ops.LogSoftmax(x, dim)", "log_softmax")
	softmin := softmax("nn.functional.softmin", "ops.Softmin(x, dim)", "softmin")
	for _, r := range []*Row{soft, logSoft, softmin} {
		r.Signature = "input dim dtype"
	}
	relu6 := act("relu6", "ReLU6", "relu6")
	ofFloats := relu6.Build
	relu6.Note = "of floats; ops.Clip(x, 0, 6) of integers"
	relu6.Build = func(c *Call) []*ops.Node {
		if x := c.x("input"); x.DType().IsInt() {
			c.as("ops.Clip(x, 0, 6)")
			return list(ops.Clip(x, 0, 6))
		}
		return ofFloats(c)
	}
	return []*Row{
		oneNumber("nn.functional.relu", "ReLU", "relu"),
		relu6,
		act("hardswish", "HardSwish", "hardswish"),
		act("hardsigmoid", "HardSigmoid", "hardsigmoid"),
		act("logsigmoid", "LogSigmoid", "logsigmoid"),
		act("mish", "Mish", "mish"),
		act("selu", "SELU", "selu"),
		act("silu", "SiLU", "silu"),
		act("softsign", "SoftSign", "softsign"),
		act("tanhshrink", "TanhShrink", "tanhshrink"),
		with("leaky_relu", "negative_slope inplace", "ops.LeakyReLU(x, slope)", func(c *Call, x *ops.Node) *ops.Node {
			return ops.LeakyReLU(x, c.float("negative_slope", 0.01))
		}),
		with("elu", "alpha inplace", "ops.ELU(x, alpha)", func(c *Call, x *ops.Node) *ops.Node { return ops.ELU(x, c.float("alpha", 1)) }),
		with("gelu", "", "ops.GELU(x)", func(c *Call, x *ops.Node) *ops.Node {
			if c.str("approximate", "none") == "tanh" {
				c.as("ops.GELUTanh(x)")
				return ops.GELUTanh(x)
			}
			return ops.GELU(x)
		}),
		with("celu", "alpha inplace", "ops.CELU(x, alpha)",
			func(c *Call, x *ops.Node) *ops.Node { return call("celu", attrs{"alpha": c.float("alpha", 1)}, x) }),
		{Torch: "nn.functional.hardtanh", Signature: "input min_val max_val inplace", Go: "ops.HardTanh(x, lo, hi)",
			Note: "of floats; ops.Clip(x, lo, hi) of integers", Build: func(c *Call) []*ops.Node {
				x, lo, hi := c.x("input"), c.float("min_val", -1), c.float("max_val", 1)
				switch {
				case lo > hi:
					c.as("ops.Minimum(ops.Maximum(x, lo), hi)")
					return list(ops.Minimum(ops.Maximum(x, lo), hi))
				case x.DType().IsInt():
					c.as("ops.Clip(x, lo, hi)")
					return list(ops.Clip(x, lo, hi))
				}
				return list(call("hardtanh", attrs{"lo": lo, "hi": hi}, asFloat(x)))
			}},
		with("hardshrink", "lambd", "ops.HardShrink(x, lambda)", func(c *Call, x *ops.Node) *ops.Node {
			return call("hardshrink", attrs{"lambda": c.float("lambd", 0.5)}, x)
		}),
		with("softshrink", "lambd", "ops.SoftShrink(x, lambda)", func(c *Call, x *ops.Node) *ops.Node {
			return call("softshrink", attrs{"lambda": c.float("lambd", 0.5)}, x)
		}),
		{Torch: "nn.functional.threshold", Signature: "input threshold value inplace", Go: "ops.Threshold(x, threshold, value)",
			Note: "NaN gives value; PyTorch leaves it", Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				return list(call("threshold", attrs{"threshold": c.float("threshold", 0), "value": wrapped(x, c.float("value", 0))}, x))
			}},
		with("softplus", "beta threshold", "ops.SoftplusBeta(x, beta, threshold)", func(c *Call, x *ops.Node) *ops.Node {
			return call("softplus_beta", attrs{"beta": c.float("beta", 1), "threshold": c.float("threshold", 20)}, x)
		}),
		with("glu", "dim", "ops.GLU(x, dim)", func(c *Call,
			x *ops.Node) *ops.Node {
			return call("glu", attrs{"axis": axis(x, c.int("dim", -1))}, x)
		}),
		with("prelu", "weight", "ops.PReLU(x, slope)", func(c *Call, x *ops.Node) *ops.Node {
			w := c.x("weight")
			if w.Size() == 1 && w.Rank() > 0 {
				w = ops.Reshape(w)
			} else if w.Rank() == 1 && x.Rank() > 2 { // a slope for each channel
				shape := slices.Repeat([]int{1}, x.Rank())
				shape[1] = w.Dim(0)
				w = ops.Reshape(w, shape...)
			}
			return call("prelu", nil, x, w)
		}),
		soft, logSoft, softmin, softDType,
		also("nn.functional.softmin.with_dtype", softmin),
		also("log_softmax.dtype", logSoft),
		also("log_softmax.with_dtype", logSoft),
	}
}
