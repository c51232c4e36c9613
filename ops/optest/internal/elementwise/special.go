package elementwise

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/ops/special"
)

// Special functions: by integrals, sums and shifts which nobody else here uses, or by libraries.

func init() {
	// An error bound relative to the value, and one relative to the terms of which it is the difference.
	near := spec.Tolerance{ULP: 16, ULP64: 16, Terms: 1, Source: spec.Composition}
	terms := func(f func(x float64) (y, terms float64)) spec.Reference { return reference.Terms1(8, f) }
	spec.Register("special.lgamma", spec.Spec{Call: sample.One(special.LGamma), Reference: terms(func(x float64) (float64, float64) {
		y, _ := math.Lgamma(x)
		if x != 0 && math.Abs(x) < 0x1p-1000 {
			y = -natural(math.Abs(x))
		}
		if math.IsInf(x, -1) {
			y = -y
		}
		return y, size(math.Abs(x)*math.Log(math.Abs(x)+2)) * truthOr0(x < 0.4 || x > 3)
	}), Tolerance: near, Samples: append(sample.Few1(0.1, 12), sample.Labelled("negative", sample.Few1(-9.4, -0.2)[:1])...)})
	spec.Register("special.digamma", spec.Spec{Call: sample.One(special.Digamma), Reference: terms(func(x float64) (float64, float64) {
		y := digamma(x)
		t := 4 + size(math.Abs(y))
		if x < 0 { // of the argument of the tangent
			s := math.Sin(math.Pi * (x - math.Round(x)))
			t += 0
			t += size(math.Abs(1 / s))
		}
		return y, t
	}), Tolerance: near, Samples: append(sample.Few1(0.1, 12), sample.Labelled("negative", sample.Few1(-9.4, -0.2)[:1])...)})
	spec.Register("special.zeta", spec.Spec{Call: sample.Two(special.Zeta[*ops.Node, *ops.Node]), Reference: reference.Each2(zeta, nil, nil),
		Tolerance: spec.Composed(80, 160), Samples: []spec.Sample{
			{Label: "outer", Operands: []spec.Operand{{Shape: []int{6, 1}, Lo: 1.2, Hi: 6}, {Shape: []int{1, 11}, Lo: 0.2, Hi: 15}}},
			{Label: "special", Operands: []spec.Operand{{Shape: []int{13, 1}, Lo: 1.2, Hi: 6},
				{Shape: []int{1, 19}, Lo: 0.2, Hi: 15, Special: true}}},
		}})
	spec.Register("special.polygamma", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			n := reference.Attr[int](c)
			return reference.Real1(func(x float64) float64 {
				if n == 0 {
					return digamma(x)
				}
				return math.Pow(-1, float64(n+1)) * math.Gamma(float64(n+1)) * zeta(float64(n+1), x)
			})(c)
		},
		Tolerance: spec.Composed(80, 160),
		Samples: append(append(sample.CalledAs(0, func(x *ops.Node) *ops.Node { return special.Polygamma(0, x) },
			sample.Labelled("0", sample.Few1(2, 12)[:1])),
			sample.CalledAs(1, func(x *ops.Node) *ops.Node { return special.Polygamma(1, x) }, sample.Labelled("1", sample.Few1(0.4, 12)[:1]))...),
			sample.CalledAs(2, func(x *ops.Node) *ops.Node { return special.Polygamma(2, x) }, sample.Labelled("2", sample.Few1(0.5, 12)[:1]))...),
	})
	spec.Register("special.mvlgamma", spec.Spec{
		Reference: terms(func(x float64) (float64, float64) {
			y := 1.5 * math.Log(math.Pi)
			t := y
			for j := range 3 {
				v, _ := math.Lgamma(x - float64(j)/2)
				y += v
				t += math.Abs(v) + 4
			}
			return y, t
		}),
		Tolerance: near,
		Samples:   sample.CalledAs(3, func(x *ops.Node) *ops.Node { return special.MvLGamma(x, 3) }, sample.Few1(1.2, 9)[:1]),
	})
	gammas := []spec.Sample{{Label: "outer", Operands: []spec.Operand{{Shape: []int{9, 1}, Lo: 0.1, Hi: 30},
		{Shape: []int{1, 11}, Lo: 0.05, Hi: 40}}}}
	edges := spec.Sample{Label: "edges", Operands: []spec.Operand{{Shape: []int{8, 1}, Lo: 0, Hi: 3, Special: true},
		{Shape: []int{1, 16}, Lo: 0, Hi: 3, Special: true}}}
	incomplete := func(sign float64, f func(a, x float64) float64) spec.Reference {
		return reference.Terms2(60, func(a, x float64) (float64, float64) {
			switch {
			case !(a >= 0) || !(x >= 0) || a == 0 && x == 0 || math.IsInf(a, 1) && math.IsInf(x, 1):
				return math.NaN(), 1
			case a == 0 || math.IsInf(x, 1):
				return (1 + sign) / 2, 1
			case x == 0 || math.IsInf(a, 1):
				return (1 - sign) / 2, 1
			}
			return f(a, x), 1
		})
	}
	wide := spec.Tolerance{ULP: 40, ULP64: 40, Terms: 1, Source: spec.Composition + ": of 1, what both functions add up to"}
	spec.Register("special.igamma", spec.Spec{Call: sample.Two(special.IGamma[*ops.Node, *ops.Node]),
		Reference: incomplete(1, mathext.GammaIncReg), Tolerance: wide, Samples: append([]spec.Sample{edges}, gammas...)})
	spec.Register("special.igammac", spec.Spec{Call: sample.Two(special.IGammaC[*ops.Node, *ops.Node]),
		Reference: incomplete(-1, mathext.GammaIncRegComp), Tolerance: wide, Samples: append([]spec.Sample{edges}, gammas...)})

	spec.Register("erfinv", spec.Spec{Call: sample.One(ops.Erfinv), Reference: reference.Real1(math.Erfinv), Tolerance: spec.Composed(8, 8),
		Samples: sample.Few1(-1, 1)})
	spec.Register("erfcx", spec.Spec{Call: sample.One(ops.Erfcx), Reference: reference.Real1(erfcx), Tolerance: spec.Composed(12, 40),
		Samples: sample.Few1(-3, 20)})
	spec.Register("log_ndtr", spec.Spec{Call: sample.One(ops.LogNDTR), Reference: reference.Real1(logNDTR), Tolerance: spec.Composed(24, 60),
		Samples: sample.Few1(-20, 4)})
	spec.Register("ndtri", spec.Spec{Call: sample.One(ops.NDTRI), Reference: terms(func(x float64) (float64, float64) {
		return normalQuantile(x), truthOr0(x > 0 && x < 1)
	}), Tolerance: near, Samples: without64(sample.Few1(0.001, 0.999))})

	// The exponential is good to 3, and its argument counts |x| times where it is rounded; a series or an integral of terms of one sign.
	spec.Register("special.i0", spec.Spec{Call: sample.One(special.I0),
		Reference: reference.Real1(func(x float64) float64 { return besselI(0, x) }), Tolerance: spec.Composed(24, 40),
		Samples: besselSamples(-6, 6)})
	spec.Register("special.i1", spec.Spec{Call: sample.One(special.I1),
		Reference: reference.Real1(func(x float64) float64 { return besselI(1, x) }), Tolerance: spec.Composed(24, 80),
		Samples: besselSamples(-6, 6)})
	spec.Register("special.i0e", spec.Spec{Call: sample.One(special.I0e),
		Reference: reference.Real1(func(x float64) float64 { return besselIe(0, x) }), Tolerance: spec.Composed(24, 40),
		Samples: besselSamples(-30, 30)})
	spec.Register("special.i1e", spec.Spec{Call: sample.One(special.I1e),
		Reference: reference.Real1(func(x float64) float64 { return besselIe(1, x) }), Tolerance: spec.Composed(24, 80),
		Samples: besselSamples(-30, 30)})
	for _, k := range []struct {
		name  string
		call  func(x *ops.Node) *ops.Node
		order int
		exp   func(x float64) float64
	}{
		{"special.k0", special.K0, 0, func(x float64) float64 { return math.Exp(-x) }},
		{"special.k1", special.K1, 1, func(x float64) float64 { return math.Exp(-x) }},
		{"special.k0e", special.K0e, 0, func(float64) float64 { return 1 }},
		{"special.k1e", special.K1e, 1, func(float64) float64 { return 1 }},
	} {
		spec.Register(k.name, spec.Spec{Call: sample.One(k.call),
			Reference: reference.Real1(func(x float64) float64 { return besselKe(k.order, x) * k.exp(x) }), Tolerance: spec.Composed(32, 60),
			Samples: besselSamples(0.05, 12)})
	}
	// Errors are relative to the amplitude, and for large x to the error of the angle.
	oscillating := func(f func(x float64) float64) spec.Reference {
		return reference.Terms1(12, func(x float64) (float64, float64) {
			return f(x), size(math.Sqrt(math.Abs(x))) + 1 + math.Abs(size(f(x)))
		})
	}
	spec.Register("special.bessel_j0", spec.Spec{Call: sample.One(special.BesselJ0), Reference: oscillating(math.J0), Tolerance: near,
		Samples: besselSamples(-60, 60)})
	spec.Register("special.bessel_j1", spec.Spec{Call: sample.One(special.BesselJ1), Reference: oscillating(math.J1), Tolerance: near,
		Samples: besselSamples(-60, 60)})
	spec.Register("special.bessel_y0", spec.Spec{Call: sample.One(special.BesselY0), Reference: oscillating(y0), Tolerance: near,
		Samples: besselSamples(0.1, 60)})
	spec.Register("special.bessel_y1", spec.Spec{Call: sample.One(special.BesselY1), Reference: oscillating(math.Y1), Tolerance: near,
		Samples: besselSamples(0.1, 60)})
	spec.Register("special.spherical_j0", spec.Spec{Call: sample.One(special.SphericalJ0), Reference: oscillating(func(x float64) float64 {
		if x == 0 || math.IsInf(x, 0) {
			return truthOr0(x == 0)
		}
		return math.Sin(x) / x
	}), Tolerance: near, Samples: sample.Few1(-12, 12)[:1]})

	for i, p := range []struct {
		name string
		call func(x, n *ops.Node) *ops.Node
	}{
		{"special.chebyshev_t", special.ChebyshevT[*ops.Node, *ops.Node]}, {"special.chebyshev_u", special.ChebyshevU[*ops.Node, *ops.Node]},
		{"special.chebyshev_v", special.ChebyshevV[*ops.Node, *ops.Node]}, {"special.chebyshev_w", special.ChebyshevW[*ops.Node, *ops.Node]},
		{"special.shifted_chebyshev_t", special.ShiftedChebyshevT[*ops.Node, *ops.Node]},
		{"special.shifted_chebyshev_u", special.ShiftedChebyshevU[*ops.Node, *ops.Node]},
		{"special.shifted_chebyshev_v", special.ShiftedChebyshevV[*ops.Node, *ops.Node]},
		{"special.shifted_chebyshev_w", special.ShiftedChebyshevW[*ops.Node, *ops.Node]},
		{"special.hermite_h", special.HermiteH[*ops.Node, *ops.Node]}, {"special.hermite_he", special.HermiteHe[*ops.Node, *ops.Node]},
		{"special.laguerre", special.Laguerre[*ops.Node, *ops.Node]}, {"special.legendre", special.Legendre[*ops.Node, *ops.Node]},
	} {
		spec.Register(p.name, spec.Spec{
			Call: func(in []*ops.Node) *ops.Node { return p.call(in[0], ops.Round(in[1])) },
			Reference: reference.Terms2(24, func(x, n float64) (float64, float64) {
				return polynomial(i, int(math.RoundToEven(n)), x)
			}),
			Tolerance: near,
			Samples: []spec.Sample{{Label: "outer", Operands: []spec.Operand{{Shape: []int{5, 1}, Lo: -1.5, Hi: 1.5},
				{Shape: []int{1, 7}, Lo: 0, Hi: 7, Fixed: true}}}},
		})
	}
}

