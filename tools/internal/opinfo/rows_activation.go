package opinfo

import "github.com/anycl/anycl/ops"

// activations are those of torch.nn.functional.
func activations() []*Row {
	act := func(name, function, op string) *Row { return one("nn.functional."+name, function, op) }
	with := func(name, signature, text string, f func(c *Call, x *ops.Node) *ops.Node) *Row {
		return &Row{Torch: "nn.functional." + name, Signature: "input " + signature, Go: text, Build: func(c *Call) []*ops.Node { return list(f(c, c.floating("input"))) }}
	}
	softmax := func(torch, text, op string, sign float64) *Row {
		return &Row{Torch: torch, Signature: "input dim _stacklevel dtype", Go: text, Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			x = cast(x, c.dtype("dtype", x.DType()))
			if sign < 0 {
				x = ops.Neg(x)
			}
			if x.Rank() == 0 {
				return list(ops.Reshape(ops.Apply(op, map[string]any{"axis": 0}, ops.Reshape(x, 1))))
			}
			return list(ops.Apply(op, map[string]any{"axis": axis(x, c.int("dim", -1))}, x))
		}}
	}
	soft := softmax("softmax", "ops.Softmax(x, dim)", "softmax", 1)
	softDType := softmax("softmax.with_dtype", "ops.Softmax(ops.Cast(x, dtype), dim)", "softmax", 1)
	logSoft := softmax("log_softmax", "ops.LogSoftmax(x, dim)", "log_softmax", 1)
	softmin := softmax("nn.functional.softmin", "ops.Softmax(ops.Neg(x), dim)", "softmax", -1)
	for _, r := range []*Row{soft, logSoft, softmin} {
		r.Signature = "input dim dtype"
	}
	return []*Row{
		act("relu", "ReLU", "relu"),
		act("relu6", "ReLU6", "relu6"),
		act("hardswish", "HardSwish", "hardswish"),
		act("hardsigmoid", "HardSigmoid", "hard_sigmoid"),
		act("logsigmoid", "LogSigmoid", "log_sigmoid"),
		act("mish", "Mish", "mish"),
		act("selu", "SELU", "selu"),
		act("silu", "SiLU", "silu"),
		act("softsign", "Softsign", "softsign"),
		act("tanhshrink", "TanhShrink", "tanh_shrink"),
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
		soft, logSoft, softmin, softDType,
		also("nn.functional.softmin.with_dtype", softmin),
		also("log_softmax.dtype", logSoft),
		also("log_softmax.with_dtype", logSoft),
	}
}
