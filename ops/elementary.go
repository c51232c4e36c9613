package ops

import (
	"math"

	"github.com/anycl/anycl/internal/hostmath"
	"github.com/anycl/anycl/tensor"
)

// Log10 returns the logarithm of x to base 10, element by element:
//
//	y = log x / log 10
//
// x is a float; zero gives -Inf, a negative number NaN. Errors: dtype is not a float.
func Log10(x *Node) *Node { return apply("log10", nil, x) }

var _ = define(Op{
	Name:     "log10",
	Complex:  ofParts(scaledLog(10)),
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, b.Over(Mul(b.In(0), ScalarLike(b.In(0), math.Ln10)))) },
	Scalar:   scalarOf("log10(a)", 20, real1(log10Of)),
})

// log10Of keeps its digits just below 1, as log2Of.
func log10Of(a float64) float64 {
	if a > 0.5 && a < 2 {
		return math.Log1p(a-1) / math.Ln10
	}
	return hostmath.Log(a) / math.Ln10
}

// Exp10 returns 10 to the power of x, element by element:
//
//	y = 10^x
//
// x is a float. Errors: dtype is not a float.
func Exp10(x *Node) *Node { return apply("exp10", nil, x) }

var _ = define(Op{
	Name:     "exp10",
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, b.Times(Mul(b.Out(), ScalarLike(b.Out(), math.Ln10)))) },
	Scalar:   scalarOf("exp10(a)", 20, real1(func(a float64) float64 { return math.Pow(10, a) })),
})

// Cbrt returns the cube root of x, element by element, also of negative numbers:
//
//	y = ∛x
//
// x is a float. Errors: dtype is not a float.
func Cbrt(x *Node) *Node { return apply("cbrt", nil, x) }

var _ = define(Op{
	Name:     "cbrt",
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad: func(b *Back) {
		y := b.Out()
		b.Add(0, b.Over(Mul(ScalarLike(y, 3), Square(y))))
	},
	Scalar: scalarOf("cbrt(a)", 20, real1(math.Cbrt)),
})

// Hypot returns the length of the vectors (a, b), element by element, with NumPy broadcasting:
//
//	y = √(a² + b²)
//
// without overflow on the way; an infinity gives +Inf even beside NaN, as in C. The derivative
// at the origin is 0. a and b have the same float dtype. Errors: dtypes differ or are no floats; shapes do not broadcast.
func Hypot[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("hypot", nil, a, b) }

var _ = define(Op{
	Name:     "hypot",
	Category: "arithmetic",
	Operands: operandsAB,
	DTypes:   floats,
	Result:   broadcast,
	Grad: func(b *Back) {
		y := b.Out()
		origin := Equal(y, ScalarLike(y, 0))
		d := b.Over(Where(origin, ScalarLike(y, 1), y))
		b.Add(0, Mul(d, b.In(0)))
		b.Add(1, Mul(d, b.In(1)))
	},
	Scalar: scalarOf("hypot(a, b)", 12, real2(math.Hypot)),
})

// Frac returns the fraction of x, element by element, with the sign of x:
//
//	y = x - trunc(x)
//
// x is a float; an infinity gives NaN. The derivative is 1. Errors: dtype is not a float.
func Frac(x *Node) *Node { return apply("frac", nil, x) }

var _ = define(Op{
	Name:     "frac",
	Category: "rounding",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, b.Grad()) },
	Scalar:   scalarOf("a - trunc(a)", 2, real1(func(a float64) float64 { return a - math.Trunc(a) })),
})

// Sinc returns the normalised cardinal sine of x, element by element:
//
//	y = sin(πx) / (πx),  1 at x = 0
//
// x is a float. Errors: dtype is not a float.
// Source: NumPy, function sinc.
func Sinc(x *Node) *Node { return apply("sinc", nil, x) }

var _ = define(Op{
	Name:     "sinc",
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, b.Times(apply("sinc_slope", nil, b.In(0)))) },
	Scalar:   scalarOf("a == 0.0f ? 1.0f : sinpi(a) / (M_PI_F * a)", 25, real1(sincOf)),
})

