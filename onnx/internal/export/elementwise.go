package export

import (
	"math"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// direct writes an op as the operator that takes the same operands.
func direct(operator string) rule { return func(c *call) []string { return c.do(operator, c.args()) } }

// directs writes ops, given with their operators, so.
func directs(pairs ...string) bool {
	for i := 0; i < len(pairs); i += 2 {
		define(pairs[i], direct(pairs[i+1]))
	}
	return true
}

var _ = directs(
	"acos", "Acos", "acosh", "Acosh", "add", "Add", "asin", "Asin", "asinh", "Asinh", "atan", "Atan", "atanh", "Atanh", "ceil", "Ceil",
	"cos", "Cos", "cosh", "Cosh", "erf", "Erf", "exp", "Exp", "floor", "Floor", "is_nan", "IsNaN", "log", "Log",
	"pow", "Pow", "reciprocal", "Reciprocal", "round", "Round", "sigmoid", "Sigmoid", "sin", "Sin", "sinh", "Sinh", "softplus", "Softplus",
	"sqrt", "Sqrt", "tan", "Tan", "tanh", "Tanh", "hardswish", "HardSwish", "sign", "Sign", "abs", "Abs",
	"maximum", "Max", "minimum", "Min", "mul", "Mul", "sub", "Sub", "where", "Where", "softsign", "Softsign", "mish", "Mish",
)

// countOf is the number that n, of the op count, is.
func (c *call) countOf(n *ops.Node) string {
	return c.number(float64(n.Attr().(ir.CountAttr).N), n.DType())
}

// unsigned reports integers without a sign.
func unsigned(dt tensor.DType) bool { return dt.IsInt() && !dt.IsSigned() }

// is is a comparison.
func (c *call) is(op, a, b string) string {
	if c.x.types[a] == tensor.Bool && op != "Equal" {
		a, b = c.cast(a, tensor.Uint8), c.cast(b, tensor.Uint8)
	}
	return c.op(op, []string{a, b})
}

// choose is Where.
func (c *call) choose(cond, a, b string) string { return c.op("Where", []string{cond, a, b}) }

func comparison(op string) rule {
	return func(c *call) []string { return []string{c.is(op, c.arg(0), c.arg(1))} }
}

// logical writes an op of bits by the operator for bools, or that for integers.
func logical(bools, integers string) rule {
	return func(c *call) []string {
		if c.dtype() == tensor.Bool {
			return c.do(bools, c.args())
		}
		return c.do(integers, c.args())
	}
}

var (
	_ = define("equal", comparison("Equal"))
	_ = define("greater", comparison("Greater"))
	_ = define("greater_equal", comparison("GreaterOrEqual"))
	_ = define("less", comparison("Less"))
	_ = define("less_equal", comparison("LessOrEqual"))
	_ = define("not_equal", func(c *call) []string { return c.do("Not", []string{c.is("Equal", c.arg(0), c.arg(1))}) })
	_ = define("and", logical("And", "BitwiseAnd"))
	_ = define("or", logical("Or", "BitwiseOr"))
	_ = define("xor", logical("Xor", "BitwiseXor"))
	_ = define("not", logical("Not", "BitwiseNot"))
	_ = define("is_finite", func(c *call) []string {
		x := c.arg(0)
		return c.do("Not", []string{c.op("Or", []string{c.op("IsNaN", []string{x}), c.op("IsInf", []string{x})})})
	})
	_ = define("is_inf", direct("IsInf"))
	_ = define("cast", func(c *call) []string {
		x, from, to := c.arg(0), c.in[0].DType(), c.dtype()
		if from.IsFloat() && to.IsInt() { // beyond the range the operator may give anything
			return []string{c.saturated(x, to)}
		}
		return []string{c.cast(x, to)}
	})
	_ = define("relu", func(c *call) []string {
		switch x := c.arg(0); {
		case unsigned(c.dtype()):
			return []string{x}
		case c.dtype().IsInt():
			return c.do("Max", []string{x, c.like(x, 0)})
		default:
			return c.do("Relu", []string{x})
		}
	})
	_ = define("neg", func(c *call) []string {
		x := c.arg(0)
		if unsigned(c.dtype()) {
			return c.do("Sub", []string{c.like(x, 0), x})
		}
		return c.do("Neg", []string{x})
	})
	_ = define("square", func(c *call) []string { x := c.arg(0); return c.do("Mul", []string{x, x}) })
	_ = define("rsqrt", wide(func(c *call) []string { return c.do("Reciprocal", []string{c.op("Sqrt", c.args())}) }))
	_ = define("exp2", wide(func(c *call) []string { x := c.arg(0); return c.do("Pow", []string{c.like(x, 2), x}) }))
	_ = define("exp10", wide(func(c *call) []string { x := c.arg(0); return c.do("Pow", []string{c.like(x, 10), x}) }))
	_ = define("log2", wide(func(c *call) []string { return []string{c.scaled(c.op("Log", c.args()), math.Log2E)} }))
	_ = define("log10", wide(func(c *call) []string { return []string{c.scaled(c.op("Log", c.args()), math.Log10E)} }))
	_ = define("cbrt", wide(func(c *call) []string {
		x := c.arg(0)
		return c.do("Mul", []string{c.op("Sign", []string{x}), c.op("Pow", []string{c.op("Abs", []string{x}), c.like(x, 1./3)})})
	}))
	_ = define("trunc", func(c *call) []string { return []string{c.trunc(c.arg(0))} })
	_ = define("frac", func(c *call) []string { x := c.arg(0); return c.do("Sub", []string{x, c.trunc(x)}) })
	_ = define("silu", wide(func(c *call) []string { x := c.arg(0); return c.do("Mul", []string{x, c.op("Sigmoid", []string{x})}) }))
	_ = define("gelu", wide(func(c *call) []string { return c.gelu(false) }))
	_ = define("gelu_tanh", wide(func(c *call) []string { return c.gelu(true) }))
	_ = define("expm1", wide(func(c *call) []string { return []string{c.expm1(c.arg(0))} }))
	_ = define("log1p", wide(func(c *call) []string { return []string{c.log1p(c.arg(0))} }))
)

// scaled is v times a number.
func (c *call) scaled(v string, by float64) string { return c.op("Mul", []string{v, c.like(v, by)}) }

func (c *call) trunc(x string) string {
	return c.op("Mul", []string{c.op("Sign", []string{x}), c.op("Floor", []string{c.op("Abs", []string{x})})})
}

// saturated casts floats to integers, the nearest bound beyond the range and 0 for NaN.
func (c *call) saturated(x string, to tensor.DType) string {
	lo, hi := bounds(to)
	own := c.x.types[x]
	if own.Size() < 4 {
		x, own = c.cast(x, tensor.Float32), tensor.Float32
	}
	x = c.choose(c.op("IsNaN", []string{x}), c.like(x, 0), x)
	digits := 53
	if own == tensor.Float32 {
		digits = 24
	}
	if bits := to.Size() * 8; bits <= digits {
		return c.cast(c.op("Clip", []string{x, c.like(x, lo), c.like(x, hi)}), to)
	}
	// The upper bound is no float: numbers that reach it are treated separately.
	top := c.is("GreaterOrEqual", x, c.like(x, hi+1))
	y := c.cast(c.op("Max", []string{c.choose(top, c.like(x, 0), x), c.like(x, lo)}), to)
	return c.choose(top, c.largest(to), y)
}

func bounds(dt tensor.DType) (lo, hi float64) {
	bits := float64(dt.Size() * 8)
	if dt.IsSigned() {
		return -math.Exp2(bits - 1), math.Exp2(bits-1) - 1
	}
	return 0, math.Exp2(bits) - 1
}

// largest is the largest integer of a type.
func (c *call) largest(dt tensor.DType) string {
	_, hi := bounds(dt)
	switch dt {
	case tensor.Int64:
		return c.x.initial("", tensor.Must(tensor.Must(tensor.FromSlice([]int64{math.MaxInt64})).Reshape()))
	case tensor.Uint64:
		return c.x.initial("", tensor.Must(tensor.Must(tensor.FromSlice([]uint64{math.MaxUint64})).Reshape()))
	}
	return c.number(hi, dt)
}

// extreme is the largest number of a type if above, else the smallest; of floats an infinity.
func (c *call) extreme(dt tensor.DType, above bool) string {
	lo, _ := bounds(dt)
	switch {
	case dt == tensor.Bool:
		return c.number(map[bool]float64{true: 1}[above], dt)
	case dt.IsFloat() && above:
		return c.number(posInf, dt)
	case dt.IsFloat():
		return c.number(negInf, dt)
	case above:
		return c.largest(dt)
	}
	return c.number(lo, dt)
}

func (c *call) gelu(byTanh bool) []string {
	x := c.arg(0)
	switch {
	case c.opset() >= 20 && byTanh:
		return c.do("Gelu", []string{x}, text("approximate", "tanh"))
	case c.opset() >= 20:
		return c.do("Gelu", []string{x})
	}
	var gate string
	if byTanh {
		cube := c.op("Mul", []string{c.op("Mul", []string{x, x}), x})
		sum := c.op("Add", []string{x, c.scaled(cube, 0.044715)})
		gate = c.op("Tanh", []string{c.scaled(sum, math.Sqrt(2/math.Pi))})
	} else {
		gate = c.op("Erf", []string{c.scaled(x, math.Sqrt2/2)})
	}
	return []string{c.scaled(c.op("Mul", []string{x, c.op("Add", []string{gate, c.like(x, 1)})}), 0.5)}
}

// expm1 is e^x - 1 with all its digits: (u - 1)·x / log u for u = e^x.
// Source: Higham, Accuracy and Stability of Numerical Algorithms, section 1.14.1, which is of Kahan.
func (c *call) expm1(x string) string {
	u := c.op("Exp", []string{x})
	one, less := c.like(x, 1), c.op("Sub", []string{u, c.like(x, 1)})
	close := c.op("Div", []string{c.op("Mul", []string{less, x}), c.op("Log", []string{u})})
	far := c.is("Greater", c.op("Abs", []string{x}), c.like(x, 1))
	return c.choose(c.is("Equal", u, one), x, c.choose(far, less, close))
}

// log1p is log(1 + x) with all its digits: x·log u / (u - 1) for u = 1 + x.
func (c *call) log1p(x string) string {
	u := c.op("Add", []string{x, c.like(x, 1)})
	less := c.op("Sub", []string{u, c.like(x, 1)})
	log := c.op("Log", []string{u})
	close := c.op("Div", []string{c.op("Mul", []string{x, log}), less})
	far := c.is("Greater", c.op("Abs", []string{x}), c.like(x, 1))
	return c.choose(c.is("Equal", u, c.like(x, 1)), x, c.choose(far, log, close))
}