// size is x without infinities and NaN.
func size(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	return math.Min(x, 1e300)
}

func truthOr0(b bool) float64 { return float64(reference.Truth(b)) }

// without64 takes the special values of float64 out, for which the reference has no digits.
func without64(samples []spec.Sample) []spec.Sample {
	samples[1].Only = sample.FloatDTypes[:3]
	return samples
}

func besselSamples(lo, hi float64) []spec.Sample { return sample.Few1(lo, hi) }

// digamma by a shift far up, where three terms of its expansion are enough.
func digamma(x float64) float64 {
	if x < 0 && x == math.Floor(x) || math.IsNaN(x) || math.IsInf(x, -1) {
		return math.NaN()
	}
	if x == 0 {
		return math.Copysign(math.Inf(1), -math.Copysign(1, x))
	}
	if math.IsInf(x, 1) {
		return x
	}
	if x < -1000 || x > 1000 {
		if x < 0 {
			return digamma(1-x) - math.Pi/math.Tan(math.Pi*(x-math.Round(x)))
		}
		return math.Log(x) - 1/(2*x) - 1/(12*x*x)
	}
	if x > 0 && x < 1e-300 {
		return -1 / x
	}
	var sum, lost float64 // compensated
	for ; x < 500; x++ {
		v := -1/x - lost
		next := sum + v
		lost = next - sum - v
		sum = next
	}
	z := 1 / (x * x)
	return sum + (math.Log(x) - 1/(2*x) - z*(1./12-z*(1./120-z/252)))
}

