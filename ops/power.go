package ops

import (
	"math"
	"slices"

	"github.com/anycl/anycl/internal/ir"
)

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
	simplify: func(n *ir.Node) *ir.Node {
		if isValue(n.In[1], 2) && repeats(n, 0) != nil {
			n.Op, n.In = opNamed("square").lower(), n.In[:1]
		}
		return nil
	},
})

// powOf is math.Pow, but for a subnormal base; see hostmath.Log.
func powOf(a, b float64) float64 {
	if !(0 < a && a < 0x1p-1022) || !(math.Abs(b) < 1<<10) {
		return math.Pow(a, b)
	}
	// (a·2⁵⁴)ᵇ · 2^(-54b), corrected for the rounding error of the exponent.
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

// powerAttr names a derivative of a power: how often by the base and how often
// by the exponent.
type powerAttr struct{ base, exponent int }

// A derivative of a power is an op of its own. Composed of powers it would have
// factors of 0 and Inf in derivatives of its own, where their limit is 0:
//
//	∂ᵏ/∂aᵏ ∂ⁿ/∂bⁿ a^b = a^(b-k) · Σ_j C(n, j) · (log a)^j · dⁿ⁻ʲ/dbⁿ⁻ʲ b·(b-1)···(b-k+1)
//
// The derivatives of these are others of them.
var _ = define(Op{
	Name: "power_derivative", Attributes: AttributesOf[powerAttr](), Operands: operandsAB, hidden: true, Result: broadcast,
	Compose: powerDerivative,
	Grad:    func(b *Back) { b.powers(b.Attr().(powerAttr)) },
})

// powers adds the derivatives of derivative d of a power.
func (b *Back) powers(d powerAttr) {
	for i, next := range []powerAttr{{d.base + 1, d.exponent}, {d.base, d.exponent + 1}} {
		if b.Wants(i) {
			b.Add(i, b.Times(apply("power_derivative", next, b.In(0), b.In(1))))
		}
	}
}

func powerDerivative(c *Call) *Node {
	a, b, d := c.In[0], c.In[1], c.Attr.(powerAttr)
	zero := ScalarLike(a, 0)
	power := Pow(a, b) // that of the call, which is computed once
	if d.base > 0 {
		power = Pow(a, Sub(b, ScalarLike(b, float64(d.base))))
	}

	// b·(b-1)··· as a product is 0 exactly where a factor is.
	y := ScalarLike(b, 1)
	for i := range d.base {
		y = Mul(y, Sub(b, ScalarLike(b, float64(i))))
	}
	// A power that vanishes does so faster than polynomials and logarithms grow.
	vanishes := Equal(power, zero)
	if d.exponent == 0 {
		vanishes = Or(vanishes, Equal(y, zero))
	} else {
		vanishes = Or(vanishes, And(Equal(a, zero), Equal(b, zero))) // as it does for b > 0
	}
	// Horner's scheme over the powers of the logarithm.
	p := fallingFactorial(d.base)
	for j := range d.exponent {
		p = differentiated(p, float64(d.exponent-j)/float64(j+1))
		l := Mul(y, Log(a))
		if d.base > 0 {
			l = Where(Equal(y, zero), zero, l) // the logarithm may be infinite
		}
		if y = l; len(p) > 0 {
			y = Add(y, polynomial(b, p))
		}
	}
	return Where(vanishes, zero, Mul(y, power))
}

// fallingFactorial is b·(b-1)···(b-k+1): the coefficients of b⁰, b¹ ...
func fallingFactorial(k int) []float64 {
	p := []float64{1}
	for i := range k {
		next := make([]float64, len(p)+1)
		for j, c := range p {
			next[j+1] += c
			next[j] -= float64(i) * c
		}
		p = next
	}
	return p
}

// differentiated is scale times the derivative of the polynomial p.
func differentiated(p []float64, scale float64) []float64 {
	d := make([]float64, len(p)-min(len(p), 1))
	for j := range d {
		d[j] = scale * float64(j+1) * p[j+1]
	}
	return d
}

func polynomial(b *Node, p []float64) *Node {
	y := ScalarLike(b, p[len(p)-1])
	for _, c := range slices.Backward(p[:len(p)-1]) {
		y = Add(Mul(y, b), ScalarLike(b, c))
	}
	return y
}
