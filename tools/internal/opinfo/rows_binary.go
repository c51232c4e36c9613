package opinfo

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// pairwise are functions of several tensors, element by element.
func pairwise() []*Row {
	// alpha is a row for x op alpha·y.
	alpha := func(torch, function, op string, reverse bool) *Row {
		text, scaled := "ops."+function+"(x, y)", "ops."+function+"(x, ops.Mul(y, alpha))"
		if reverse {
			text, scaled = "ops."+function+"(y, x)", "ops."+function+"(y, ops.Mul(x, alpha))"
		}
		return &Row{Torch: torch, Signature: "input other alpha", Go: text, Note: "alpha: " + scaled, Build: func(c *Call) []*ops.Node {
			x, y := c.pair("input", "other")
			if reverse {
				x, y = y, x
			}
			if a := c.float("alpha", 1); a != 1 {
				c.as(scaled)
				y = times(y, a)
			}
			return list(ops.Apply(op, nil, x, y))
		}}
	}
	shift := func(torch, function, op string) *Row {
		r := two(torch, function, op)
		r.Note = "a distance below 0, or not below the width, shifts every bit out; PyTorch leaves it undefined"
		return r
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
	// reversed is a row for y op x, as Python's reflected operators have it.
	reversed := func(torch, function, op string) *Row {
		return &Row{Torch: torch, Signature: "input other", Go: "ops." + function + "(y, x)", Build: func(c *Call) []*ops.Node {
			x, y := c.pair("input", "other")
			if op == "div" {
				x, y = asFloat(x), asFloat(y)
			}
			return list(ops.Apply(op, nil, y, x))
		}}
	}
	return []*Row{
		reversed("__radd__", "Add", "add"), reversed("__rsub__", "Sub", "sub"), reversed("__rmul__", "Mul", "mul"),
		reversed("__rdiv__", "Div", "div"),
		reversed("__rmod__", "Remainder", "mod"), reversed("__rpow__", "Pow", "pow"),
		reversed("__rand__", "And", "and"), reversed("__ror__", "Or", "or"), reversed("__rxor__", "Xor", "xor"),
		shift("bitwise_left_shift", "ShiftLeft", "shift_left"), shift("bitwise_right_shift", "ShiftRight", "shift_right"),
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
		twoFloats("atan2", "Atan2", "atan2"),
		twoFloats("hypot", "Hypot", "hypot"),
		twoFloats("copysign", "Copysign", "copysign"),
		two("nextafter", "NextAfter", "nextafter"),
		twoFloats("ldexp", "Ldexp", "ldexp"),
		two("heaviside", "Heaviside", "heaviside"),
		two("pow", "Pow", "pow"),
		{Torch: "float_power", Signature: "input other", Go: "ops.FloatPower(x, y)", Build: func(c *Call) []*ops.Node {
			x, y := c.pair("input", "other")
			return list(ops.FloatPower(x, y))
		}},
		two("maximum", "Maximum", "maximum"),
		two("minimum", "Minimum", "minimum"),
		two("max.binary", "Maximum", "maximum"),
		two("min.binary", "Minimum", "minimum"),
		two("fmax", "Fmax", "fmax"),
		two("fmin", "Fmin", "fmin"),
		two("eq", "Equal", "equal"),
		two("ne", "NotEqual", "not_equal"),
		two("lt", "Less", "less"),
		two("le", "LessEqual", "less_equal"),
		two("gt", "Greater", "greater"),
		two("ge", "GreaterEqual", "greater_equal"),
		two("logaddexp", "LogAddExp", "logaddexp"),
		two("logaddexp2", "LogAddExp2", "logaddexp2"),
		twoFloats("xlogy", "XLogY", "xlogy"),
		{Torch: "isclose", Signature: "input other rtol atol equal_nan", Go: "ops.IsClose(x, y, &ops.CloseOptions{Rtol: rtol, Atol: atol})",
			Build: func(c *Call) []*ops.Node {
				x, y := c.pair("input", "other")
				if x.DType().IsInt() {
					c.as("ops.IsClose(ops.Cast(x, tensor.Float64), ops.Cast(y, tensor.Float64), &ops.CloseOptions{Rtol: rtol, Atol: atol})")
					x, y = cast(x, tensor.Float64), cast(y, tensor.Float64)
				}
				return list(call("is_close", attrs{"rtol": c.float("rtol", 1e-5), "atol": c.float("atol", 1e-8),
					"equal_nan": c.bool("equal_nan", false)}, x, y))
			}},
		{Torch: "lerp", Signature: "input end weight", Go: "ops.Lerp(x, y, w)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			return list(call("lerp", nil, x, c.x("end"), c.operand("weight", x)))
		}},
		{Torch: "clamp", Signature: "input min max", Go: "ops.Clamp(x, lo, hi)",
			Note: "one limit of floats: an infinity is the other; of integers: ops.Maximum, ops.Minimum", Build: func(c *Call) []*ops.Node {
				return list(c.limited("min", "max"))
			}},
		{Torch: "clamp_max", Signature: "input max", Go: "ops.Clamp(x, math.Inf(-1), hi)", Note: "of integers: ops.Minimum(x, hi)",
			Build: func(c *Call) []*ops.Node {
				return list(c.limited("", "max"))
			}},
		{Torch: "clamp_min", Signature: "input min", Go: "ops.Clamp(x, lo, math.Inf(1))", Note: "of integers: ops.Maximum(x, lo)",
			Build: func(c *Call) []*ops.Node {
				return list(c.limited("min", ""))
			}},
		{Torch: "addcmul", Signature: "input tensor1 tensor2 value", Go: "ops.AddCMul(x, a, b, value)", Build: func(c *Call) []*ops.Node {
			x, a, b := c.x("input"), c.x("tensor1"), c.x("tensor2")
			return list(ops.AddCMul(x, a, b, c.float("value", 1)))
		}},
		{Torch: "addcdiv", Signature: "input tensor1 tensor2 value", Go: "ops.AddCDiv(x, a, b, value)", Build: func(c *Call) []*ops.Node {
			x, a, b := c.x("input"), c.x("tensor1"), c.x("tensor2")
			return list(ops.AddCDiv(x, a, b, c.float("value", 1)))
		}},
		{Torch: "masked_fill", Signature: "input mask value", Go: "ops.Where(mask, value, x)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			return list(ops.Where(c.x("mask"), c.operand("value", x), x))
		}},
		twoFloats("special.xlog1py", "XLog1PY", "xlog1py"),
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

// limited is the input between the arguments of these names, of which one may lack. At a limit the derivative is that of the input alone,
// which ops.Maximum and ops.Minimum share between both.
func (c *Call) limited(lo, hi string) *ops.Node {
	x := c.x("input")
	below, above := lo != "" && c.has(lo), hi != "" && c.has(hi)
	limit := func(there bool, name string, sign int) *ops.Node {
		if there {
			return c.operand(name, x)
		}
		return scalar(x, math.Inf(sign))
	}
	switch {
	case below && above, x.DType().IsFloat():
		return call("clamp", nil, x, limit(below, lo, -1), limit(above, hi, 1))
	case below:
		c.as("ops.Maximum(x, lo)")
		return ops.Maximum(x, c.operand(lo, x))
	}
	c.as("ops.Minimum(x, hi)")
	return ops.Minimum(x, c.operand(hi, x))
}