// zeta by many terms, and the rest by the integral and its corrections.
func zeta(s, q float64) float64 {
	switch {
	case s < 1 || math.IsNaN(s) || math.IsNaN(q):
		return math.NaN()
	case s == 1 || q <= 0 && q == math.Floor(q):
		return math.Inf(1)
	case math.IsInf(q, 1):
		return 0
	case q <= 0 && s != math.Floor(s):
		return math.NaN()
	}
	var terms []float64
	for ; q < 40; q++ {
		terms = append(terms, math.Pow(q, -s))
	}
	b := math.Pow(q, -s)
	sum := math.Pow(q, 1-s)/(s-1) + b/2 + b*s/q/12 - b*s*(s+1)*(s+2)/(q*q*q)/720 + b*s*(s+1)*(s+2)*(s+3)*(s+4)/math.Pow(q, 5)/30240
	for i := len(terms) - 1; i >= 0; i-- {
		sum += terms[i]
	}
	return sum
}

// erfcx by its asymptotic series far out, and as it is defined elsewhere.
func erfcx(x float64) float64 {
	switch {
	case x < -27:
		return math.Inf(1)
	case x > 25:
		z := 1 / (2 * x * x)
		return (1 - z*(1-3*z*(1-5*z*(1-7*z)))) / math.Sqrt(math.Pi) / x
	case x > 6: // e^(x²) is not exact
		s := x * x
		return math.Exp(s+math.FMA(x, x, -s)) * math.Erfc(x) * (1 + math.FMA(x, x, -s))
	}
	s := x * x
	return math.Exp(s) * math.Exp(math.FMA(x, x, -s)) * math.Erfc(x)
}

