package elementwise

import (
	"fmt"
	"math"
	"math/big"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Functions of one real number.

func init() {
	spec.Register("sqrt", spec.Spec{Call: sample.One(ops.Sqrt), Reference: reference.Real1(math.Sqrt), Tolerance: spec.Builtin(3, 0.5),
		Samples: sample.Singles(0, 9)})
	spec.Register("rsqrt", spec.Spec{Call: sample.One(ops.Rsqrt),
		Reference: reference.Real1(func(x float64) float64 { return 1 / math.Sqrt(x) }), Tolerance: spec.Builtin(2, 2),
		Samples: sample.Singles(0.01, 9)})
	spec.Register("reciprocal", spec.Spec{Call: sample.One(ops.Reciprocal),
		Reference: reference.Real1(func(x float64) float64 { return 1 / x }), Tolerance: spec.Builtin(2.5, 0.5), Samples: sample.Singles()})
	spec.Register("exp", spec.Spec{Call: sample.One(ops.Exp), Reference: reference.Real1(math.Exp), Tolerance: spec.Builtin(3, 3),
		Samples: sample.Singles()})
	spec.Register("exp2", spec.Spec{Call: sample.One(ops.Exp2), Reference: reference.Real1(math.Exp2), Tolerance: spec.Builtin(3, 3),
		Samples: sample.Singles()})
	spec.Register("expm1", spec.Spec{Call: sample.One(ops.Expm1), Reference: reference.Real1(math.Expm1), Tolerance: spec.Builtin(3, 3),
		Samples: sample.Singles()})
	spec.Register("log", spec.Spec{Call: sample.One(ops.Log), Reference: reference.Real1(natural), Tolerance: spec.Builtin(3, 3),
		Samples: sample.Singles(0.01, 9)})
	spec.Register("log2", spec.Spec{Call: sample.One(ops.Log2), Reference: reference.Real1(log2), Tolerance: spec.Builtin(3, 3),
		Samples: sample.Singles(0.01, 9)})
	spec.Register("log1p", spec.Spec{Call: sample.One(ops.Log1p), Reference: reference.Real1(math.Log1p), Tolerance: spec.Builtin(2, 2),
		Samples: sample.Singles(-0.9, 4)})
	spec.Register("asin", spec.Spec{Call: sample.One(ops.Asin), Reference: reference.Real1(asin), Tolerance: spec.Builtin(4, 4),
		Samples: sample.Singles(-1, 1)})
	spec.Register("acos", spec.Spec{Call: sample.One(ops.Acos), Reference: reference.Real1(acos), Tolerance: spec.Builtin(4, 4),
		Samples: sample.Singles(-1, 1)})
	spec.Register("atan", spec.Spec{Call: sample.One(ops.Atan), Reference: reference.Real1(math.Atan), Tolerance: spec.Builtin(5, 5),
		Samples: sample.Singles()})
	spec.Register("sinh", spec.Spec{Call: sample.One(ops.Sinh), Reference: reference.Real1(math.Sinh), Tolerance: spec.Builtin(4, 4),
		Samples: sample.Singles()})
	spec.Register("cosh", spec.Spec{Call: sample.One(ops.Cosh), Reference: reference.Real1(math.Cosh), Tolerance: spec.Builtin(4, 4),
		Samples: sample.Singles()})
	spec.Register("tanh", spec.Spec{Call: sample.One(ops.Tanh), Reference: reference.Real1(math.Tanh), Tolerance: spec.Builtin(5, 5),
		Samples: sample.Singles()})
	spec.Register("erf", spec.Spec{Call: sample.One(ops.Erf), Reference: reference.Real1(math.Erf), Tolerance: spec.Builtin(16, 16),
		Samples: sample.Singles()})
	spec.Register("floor", spec.Spec{Call: sample.One(ops.Floor), Reference: reference.Real1(math.Floor), Tolerance: spec.Exact,
		Samples: sample.Roundings()})
	spec.Register("ceil", spec.Spec{Call: sample.One(ops.Ceil), Reference: reference.Real1(math.Ceil), Tolerance: spec.Exact,
		Samples: sample.Roundings()})
	spec.Register("trunc", spec.Spec{Call: sample.One(ops.Trunc), Reference: reference.Real1(math.Trunc), Tolerance: spec.Exact,
		Samples: sample.Roundings()})
	spec.Register("round", spec.Spec{Call: sample.One(ops.Round), Reference: reference.Real1(math.RoundToEven), Tolerance: spec.Exact,
		Samples: sample.Roundings()})

	// exp, an addition of positive numbers, a division.
	logistic := spec.Composed(3+0.5+2.5, 3+0.5+0.5)
	spec.Register("sigmoid", spec.Spec{Call: sample.One(ops.Sigmoid), Reference: reference.Real1(sigmoid), Tolerance: logistic,
		Samples: sample.Singles(-8, 8)})
	spec.Register("silu", spec.Spec{Call: sample.One(ops.SiLU), Reference: reference.Real1(silu), Tolerance: logistic,
		Samples: sample.Singles(-8, 8)})
	// exp, log1p, an addition of two numbers that are not negative.
	spec.Register("softplus", spec.Spec{Call: sample.One(ops.Softplus), Reference: reference.Real1(softplus),
		Tolerance: spec.Composed(3+2+1, 3+2+1), Samples: sample.Singles(-12, 12)})
	// x + 3, two comparisons, a quotient, a product. Next to -3 the addition is
	// exact.
	spec.Register("hardswish", spec.Spec{Call: sample.One(ops.HardSwish), Reference: reference.Real1(hardSwish),
		Tolerance: spec.Composed(0.5+2.5+1, 2), Samples: sample.Singles(-5, 5)})
	// erfc 16, two products, and the rounding of its argument z, which counts
	// up to x² + 1 = 17 times at x = -4, where the samples end.
	spec.Register("gelu", spec.Spec{Call: sample.One(ops.GELU), Reference: reference.Real1(gelu), Tolerance: spec.Composed(16+1+17, 16+1+17),
		Samples: sample.Singles()})
	// As silu, and the rounding of the exponent, good to 2, which counts 11
	// times at x = -4.
	spec.Register("gelu_tanh", spec.Spec{Call: sample.One(ops.GELUTanh), Reference: reference.Real1(geluTanh),
		Tolerance: spec.Composed(3+0.5+2.5+22, 3+0.5+0.5+22), Samples: sample.Singles()})

	spec.Register("sin", spec.Spec{Call: sample.One(ops.Sin), Reference: trigonometric(math.Sin, func(float64) float64 { return 1 }),
		Tolerance: spec.Phase(4), Samples: sample.Singles(-20, 20)})
	spec.Register("cos", spec.Spec{Call: sample.One(ops.Cos), Reference: trigonometric(math.Cos, func(float64) float64 { return 1 }),
		Tolerance: spec.Phase(4), Samples: sample.Singles(-20, 20)})
	spec.Register("tan", spec.Spec{Call: sample.One(ops.Tan), Reference: trigonometric(math.Tan, func(y float64) float64 { return 1 + y*y }),
		Tolerance: spec.Phase(5), Samples: sample.Singles(-1.5, 1.5)})
	spec.Register("relu", spec.Spec{
		Call: sample.One(ops.ReLU),
		Reference: reference.Each1(
			func(x float64) float64 { return extreme(x, 0, x > 0) },
			func(x int64) int64 { return max(x, 0) },
			func(x uint64) uint64 { return x }),
		Tolerance: spec.Exact,
		Samples:   sample.Singles(),
	})
	spec.Register("clip", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			limits := reference.Attr[[2]float64](c)
			return reference.Each1(
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
		Tolerance: spec.Exact,
		Samples: append(append(clips(-1.5, 2.25, sample.FloatDTypes), clips(-2, 3, sample.SignedDTypes)...),
			clips(1, 3, sample.NumberDTypes)...),
	})
	spec.Register("leaky_relu", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			slope := reference.Attr[float64](c)
			return reference.Real1(func(x float64) float64 {
				if x < 0 {
					return slope * x
				}
				return x
			})(c)
		},
		Tolerance: spec.Rounded,
		Samples:   withAttr(0.125, ops.LeakyReLU, sample.Singles()),
	})
	spec.Register("elu", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			alpha := reference.Attr[float64](c)
			return reference.Real1(func(x float64) float64 {
				if x < 0 {
					return alpha * math.Expm1(x)
				}
				return x
			})(c)
		},
		Tolerance: spec.Composed(3+0.5, 3+0.5),
		Samples:   withAttr(1.5, ops.ELU, sample.Singles()),
	})
}

// trigonometric is a function of an angle in float64. Go reduces angles beyond
// 2^29 with 64 bits of their phase, and so does the CPU path: there the error is
// that of the phase, times the slope.
func trigonometric(f, slope func(float64) float64) spec.Reference {
	return func(c spec.Case) spec.Result {
		r := reference.Real1(f)(c)
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
	rest := math.FMA(float64(exp), b, -e) // the rounding error of the product
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
// the digits that a difference of two logarithms loses.
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
func withAttr(v float64, op func(*ops.Node, float64) *ops.Node, samples []spec.Sample) []spec.Sample {
	for i := range samples {
		samples[i].Attr = v
		samples[i].Build = func(in []*ops.Node) *ops.Node { return op(in[0], v) }
	}
	return samples
}

func clips(lo, hi float64, only []tensor.DType) []spec.Sample {
	samples := sample.Singles()
	for i := range samples {
		s := &samples[i]
		s.Label = fmt.Sprintf("%s [%v, %v]", s.Label, lo, hi)
		s.Build = func(in []*ops.Node) *ops.Node { return ops.Clip(in[0], lo, hi) }
		s.Attr, s.Only = [2]float64{lo, hi}, only
	}
	return samples
}
