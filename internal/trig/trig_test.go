package trig

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// precise is sin x and cos x by Taylor's series after a reduction with 1,400 bits of π.
func precise(x float64) (sin, cos float64) {
	const bits = 1500
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(v) }
	// Gauss and Legendre's iteration for π.
	a, b, s, p := number(1), new(big.Float).SetPrec(bits).Sqrt(number(0.5)), number(0.25), number(1)
	for range 12 {
		m := new(big.Float).SetPrec(bits).Add(a, b)
		m.Mul(m, number(0.5))
		b = new(big.Float).SetPrec(bits).Sqrt(new(big.Float).SetPrec(bits).Mul(a, b))
		d := new(big.Float).SetPrec(bits).Sub(a, m)
		s.Sub(s, new(big.Float).SetPrec(bits).Mul(p, d.Mul(d, d)))
		a = m
		p.Mul(p, number(2))
	}
	pi := new(big.Float).SetPrec(bits).Add(a, b)
	pi.Mul(pi, pi).Quo(pi, number(4)).Quo(pi, s)
	turn := new(big.Float).SetPrec(bits).Mul(pi, number(2))
	n, _ := new(big.Float).SetPrec(bits).Quo(number(x), turn).Int(nil)
	r := new(big.Float).SetPrec(bits).Sub(number(x), new(big.Float).SetPrec(bits).Mul(turn, new(big.Float).SetPrec(bits).SetInt(n)))
	sum := [2]*big.Float{number(0), number(0)}
	term := number(1)
	for k := range 120 {
		part := new(big.Float).SetPrec(bits).Set(term)
		if k&2 != 0 {
			part.Neg(part)
		}
		sum[k&1].Add(sum[k&1], part)
		term.Mul(term, r).Quo(term, number(float64(k+1)))
	}
	cos, _ = sum[0].Float64()
	sin, _ = sum[1].Float64()
	return sin, cos
}

// ulps is how many units in the last place of want lie between the two.
func ulps(got, want float64) float64 {
	return math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
}

func TestLargeArgumentsAreReducedWithoutLoss(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	xs := []float64{
		large, 1e22, math.MaxFloat64, -math.MaxFloat64, -1.4393324887919959e+308, -1.2884847058819623e+307,
		6381956970095103 * math.Pow(2, 797), // the float64 that is closest to a multiple of π/2
	}
	for range 300 {
		xs = append(xs, math.Ldexp(r.Float64()*2-1, 30+r.IntN(994)))
	}
	for _, x := range xs {
		sin, cos := precise(x)
		require.LessOrEqual(t, ulps(Sin(x), sin), 1.5, "sin %v is %v", x, sin)
		require.LessOrEqual(t, ulps(Cos(x), cos), 1.5, "cos %v is %v", x, cos)
		require.LessOrEqual(t, ulps(Tan(x), sin/cos), 3.0, "tan %v is %v", x, sin/cos)
	}
}

func TestSmallAndSpecialArgumentsAreThoseOfTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -2, 1e8, 5e-324} {
		require.Equal(t, math.Float64bits(math.Sin(x)), math.Float64bits(Sin(x)))
		require.Equal(t, math.Cos(x), Cos(x))
		require.Equal(t, math.Float64bits(math.Tan(x)), math.Float64bits(Tan(x)))
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		require.True(t, math.IsNaN(Sin(x)) && math.IsNaN(Cos(x)) && math.IsNaN(Tan(x)))
	}
}