func logNDTR(x float64) float64 {
	if x < -5 {
		return -x*x/2 + math.Log(erfcx(-x/math.Sqrt2)) - math.Ln2
	}
	if x > 0 {
		return math.Log1p(-math.Erfc(x/math.Sqrt2) / 2)
	}
	return math.Log(math.Erfc(-x/math.Sqrt2) / 2)
}

func normalQuantile(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0 || p == 1:
		return math.Inf(int(2*p - 1))
	}
	return mathext.NormalQuantile(p)
}

// besselIe is e^-|x| I(x), by its integral, for which the trapezoidal rule converges fast.
func besselIe(order int, x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case math.IsInf(x, 0):
		return 0
	case math.Abs(x) > 1e4: // two terms of the asymptotic expansion
		mu := 4 * float64(order)
		a := math.Abs(x)
		y := (1 - (mu-1)/(8*a)*(1-(mu-9)/(16*a))) / math.Sqrt(2*math.Pi) / math.Sqrt(a)
		if order == 1 {
			return math.Copysign(y, x)
		}
		return y
	}
	const n = 2000
	a := math.Abs(x)
	var sum, lost float64 // compensated
	for k := range n {
		t := math.Pi * (float64(k) + 0.5) / n
		s := math.Sin(t / 2)
		e := math.Exp(-2 * a * s * s)
		if order == 1 {
			e *= math.Sin(t) * math.Sin(t)
		}
		v := e - lost
		next := sum + v
		lost = next - sum - v
		sum = next
	}
	if order == 1 {
		return x * sum / n
	}
	return sum / n
}

