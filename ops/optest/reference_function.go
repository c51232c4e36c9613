package optest

import (
	"math"
	"math/big"

	"github.com/anycl/anycl/tensor"
)

// Functions of one real number.

func init() {
	for name, f := range map[string]func(float64) float64{
		"sqrt":       math.Sqrt,
		"rsqrt":      func(x float64) float64 { return 1 / math.Sqrt(x) },
		"reciprocal": func(x float64) float64 { return 1 / x },
		"exp":        math.Exp,
		"exp2":       math.Exp2,
		"expm1":      math.Expm1,
		"log":        natural,
		"log2":       log2,
		"log1p":      math.Log1p,
		"asin":       func(x float64) float64 { return 2 * math.Atan(x/(1+math.Sqrt((1-x)*(1+x)))) },
		"acos":       acos,
		"atan":       math.Atan,
		"sinh":       math.Sinh,
		"cosh":       math.Cosh,
		"tanh":       math.Tanh,
		"erf":        math.Erf,
		"sigmoid":    sigmoid,
		"silu":       silu,
		"softplus":   softplus,
		"gelu":       gelu,
		"gelu_tanh":  geluTanh,
		"hardswish":  hardSwish,
		"floor":      math.Floor,
		"ceil":       math.Ceil,
		"trunc":      math.Trunc,
		"round":      math.RoundToEven,
	} {
		reference(name, real1(f))
	}
	reference("sin", trigonometric(math.Sin, func(float64) float64 { return 1 }))
	reference("cos", trigonometric(math.Cos, func(float64) float64 { return 1 }))
	reference("tan", trigonometric(math.Tan, func(y float64) float64 { return 1 + y*y }))
	reference("relu", each1(
		func(x float64) float64 { return extreme(x, 0, x > 0) },
		func(x int64) int64 { return max(x, 0) },
		func(x uint64) uint64 { return x }))
	reference("clip", func(c Case) Result {
		limits := attr[[2]float64](c)
		return each1(
			func(x float64) float64 {
				if math.IsNaN(x) {
					return x
				}
				return math.Min(math.Max(x, limits[0]), limits[1])
			},
			func(x int64) int64 { return min(max(x, int64(limits[0])), int64(limits[1])) },
			func(x uint64) uint64 { return min(max(x, uint64(max(limits[0], 0))), uint64(limits[1])) },
		)(c)
	})
	reference("leaky_relu", func(c Case) Result {
		slope := attr[float64](c)
		return real1(func(x float64) float64 {
			if x < 0 {
				return slope * x
			}
			return x
		})(c)
	})
	reference("elu", func(c Case) Result {
		alpha := attr[float64](c)
		return real1(func(x float64) float64 {
			if x < 0 {
				return alpha * math.Expm1(x)
			}
			return x
		})(c)
	})
}

// trigonometric is a function of an angle in float64. Go reduces angles beyond
// 2^29 with 64 bits of their phase, and so does the CPU path: there the error is
// that of the phase, times the slope.
func trigonometric(f, slope func(float64) float64) Reference {
	return func(c Case) Result {
		r := real1(f)(c)
		if r.DType != tensor.Float64 {
			return r
		}
		r.Terms, r.N = make([]float64, len(r.F)), 1
		for p, x := range c.In[0].F {
			if math.Abs(x) >= 1<<29 && !math.IsInf(x, 0) {
				r.Terms[p] = slope(r.F[p])
			}
		}
		return r
	}
}

// natural is math.Log, whose assembly on amd64 takes subnormals for normal
// numbers.
func natural(x float64) float64 {
	frac, exp := math.Frexp(x)
	if 0 < x && x < 0x1p-1000 {
		return math.Log(frac) + float64(exp)*math.Ln2
	}
	return math.Log(x)
}

// power is math.Pow; for small bases, where that goes wrong with the logarithm,
// it is taken apart into a power of the fraction and one of 2.
func power(a, b float64) float64 {
	if !(0 < a && a < 0x1p-1000) || math.IsNaN(b) || math.Abs(b) > 1000 {
		return math.Pow(a, b)
	}
	frac, exp := math.Frexp(a)
	e := float64(exp) * b
	rest := math.FMA(float64(exp), b, -e) // what the product lost
	return math.Pow(frac, b) * math.Exp2(e) * math.Exp2(rest)
}

// angle is math.Atan2, which gives π for -π where the quotient underflows.
func angle(y, x float64) float64 { return math.Copysign(math.Atan2(math.Abs(y), x), y) }

// acos by the half angle: math.Acos cancels where x is near 1.
func acos(x float64) float64 {
	if x == -1 {
		return math.Pi
	}
	return 2 * math.Atan(math.Sqrt((1-x)*(1+x))/(1+x))
}

// log2 splits off the exponent itself: math.Log2 does too, and near 1 loses
// what a difference of two logarithms loses.
func log2(x float64) float64 {
	if x > 0.5 && x < 2 {
		return math.Log1p(x-1) / math.Ln2
	}
	return math.Log2(x)
}

// sigmoid is written so that neither tail overflows or cancels.
func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// silu is x·sigmoid(x); 0·∞ does not occur because the limit at -∞ is 0.
func silu(x float64) float64 {
	if math.IsInf(x, -1) {
		return math.NaN() // -∞ · 0, as the definition has it
	}
	return x * sigmoid(x)
}

// softplus is log(1 + e^x).
func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// gelu is x·Φ(x), with Φ from erfc so that the negative tail does not cancel.
func gelu(x float64) float64 { return x / 2 * math.Erfc(-x/math.Sqrt2) }

// geluTanh is x·sigmoid(2u), written so that the negative tail does not cancel. The exponent 2u is
// computed to more than float64 has, because its error counts as often as it is large.
func geluTanh(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) || math.Abs(x) > 1e6 {
		return silu(x)
	}
	wide := func() *big.Float { return new(big.Float).SetPrec(128) }
	exact := wide().SetFloat64(x)
	cube := wide().Mul(wide().Mul(exact, exact), exact)
	cube.Quo(cube.Mul(cube, wide().SetInt64(44715)), wide().SetInt64(1e6))
	rootOf8OverPi, _ := wide().SetString("1.5957691216057307117597842397375274739034345246")
	twice := cube.Mul(cube.Add(cube, exact), rootOf8OverPi)
	u, _ := twice.Float64()
	rest, _ := twice.Sub(twice, wide().SetFloat64(u)).Float64()
	s := sigmoid(u)
	return x * (s + s*sigmoid(-u)*rest)
}

// hardSwish is x·min(max(x+3, 0), 6)/6.
func hardSwish(x float64) float64 {
	return x * (math.Min(math.Max(x+3, 0), 6) / 6)
}
