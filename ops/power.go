package ops

import "math"

// Pow returns a to the power of b, element by element, with NumPy broadcasting:
//
//	y = a^b
//
// a and b have the same float dtype. The special cases are those of C:
// a^0 = 1^b = 1 even for NaN, and a finite negative a has no power that is not
// whole: NaN. Its derivatives of every order are
//
//	∂ᵏ/∂aᵏ y = b·(b-1)···(b-k+1) · a^(b-k),  0 where a factor is 0, whatever a is
//	∂ⁿ/∂bⁿ y = a^b · (log a)ⁿ,               0 where a = 0 and b >= 0; NaN where a < 0
//
// and where a is 0 or infinite, mixed ones are the limits of these. Errors: dtypes
// differ or are no floats; shapes do not broadcast.
// Source: ISO/IEC 9899:1999, section F.9.4.4.
func Pow[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("pow", nil, a, b) }

var _ = define(Op{
	Name:     "pow",
	Complex:  complexPow,
	Category: "arithmetic",
	Operands: operandsAB,
	DTypes:   floats,
	Result:   broadcast,
	Grad:     func(b *Back) { b.powers(powerAttr{}) },
	Scalar:   scalarOf("pow(a, b)", 40, real2(powOf)),
})

// powOf is math.Pow, but for a subnormal base; see hostmath.Log.
func powOf(a, b float64) float64 {
	if !(0 < a && a < 0x1p-1022) || !(math.Abs(b) < 1<<10) {
		return math.Pow(a, b)
	}
	// (a·2⁵⁴)ᵇ · 2^(-54b), with what the exponent loses to rounding.
	e := -54 * b
	lost := math.FMA(-54, b, -e)
	return math.Pow(a*0x1p54, b) * math.Exp2(e) * (1 + lost*math.Ln2)
}

// Square returns x², element by element:
//
//	y = x · x
//
// x is any number; integers wrap. Errors: dtype is bool.
func Square(x *Node) *Node { return apply("square", nil, x) }

var _ = define(Op{
	Name:     "square",
	Complex:  ofParts(func(re, im *Node) *Node { return complexProduct(re, im, re, im) }),
	Category: "arithmetic",
	Operands: operandX,
	DTypes:   numbers,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, b.Times(Mul(ScalarLike(b.In(0), 2), b.In(0)))) },
	Scalar:   scalarOf("a * a", 1, number1{squareOf[float32], squareOf[float64], squareOf[int64], squareOf[uint64]}.host),
})

func squareOf[T register](a T) T { return a * a }

// Sqrt returns the square root of x, element by element:
//
//	y = √x
//
// x is a float; a negative x gives NaN. Errors: dtype is not a float.
func Sqrt(x *Node) *Node { return apply("sqrt", nil, x) }

var _ = define(Op{
	Name:     "sqrt",
	Complex:  ofParts(complexSqrt),
	Category: "arithmetic",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, chainOver(Mul(b.Grad(), 0.5), b.Out())) },
	Scalar:   scalarOf("sqrt(a)", 4, real1(math.Sqrt)),
})

// Rsqrt returns the reciprocal of the square root of x, element by element:
//
//	y = 1 / √x
//
// x is a float; a negative x gives NaN, zero an infinity. Errors: dtype is not
// a float.
func Rsqrt(x *Node) *Node { return apply("rsqrt", nil, x) }

var _ = define(Op{
	Name:     "rsqrt",
	Category: "arithmetic",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad: func(b *Back) {
		y := b.Out()
		b.Add(0, chain(Mul(b.Grad(), -0.5), Mul(y, Mul(y, y))))
	},
	Scalar: scalarOf("rsqrt(a)", 4, real1(func(a float64) float64 { return 1 / math.Sqrt(a) })),
})

// Reciprocal returns 1/x, element by element:
//
//	y = 1 / x
//
// x is a float; zero gives an infinity of its sign. Errors: dtype is not a
// float.
func Reciprocal(x *Node) *Node { return apply("reciprocal", nil, x) }

var _ = define(Op{
	Name: "reciprocal",
	Complex: func(c *Call) *Node {
		return complexQuotient(ScalarLike(Real(c.In[0]), 1), ScalarLike(Real(c.In[0]), 0), Real(c.In[0]), Imag(c.In[0]))
	},
	Category: "arithmetic",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, Neg(b.Times(Mul(b.Out(), b.Out())))) },
	Scalar:   scalarOf("1.0f / a", 4, real1(func(a float64) float64 { return 1 / a })),
})
