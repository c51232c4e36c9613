package ops

import "math"

// Asinh returns the inverse hyperbolic sine of x, element by element:
//
//	y = log(x + √(x² + 1))
//
// x is a float or complex. Errors: dtype.
func Asinh(x *Node) *Node { return apply("asinh", nil, x) }

var _ = define(Op{
	Name:     "asinh",
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Complex:  complexAsinh(),
	Grad: func(b *Back) {
		x := b.In(0)
		b.Add(0, b.Over(Hypot(x, ScalarLike(x, 1)))) // x² would overflow
	},
	Scalar: scalarOf("asinh(a)", 30, real1(math.Asinh)),
})

// Acosh returns the inverse hyperbolic cosine of x, element by element:
//
//	y = log(x + √(x² - 1))
//
// x is a float, below 1 of which the result is NaN, or complex. Errors: dtype.
func Acosh(x *Node) *Node { return apply("acosh", nil, x) }

var _ = define(Op{
	Name:     "acosh",
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Complex:  complexAcosh(),
	Grad: func(b *Back) { // a root of each factor, which do not overflow
		x, one := b.In(0), ScalarLike(b.In(0), 1)
		b.Add(0, b.Times(Mul(Rsqrt(Sub(x, one)), Rsqrt(Add(x, one)))))
	},
	Scalar: scalarOf("a < 1.0f ? ($T)NAN : acosh(a)", 30, real1(acoshOf)),
})

// acoshOf keeps its digits next to 1, where math.Acosh of a number just above loses some.
func acoshOf(a float64) float64 {
	if t := a - 1; t >= 0 && t < 0.5 {
		return math.Log1p(t + math.Sqrt(2*t+t*t))
	}
	return math.Acosh(a)
}

// Atanh returns the inverse hyperbolic tangent of x, element by element:
//
//	y = 1/2 · log((1 + x) / (1 - x))
//
// x is a float, of which ±1 gives an infinity and what is beyond NaN, or complex. Errors: dtype.
func Atanh(x *Node) *Node { return apply("atanh", nil, x) }

var _ = define(Op{
	Name:     "atanh",
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Complex:  complexAtanh(),
	Grad: func(b *Back) {
		x, one := b.In(0), ScalarLike(b.In(0), 1)
		b.Add(0, b.Over(Mul(Sub(one, x), Add(one, x))))
	},
	Scalar: scalarOf("atanh(a)", 30, real1(math.Atanh)),
})
