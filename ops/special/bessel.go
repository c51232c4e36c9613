package special

import (
	"math"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/hostmath"
	"github.com/anycl/anycl/ops"
)

// Bessel functions, element by element, of a float x. Errors: dtype is not a float. Source: DLMF, chapter 10.

// I0 returns the modified Bessel function of the first kind of order 0: 1/π ∫_0^π e^(x cos t) dt.
func I0(x *ops.Node) *ops.Node { return ops.Apply("special.i0", nil, x) }

// I0e returns [I0] times e^-|x|, which does not overflow.
func I0e(x *ops.Node) *ops.Node { return ops.Apply("special.i0e", nil, x) }

// I1 returns the modified Bessel function of the first kind of order 1: 1/π ∫_0^π e^(x cos t) cos t dt.
func I1(x *ops.Node) *ops.Node { return ops.Apply("special.i1", nil, x) }

// I1e returns [I1] times e^-|x|, which does not overflow.
func I1e(x *ops.Node) *ops.Node { return ops.Apply("special.i1e", nil, x) }

// BesselJ0 returns the Bessel function of the first kind of order 0: 1/π ∫_0^π cos(x sin t) dt.
func BesselJ0(x *ops.Node) *ops.Node { return ops.Apply("special.bessel_j0", nil, x) }

// BesselJ1 returns the Bessel function of the first kind of order 1: 1/π ∫_0^π cos(t - x sin t) dt.
func BesselJ1(x *ops.Node) *ops.Node { return ops.Apply("special.bessel_j1", nil, x) }

// BesselY0 returns the Bessel function of the second kind of order 0: -Inf at 0, NaN below.
func BesselY0(x *ops.Node) *ops.Node { return ops.Apply("special.bessel_y0", nil, x) }

// BesselY1 returns the Bessel function of the second kind of order 1: -Inf at 0, NaN below.
func BesselY1(x *ops.Node) *ops.Node { return ops.Apply("special.bessel_y1", nil, x) }

// K0 returns the modified Bessel function of the second kind of order 0: ∫_0^∞ e^(-x cosh t) dt; +Inf at 0, NaN below.
func K0(x *ops.Node) *ops.Node { return ops.Apply("special.k0", nil, x) }

// K0e returns [K0] times e^x.
func K0e(x *ops.Node) *ops.Node { return ops.Apply("special.k0e", nil, x) }

// K1 returns the modified Bessel function of the second kind of order 1: ∫_0^∞ e^(-x cosh t) cosh t dt; +Inf at 0, NaN below.
func K1(x *ops.Node) *ops.Node { return ops.Apply("special.k1", nil, x) }

// K1e returns [K1] times e^x.
func K1e(x *ops.Node) *ops.Node { return ops.Apply("special.k1e", nil, x) }

// SphericalJ0 returns the spherical Bessel function of the first kind of order 0: sin x / x, 1 at x = 0.
func SphericalJ0(x *ops.Node) *ops.Node { return ops.Apply("special.spherical_j0", nil, x) }

func besselOp(name, c string, f func(float64) float64, slope func(x, y *ops.Node) *ops.Node) ops.Op {
	return ops.Op{
		Name: name, Category: "special function", Operands: operandX, DTypes: dtypes.Floats, Result: ops.SameResult,
		Grad:   func(b *ops.Back) { b.Add(0, b.Times(slope(b.In(0), b.Out()))) },
		Scalar: scalarOf1(c, 150, f),
	}
}

// over is y / x, and at x = 0 its limit.
func over(y, x *ops.Node, at0 float64) *ops.Node {
	zero := ops.Equal(x, 0)
	return ops.Where(zero, ops.ScalarLike(x, at0), ops.Div(y, ops.Where(zero, ops.ScalarLike(x, 1), x)))
}

