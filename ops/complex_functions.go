package ops

import (
	"math"
	"slices"

	"github.com/anycl/anycl/internal/ir"
)

const pi = math.Pi

// complexProduct is (a + bi)(c + di) = (ac - bd) + (ad + bc)i.
func complexProduct(a, b, c, d *Node) *Node {
	return Complex(Sub(Mul(a, c), Mul(b, d)), Add(Mul(a, d), Mul(b, c)))
}

// complexQuotient is (a + bi)/(c + di). It divides by the part of the divisor that is larger, so that nothing on the way overflows where
// the quotient does not. Source: Smith, Algorithm 116: Complex division (1962).
func complexQuotient(a, b, c, d *Node) *Node {
	first := GreaterEqual(Abs(c), Abs(d))
	p, q := Where(first, c, d), Where(first, d, c)
	// A divisor 0 leaves infinite or undefined parts, not those of 0/0 alone.
	r := Where(Equal(p, ScalarLike(p, 0)), q, Div(q, p))
	den := Add(p, Mul(q, r))
	u, v := Where(first, a, b), Where(first, b, a)
	re := Div(Add(u, Mul(v, r)), den)
	im := Div(Where(first, Sub(b, Mul(a, r)), Sub(Mul(b, r), a)), den)
	return Complex(re, im)
}

// complexSign is z / |z|, and 0 for 0.
func complexSign(re, im *Node) *Node {
	m := Hypot(re, im)
	zero := Equal(m, ScalarLike(m, 0))
	by := Where(zero, ScalarLike(m, 1), m)
	return Complex(Div(re, by), Div(im, by))
}

// complexAbs is |z|, whose derivative at 0 is 0.
func complexAbs(re, im *Node) *Node {
	return Where(isOrigin(re, im), ScalarLike(re, 0), Hypot(re, im))
}

// complexExp is e^re (cos im + i sin im). A number without an imaginary part has none afterwards.
func complexExp(re, im *Node) *Node {
	m := Exp(re)
	none := And(Equal(im, ScalarLike(im, 0)), Not(IsFinite(m)))
	return Complex(Mul(m, Cos(im)), Where(none, im, Mul(m, Sin(im))))
}

// complexLog is log |z| + i angle z. Near |z| = 1 the logarithm is that of 1 + (x - 1)(x + 1) + y², which keeps the digits that |z| loses.
func complexLog(re, im *Node) *Node { return Complex(logAbs(re, im), Atan2(im, re)) }

func logAbs(re, im *Node) *Node {
	one := ScalarLike(re, 1)
	x, y := Maximum(Abs(re), Abs(im)), Minimum(Abs(re), Abs(im))
	near := And(Less(Abs(Sub(x, one)), ScalarLike(x, 0.5)), Less(y, ScalarLike(y, 1)))
	off := Add(Mul(Sub(x, one), Add(x, one)), Square(y))
	return Where(near, Mul(Log1p(Where(near, off, ScalarLike(off, 0))), ScalarLike(x, 0.5)), Log(Hypot(re, im)))
}

// scaledLog is the logarithm to another base.
func scaledLog(base float64) func(re, im *Node) *Node {
	return func(re, im *Node) *Node {
		by := ScalarLike(re, 1/math.Log(base))
		return Complex(Mul(logAbs(re, im), by), Mul(Atan2(im, re), by))
	}
}

// complexSqrt is the root with a real part that is not negative: t + i im/(2t), t = √((|z| + |re|)/2), turned where re is negative.
// Source: Press and others, Numerical Recipes (2007), section 5.5.
func complexSqrt(re, im *Node) *Node {
	half := ScalarLike(re, 0.5)
	left, below := Signbit(re), Signbit(im)
	size := Where(isOrigin(re, im), ScalarLike(re, 0), negatedWhere(left, re)) // |re|
	t := Sqrt(Add(Mul(size, half), Mul(complexAbs(re, im), half)))
	zero := Equal(t, ScalarLike(t, 0))
	s := Where(zero, im, Div(Mul(im, half), Where(zero, ScalarLike(t, 1), t)))
	return Complex(Where(left, negatedWhere(below, s), t), Where(left, negatedWhere(below, t), s))
}

// negatedWhere is -x where c holds and x elsewhere. With a sign bit for c it is |x|, or a copied sign, with the derivative of
// the side that x is on even at 0, where Abs and Copysign have none.
func negatedWhere(c, x *Node) *Node { return Where(c, Neg(x), x) }

