package numerics_test

import (
	"math"
	"math/big"
)

// Elementary functions in 300 bits, from their definitions: series and
// functional equations, nothing that package math shares.

const bigPrec = 300

func bf(x float64) *big.Float { return new(big.Float).SetPrec(bigPrec).SetFloat64(x) }

func bigAdd(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Add(a, b) }
func bigSub(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Sub(a, b) }
func bigMul(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Mul(a, b) }
func bigDiv(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Quo(a, b) }
func bigSqrt(a *big.Float) *big.Float   { return new(big.Float).SetPrec(bigPrec).Sqrt(a) }
func bigScale(a *big.Float, n int) *big.Float {
	return new(big.Float).SetPrec(bigPrec).SetMantExp(a, n)
}

// series sums terms until they no longer count; next gives term n from the one
// before it.
func series(first *big.Float, next func(term *big.Float, n int) *big.Float) *big.Float {
	sum, term := first, first
	for n := 1; term.Sign() != 0 && term.MantExp(nil) > sum.MantExp(nil)-bigPrec-8; n++ {
		term = next(term, n)
		sum = bigAdd(sum, term)
	}
	return sum
}

// bigExp is e^x = (Σ (x/2^k)^n / n!)^(2^k).
func bigExp(x *big.Float) *big.Float {
	const k = 16
	small := bigScale(x, -k)
	y := series(bf(1), func(t *big.Float, n int) *big.Float { return bigDiv(bigMul(t, small), bf(float64(n))) })
	for range k {
		y = bigMul(y, y)
	}
	return y
}

// bigLog solves e^y = x by Newton's method.
func bigLog(x *big.Float) *big.Float {
	m := new(big.Float)
	e := x.MantExp(m)
	f, _ := m.Float64()
	y := bf(math.Log(f) + float64(e)*math.Ln2)
	for range 5 {
		y = bigAdd(y, bigSub(bigDiv(x, bigExp(y)), bf(1)))
	}
	return y
}

// bigSinCos sums the series of a small angle and doubles it back:
// sin 2a = 2 sin a cos a, 1 - cos 2a = 2 sin² a.
func bigSinCos(x *big.Float) (sin, cos *big.Float) {
	const k = 12
	a := bigScale(x, -k)
	sq := bigMul(a, a)
	sin = series(a, func(t *big.Float, n int) *big.Float {
		return bigDiv(bigMul(t, sq), bf(-float64(2*n*(2*n+1))))
	})
	versine := bigScale(bigMul(a, a), -1) // 1 - cos a, which does not cancel
	versine = series(versine, func(t *big.Float, n int) *big.Float {
		return bigDiv(bigMul(t, sq), bf(-float64((2*n+1)*(2*n+2))))
	})
	for range k {
		cos = bigSub(bf(1), versine)
		sin, versine = bigScale(bigMul(sin, cos), 1), bigScale(bigMul(sin, sin), 1)
	}
	return sin, bigSub(bf(1), versine)
}

// bigAtan halves the angle, atan x = 2 atan(x / (1 + √(1 + x²))), and sums the
// series of the rest.
func bigAtan(x *big.Float) *big.Float {
	const k = 12
	for range k {
		x = bigDiv(x, bigAdd(bf(1), bigSqrt(bigAdd(bf(1), bigMul(x, x)))))
	}
	power, sq := x, bigMul(x, x)
	sum := x
	for n := 1; power.Sign() != 0 && power.MantExp(nil) > sum.MantExp(nil)-bigPrec; n++ {
		power = bigMul(power, bigSub(bf(0), sq))
		sum = bigAdd(sum, bigDiv(power, bf(float64(2*n+1))))
	}
	return bigScale(sum, k)
}

func bigPi() *big.Float { return bigScale(bigAtan(bf(1)), 2) }

// bigErf is 2/√π · e^(-x²) · Σ 2^n x^(2n+1) / (2n+1)!!, whose terms have one sign.
func bigErf(x *big.Float) *big.Float {
	sq := bigMul(x, x)
	sum := series(x, func(t *big.Float, n int) *big.Float {
		return bigDiv(bigScale(bigMul(t, sq), 1), bf(float64(2*n+1)))
	})
	return bigDiv(bigMul(bigScale(sum, 1), bigExp(bigSub(bf(0), sq))), bigSqrt(bigPi()))
}

// bigAtan2 is the angle of (b, a), for a point that is not on an axis.
func bigAtan2(a, b *big.Float) *big.Float {
	y := bigAtan(bigDiv(a, b))
	switch {
	case b.Sign() > 0:
		return y
	case a.Sign() > 0:
		return bigAdd(y, bigPi())
	default:
		return bigSub(y, bigPi())
	}
}

// ulps is the distance from got to want in units of the last place of a format
// with the given precision and smallest exponent.
func ulps(got float64, want *big.Float, precision, minExp int) float64 {
	d, _ := bigSub(bf(got), want).Float64()
	exp := max(want.MantExp(nil)-1, minExp)
	return math.Abs(math.Ldexp(d, precision-1-exp))
}
