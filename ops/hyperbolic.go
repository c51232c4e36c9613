package ops

import (
	"math"
)

// Sinh returns the hyperbolic sine of x, element by element:
//
//	y = (e^x - e^-x) / 2
//
// x is a float. Errors: dtype is not a float.
func Sinh(x *Node) *Node { return apply("sinh", nil, x) }

var _ = define(Op{
	Name:     "sinh",
	Complex:  ofParts(complexSinh),
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, b.Times(Cosh(b.In(0)))) },
	Scalar:   scalarOf("sinh(a)", 25, real1(sinhOf)),
})

// Cosh returns the hyperbolic cosine of x, element by element:
//
//	y = (e^x + e^-x) / 2
//
// x is a float. Errors: dtype is not a float.
func Cosh(x *Node) *Node { return apply("cosh", nil, x) }

var _ = define(Op{
	Name:     "cosh",
	Complex:  ofParts(complexCosh),
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, b.Times(Sinh(b.In(0)))) },
	Scalar:   scalarOf("cosh(a)", 25, real1(coshOf)),
})

func sinhOf(a float64) float64 {
	if math.Abs(a) > 709 {
		return math.Copysign(hostHalfExp(math.Abs(a)), a)
	}
	return math.Sinh(a)
}

func coshOf(a float64) float64 {
	if math.Abs(a) > 709 {
		return hostHalfExp(math.Abs(a))
	}
	return math.Cosh(a)
}

// Tanh returns the hyperbolic tangent of x, element by element:
//
//	y = sinh x / cosh x
//
// x is a float. Errors: dtype is not a float.
func Tanh(x *Node) *Node { return apply("tanh", nil, x) }

var _ = define(Op{
	Name:     "tanh",
	Complex:  ofParts(complexTanh),
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad: func(b *Back) {
		b.Add(0, b.Times(Sub(ScalarLike(b.Out(), 1), Square(b.Out()))))
	},
	Scalar: scalarOf("tanh(a)", 25, real1(math.Tanh)),
})

// Erf returns the error function of x, element by element:
//
//	y = 2/√π · ∫_0^x e^(-t²) dt
//
// x is a float. Errors: dtype is not a float.
func Erf(x *Node) *Node { return apply("erf", nil, x) }

var _ = define(Op{
	Name:     "erf",
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, b.Times(apply("erf_slope", nil, b.In(0)))) },
	Scalar:   scalarOf("erf(a)", 30, real1(math.Erf)),
})

// erf_slope is 2/√π · e^(-x²). Its own slope, -2x times it, is 0 where x is
// infinite: through the square it would be 0 · Inf there.
var _ = define(Op{
	Name: "erf_slope", Operands: operandX, hidden: true, Result: same,
	Compose: func(c *Call) *Node {
		x := c.In[0]
		return Mul(ScalarLike(x, 2/math.Sqrt(math.Pi)), Exp(Neg(Square(x))))
	},
	Grad: func(b *Back) {
		x := limited(b.In(0), 50) // the slope is 0 beyond
		b.Add(0, b.Times(Mul(Mul(x, ScalarLike(x, -2)), b.Out())))
	},
})

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
// x is a float, of which ±1 gives an infinity and numbers beyond NaN, or complex. Errors: dtype.
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