// complexPow is exp(w log z), 0 for the 0th power of nothing but 0 itself, which is 1.
func complexPow(c *Call) *Node {
	z, w := c.In[0], c.In[1]
	re, im := Real(z), Imag(z)
	origin := isOrigin(re, im)
	one := ScalarLike(re, 1)
	safe := Complex(Where(origin, one, re), Where(origin, ScalarLike(im, 0), im))
	y := Exp(Mul(w, Log(safe)))
	at := Where(isOrigin(Real(w), Imag(w)), one, ScalarLike(re, 0))
	return Complex(Where(origin, at, Real(y)), Where(origin, ScalarLike(im, 0), Imag(y)))
}

// complexSin is sin re cosh im + i cos re sinh im.
func complexSin(re, im *Node) *Node {
	return Complex(Mul(Sin(re), Cosh(im)), Mul(Cos(re), Sinh(im)))
}

// complexCos is cos re cosh im - i sin re sinh im.
func complexCos(re, im *Node) *Node {
	return Complex(Mul(Cos(re), Cosh(im)), Neg(Mul(Sin(re), Sinh(im))))
}

func complexSinh(re, im *Node) *Node {
	return Complex(Mul(Sinh(re), Cos(im)), Mul(Cosh(re), Sin(im)))
}

func complexCosh(re, im *Node) *Node {
	return Complex(Mul(Cosh(re), Cos(im)), Mul(Sinh(re), Sin(im)))
}

// complexTanh is (sinh 2re + i sin 2im) / (cosh 2re + cos 2im), numerator and denominator times 2 e = 2 exp(-2 |re|), which overflow
// nowhere:
//
//	(±(1 - e²) + i 2e sin 2im) / ((1 - e)² + 4e cos² im)
func complexTanh(re, im *Node) *Node {
	two, four := ScalarLike(re, 2), ScalarLike(re, 4)
	left := Signbit(re)
	a := negatedWhere(left, re) // |re|
	e := Exp(Neg(Mul(a, two)))
	c, s := Cos(im), Sin(im)
	den := Add(Square(Expm1(Neg(Mul(a, two)))), Mul(Mul(four, e), Square(c)))
	return Complex(
		negatedWhere(left, Div(Neg(Expm1(Neg(Mul(a, four)))), den)),
		Div(Mul(Mul(four, e), Mul(s, c)), den))
}

// complexTan is -i tanh(i z).
func complexTan(re, im *Node) *Node {
	h := complexTanh(Neg(im), re)
	return Complex(Imag(h), Neg(Real(h)))
}

// complexContract is one real contraction: with pairs as one more axis that both operands share,
//
//	[re im] · [c  d]
//	          [-d c]
//
// is the pair of the product. The left operand is read as it lies; the right one is made twice as large.
func complexContract(call *Call) *Node {
	a, b, attr := call.In[0], call.In[1], call.Attr.(ir.ContractAttr)
	right := Stack(-2, ViewAsReal(b), ViewAsReal(Complex(Neg(Imag(b)), Real(b))))
	attr.AK = append(slices.Clone(attr.AK), len(a.shape))
	attr.BK = append(slices.Clone(attr.BK), len(b.shape))
	attr.BN = append(slices.Clone(attr.BN), len(b.shape)+1)
	return ViewAsComplex(apply("contract", attr, ViewAsReal(a), right))
}

// complexProd multiplies halves with each other until one is left.
func complexProd(c *Call) *Node {
	axes, x := c.Attr.(ir.ReduceAttr).Axes, c.In[0]
	if len(axes) == 0 {
		return x
	}
	rest := []int{}
	for a := range x.shape {
		if !slices.Contains(axes, a) {
			rest = append(rest, a)
		}
	}
	shape := reduced(c)
	n := ir.Product(ir.Extents(x.shape, axes))
	x = Reshape(Transpose(x, slices.Concat(rest, axes)...), append(slices.Clone(shape), n)...)
	if n == 0 {
		return BroadcastTo(scalarConst(x.graph, x.dtype, 1), shape...)
	}
	for ; n > 1; n = (n + 1) / 2 {
		y := Mul(Narrow(x, -1, 0, n/2), Narrow(x, -1, n-n/2, n/2))
		if n%2 != 0 {
			y = Concat(-1, y, Narrow(x, -1, n/2, 1))
		}
		x = y
	}
	return Reshape(x, shape...)
}
