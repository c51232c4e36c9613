package ops

import "slices"

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