func sincOf(a float64) float64 {
	if a == 0 {
		return 1
	}
	return hostmath.SinPi(a) / (math.Pi * a)
}

// sinc_slope is (cos πx - sinc x) / x, and its series where these cancel.
var _ = define(Op{
	Name: "sinc_slope", Operands: operandX, hidden: true, Result: same,
	Compose: func(c *Call) *Node {
		x := c.In[0]
		t := Square(Mul(x, ScalarLike(x, math.Pi)))
		near := Less(t, ScalarLike(x, 0.25))
		// π²x (-1/3 + t/30 - t²/840 + t³/45360 - t⁴/3991680)
		p := ScalarLike(x, -1.0/3991680)
		for _, k := range []float64{1.0 / 45360, -1.0 / 840, 1.0 / 30, -1.0 / 3} {
			p = Add(Mul(p, t), ScalarLike(x, k))
		}
		away := Where(near, ScalarLike(x, 1), x)
		far := Div(Sub(apply("cos_pi", nil, away), Sinc(away)), away)
		return Where(near, Mul(Mul(x, ScalarLike(x, math.Pi*math.Pi)), p), far)
	},
})

// cos_pi is cos(πx), exact at whole and half numbers.
var _ = define(Op{
	Name: "cos_pi", Operands: operandX, hidden: true, Result: same,
	Grad: func(b *Back) {
		x := b.In(0)
		b.Add(0, b.Times(Mul(Mul(x, ScalarLike(x, -math.Pi*math.Pi)), Sinc(x))))
	},
	Scalar: scalarOf("cospi(a)", 20, real1(hostmath.CosPi)),
})

// Logit returns the inverse of the logistic function, element by element:
//
//	y = log(x / (1 - x))
//
// x is a float; 0 and 1 give infinities, beyond the result is NaN. With eps >= 0 x is limited to
// [eps, 1 - eps] first, as in PyTorch; with a negative eps it is not. Errors: dtype is not a float; eps is above 1/2 or NaN.
func Logit(x *Node, eps float64) *Node {
	if !(eps < 0) {
		x = Clip(x, eps, 1-eps)
	}
	return apply("logit", nil, x)
}

var _ = define(Op{
	Name:     "logit",
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad: func(b *Back) {
		x := b.In(0)
		b.Add(0, b.Over(Mul(x, Sub(ScalarLike(x, 1), x))))
	},
	// Near 1/2, where the logarithm is small, 2x - 1 is exact.
	Scalar: scalarOf("fabs(a - 0.5f) < 0.25f ? log1p((2.0f * a - 1.0f) / (1.0f - a)) : log(a / (1.0f - a))", 30, real1(logitOf)),
})

func logitOf(a float64) float64 {
	if math.Abs(a-0.5) < 0.25 {
		return math.Log1p((2*a - 1) / (1 - a))
	}
	return hostmath.Log(a / (1 - a))
}

// Deg2Rad returns angles in radians of angles in degrees, element by element:
//
//	y = x · π / 180
//
// x is a float. Errors: dtype is not a float.
func Deg2Rad(x *Node) *Node { return apply("deg2rad", nil, x) }

// Rad2Deg returns angles in degrees of angles in radians, element by element:
//
//	y = x · 180 / π
//
// x is a float. Errors: dtype is not a float.
func Rad2Deg(x *Node) *Node { return apply("rad2deg", nil, x) }

func scalingOp(name string, factor float64) Op {
	return Op{
		Name: name, Category: "elementary function", Operands: operandX, DTypes: floats, Result: same,
		Compose: func(c *Call) *Node {
			x := widen(c.In[0])
			return Cast(Mul(x, ScalarLike(x, factor)), c.dt(0))
		},
	}
}

var _ = define(scalingOp("deg2rad", math.Pi/180))

var _ = define(scalingOp("rad2deg", 180/math.Pi))

// FloatPower returns a to the power of b in float64, whatever number dtypes a and b have; see [Pow].
func FloatPower(a, b *Node) *Node { return Pow(Cast(a, tensor.Float64), Cast(b, tensor.Float64)) }
