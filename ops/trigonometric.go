package ops

import (
	"math"

	"github.com/anycl/anycl/internal/trig"
	"github.com/anycl/anycl/tensor"
)

// Sin returns the sine of x, in radians, element by element:
//
//	y = sin x
//
// x is a float; an infinity gives NaN. Errors: dtype is not a float.
func Sin(x *Node) *Node { return apply("sin", nil, x) }

var _ = define(Op{
	Name:     "sin",
	Complex:  ofParts(complexSin),
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, b.Times(Cos(b.In(0)))) },
	Scalar:   scalarOf("sin(a)", 20, real1(trig.Sin)),
})

// Cos returns the cosine of x, in radians, element by element:
//
//	y = cos x
//
// x is a float; an infinity gives NaN. Errors: dtype is not a float.
func Cos(x *Node) *Node { return apply("cos", nil, x) }

var _ = define(Op{
	Name:     "cos",
	Complex:  ofParts(complexCos),
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, Neg(b.Times(Sin(b.In(0))))) },
	Scalar:   scalarOf("cos(a)", 20, real1(trig.Cos)),
})

// Tan returns the tangent of x, in radians, element by element:
//
//	y = tan x
//
// x is a float; an infinity gives NaN. Errors: dtype is not a float.
func Tan(x *Node) *Node { return apply("tan", nil, x) }

var _ = define(Op{
	Name:     "tan",
	Complex:  ofParts(complexTan),
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad: func(b *Back) {
		b.Add(0, b.Times(Add(Mul(b.Out(), b.Out()), ScalarLike(b.Out(), 1))))
	},
	Scalar: scalarOf("tan(a)", 25, real1(trig.Tan)),
})

// Asin returns the angle in [-π/2, π/2] whose sine is x, element by element:
//
//	y = arcsin x
//
// x is a float, beyond [-1, 1] of which the result is NaN, or complex. Errors: dtype.
func Asin(x *Node) *Node { return apply("asin", nil, x) }

var _ = define(Op{
	Name:     "asin",
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Complex:  complexAsin(),
	Grad:     func(b *Back) { b.Add(0, b.Times(arcSlope(b.In(0)))) },
	Scalar:   scalarOf("asin(a)", 25, real1(func(a float64) float64 { return math.Atan2(a, otherSide(a)) })),
})

// Acos returns the angle in [0, π] whose cosine is x, element by element:
//
//	y = arccos x
//
// x is a float, beyond [-1, 1] of which the result is NaN, or complex. Errors: dtype.
func Acos(x *Node) *Node { return apply("acos", nil, x) }

var _ = define(Op{
	Name:     "acos",
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Complex:  complexAcos(),
	Grad:     func(b *Back) { b.Add(0, Neg(b.Times(arcSlope(b.In(0))))) },
	Scalar:   scalarOf("acos(a)", 25, real1(func(a float64) float64 { return math.Atan2(otherSide(a), a) })),
})

// arcSlope is 1 / √(1 - x²), the slope of arcsin; near ±1 the factors are
// exact where x² is not. Its own slope is x / √(1 - x²)³: through the factors it
// would be 0 · Inf at ±1.
func arcSlope(x *Node) *Node { return apply("arc_slope", nil, x) }

var _ = define(Op{
	Name: "arc_slope", Operands: operandX, hidden: true, Result: same,
	Compose: func(c *Call) *Node {
		x := c.In[0]
		one := ScalarLike(x, 1)
		return Rsqrt(Mul(Sub(one, x), Add(one, x)))
	},
	Grad: func(b *Back) {
		s := b.Out()
		b.Add(0, b.Times(Mul(b.In(0), Mul(s, Mul(s, s)))))
	},
})

// otherSide is √(1 - a²): the side of a right triangle beside a and a
// hypotenuse of 1. math.Asin and math.Acos lose half their digits near 1.
func otherSide(a float64) float64 { return math.Sqrt((1 - a) * (1 + a)) }

// Atan returns the angle in (-π/2, π/2) whose tangent is x, element by element:
//
//	y = arctan x
//
// x is a float or complex. Errors: dtype.
func Atan(x *Node) *Node { return apply("atan", nil, x) }

var _ = define(Op{
	Name:     "atan",
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Complex:  complexAtan(),
	Grad:     func(b *Back) { b.Add(0, b.Times(apply("atan_slope", nil, b.In(0)))) },
	Scalar:   scalarOf("atan(a)", 25, real1(math.Atan)),
})

// atan_slope is 1 / (1 + x²). Its own slope, -2x times its square, is 0 where x
// is infinite: through the square of x it would be 0 · Inf there.
var _ = define(Op{
	Name: "atan_slope", Operands: operandX, hidden: true, Result: same,
	Compose: func(c *Call) *Node {
		one := ScalarLike(c.In[0], 1)
		return Div(one, Add(Square(c.In[0]), one))
	},
	Grad: func(b *Back) {
		bound := 0x1p120 // the square of the slope is 0 beyond
		switch b.In(0).dtype {
		case tensor.Float16:
			bound = 0x1p12
		case tensor.Float64:
			bound = 0x1p1000
		}
		x := limited(b.In(0), bound)
		b.Add(0, b.Times(Mul(Mul(x, ScalarLike(x, -2)), Square(b.Out()))))
	},
})

// Atan2 returns the angle in [-π, π] from the positive x axis to the point
// (b, a), element by element, with NumPy broadcasting:
//
//	y = arg(b + i·a)
//
// a and b have the same float dtype. The special cases are those of C. At the
// origin the derivative is NaN: there is none. Errors: dtypes differ or are no
// floats; shapes do not broadcast. Source: ISO/IEC 9899:1999, section F.9.1.4.
func Atan2[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("atan2", nil, a, b) }

var _ = define(Op{
	Name:     "atan2",
	Category: "elementary function",
	Operands: []Operand{{Name: "y"}, {Name: "x"}},
	DTypes:   floats,
	Result:   broadcast,
	Grad: func(g *Back) {
		// a / (a² + b²) and b / (a² + b²), scaled so that no square overflows.
		// They do not depend on the scale, and at infinity they are 0.
		a, b, one := g.In(0), g.In(1), ScalarLike(g.In(0), 1)
		scale := StopGradient(Maximum(Abs(a), Abs(b)))
		far := Equal(scale, ScalarLike(scale, math.Inf(1)))
		scale = Where(far, one, scale)
		a, b = Div(Where(far, one, a), scale), Div(Where(far, one, b), scale)
		d := chainOver(Where(far, 0, g.Grad()), Mul(scale, Add(Square(a), Square(b))))
		g.Add(0, chain(d, b))
		g.Add(1, Neg(chain(d, a)))
	},
	Scalar: scalarOf("atan2(a, b)", 30, real2(atan2Of)),
})

// atan2Of is math.Atan2, which gives π instead of -π where both operands are
// negative and their quotient is too small for a float64.
func atan2Of(a, b float64) float64 {
	y := math.Atan2(a, b)
	if a < 0 && y > 0 {
		return -y
	}
	return y
}
