package ops

import "math"

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