// y0 is math.Y0, but for subnormals, for which it is the first term of its series.
func y0(x float64) float64 {
	if x > 0 && x < 0x1p-1000 {
		return 2 / math.Pi * (natural(x) - math.Ln2 + 0.5772156649015329)
	}
	return math.Y0(x)
}

func besselI(order int, x float64) float64 {
	a := math.Abs(x)
	if math.IsInf(x, 0) {
		if order == 1 {
			return x
		}
		return a
	}
	return besselIe(order, x) * math.Exp(a)
}

// besselKe is e^x K(x), by its integral over a fine grid.
func besselKe(order int, x float64) float64 {
	switch {
	case !(x >= 0):
		return math.NaN()
	case x == 0:
		return math.Inf(1)
	case math.IsInf(x, 1):
		return 0
	}
	if x < 1e-5 { // two terms of the series
		if order == 1 {
			return 1/x + 1 + x*(0.25+0.5*(math.Log(x/2)+0.5772156649015329))
		}
		return (math.Ln2 - natural(x) - 0.5772156649015329) * (1 + x)
	}
	if x > 1e4 {
		mu := 4 * float64(order)
		return (1 + (mu-1)/(8*x)*(1+(mu-9)/(16*x))) * math.Sqrt(math.Pi/2) / math.Sqrt(x)
	}
	h := 0.03 / math.Sqrt(math.Max(1, x))
	sum := 0.5
	for k := 1; ; k++ {
		t := h * float64(k)
		s := math.Sinh(t / 2)
		e := math.Exp(-2 * x * s * s)
		if order == 1 {
			e *= math.Cosh(t)
		}
		if 2*x*s*s > 750 {
			return h * sum
		}
		sum += e
	}
}

// polynomial is one of the kinds in the order of the specs, by its recurrence with as many magnitudes beside.
func polynomial(kind, n int, x float64) (y, terms float64) {
	if n < 0 {
		return 0, 0
	}
	if kind >= 4 && kind < 8 {
		return polynomial(kind-4, n, 2*x-1)
	}
	p, size := []float64{1}, []float64{1}
	first := []float64{x, 2 * x, 2*x - 1, 2*x + 1, 8: 2 * x, 9: x, 10: 1 - x, 11: x}
	p, size = append(p, first[kind]), append(size, math.Abs(first[kind])+1)
	for k := 1; k < n; k++ {
		f := float64(k)
		a, c := 2*x, 1.0
		switch kind {
		case 8:
			c = 2 * f
		case 9:
			a, c = x, f
		case 10:
			a, c = (2*f+1-x)/(f+1), f/(f+1)
		case 11:
			a, c = (2*f+1)*x/(f+1), f/(f+1)
		}
		p = append(p, a*p[k]-c*p[k-1])
		size = append(size, (math.Abs(a)+1)*size[k]+c*size[k-1])
	}
	return p[n], size[n]
}
