package opinfo

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// binary are functions of several tensors, element by element.
func binary() []*Row {
	// alpha is a row for x op alpha·y.
	alpha := func(torch, function, op string, reverse bool) *Row {
		text := "ops." + function + "(x, y)"
		if reverse {
			text = "ops." + function + "(y, x)"
		}
		return &Row{Torch: torch, Signature: "input other alpha", Go: text, Note: "alpha: ops." + function + "(x, ops.Mul(y, alpha))", Build: func(c *Call) []*ops.Node {
			x, y := c.pair("input", "other")
			if reverse {
				x, y = y, x
			}
			if a := c.float("alpha", 1); a != 1 {
				c.as("ops." + function + "(x, ops.Mul(y, alpha))")
				if reverse {
					x, y = y, times(x, a)
					x, y = y, x
					return list(ops.Apply(op, nil, y, x))
				}
				y = times(y, a)
			}
			return list(ops.Apply(op, nil, x, y))
		}}
	}
	division := two("div", "Div", "div")
	division.Signature = "input other rounding_mode"
	division.Note = "integers are cast to float32 first; rounding_mode floor and trunc: ops.FloorDivide, ops.TruncDivide"
	division.Build = func(c *Call) []*ops.Node {
		x, y := c.pair("input", "other")
		switch c.str("rounding_mode", "") {
		case "floor":
			c.as("ops.FloorDivide(x, y)")
			return list(ops.Apply("floor_divide", nil, x, y))
		case "trunc":
			c.as("ops.TruncDivide(x, y)")
			return list(ops.Apply("trunc_divide", nil, x, y))
		}
		return list(div(asFloat(x), asFloat(y)))
	}
	logical := func(torch, function, op string) *Row {
		return &Row{Torch: torch, Signature: "input other", Go: "ops." + function + "(x, y)", Build: func(c *Call) []*ops.Node {
			return list(ops.Apply(op, nil, truth(c.x("input")), truth(c.x("other"))))
		}}
	}
	return []*Row{
		alpha("add", "Add", "add", false),
		alpha("sub", "Sub", "sub", false),
		alpha("rsub", "Sub", "sub", true),
		two("mul", "Mul", "mul"),
		division,
		also("div.no_rounding_mode", division),
		also("div.floor_rounding", division),
		also("div.trunc_rounding", division),
		also("true_divide", division),
		two("floor_divide", "FloorDivide", "floor_divide"),
		two("fmod", "Fmod", "rem"),
		two("remainder", "Remainder", "mod"),
		two("atan2", "Atan2", "atan2"),
		two("hypot", "Hypot", "hypot"),
		two("copysign", "CopySign", "copy_sign"),
		two("nextafter", "NextAfter", "next_after"),
		two("ldexp", "Ldexp", "ldexp"),
		two("heaviside", "Heaviside", "heaviside"),
		two("pow", "Pow", "pow"),
		{Torch: "float_power", Signature: "input other", Go: "ops.FloatPower(x, y)", Build: func(c *Call) []*ops.Node {
			x, y := c.pair("input", "other")
			return list(ops.Apply("pow", nil, cast(x, tensor.Float64), cast(y, tensor.Float64)))
		}},
		two("maximum", "Maximum", "maximum"),
		two("minimum", "Minimum", "minimum"),
		two("max.binary", "Maximum", "maximum"),
		two("min.binary", "Minimum", "minimum"),
		two("fmax", "FMax", "fmax"),
		two("fmin", "FMin", "fmin"),
		two("eq", "Equal", "equal"),
		two("ne", "NotEqual", "not_equal"),
		two("lt", "Less", "less"),
		two("le", "LessEqual", "less_equal"),
		two("gt", "Greater", "greater"),
		two("ge", "GreaterEqual", "greater_equal"),
		two("logaddexp", "LogAddExp", "log_add_exp"),
		two("logaddexp2", "LogAddExp2", "log_add_exp2"),
		two("xlogy", "XLogY", "xlogy"),
		two("special.xlog1py", "XLog1PY", "xlog1py"),
		two("bitwise_and", "And", "and"),
		two("bitwise_or", "Or", "or"),
		two("bitwise_xor", "Xor", "xor"),
		two("gcd", "GCD", "gcd"),
		two("lcm", "LCM", "lcm"),
		logical("logical_and", "LogicalAnd", "logical_and"),
		logical("logical_or", "LogicalOr", "logical_or"),
		logical("logical_xor", "LogicalXor", "logical_xor"),
		{Torch: "where", Signature: "input condition other", Go: "ops.Where(condition, x, y)", Build: func(c *Call) []*ops.Node {
			x, y := c.pair("input", "other")
			return list(ops.Where(c.x("condition"), x, y))
		}},
	}
}

// truth is x as bool: everything but 0.
func truth(x *ops.Node) *ops.Node { return cast(x, tensor.Bool) }
