package export

import (
	"math"

	"github.com/anycl/anycl/tensor"
)

// Functions without an operator, out of those that have one.

var (
	_ = define("div", wide(func(c *call) []string {
		if c.dtype().IsInt() {
			return c.intDivision(func(a, b string) string { return c.op("Div", []string{a, b}) })
		}
		return c.do("Div", c.args())
	}))
	_ = define("trunc_divide", wide(func(c *call) []string {
		if c.dtype().IsInt() {
			return c.intDivision(func(a, b string) string { return c.op("Div", []string{a, b}) })
		}
		a, b := c.arg(0), c.arg(1)
		r := c.op("Mod", []string{a, b}, anInt("fmod", 1))
		q := c.op("Round", []string{c.op("Div", []string{c.op("Sub", []string{a, r}), b})})
		far := c.op("Or", []string{c.is("Equal", b, c.like(b, 0)), c.is("Equal", c.op("Abs", []string{a}), c.like(a, posInf))})
		return []string{c.choose(far, c.op("Div", []string{a, b}), q)}
	}))
	_ = define("floor_divide", wide(func(c *call) []string {
		if c.dtype().IsInt() {
			return c.intDivision(func(a, b string) string {
				q := c.op("Div", []string{a, b})
				if unsigned(c.dtype()) {
					return q
				}
				return c.op("Sub", []string{q, c.cast(c.apart(c.intRest(a, b), b), c.dtype())})
			})
		}
		a, b := c.arg(0), c.arg(1)
		r := c.op("Mod", []string{a, b}, anInt("fmod", 1))
		q := c.op("Round", []string{c.op("Div", []string{c.op("Sub", []string{a, r}), b})})
		q = c.op("Sub", []string{q, c.cast(c.apart(r, b), c.dtype())})
		return []string{c.choose(c.is("Equal", b, c.like(b, 0)), c.op("Div", []string{a, b}), q)}
	}))
	_ = define("rem", wide(func(c *call) []string {
		if c.dtype().IsInt() {
			return c.intDivision(c.intRest)
		}
		return c.do("Mod", []string{c.arg(0), c.arg(1)}, anInt("fmod", 1))
	}))
	_ = define("mod", wide(func(c *call) []string {
		if c.dtype().IsInt() {
			return c.intDivision(func(a, b string) string { return c.op("Mod", []string{a, b}) })
		}
		return []string{c.floorRest(c.arg(0), c.arg(1))}
	}))
	_ = define("fmax", func(c *call) []string { return c.ignoringNaN("Max") })
	_ = define("fmin", func(c *call) []string { return c.ignoringNaN("Min") })
	_ = define("lerp", wide(func(c *call) []string {
		a, b, w := c.arg(0), c.arg(1), c.arg(2)
		d := c.op("Sub", []string{b, a})
		low := c.op("Add", []string{a, c.op("Mul", []string{w, d})})
		high := c.op("Sub", []string{b, c.op("Mul", []string{d, c.op("Sub", []string{c.like(w, 1), w})})})
		return []string{c.choose(c.is("Less", c.op("Abs", []string{w}), c.like(w, 0.5)), low, high)}
	}))
	_ = define("heaviside", func(c *call) []string {
		x, at := c.arg(0), c.arg(1)
		zero := c.like(x, 0)
		y := c.choose(c.is("Greater", x, zero), c.like(at, 1), c.choose(c.is("Equal", x, zero), at, c.like(at, 0)))
		if !c.dtype().IsFloat() {
			return []string{y}
		}
		return []string{c.choose(c.op("IsNaN", []string{x}), x, y)}
	})
	_ = define("signbit", func(c *call) []string { return []string{c.negative(c.arg(0))} })
	_ = define("copysign", func(c *call) []string {
		a, b := c.op("Abs", []string{c.arg(0)}), c.arg(1)
		return []string{c.choose(c.negative(b), c.op("Neg", []string{a}), a)}
	})
	_ = define("hypot", wide(func(c *call) []string {
		a, b := c.op("Abs", []string{c.arg(0)}), c.op("Abs", []string{c.arg(1)})
		hi, lo := c.op("Max", []string{a, b}), c.op("Min", []string{a, b})
		r := c.op("Div", []string{lo, hi})
		y := c.op("Mul", []string{hi, c.op("Sqrt", []string{c.op("Add", []string{c.op("Mul", []string{r, r}), c.like(r, 1)})})})
		edge := c.op("Or", []string{c.is("Equal", hi, c.like(hi, 0)), c.is("Equal", hi, c.like(hi, math.Inf(1)))})
		y = c.choose(edge, hi, y)
		far := c.op("Or", []string{c.is("Equal", a, c.like(a, math.Inf(1))), c.is("Equal", b, c.like(b, math.Inf(1)))})
		return []string{c.choose(far, c.like(a, math.Inf(1)), y)}
	}))
	_ = define("logaddexp", wide(func(c *call) []string { return []string{c.logAddExp(c.arg(0), c.arg(1), 1)} }))
	_ = define("logaddexp2", wide(func(c *call) []string { return []string{c.logAddExp(c.arg(0), c.arg(1), math.Ln2)} }))
	_ = define("xlogy", wide(func(c *call) []string {
		a, b := c.arg(0), c.arg(1)
		return []string{c.zeroTimes(a, b, c.op("Mul", []string{a, c.op("Log", []string{b})}))}
	}))
	_ = define("xlog1py", wide(func(c *call) []string {
		a, b := c.arg(0), c.arg(1)
		return []string{c.zeroTimes(a, b, c.op("Mul", []string{a, c.log1p(b)}))}
	}))
	_ = define("entr", wide(func(c *call) []string {
		x := c.arg(0)
		zero := c.like(x, 0)
		y := c.op("Neg", []string{c.op("Mul", []string{x, c.op("Log", []string{x})})})
		y = c.choose(c.is("Equal", x, zero), zero, c.choose(c.is("Less", x, zero), c.like(x, math.Inf(-1)), y))
		return []string{y}
	}))
	_ = define("logit", wide(func(c *call) []string {
		x := c.arg(0)
		one := c.like(x, 1)
		rest := c.op("Sub", []string{one, x})
		near := c.log1p(c.op("Div", []string{c.op("Sub", []string{c.scaled(x, 2), one}), rest}))
		far := c.op("Log", []string{c.op("Div", []string{x, rest})})
		middle := c.is("Less", c.op("Abs", []string{c.op("Sub", []string{x, c.like(x, 0.5)})}), c.like(x, 0.25))
		return []string{c.choose(middle, near, far)}
	}))
	_ = define("sinc", wide(func(c *call) []string {
		x := c.arg(0)
		// The sine of π times the distance of x from the nearest whole number, which is 0 where x is whole.
		n := c.op("Round", []string{x})
		s := c.op("Sin", []string{c.scaled(c.op("Sub", []string{x, n}), math.Pi)})
		odd := c.is("Equal", c.op("Abs", []string{c.op("Mod", []string{n, c.like(n, 2)}, anInt("fmod", 1))}), c.like(n, 1))
		s = c.choose(odd, c.op("Neg", []string{s}), s)
		return []string{c.choose(c.is("Equal", x, c.like(x, 0)), c.like(x, 1), c.op("Div", []string{s, c.scaled(x, math.Pi)}))}
	}))
	_ = define("atan2", wide(func(c *call) []string {
		y, x := c.arg(0), c.arg(1)
		zero := c.like(x, 0)
		// The quotient is the smaller over the larger, so that two infinities give 1.
		ay, ax := c.op("Abs", []string{y}), c.op("Abs", []string{x})
		hi, lo := c.op("Max", []string{ay, ax}), c.op("Min", []string{ay, ax})
		r := c.op("Div", []string{lo, hi})
		r = c.choose(c.is("Equal", hi, zero), zero, r)
		r = c.choose(c.is("Equal", lo, c.like(lo, math.Inf(1))), c.like(lo, 1), r)
		a := c.op("Atan", []string{r})
		a = c.choose(c.is("Greater", ay, ax), c.op("Sub", []string{c.like(a, math.Pi/2), a}), a)
		a = c.choose(c.negative(x), c.op("Sub", []string{c.like(a, math.Pi), a}), a)
		return []string{c.choose(c.negative(y), c.op("Neg", []string{a}), a)}
	}))
	_ = define("shift_left", shift("LEFT"))
	_ = define("shift_right", shift("RIGHT"))
)

