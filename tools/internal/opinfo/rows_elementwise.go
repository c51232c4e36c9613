package opinfo

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// elementwise are functions of one tensor.
func elementwise() []*Row {
	identity := func(torch string) *Row {
		return &Row{Torch: torch, Go: "x", Note: "a node is its own value",
			Build: func(c *Call) []*ops.Node { return list(ops.Reshape(c.x("input"), c.x("input").Shape()...)) }}
	}
	round := &Row{Torch: "round", Signature: "input decimals", Go: "ops.Round(x)",
		Note: "ties to even; decimals: ops.RoundDecimals(x, decimals)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			if !c.has("decimals") {
				return list(ops.Round(x))
			}
			c.as("ops.RoundDecimals(x, decimals)")
			return list(call("round_decimals", attrs{"decimals": c.int("decimals", 0)}, x))
		}}
	sign := func(torch string) *Row {
		r := oneNumber(torch, "Sign", "sign")
		r.Note = "NaN gives NaN; PyTorch 0"
		return r
	}
	rounding := func(torch, function string) *Row {
		r := one(torch, function, torch)
		float := r.Build
		r.Note = "a float; integers are whole: x"
		r.Build = func(c *Call) []*ops.Node {
			if x := c.x("input"); !x.DType().IsFloat() {
				c.as("x")
				return list(ops.Reshape(x, x.Shape()...))
			}
			return float(c)
		}
		return r
	}
	return []*Row{
		oneNumber("abs", "Abs", "abs"),
		one("acos", "Acos", "acos"),
		one("acosh", "Acosh", "acosh"),
		{Torch: "angle", Go: "ops.Where(ops.Less(x, 0), math.Pi, ops.Mul(x, 0))", Note: "of real numbers", Build: func(c *Call) []*ops.Node {
			x := c.floating("input")
			still := ops.StopGradient(x)
			return list(ops.Where(ops.Less(still, zero(x)), scalar(x, math.Pi), ops.Where(ops.IsNaN(still), still, zero(x))))
		}},
		one("asin", "Asin", "asin"),
		one("asinh", "Asinh", "asinh"),
		one("atan", "Atan", "atan"),
		one("atanh", "Atanh", "atanh"),
		rounding("ceil", "Ceil"),
		one("cos", "Cos", "cos"),
		one("cosh", "Cosh", "cosh"),
		one("deg2rad", "Deg2Rad", "deg2rad"),
		one("erf", "Erf", "erf"),
		one("erfc", "Erfc", "erfc"),
		one("exp", "Exp", "exp"),
		one("exp2", "Exp2", "exp2"),
		one("expm1", "Expm1", "expm1"),
		rounding("floor", "Floor"),
		one("frac", "Frac", "frac"),
		{Torch: "frexp", Go: "mantissa, exponent := ops.Frexp(x)", Build: func(c *Call) []*ops.Node {
			return ops.ApplyAll("frexp", nil, c.x("input"))
		}},
		one("isfinite", "IsFinite", "is_finite"),
		one("isinf", "IsInf", "is_inf"),
		{Torch: "isposinf", Go: "ops.Equal(x, math.Inf(1))", Build: func(c *Call) []*ops.Node {
			return list(ops.Equal(c.floating("input"), math.Inf(1)))
		}},
		{Torch: "isneginf", Go: "ops.Equal(x, math.Inf(-1))", Build: func(c *Call) []*ops.Node {
			return list(ops.Equal(c.floating("input"), math.Inf(-1)))
		}},
		{Torch: "isreal", Go: "g.Full(tensor.Bool, 1, x.Shape()...)", Note: "of real numbers", Build: func(c *Call) []*ops.Node {
			return list(full(c.g, tensor.Bool, 1, c.x("input").Shape()))
		}},
		{Torch: "nan_to_num", Signature: "input nan posinf neginf", Go: "ops.NanToNum(x, nan, posInf, negInf)",
			Note: "PyTorch's defaults are the largest finite numbers", Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				if !x.DType().IsFloat() {
					return list(ops.Reshape(x, x.Shape()...))
				}
				most := math.MaxFloat32
				if x.DType() == tensor.Float64 {
					most = math.MaxFloat64
				}
				return list(ops.NanToNum(x, c.float("nan", 0), c.float("posinf", most), c.float("neginf", -most)))
			}},
		oneNumber("bitwise_not", "Not", "not"),
		one("isnan", "IsNaN", "is_nan"),
		one("log", "Log", "log"),
		one("log10", "Log10", "log10"),
		one("log1p", "Log1p", "log1p"),
		one("log2", "Log2", "log2"),
		oneNumber("logical_not", "LogicalNot", "logical_not"),
		oneNumber("neg", "Neg", "neg"),
		one("rad2deg", "Rad2Deg", "rad2deg"),
		one("reciprocal", "Reciprocal", "reciprocal"),
		one("rsqrt", "Rsqrt", "rsqrt"),
		one("sigmoid", "Sigmoid", "sigmoid"),
		sign("sign"), sign("sgn"),
		oneNumber("signbit", "Signbit", "signbit"),
		one("sin", "Sin", "sin"),
		one("sinc", "Sinc", "sinc"),
		one("sinh", "Sinh", "sinh"),
		one("sqrt", "Sqrt", "sqrt"),
		oneNumber("square", "Square", "square"),
		one("tan", "Tan", "tan"),
		one("tanh", "Tanh", "tanh"),
		rounding("trunc", "Trunc"),
		round,
		also("round.decimals_0", round),
		also("round.decimals_3", round),
		also("round.decimals_neg_3", round),
		identity("positive"),
		identity("conj"),
		identity("conj_physical"),
		identity("resolve_conj"),
		identity("resolve_neg"),
		identity("real"),
		identity("clone"),
		identity("contiguous"),
		{Torch: "logit", Signature: "input eps", Go: "ops.Logit(x, eps)", Build: func(c *Call) []*ops.Node {
			x := c.floating("input")
			if c.has("eps") {
				x = ops.Clip(x, c.float("eps", 0), 1-c.float("eps", 0)) // which the function does too
			}
			return list(call("logit", nil, x))
		}},
		castTo("bool", tensor.Bool), castTo("byte", tensor.Uint8), castTo("char", tensor.Int8), castTo("double", tensor.Float64),
		castTo("float", tensor.Float32), castTo("half", tensor.Float16), castTo("bfloat16", tensor.BFloat16), castTo("int", tensor.Int32),
		castTo("long", tensor.Int64), castTo("short", tensor.Int16),
	}
}

