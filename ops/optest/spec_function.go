package optest

import (
	"fmt"
	"math"
	"math/big"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Functions of one real number.

func init() {
	Register("sqrt", Spec{one(ops.Sqrt), real1(math.Sqrt), builtin(3, 0.5), singles(0, 9)})
	Register("rsqrt", Spec{one(ops.Rsqrt), real1(func(x float64) float64 { return 1 / math.Sqrt(x) }), builtin(2, 2), singles(0.01, 9)})
	Register("reciprocal", Spec{one(ops.Reciprocal), real1(func(x float64) float64 { return 1 / x }), builtin(2.5, 0.5), singles()})
	Register("exp", Spec{one(ops.Exp), real1(math.Exp), builtin(3, 3), singles()})
	Register("exp2", Spec{one(ops.Exp2), real1(math.Exp2), builtin(3, 3), singles()})
	Register("expm1", Spec{one(ops.Expm1), real1(math.Expm1), builtin(3, 3), singles()})
	Register("log", Spec{one(ops.Log), real1(natural), builtin(3, 3), singles(0.01, 9)})
	Register("log2", Spec{one(ops.Log2), real1(log2), builtin(3, 3), singles(0.01, 9)})
	Register("log1p", Spec{one(ops.Log1p), real1(math.Log1p), builtin(2, 2), singles(-0.9, 4)})
	Register("asin", Spec{one(ops.Asin), real1(asin), builtin(4, 4), singles(-1, 1)})
	Register("acos", Spec{one(ops.Acos), real1(acos), builtin(4, 4), singles(-1, 1)})
	Register("atan", Spec{one(ops.Atan), real1(math.Atan), builtin(5, 5), singles()})
	Register("sinh", Spec{one(ops.Sinh), real1(math.Sinh), builtin(4, 4), singles()})
	Register("cosh", Spec{one(ops.Cosh), real1(math.Cosh), builtin(4, 4), singles()})
	Register("tanh", Spec{one(ops.Tanh), real1(math.Tanh), builtin(5, 5), singles()})
	Register("erf", Spec{one(ops.Erf), real1(math.Erf), builtin(16, 16), singles()})
	Register("floor", Spec{one(ops.Floor), real1(math.Floor), exact, roundings()})
	Register("ceil", Spec{one(ops.Ceil), real1(math.Ceil), exact, roundings()})
	Register("trunc", Spec{one(ops.Trunc), real1(math.Trunc), exact, roundings()})
	Register("round", Spec{one(ops.Round), real1(math.RoundToEven), exact, roundings()})

	// exp, an addition of positive numbers, a division.
	logistic := composed(3+0.5+2.5, 3+0.5+0.5)
	Register("sigmoid", Spec{one(ops.Sigmoid), real1(sigmoid), logistic, singles(-8, 8)})
	Register("silu", Spec{one(ops.SiLU), real1(silu), logistic, singles(-8, 8)})
	// exp, log1p, an addition of two numbers that are not negative.
	Register("softplus", Spec{one(ops.Softplus), real1(softplus), composed(3+2+1, 3+2+1), singles(-12, 12)})
	// x + 3, two comparisons, a quotient, a product. Next to -3 the addition is
	// exact.
	Register("hardswish", Spec{one(ops.HardSwish), real1(hardSwish), composed(0.5+2.5+1, 2), singles(-5, 5)})
	// erfc 16, two products, and the rounding of its argument z, which counts
	// up to x² + 1 = 17 times at x = -4, where the samples end.
	Register("gelu", Spec{one(ops.GELU), real1(gelu), composed(16+1+17, 16+1+17), singles()})
	// As silu, and the rounding of the exponent, good to 2, which counts 11
	// times at x = -4.
	Register("gelu_tanh", Spec{one(ops.GELUTanh), real1(geluTanh), composed(3+0.5+2.5+22, 3+0.5+0.5+22), singles()})

	Register("sin", Spec{one(ops.Sin), trigonometric(math.Sin, func(float64) float64 { return 1 }), phase(4), singles(-20, 20)})
	Register("cos", Spec{one(ops.Cos), trigonometric(math.Cos, func(float64) float64 { return 1 }), phase(4), singles(-20, 20)})
	Register("tan", Spec{one(ops.Tan), trigonometric(math.Tan, func(y float64) float64 { return 1 + y*y }), phase(5), singles(-1.5, 1.5)})
	Register("relu", Spec{
		Call: one(ops.ReLU),
		Reference: each1(
			func(x float64) float64 { return extreme(x, 0, x > 0) },
			func(x int64) int64 { return max(x, 0) },
			func(x uint64) uint64 { return x }),
		Tolerance: exact,
		Samples:   singles(),
	})
	Register("clip", Spec{
		Reference: func(c Case) Result {
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
		},
		Tolerance: exact,
		Samples:   append(append(clips(-1.5, 2.25, floatDTypes), clips(-2, 3, signedDTypes)...), clips(1, 3, numberDTypes)...),
	})
	Register("leaky_relu", Spec{
		Reference: func(c Case) Result {
			slope := attr[float64](c)
			return real1(func(x float64) float64 {
				if x < 0 {
					return slope * x
				}
				return x
			})(c)
		},
		Tolerance: rounded,
		Samples:   withAttr(0.125, ops.LeakyReLU, singles()),
	})
	Register("elu", Spec{
		Reference: func(c Case) Result {
			alpha := attr[float64](c)
			return real1(func(x float64) float64 {
				if x < 0 {
					return alpha * math.Expm1(x)
				}
				return x
			})(c)
		},
		Tolerance: composed(3+0.5, 3+0.5),
		Samples:   withAttr(1.5, ops.ELU, singles()),
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

// asin by the half angle: its argument does not cancel where x is near 1.
func asin(x float64) float64 { return 2 * math.Atan(x/(1+math.Sqrt((1-x)*(1+x)))) }

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

// withAttr makes samples call an op with a number beside its operand.
func withAttr(v float64, op func(*ops.Node, float64) *ops.Node, samples []Sample) []Sample {
	for i := range samples {
		samples[i].Attr = v
		samples[i].Build = func(in []*ops.Node) *ops.Node { return op(in[0], v) }
	}
	return samples
}

func clips(lo, hi float64, only []tensor.DType) []Sample {
	samples := singles()
	for i := range samples {
		s := &samples[i]
		s.Label = fmt.Sprintf("%s [%v, %v]", s.Label, lo, hi)
		s.Build = func(in []*ops.Node) *ops.Node { return ops.Clip(in[0], lo, hi) }
		s.Attr, s.Only = [2]float64{lo, hi}, only
	}
	return samples
}
