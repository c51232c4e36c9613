package importer

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// unary is a builder of one operand.
func unary(f func(*ops.Node) *ops.Node) func(*call) []*value {
	return func(c *call) []*value { return out(f(c.x(0))) }
}

// wide computes f in float32 where x is an integer or bool, which some operators take.
func wide(f func(*ops.Node) *ops.Node) func(*ops.Node) *ops.Node {
	return func(x *ops.Node) *ops.Node {
		if x.DType().IsFloat() {
			return f(x)
		}
		return ops.Cast(f(ops.Cast(x, tensor.Float64)), x.DType())
	}
}

// pair are the operands of a binary operator; before version 7 the second one is stretched as attributes say.
func (c *call) pair() (a, b *ops.Node) {
	a, b = c.x(0), c.x(1)
	if c.version < 7 {
		axis, given := c.int("axis", 0), c.given("axis")
		if !c.flag("broadcast", false) {
			return a, b
		}
		if given && b.Rank() < a.Rank() {
			axis = c.axis(axis, a.Rank())
			shape := append(b.Shape(), make([]int, max(0, a.Rank()-axis-b.Rank()))...)
			for i := b.Rank(); i < len(shape); i++ {
				shape[i] = 1
			}
			b = ops.Reshape(b, shape...)
		}
	}
	return a, b
}

func binary(f func(a, b *ops.Node) *ops.Node) func(*call) []*value {
	return func(c *call) []*value { return out(f(c.pair())) }
}

// variadic folds all operands.
func variadic(f func(a, b *ops.Node) *ops.Node) func(*call) []*value {
	return func(c *call) []*value {
		y := c.x(0)
		for _, x := range c.all(1) {
			y = f(y, x)
		}
		return out(y)
	}
}

func with1(name string, def float64, f func(x *ops.Node, v float64) *ops.Node) func(*call) []*value {
	return func(c *call) []*value { return out(f(c.x(0), c.float(name, def))) }
}

var consumed = []string{"consumed_inputs"} // a hint of the first version