func castTo(torch string, dt tensor.DType) *Row {
	r := &Row{Torch: torch, Go: "ops.Cast(x, tensor." + dtypeName(dt) + ")",
		Build: func(c *Call) []*ops.Node { return list(ops.Cast(c.x("input"), dt)) }}
	if dt.IsInt() && !dt.IsSigned() {
		r.Note = "a negative float becomes 0 here; PyTorch wraps it: ops.Cast(ops.Cast(x, tensor.Int64), tensor.Uint8)"
		r.Build = func(c *Call) []*ops.Node {
			x := c.x("input")
			if x.DType().IsFloat() {
				c.as("ops.Cast(ops.Cast(x, tensor.Int64), tensor." + dtypeName(dt) + ")")
				x = ops.Cast(x, tensor.Int64)
			}
			return list(ops.Cast(x, dt))
		}
	}
	return r
}

func dtypeName(dt tensor.DType) string {
	return map[tensor.DType]string{
		tensor.Bool: "Bool", tensor.Int8: "Int8", tensor.Uint8: "Uint8", tensor.Int16: "Int16", tensor.Int32: "Int32", tensor.Int64: "Int64",
		tensor.Float16: "Float16", tensor.BFloat16: "BFloat16", tensor.Float32: "Float32", tensor.Float64: "Float64",
	}[dt]
}
