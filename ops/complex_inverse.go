package ops

// Inverse trigonometric and hyperbolic functions of complex numbers. Cuts are those of C and NumPy, which lie where the functions of real
// numbers are not defined; a zero part tells by its sign on which side of a cut a number lies.

// complexArc computes the terms d and im of the complex inverse sine and cosine, for magnitudes x and y of the parts. Up to signs, the
// inverse sine has the real part atan2(x, d), the inverse cosine atan2(d, x) or its supplement, and both have the imaginary part im.
// With r = |x + 1 + iy|, s = |x - 1 + iy| and a = (r + s)/2,
//
//	d = √((a + x)(a - x)),  im = log(a + √(a² - 1))
//
// without subtracting nearly equal numbers. Source: Hull, Fairgrieve and Tang, Implementing the Complex Arcsine and Arccosine
// Functions Using Exception Handling (1997).
func complexArc(x, y *Node) (d, im *Node) {
	one, half := ScalarLike(x, 1), ScalarLike(x, 0.5)
	xp, xm := Add(x, one), Sub(x, one)
	r, s := Hypot(xp, y), Hypot(xm, y)
	a := Mul(half, Add(r, s))
	inside := LessEqual(x, one)
	// r - (x+1) = y²/(r + x + 1), and the same for s.
	left := Mul(y, Div(y, Add(r, xp)))
	right := Where(inside, Sub(s, xm), Mul(y, Div(y, Where(inside, one, Add(s, xm)))))
	// a - x = (left + right)/2; beyond 1 with y taken out of the root, for it may be tiny.
	outer := Add(Div(Add(a, x), Add(r, xp)), Div(Add(a, x), Where(inside, one, Add(s, xm))))
	d = Where(inside, Sqrt(Mul(Mul(half, Add(a, x)), Add(left, right))), Mul(y, Sqrt(Mul(half, outer))))
	// a - 1
	gap := Sub(one, x)
	off := Where(Less(x, one), Mul(y, Div(y, Add(s, Where(Less(x, one), gap, one)))), Add(s, xm))
	less := Mul(half, Add(left, off))
	small := LessEqual(a, ScalarLike(x, 1.5))
	big := Where(small, ScalarLike(x, 2), a)
	far := Add(Log(big), Log1p(Sqrt(Mul(Sub(one, Reciprocal(big)), Add(one, Reciprocal(big))))))
	near := Where(small, less, ScalarLike(x, 0))
	return d, Where(small, Log1p(Add(near, Sqrt(Mul(near, Add(near, ScalarLike(x, 2)))))), far)
}

// arcSine is the inverse sine of re + i im, in parts.
func arcSine(re, im *Node) (u, v *Node) {
	d, w := complexArc(Abs(re), Abs(im))
	return Copysign(Atan2(Abs(re), d), re), Copysign(w, im)
}

// arcTangentH is the inverse hyperbolic tangent, in parts. Source: Kahan, Branch Cuts for Complex Elementary Functions (1987), without what
// keeps the very largest numbers from an overflow.
func arcTangentH(re, im *Node) (u, v *Node) {
	one, x := ScalarLike(re, 1), Abs(re)
	gap := Sub(one, x)
	u = Mul(Log1p(Div(Mul(x, ScalarLike(x, 4)), Add(Square(gap), Square(im)))), ScalarLike(x, 0.25))
	v = Mul(Atan2(Mul(im, ScalarLike(im, 2)), Sub(Mul(gap, Add(one, x)), Square(im))), ScalarLike(im, 0.5))
	return Copysign(u, re), v
}

// inverseOf is the rule for complex numbers of a function f of parts, whose derivative is slope: by the parts there is none where one of
// them is 0, as on the real axis.
func inverseOf(f func(re, im *Node) (u, v *Node), slope func(re, im *Node) *Node) func(c *Call) *Node {
	return func(c *Call) *Node {
		out := CustomGradient(func(in []*Node) []*Node {
			u, v := f(in[0], in[1])
			return []*Node{u, v}
		}, func(in, _, grads []*Node) []*Node {
			d := Mul(Complex(grads[0], grads[1]), Conj(slope(in[0], in[1])))
			return []*Node{Real(d), Imag(d)}
		}, Real(c.In[0]), Imag(c.In[0]))
		return Complex(out[0], out[1])
	}
}

// rootSlope is 1/√(1 - z²) of z = re + i im: a root of each factor has the cuts of the functions. The factors are made of parts, for
// sums of complex numbers lose the sign of a zero part, which tells the side of a cut.
func rootSlope(re, im *Node) *Node {
	return Reciprocal(Mul(Sqrt(Complex(Sub(1, re), Neg(im))), Sqrt(Complex(Add(1, re), im))))
}

func complexAsin() func(c *Call) *Node { return inverseOf(arcSine, rootSlope) }

func complexAcos() func(c *Call) *Node {
	return inverseOf(func(re, im *Node) (u, v *Node) {
		d, w := complexArc(Abs(re), Abs(im))
		return Atan2(d, re), Copysign(w, Neg(im))
	}, func(re, im *Node) *Node { return Neg(rootSlope(re, im)) })
}

// complexAsinh is -i asin(iz).
func complexAsinh() func(c *Call) *Node {
	return inverseOf(func(re, im *Node) (u, v *Node) {
		p, q := arcSine(Neg(im), re)
		return q, Neg(p)
	}, func(re, im *Node) *Node { return rootSlope(Neg(im), re) })
}

// complexAcosh is i acos z or -i acos z, whichever has a real part that is not negative.
func complexAcosh() func(c *Call) *Node {
	return inverseOf(func(re, im *Node) (u, v *Node) {
		d, w := complexArc(Abs(re), Abs(im))
		return w, Copysign(Atan2(d, re), im)
	}, func(re, im *Node) *Node {
		return Reciprocal(Mul(Sqrt(Complex(Sub(re, 1), im)), Sqrt(Complex(Add(re, 1), im))))
	})
}

// unitSlope is 1/(1 - z²) of z = re + i im.
func unitSlope(re, im *Node) *Node {
	z := Complex(re, im)
	return Reciprocal(Mul(Sub(1, z), Add(1, z)))
}

func complexAtanh() func(c *Call) *Node { return inverseOf(arcTangentH, unitSlope) }

// complexAtan is -i atanh(iz).
func complexAtan() func(c *Call) *Node {
	return inverseOf(func(re, im *Node) (u, v *Node) {
		p, q := arcTangentH(Neg(im), re)
		return q, Neg(p)
	}, func(re, im *Node) *Node { return unitSlope(Neg(im), re) })
}