var _ = define(func() []*operator {
	return []*operator{
		{name: "Abs", since: 1, ignore: consumed, build: unary(func(x *ops.Node) *ops.Node {
			if x.DType().IsSigned() {
				return ops.Abs(x)
			}
			return x
		})},
		{name: "Neg", since: 1, ignore: consumed, build: unary(ops.Neg)},
		{name: "Sign", since: 9, build: unary(ops.Sign)},
		{name: "Sqrt", since: 1, ignore: consumed, build: unary(ops.Sqrt)},
		{name: "Reciprocal", since: 1, ignore: consumed, build: unary(ops.Reciprocal)},
		{name: "Exp", since: 1, ignore: consumed, build: unary(ops.Exp)},
		{name: "Log", since: 1, ignore: consumed, build: unary(ops.Log)},
		{name: "Floor", since: 1, ignore: consumed, build: unary(ops.Floor)},
		{name: "Ceil", since: 1, ignore: consumed, build: unary(ops.Ceil)},
		{name: "Round", since: 11, build: unary(ops.Round)},
		{name: "Erf", since: 9, build: unary(wide(ops.Erf))},
		{name: "Sin", since: 7, build: unary(ops.Sin)},
		{name: "Cos", since: 7, build: unary(ops.Cos)},
		{name: "Tan", since: 7, build: unary(ops.Tan)},
		{name: "Asin", since: 7, build: unary(ops.Asin)},
		{name: "Acos", since: 7, build: unary(ops.Acos)},
		{name: "Atan", since: 7, build: unary(ops.Atan)},
		{name: "Sinh", since: 9, build: unary(ops.Sinh)},
		{name: "Cosh", since: 9, build: unary(ops.Cosh)},
		{name: "Tanh", since: 1, ignore: consumed, build: unary(ops.Tanh)},
		{name: "Asinh", since: 9, build: unary(ops.Asinh)},
		{name: "Acosh", since: 9, build: unary(ops.Acosh)},
		{name: "Atanh", since: 9, build: unary(ops.Atanh)},
		{name: "Not", since: 1, build: unary(ops.LogicalNot)},
		{name: "BitwiseNot", since: 18, build: unary(ops.Not)},
		{name: "IsNaN", since: 9, build: unary(ops.IsNaN)},
		{name: "IsInf", since: 10, build: func(c *call) []*value {
			x, neg, pos := c.x(0), c.flag("detect_negative", true), c.flag("detect_positive", true)
			y := ops.IsInf(x)
			if !neg {
				y = ops.LogicalAnd(y, ops.Greater(x, 0))
			}
			if !pos {
				y = ops.LogicalAnd(y, ops.Less(x, 0))
			}
			return out(y)
		}},
		{name: "Add", since: 1, ignore: consumed, build: binary(ops.Add[*ops.Node, *ops.Node])},
		{name: "Sub", since: 1, ignore: consumed, build: binary(ops.Sub[*ops.Node, *ops.Node])},
		{name: "Mul", since: 1, ignore: consumed, build: binary(ops.Mul[*ops.Node, *ops.Node])},
		{name: "Div", since: 1, ignore: consumed, build: binary(ops.Div[*ops.Node, *ops.Node])},
		{name: "Pow", since: 1, build: binary(power)},
		{name: "Mod", since: 10, build: func(c *call) []*value {
			if a, b := c.pair(); c.flag("fmod", false) {
				return out(ops.Fmod(a, b))
			} else if a.DType().IsFloat() {
				c.fail("floats need fmod=1")
				return nil
			} else {
				return out(ops.Mod(a, b))
			}
		}},
		{name: "Sum", since: 1, ignore: consumed, build: variadic(ops.Add[*ops.Node, *ops.Node])},
		{name: "Max", since: 1, ignore: consumed, build: variadic(ops.Maximum[*ops.Node, *ops.Node])},
		{name: "Min", since: 1, ignore: consumed, build: variadic(ops.Minimum[*ops.Node, *ops.Node])},
		{name: "Mean", since: 1, ignore: consumed, build: func(c *call) []*value {
			y := variadic(ops.Add[*ops.Node, *ops.Node])(c)[0].node
			return out(ops.Div(y, float64(len(c.in))))
		}},
		{name: "And", since: 1, build: binary(ops.LogicalAnd[*ops.Node, *ops.Node])},
		{name: "Or", since: 1, build: binary(ops.LogicalOr[*ops.Node, *ops.Node])},
		{name: "Xor", since: 1, build: binary(ops.LogicalXor[*ops.Node, *ops.Node])},
		{name: "BitwiseAnd", since: 18, build: binary(ops.And[*ops.Node, *ops.Node])},
		{name: "BitwiseOr", since: 18, build: binary(ops.Or[*ops.Node, *ops.Node])},
		{name: "BitwiseXor", since: 18, build: binary(ops.Xor[*ops.Node, *ops.Node])},
		{name: "BitShift", since: 11, build: func(c *call) []*value {
			a, b := c.pair()
			switch d := c.str("direction", ""); d {
			case "LEFT":
				return out(ops.ShiftLeft(a, b))
			case "RIGHT":
				return out(ops.ShiftRight(a, b))
			default:
				c.refuse("direction %q is neither LEFT nor RIGHT", d)
				return nil
			}
		}},
		{name: "Equal", since: 1, build: binary(ops.Equal[*ops.Node, *ops.Node])},
		{name: "Greater", since: 1, build: binary(ops.Greater[*ops.Node, *ops.Node])},
		{name: "GreaterOrEqual", since: 12, build: binary(ops.GreaterEqual[*ops.Node, *ops.Node])},
		{name: "Less", since: 1, build: binary(ops.Less[*ops.Node, *ops.Node])},
		{name: "LessOrEqual", since: 12, build: binary(ops.LessEqual[*ops.Node, *ops.Node])},
		{name: "Where", since: 9, build: func(c *call) []*value { return out(ops.Where(c.x(0), c.x(1), c.x(2))) }},
		{name: "Clip", since: 1, ignore: consumed, build: clip},
	}
})

// power takes exponents of another dtype, and integers.
func power(a, b *ops.Node) *ops.Node {
	dt := a.DType()
	if dt.IsFloat() {
		return ops.Pow(a, ops.Cast(b, dt))
	}
	y := ops.Pow(ops.Cast(a, tensor.Float64), ops.Cast(b, tensor.Float64))
	if !b.DType().IsFloat() {
		y = ops.Round(y)
	}
	return ops.Cast(y, dt)
}

func clip(c *call) []*value {
	x := c.x(0)
	if c.version < 11 {
		lo, hi := c.float("min", math.Inf(-1)), c.float("max", math.Inf(1))
		return out(ops.Clip(x, lo, hi))
	}
	if lo := c.opt(1); lo != nil {
		x = ops.Maximum(x, ops.Reshape(lo))
	}
	if hi := c.opt(2); hi != nil {
		x = ops.Minimum(x, ops.Reshape(hi))
	}
	return out(x)
}
