package special

import (
	"math"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/hostmath"
	"github.com/anycl/anycl/ops"
)

// Derivatives of special functions by their parameters: by series and fractions that are differentiated term by term.
// kernels/lib/special_slopes.cl says more.

// zetaSlopeAttr says which derivative.
type zetaSlopeAttr struct {
	Order int `doc:"of the derivative, 1 or 2"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "special.zeta_slope", Hidden: true, Attributes: ops.AttributesOf[zetaSlopeAttr](),
	Operands: []ops.Operand{{Name: "s"}, {Name: "q"}}, DTypes: dtypes.Floats, Result: ops.BroadcastResult,
	Compose: func(c *ops.Call) *ops.Node {
		if c.Attr.(zetaSlopeAttr).Order == 1 {
			return ops.Apply("special.zeta_slope_1", nil, c.In...)
		}
		return ops.Apply("special.zeta_slope_2", nil, c.In...)
	},
	Grad: func(b *ops.Back) { // of (-log a)^m a^-s by a: -(s + m / log a) a^-1 times it
		m, s, q := b.Attr().(zetaSlopeAttr).Order, b.In(0), b.In(1)
		below := Zeta(ops.Add(s, 1), q)
		if m == 1 {
			b.Add(0, b.Times(ops.Apply("special.zeta_slope", zetaSlopeAttr{2}, s, q)))
		} else {
			unknown(b, 0)
			below = ops.Apply("special.zeta_slope", zetaSlopeAttr{1}, ops.Add(s, 1), q)
		}
		own := ops.Apply("special.zeta_slope", zetaSlopeAttr{m}, ops.Add(s, 1), q)
		b.Add(1, ops.Neg(b.Times(ops.Add(ops.Mul(s, own), ops.Mul(below, float64(m))))))
	},
})

var (
	_ = ops.MustDefine(zetaSlopeOp("special.zeta_slope_1", "special_zeta_slope(1, a, b)", 1))
	_ = ops.MustDefine(zetaSlopeOp("special.zeta_slope_2", "special_zeta_slope(2, a, b)", 2))
)

func zetaSlopeOp(name, c string, order int) ops.Op {
	return ops.Op{
		Name: name, Hidden: true, Operands: []ops.Operand{{Name: "s"}, {Name: "q"}}, DTypes: dtypes.Floats, Result: ops.BroadcastResult,
		NoGrad: "zeta_slope has it",
		Scalar: scalarOf2(c, 500, func(s, q float64) float64 { return zetaSlopeOf(order, s, q) }),
	}
}

// zetaSlopeOf is Σ (-log(q + k))^m (q + k)^-s over k >= 0.
func zetaSlopeOf(m int, s, q float64) float64 {
	switch {
	case !(s >= 1) || !(q > 0):
		return math.NaN()
	case s == 1:
		return math.Inf(1 - 2*(m&1))
	case math.IsInf(s, 1):
		if q < 1 {
			return math.Inf(1)
		}
		return 0
	case math.IsInf(q, 1):
		return 0
	}
	power := func(l float64) float64 {
		if m == 1 {
			return l
		}
		return l * l
	}
	a, sum := q, 0.0
	for range 9 {
		sum += math.Pow(a, -s) * power(-hostmath.Log(a))
		a++
	}
	l, b, r := math.Log(a), math.Pow(a, -s), 1/(s-1)
	whole := math.Pow(a, 1-s) * r
	if m == 1 {
		sum -= whole*(l+r) + b*l/2
	} else {
		sum += whole*(l*l+2*r*(l+r)) + b*l*l/2
	}
	t, d1, d2 := b*s/a, 1/s-l, 1/(s*s)
	for j, c := range [...]float64{1. / 12, -1. / 720, 1. / 30240, -1. / 1209600, 1. / 47900160, -691. / 1307674368000,
		1. / 74724249600} { // B_2j / (2j)!
		if j > 0 {
			u := s + float64(2*j-1)
			v := u + 1
			t *= u * v / (a * a)
			d1 += 1/u + 1/v
			d2 += 1/(u*u) + 1/(v*v)
		}
		if m == 1 {
			sum += c * t * d1
		} else {
			sum += c * t * (d1*d1 - d2)
		}
	}
	return sum
}

var _ = ops.MustDefine(ops.Op{
	Name: "special.igamma_slope", Hidden: true, Operands: []ops.Operand{{Name: "a"}, {Name: "x"}}, DTypes: dtypes.Floats,
	Result: ops.BroadcastResult,
	Grad: func(b *ops.Back) { // of the integrand by a
		a, x := b.In(0), b.In(1)
		unknown(b, 0)
		b.Add(1, b.Times(ops.Mul(gammaDensity(a, x), ops.Sub(ops.Log(x), Digamma(a)))))
	},
	Scalar: scalarOf2("special_igamma_slope(a, b)", 1500, igammaSlopeOf),
})

// gammaDensity is x^(a-1) e^-x / Γ(a).
func gammaDensity(a, x *ops.Node) *ops.Node {
	return ops.Exp(ops.Sub(ops.Sub(ops.Mul(ops.Sub(a, 1), ops.Log(x)), x), LGamma(a)))
}

// igammaSlopeOf is the derivative of the regularised lower incomplete gamma function by a.
func igammaSlopeOf(a, x float64) float64 {
	switch {
	case !(a >= 0) || !(x >= 0) || a == 0 && x == 0 || math.IsInf(a, 1) && math.IsInf(x, 1):
		return math.NaN()
	case x == 0 || math.IsInf(x, 1) || math.IsInf(a, 1):
		return 0
	}
	var scale, off float64 // x^a e^-x / Γ(a+1), and how far log x is from digamma(a+1)
	if a < 8 {
		l := hostmath.Log(x)
		g, _ := math.Lgamma(a + 1)
		scale, off = math.Exp(a*l-x-g), l-digammaOf(a+1)
	} else {
		scale, off = gammaScale(a, x)/a, math.Log1p((x-a)/a)-digammaRest(a)
	}
	if scale == 0 {
		return 0
	}
	if x <= 1 || x < a {
		sum, t, k, h := off, 1.0, a, 0.0
		for range 20000 {
			k++
			t *= x / k
			h += 1 / k
			v := t * (off - h)
			sum += v
			if x < k && math.Abs(v) <= math.Abs(sum)*3e-18 {
				break
			}
		}
		return scale * sum
	}
	// The continued fraction by Lentz, with derivatives by a beside.
	b, c := x+1-a, 1e30
	d := 1 / b
	h, dc, dd := d, 0.0, d*d
	dh := dd
	for i := 1.0; i < 20000; i++ {
		f := -i * (i - a)
		b += 2
		e := 1 / (f*d + b)
		dd = -e * e * (i*d + f*dd - 1)
		d = e
		dc = (i-f*dc/c)/c - 1
		c = b + f/c
		change, moves := d*c, d*dc+dd*c
		dh = dh*change + h*moves
		h *= change
		if math.Abs(change-1) < 1.2e-16 && math.Abs(h*moves) <= math.Abs(dh)*1.2e-16 {
			break
		}
	}
	return -scale * (h*(a*off+1) + a*dh)
}

// gammaScale is x^a e^-x / Γ(a) for a >= 8. Source: Temme, The Asymptotic Expansion of the Incomplete Gamma Functions (1979).
func gammaScale(a, x float64) float64 {
	m := (x - a) / a
	w := math.Log1p(m) - m
	if math.Abs(m) < 0.3 {
		s := m / (2 + m)
		z, p := s*s, 0.0
		for k := 35.0; k >= 3; k -= 2 {
			p = p*z + 2/k
		}
		w = s*z*p - s*m // log(1 + m) = 2s + 2s³/3 + ..., and 2s - m = -s m
	} else if m < -0.9 {
		w = math.Log(x/a) - m
	}
	r := 1 / a
	z, p := r*r, 0.0
	for _, c := range [...]float64{-3617. / 122400, 1. / 156, -691. / 360360, 1. / 1188, -1. / 1680, 1. / 1260, -1. / 360,
		1. / 12} { // Stirling
		p = p*z + c
	}
	return math.Sqrt(a/(2*math.Pi)) * math.Exp(a*w-p*r)
}

// digammaRest is digamma(a+1) - log a for a >= 8.
func digammaRest(a float64) float64 {
	z, p := 1/(a*a), 0.0
	for _, c := range [...]float64{1. / 12, -691. / 32760, 1. / 132, -1. / 240, 1. / 252, -1. / 120, 1. / 12} {
		p = p*z + c
	}
	return 1/(2*a) - z*p
}