var (
	_ = ops.MustDefine(besselOp("special.i0", "special_i0(a)",
		func(x float64) float64 { return scaledUp(scaledI(0, math.Abs(x)), math.Abs(x)) }, func(x, _ *ops.Node) *ops.Node { return I1(x) }))
	_ = ops.MustDefine(besselOp("special.i0e", "special_i0e(a)", func(x float64) float64 { return scaledI(0, math.Abs(x)) },
		func(x, y *ops.Node) *ops.Node { return ops.Sub(I1e(x), ops.Mul(ops.Sign(x), y)) }))
	_ = ops.MustDefine(besselOp("special.i1", "special_i1(a)",
		func(x float64) float64 { return math.Copysign(scaledUp(scaledI(1, math.Abs(x)), math.Abs(x)), x) },
		func(x, y *ops.Node) *ops.Node { return ops.Sub(I0(x), over(y, x, 0.5)) }))
	_ = ops.MustDefine(besselOp("special.i1e", "special_i1e(a)", func(x float64) float64 { return math.Copysign(scaledI(1, math.Abs(x)), x) },
		func(x, y *ops.Node) *ops.Node {
			return ops.Sub(ops.Sub(I0e(x), ops.Mul(ops.Sign(x), y)), over(y, x, 0.5))
		}))
	_ = ops.MustDefine(besselOp("special.bessel_j0", "special_j0(a)", math.J0, func(x, _ *ops.Node) *ops.Node { return ops.Neg(BesselJ1(x)) }))
	_ = ops.MustDefine(besselOp("special.bessel_j1", "special_j1(a)", j1Of,
		func(x, y *ops.Node) *ops.Node { return ops.Sub(BesselJ0(x), over(y, x, 0.5)) }))
	_ = ops.MustDefine(besselOp("special.bessel_y0", "special_bessel_y0(a)", y0Of,
		func(x, _ *ops.Node) *ops.Node { return ops.Neg(BesselY1(x)) }))
	_ = ops.MustDefine(besselOp("special.bessel_y1", "special_bessel_y1(a)", math.Y1,
		func(x, y *ops.Node) *ops.Node { return ops.Sub(BesselY0(x), ops.Div(y, x)) }))
	_ = ops.MustDefine(besselOp("special.k0", "special_k0(a)", func(x float64) float64 { return scaledK(0, x) * math.Exp(-x) },
		func(x, _ *ops.Node) *ops.Node { return ops.Neg(K1(x)) }))
	_ = ops.MustDefine(besselOp("special.k0e", "special_k0e(a)", func(x float64) float64 { return scaledK(0, x) },
		func(x, y *ops.Node) *ops.Node { return ops.Sub(y, K1e(x)) }))
	_ = ops.MustDefine(besselOp("special.k1", "special_k1(a)", func(x float64) float64 { return scaledK(1, x) * math.Exp(-x) },
		func(x, y *ops.Node) *ops.Node { return ops.Neg(ops.Add(K0(x), ops.Div(y, x))) }))
	_ = ops.MustDefine(besselOp("special.k1e", "special_k1e(a)", func(x float64) float64 { return scaledK(1, x) },
		func(x, y *ops.Node) *ops.Node { return ops.Sub(ops.Sub(y, K0e(x)), ops.Div(y, x)) }))
	_ = ops.MustDefine(besselOp("special.spherical_j0", "isinf(a) ? 0.0f : a == 0.0f ? 1.0f : sin(a) / a", sphericalJ0Of,
		func(x, y *ops.Node) *ops.Node {
			near := ops.Less(ops.Abs(x), 0.25)
			z := ops.Square(x)
			series := ops.Mul(x, ops.Add(ops.Mul(ops.Add(ops.Mul(ops.Add(ops.Mul(z, 1.0/45360), -1.0/840), z), 1.0/30), z), -1.0/3))
			away := ops.Where(near, ops.ScalarLike(x, 1), x)
			return ops.Where(near, series, ops.Div(ops.Sub(ops.Cos(away), y), away))
		}))
)

func sphericalJ0Of(x float64) float64 {
	switch {
	case math.IsInf(x, 0):
		return 0
	case x == 0:
		return 1
	}
	return math.Sin(x) / x
}

// j1Of is math.J1, which loses the sign of numbers next to 0.
func j1Of(x float64) float64 {
	if math.Abs(x) < 0x1p-27 {
		return x / 2
	}
	return math.J1(x)
}

// y0Of is math.Y0, whose logarithm takes subnormals for normal numbers on some machines.
func y0Of(x float64) float64 {
	if x > 0 && x < 0x1p-1000 {
		const gamma = 0.577215664901532860606512090082402431
		return 2 / math.Pi * (hostmath.Log(x) - math.Ln2 + gamma)
	}
	return math.Y0(x)
}

// scaledI is e^-x I(x) for x >= 0 and order 0 or 1, by its series or its asymptotic expansion.
func scaledI(order int, x float64) float64 {
	switch {
	case x != x:
		return x
	case math.IsInf(x, 0):
		return 0
	case x <= 25:
		t := 1.0
		if order == 1 {
			t = x / 2
		}
		sum := t
		for k := 1; t > sum*1e-18; k++ {
			t *= x * x / 4 / float64(k*(k+order))
			sum += t
		}
		return sum * math.Exp(-x)
	}
	t, sum := 1.0, 1.0
	for k := 1; k < 26; k++ {
		t *= float64((2*k-1)*(2*k-1)-4*order) / (8 * x * float64(k))
		sum += t
	}
	return sum / math.Sqrt(2*math.Pi) / math.Sqrt(x)
}

// scaledUp is v e^x.
func scaledUp(v, x float64) float64 {
	if math.IsInf(x, 1) {
		return x
	}
	if x > 700 {
		return v * math.Exp(x/2) * math.Exp(x/2)
	}
	return v * math.Exp(x)
}

// scaledK is e^x K(x) for order 0 or 1: by its series near 0, and by the trapezoidal rule for its integral.
func scaledK(order int, x float64) float64 {
	switch {
	case !(x >= 0):
		return math.NaN()
	case x == 0:
		return math.Inf(1)
	case math.IsInf(x, 1):
		return 0
	case x <= 1:
		const gamma = 0.577215664901532860606512090082402431
		l := hostmath.Log(x) - math.Ln2 + gamma
		t, h, sum := 1.0, 0.0, -l
		if order == 1 {
			sum = l - 0.5
		}
		for k := 1; k < 20; k++ {
			t *= x * x / 4 / float64(k*(k+order))
			h += 1 / float64(k)
			if order == 1 {
				sum += t * (l - h - 0.5/float64(k+1))
			} else {
				sum += t * (h - l)
			}
		}
		if order == 1 {
			sum = 1/x + x/2*sum
		}
		return sum * math.Exp(x)
	case x > 30: // its asymptotic expansion
		t, sum := 1.0, 1.0
		for k := 1; k < 24; k++ {
			t *= float64(4*order-(2*k-1)*(2*k-1)) / (8 * x * float64(k))
			sum += t
		}
		return sum * math.Sqrt(math.Pi/2) / math.Sqrt(x)
	}
	h := 0.2 / math.Sqrt(math.Max(1, x/8))
	sum := 0.5
	for k := 1; ; k++ {
		s := math.Sinh(h * float64(k) / 2)
		z := 2 * s * s
		if x*z > 42 {
			return h * sum
		}
		if order == 1 {
			sum += math.Exp(-x*z) * (1 + z)
		} else {
			sum += math.Exp(-x * z)
		}
	}
}