var unsignedOf = map[tensor.DType]tensor.DType{tensor.Int8: tensor.Uint8, tensor.Int16: tensor.Uint16, tensor.Int32: tensor.Uint32,
	tensor.Int64: tensor.Uint64}

// shift writes shifts, which operators do to integers without a sign; bits that leave are lost, and a shift by the width or more gives 0.
// Negative numbers x are shifted right as -1 - x, which has no sign.
func shift(direction string) rule {
	return func(c *call) []string {
		a, b, own := c.arg(0), c.arg(1), c.dtype()
		if unsigned(own) {
			return []string{c.shifted(a, b, direction)}
		}
		to := unsignedOf[own]
		if direction == "LEFT" {
			return []string{c.cast(c.shifted(c.cast(a, to), c.cast(b, to), direction), own)}
		}
		less := c.is("Less", a, c.like(a, 0))
		plus := c.choose(less, c.op("BitwiseNot", []string{a}), a)
		y := c.cast(c.shifted(c.cast(plus, to), c.cast(b, to), direction), own)
		return []string{c.choose(less, c.op("BitwiseNot", []string{y}), y)}
	}
}

func (c *call) shifted(a, b, direction string) string {
	width := float64(8 * c.dtype().Size())
	y := c.op("BitShift", []string{a, c.op("Min", []string{b, c.like(b, width-1)})}, text("direction", direction))
	return c.op("Mul", []string{y, c.cast(c.is("Less", b, c.like(b, width)), c.x.types[a])})
}

// intDivision divides integers: by 0 it gives 0, and by -1 no remainder, where operators may trap.
func (c *call) intDivision(f func(a, b string) string) []string {
	a, b := c.arg(0), c.arg(1)
	if t, ok := constant(c.in[1]); ok && !contains(t, 0) && (unsigned(c.dtype()) || !contains(t, -1)) {
		return []string{f(a, b)}
	}
	zero := c.is("Equal", b, c.like(b, 0))
	odd := zero
	if !unsigned(c.dtype()) {
		odd = c.op("Or", []string{zero, c.is("Equal", b, c.like(b, -1))})
	}
	y := f(a, c.choose(odd, c.like(b, 1), b))
	if !unsigned(c.dtype()) { // the quotient by -1 is -a, and the remainder that by 1
		if name := c.n.Op().Name; name == "div" || name == "trunc_divide" || name == "floor_divide" {
			y = c.choose(c.is("Equal", b, c.like(b, -1)), c.op("Neg", []string{y}), y)
		}
	}
	return []string{c.choose(zero, c.like(a, 0), y)}
}

func contains(t *tensor.Tensor, v float64) bool {
	for _, x := range t.All() {
		if x == v {
			return true
		}
	}
	return false
}

// intRest is the remainder with the sign of a: Mod would compute it of float64.
func (c *call) intRest(a, b string) string {
	return c.op("Sub", []string{a, c.op("Mul", []string{c.op("Div", []string{a, b}), b})})
}

// floorRest is a - b·⌊a/b⌋ of floats, by the remainder that has the sign of a.
func (c *call) floorRest(a, b string) string {
	r := c.op("Mod", []string{a, b}, anInt("fmod", 1))
	return c.choose(c.apart(r, b), c.op("Add", []string{r, b}), r)
}

// apart reports remainders that are not 0 and have another sign than b.
func (c *call) apart(r, b string) string {
	zero := c.like(r, 0)
	signs := c.op("Xor", []string{c.is("Less", r, zero), c.is("Less", b, zero)})
	return c.op("And", []string{signs, c.op("Not", []string{c.is("Equal", r, zero)})})
}

func (c *call) ignoringNaN(op string) []string {
	a, b := c.arg(0), c.arg(1)
	y := c.op(op, []string{a, b})
	if !c.dtype().IsFloat() {
		return []string{y}
	}
	y = c.choose(c.op("IsNaN", []string{b}), a, y)
	return []string{c.choose(c.op("IsNaN", []string{a}), b, y)}
}

// negative tells whether the sign bit of x is set, also of zeros. It is false for NaN.
func (c *call) negative(x string) string {
	zero := c.like(x, 0)
	less := c.is("Less", x, zero)
	if !c.x.types[x].IsFloat() {
		return less
	}
	return c.op("Or", []string{less, c.is("Less", c.op("Reciprocal", []string{x}), zero)})
}

// logAddExp is the logarithm of a sum, to the base e^base.
func (c *call) logAddExp(a, b string, base float64) string {
	d := c.op("Neg", []string{c.op("Abs", []string{c.op("Sub", []string{a, b})})})
	more := c.log1p(c.op("Exp", []string{c.scaled(d, base)}))
	y := c.op("Add", []string{c.op("Max", []string{a, b}), c.scaled(more, 1/base)})
	return c.choose(c.is("Equal", a, b), c.op("Add", []string{a, c.like(a, math.Ln2/base)}), y)
}

// zeroTimes is y, and 0 where a is and b is a number.
func (c *call) zeroTimes(a, b, y string) string {
	zero := c.op("And", []string{c.is("Equal", a, c.like(a, 0)), c.op("Not", []string{c.op("IsNaN", []string{b})})})
	return c.choose(zero, c.like(y, 0), y)
}
