package elementwise

import (
	"math"
	"math/bits"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Elementary functions, divisions, parts of floats, bits and selection, beside those of function.go and arithmetic.go.

func init() {
	type dt = tensor.DType
	spec.Register("asinh", spec.Spec{Call: sample.One(ops.Asinh), Reference: reference.Real1(math.Asinh), Tolerance: spec.Builtin(4, 4),
		Samples: sample.Few1()})
	spec.Register("acosh", spec.Spec{Call: sample.One(ops.Acosh), Reference: reference.Real1(acosh), Tolerance: spec.Builtin(4, 4),
		Samples: sample.Few1(1, 9)})
	spec.Register("atanh", spec.Spec{Call: sample.One(ops.Atanh), Reference: reference.Real1(math.Atanh), Tolerance: spec.Builtin(5, 5),
		Samples: sample.Few1(-1, 1)})
	spec.Register("log10", spec.Spec{Call: sample.One(ops.Log10),
		Reference: reference.Real1(func(x float64) float64 { return log2(x) * (math.Ln2 / math.Ln10) }), Tolerance: spec.Builtin(3, 3),
		Samples: sample.Few1(0.01, 9)})
	spec.Register("exp10", spec.Spec{Call: sample.One(ops.Exp10),
		Reference: reference.Real1(func(x float64) float64 { return math.Pow(10, x) }), Tolerance: spec.Builtin(3, 3), Samples: sample.Few1()})
	spec.Register("cbrt", spec.Spec{Call: sample.One(ops.Cbrt), Reference: reference.Real1(math.Cbrt), Tolerance: spec.Builtin(2, 2),
		Samples: sample.Few1(0.1, 9)})
	spec.Register("hypot", spec.Spec{Call: sample.Two(ops.Hypot[*ops.Node, *ops.Node]), Reference: reference.Each2(math.Hypot, nil, nil),
		Tolerance: spec.Builtin(4, 4), Samples: sample.Few2()})
	spec.Register("frac", spec.Spec{Call: sample.One(ops.Frac),
		Reference: reference.Real1(func(x float64) float64 { return x - math.Trunc(x) }), Tolerance: spec.Exact, Samples: sample.Few1()})
	// sinpi 4, a product, a quotient.
	spec.Register("sinc", spec.Spec{Call: sample.One(ops.Sinc), Reference: reference.Real1(sinc), Tolerance: spec.Composed(4+1+2.5, 4+1+0.5),
		Samples: sample.Few1()})
	// A logarithm, 4, whose argument is off by a difference and a quotient, 3: times 2 where it is near 1, and where it is not
	// relative to the logarithm itself, which is above 1.
	spec.Register("logit", spec.Spec{Call: func(in []*ops.Node) *ops.Node { return ops.Logit(in[0], -1) }, Reference: reference.Real1(logit),
		Tolerance: spec.Composed(4+2*3.5, 4+2*1.5), Samples: sample.Few1(0.01, 0.99)})
	spec.Register("deg2rad", spec.Spec{Call: sample.One(ops.Deg2Rad),
		Reference: reference.Real1(func(x float64) float64 { return x * (math.Pi / 180) }), Tolerance: spec.Composed(1, 1),
		Samples: sample.Few1()})
	spec.Register("rad2deg", spec.Spec{Call: sample.One(ops.Rad2Deg),
		Reference: reference.Real1(func(x float64) float64 { return x * (180 / math.Pi) }), Tolerance: spec.Composed(1, 1),
		Samples: sample.Few1()})

	spec.Register("mod", spec.Spec{
		Call: sample.Two(ops.Mod[*ops.Node, *ops.Node]),
		Reference: reference.Each2(mod,
			func(a, b int64, _ dt) int64 {
				if b == 0 {
					return 0
				}
				return a - floorQuotient(a, b)*b
			},
			func(a, b uint64, _ dt) uint64 {
				if b == 0 {
					return 0
				}
				return a - a/b*b
			}),
		Tolerance: spec.Composed(0.5, 0.5),
		Samples:   sample.SecondWithin(sample.Few2(), 1.25, 4),
	})
	spec.Register("floor_divide", spec.Spec{
		Call: sample.Two(ops.FloorDivide[*ops.Node, *ops.Node]),
		Reference: reference.Each2(func(a, b float64) float64 {
			if b == 0 {
				return a / b
			}
			r := math.Mod(a, b)
			q := math.Round((a - r) / b)
			if r != 0 && (r < 0) != (b < 0) {
				q--
			}
			return q
		}, func(a, b int64, _ dt) int64 {
			if b == 0 {
				return 0
			}
			return floorQuotient(a, b)
		}, quotient),
		Tolerance: spec.Composed(2.5+1, 0.5+1), // a quotient and a difference, where numbers have no fraction any more
		Samples:   sample.Few2(),
	})
	spec.Register("trunc_divide", spec.Spec{
		Call: sample.Two(ops.TruncDivide[*ops.Node, *ops.Node]),
		Reference: reference.Each2(func(a, b float64) float64 {
			if b == 0 || math.IsInf(a, 0) {
				return a / b
			}
			return math.Round((a - math.Mod(a, b)) / b)
		}, func(a, b int64, _ dt) int64 {
			switch b {
			case 0:
				return 0
			case -1:
				return -a
			}
			return a / b
		}, quotient),
		Tolerance: spec.Composed(2.5, 0.5),
		Samples:   sample.Few2(),
	})

	spec.Register("copysign", spec.Spec{Call: sample.Two(ops.Copysign[*ops.Node, *ops.Node]),
		Reference: reference.Each2(math.Copysign, nil, nil), Tolerance: spec.Exact, Samples: sample.Few2()})
	spec.Register("signbit", spec.Spec{Call: sample.One(ops.Signbit), Reference: func(c spec.Case) spec.Result {
		x := c.In[0]
		y := spec.NewArray(tensor.Bool, x.Shape...)
		for p := range y.U {
			y.U[p] = reference.Truth(x.I != nil && x.I[p] < 0 || x.F != nil && !math.IsNaN(x.F[p]) && math.Signbit(x.F[p]))
		}
		return reference.Exactly(y)
	}, Tolerance: spec.Exact, Samples: []spec.Sample{{Label: "odd", Operands: []spec.Operand{{Shape: []int{3, 5, 7}}}}}})
	spec.Register("nextafter", spec.Spec{Call: sample.Two(ops.NextAfter[*ops.Node, *ops.Node]), Reference: func(c spec.Case) spec.Result {
		if c.In[0].DType == tensor.Float32 {
			return reference.Each2(func(a, b float64) float64 { return float64(math.Nextafter32(float32(a), float32(b))) }, nil, nil)(c)
		}
		return reference.Each2(math.Nextafter, nil, nil)(c)
	}, Tolerance: spec.Exact, Samples: sample.Few2()})
	spec.Register("ldexp", spec.Spec{
		Call: func(in []*ops.Node) *ops.Node { return ops.Ldexp(in[0], in[1]) },
		Reference: func(c spec.Case) spec.Result {
			x, e := c.In[0], c.In[1]
			y := spec.NewArray(x.DType, reference.Broadcast(x.Shape, e.Shape)...)
			for p, at := range reference.Coordinates(y.Shape) {
				y.F[p] = x.F[reference.Stretched(x.Shape, at)] * math.Exp2(reference.FloatAt(e, reference.Stretched(e.Shape, at)))
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Composed(3+0.5, 3+0.5), // exp2 and a product; of whole numbers nothing
		Samples: []spec.Sample{
			{Label: "outer", Operands: []spec.Operand{{Shape: []int{6, 1}}, {Shape: []int{1, 11}}}},
			{Label: "whole", Operands: []spec.Operand{{Shape: []int{31}, Special: true}, {Shape: []int{31}, DType: tensor.Int64, Lo: -12, Hi: 12}}},
		},
	})
	spec.Register("frexp", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x := c.In[0]
			m, e := spec.NewArray(x.DType, x.Shape...), spec.NewArray(tensor.Int32, x.Shape...)
			for p, v := range x.F {
				if m.F[p] = v; v-v == 0 {
					var k int
					m.F[p], k = math.Frexp(v)
					e.I[p] = int64(k)
				}
			}
			return reference.Exactly([]spec.Array{m, e}[reference.Attr[int](c)])
		},
		Tolerance: spec.Exact,
		Samples: append(
			sample.CalledAs(0, func(x *ops.Node) *ops.Node { m, _ := ops.Frexp(x); return m },
				sample.Labelled("mantissa", sample.Few1(0.3, 40)[:1])),
			sample.CalledAs(1, func(x *ops.Node) *ops.Node { _, e := ops.Frexp(x); return e },
				sample.Labelled("exponent", sample.Few1(0.3, 40)[:1]))...),
	})

	// log1p of exp, both 3, and the sum.
	spec.Register("logaddexp", spec.Spec{Call: sample.Two(ops.LogAddExp[*ops.Node, *ops.Node]),
		Reference: reference.Terms2(8, func(a, b float64) (float64, float64) {
			return logAdd(a, b, math.Exp, math.Ln2, 1)
		}), Tolerance: spec.Tolerance{ULP: 1, ULP64: 1, Terms: 1, Source: spec.Composition}, Samples: sample.Few2()})
	spec.Register("logaddexp2", spec.Spec{Call: sample.Two(ops.LogAddExp2[*ops.Node, *ops.Node]),
		Reference: reference.Terms2(8, func(a, b float64) (float64, float64) {
			return logAdd(a, b, math.Exp2, 1, math.Log2E)
		}), Tolerance: spec.Tolerance{ULP: 1, ULP64: 1, Terms: 1, Source: spec.Composition}, Samples: sample.Few2()})
	spec.Register("xlogy", spec.Spec{Call: sample.Two(ops.XLogY[*ops.Node, *ops.Node]), Reference: reference.Each2(func(a, b float64) float64 {
		if a == 0 && !math.IsNaN(b) {
			return 0
		}
		return a * natural(b)
	}, nil, nil), Tolerance: spec.Composed(3+0.5, 3+0.5), Samples: sample.SecondWithin(sample.Few2(), 0.1, 4)})
	spec.Register("xlog1py", spec.Spec{Call: sample.Two(ops.XLog1PY[*ops.Node, *ops.Node]),
		Reference: reference.Each2(func(a, b float64) float64 {
			if a == 0 && !math.IsNaN(b) {
				return 0
			}
			return a * math.Log1p(b)
		}, nil, nil), Tolerance: spec.Composed(2+0.5, 2+0.5), Samples: sample.SecondWithin(sample.Few2(), -0.9, 4)})
	spec.Register("entr", spec.Spec{Call: sample.One(ops.Entr), Reference: reference.Real1(func(x float64) float64 {
		switch {
		case x > 0:
			return -x * natural(x)
		case x < 0:
			return math.Inf(-1)
		}
		return x // 0 or NaN
	}), Tolerance: spec.Composed(3+0.5, 3+0.5), Samples: sample.Few1(0.01, 3)})

	spec.Register("fmax", spec.Spec{Call: sample.Two(ops.Fmax[*ops.Node, *ops.Node]), Reference: reference.Each2(
		func(a, b float64) float64 { return present(a, b, a > b) },
		func(a, b int64, _ dt) int64 { return max(a, b) },
		func(a, b uint64, _ dt) uint64 { return max(a, b) }), Tolerance: spec.Exact, Samples: sample.Few2()})
	spec.Register("fmin", spec.Spec{Call: sample.Two(ops.Fmin[*ops.Node, *ops.Node]), Reference: reference.Each2(
		func(a, b float64) float64 { return present(a, b, a < b) },
		func(a, b int64, _ dt) int64 { return min(a, b) },
		func(a, b uint64, _ dt) uint64 { return min(a, b) }), Tolerance: spec.Exact, Samples: sample.Few2()})
	spec.Register("clamp", spec.Spec{
		Call: sample.Three(ops.Clamp[*ops.Node, *ops.Node, *ops.Node]),
		Reference: func(c spec.Case) spec.Result {
			lower := reference.Each2(func(a, b float64) float64 { return extreme(a, b, a > b) }, func(a, b int64, _ dt) int64 { return max(a, b) },
				func(a, b uint64, _ dt) uint64 { return max(a, b) })(c)
			return reference.Each2(func(a, b float64) float64 { return extreme(a, b, a < b) }, func(a, b int64, _ dt) int64 { return min(a, b) },
				func(a, b uint64, _ dt) uint64 { return min(a, b) })(
				spec.Case{In: []spec.Array{lower.Array, c.In[2]}})
		},
		Tolerance: spec.Exact,
		Samples: []spec.Sample{{Label: "outer", Operands: []spec.Operand{{Shape: []int{6, 1, 3}}, {Shape: []int{1, 11, 1}},
			{Shape: []int{11, 3}}}}},
	})
	spec.Register("nan_to_num", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			a := reference.Attr[[3]float64](c)
			f := format.Of(c.In[0].DType)
			largest := f.Overflow() - f.ULP(f.Overflow())/2
			if c.In[0].DType == tensor.Float64 {
				largest = math.MaxFloat64
			}
			return reference.Real1(func(x float64) float64 {
				switch {
				case math.IsNaN(x):
					return a[0]
				case math.IsInf(x, 1):
					return min(a[1], largest)
				case math.IsInf(x, -1):
					return max(a[2], -largest)
				}
				return x
			})(c)
		},
		Tolerance: spec.Exact,
		Samples: append(sample.CalledAs([3]float64{0, math.Inf(1), math.Inf(-1)},
			func(x *ops.Node) *ops.Node { return ops.NanToNum(x, 0, math.Inf(1), math.Inf(-1)) }, sample.Few1()),
			sample.CalledAs([3]float64{2, 3, -4}, func(x *ops.Node) *ops.Node { return ops.NanToNum(x, 2, 3, -4) },
				sample.Labelled("given", sample.Few1()[1:]))...),
	})
	spec.Register("lerp", spec.Spec{
		Call: sample.Three(ops.Lerp[*ops.Node, *ops.Node, *ops.Node]),
		Reference: func(c spec.Case) spec.Result {
			a, b, w := c.In[0], c.In[1], c.In[2]
			shape := reference.Broadcast(reference.Broadcast(a.Shape, b.Shape), w.Shape)
			r := spec.Result{Array: spec.NewArray(a.DType, shape...), Terms: make([]float64, spec.Count(shape)), N: 4}
			for p, at := range reference.Coordinates(shape) {
				x, y, v := a.F[reference.Stretched(a.Shape, at)], b.F[reference.Stretched(b.Shape, at)], w.F[reference.Stretched(w.Shape, at)]
				r.F[p], r.Terms[p] = x+v*(y-x), (math.Abs(x)+math.Abs(y))*(1+2*math.Abs(v))
			}
			return r
		},
		Tolerance: spec.Tolerance{ULP: 0.5, ULP64: 0.5, Terms: 1, Source: spec.Composition},
		Samples: []spec.Sample{{Label: "outer", Operands: []spec.Operand{{Shape: []int{6, 1, 3}}, {Shape: []int{1, 11, 1}},
			{Shape: []int{11, 3}, Lo: -1, Hi: 2}}}},
	})
	spec.Register("heaviside", spec.Spec{Call: sample.Two(ops.Heaviside[*ops.Node, *ops.Node]), Reference: reference.Each2(
		func(a, b float64) float64 {
			if a == 0 {
				return b
			}
			if math.IsNaN(a) {
				return a
			}
			return float64(reference.Truth(a > 0))
		},
		func(a, b int64, _ dt) int64 {
			if a == 0 {
				return b
			}
			return int64(reference.Truth(a > 0))
		},
		func(a, b uint64, _ dt) uint64 {
			if a == 0 {
				return b
			}
			return 1
		}), Tolerance: spec.Exact, Samples: sample.Few2()})
	spec.Register("round_decimals", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			ten := math.Pow10(reference.Attr[int](c))
			r := reference.Terms1(2, func(x float64) (float64, float64) { return math.RoundToEven(x*ten) / ten, math.Abs(x) })(c)
			return r
		},
		Tolerance: spec.Tolerance{ULP: 2.5, ULP64: 0.5, Terms: 1, Source: spec.Composition +
			"; values that are nearly halves are not in the samples"},
		Samples: append(sample.CalledAs(2, func(x *ops.Node) *ops.Node { return ops.RoundDecimals(x, 2) }, sample.Few1()[:1]),
			sample.CalledAs(-2, func(x *ops.Node) *ops.Node { return ops.RoundDecimals(x, -2) },
				sample.Labelled("hundreds", sample.Few1(-3000, 3000)[:1]))...),
	})

	spec.Register("popcount", spec.Spec{Call: sample.One(ops.PopCount), Reference: func(c spec.Case) spec.Result {
		return ofBits(c, func(v, _ uint64) int { return bits.OnesCount64(v) })
	}, Tolerance: spec.Exact, Samples: sample.Few1()})
	spec.Register("count_leading_zeros", spec.Spec{Call: sample.One(ops.CountLeadingZeros), Reference: func(c spec.Case) spec.Result {
		return ofBits(c, func(v, width uint64) int { return int(width) - bits.Len64(v) })
	}, Tolerance: spec.Exact, Samples: sample.Few1()})
	spec.Register("gcd", spec.Spec{Call: sample.Two(ops.GCD[*ops.Node, *ops.Node]), Reference: reference.Each2(nil,
		func(a, b int64, _ dt) int64 { return int64(divisor(absolute(a), absolute(b))) },
		func(a, b uint64, _ dt) uint64 { return divisor(a, b) }), Tolerance: spec.Exact, Samples: sample.Few2()})
	spec.Register("lcm", spec.Spec{Call: sample.Two(ops.LCM[*ops.Node, *ops.Node]), Reference: reference.Each2(nil,
		func(a, b int64, _ dt) int64 { return int64(multiple(absolute(a), absolute(b))) },
		func(a, b uint64, _ dt) uint64 { return multiple(a, b) }), Tolerance: spec.Exact, Samples: sample.Few2()})
	logical := func(of func(a, b bool) bool) spec.Reference {
		return func(c spec.Case) spec.Result {
			a, b := c.In[0], c.In[1]
			y := spec.NewArray(tensor.Bool, reference.Broadcast(a.Shape, b.Shape)...)
			for p, at := range reference.Coordinates(y.Shape) {
				y.U[p] = reference.Truth(of(reference.FloatAt(a, reference.Stretched(a.Shape, at)) != 0,
					reference.FloatAt(b, reference.Stretched(b.Shape, at)) != 0))
			}
			return reference.Exactly(y)
		}
	}
	spec.Register("logical_and", spec.Spec{Call: sample.Two(ops.LogicalAnd[*ops.Node, *ops.Node]),
		Reference: logical(func(a, b bool) bool { return a && b }), Tolerance: spec.Exact, Samples: sample.Few2()[1:]})
	spec.Register("logical_or", spec.Spec{Call: sample.Two(ops.LogicalOr[*ops.Node, *ops.Node]),
		Reference: logical(func(a, b bool) bool { return a || b }), Tolerance: spec.Exact, Samples: sample.Few2()[1:]})
	spec.Register("logical_xor", spec.Spec{Call: sample.Two(ops.LogicalXor[*ops.Node, *ops.Node]),
		Reference: logical(func(a, b bool) bool { return a != b }), Tolerance: spec.Exact, Samples: sample.Few2()[1:]})
	spec.Register("logical_not", spec.Spec{Call: sample.One(ops.LogicalNot), Reference: func(c spec.Case) spec.Result {
		y := spec.NewArray(tensor.Bool, c.In[0].Shape...)
		for p := range y.U {
			y.U[p] = reference.Truth(reference.FloatAt(c.In[0], p) == 0)
		}
		return reference.Exactly(y)
	}, Tolerance: spec.Exact, Samples: sample.Few1()[1:]})
	closeTo := func(equalNaN bool) func(in []*ops.Node) *ops.Node {
		return func(in []*ops.Node) *ops.Node {
			return ops.IsClose(in[0], in[1], &ops.CloseOptions{RTol: 0.25, ATol: 0.125, EqualNaN: equalNaN})
		}
	}
	spec.Register("is_close", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			a, b := c.In[0], c.In[1]
			y := spec.NewArray(tensor.Bool, reference.Broadcast(a.Shape, b.Shape)...)
			for p, at := range reference.Coordinates(y.Shape) {
				v, w := a.F[reference.Stretched(a.Shape, at)], b.F[reference.Stretched(b.Shape, at)]
				y.U[p] = reference.Truth(v == w || math.Abs(v-w) <= 0.125+0.25*math.Abs(w) && !math.IsInf(v, 0) && !math.IsInf(w, 0) ||
					reference.Attr[bool](c) && math.IsNaN(v) && math.IsNaN(w))
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Exact,
		Samples: []spec.Sample{
			{Label: "outer", Operands: sample.Few2()[0].Operands, Attr: false, Build: closeTo(false)},
			{Label: "special", Operands: sample.Few2()[1].Operands, Attr: true, Build: closeTo(true),
				Only: []tensor.DType{tensor.Float16, tensor.Float64}},
		},
	})
}

// acosh keeps its digits next to 1.
func acosh(x float64) float64 {
	t := x - 1
	if !(math.Abs(t) < 1e10) {
		return math.Acosh(x)
	}
	return math.Log1p(t + math.Sqrt(t*(t+2)))
}

// sinOfPi is sin(πx), exact where x is a multiple of 1/2.
func sinOfPi(x float64) float64 {
	whole := math.Round(x)
	y := math.Sin(math.Pi * (x - whole)) // the difference is exact
	if math.Mod(whole, 2) != 0 {
		return -y
	}
	return y
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return sinOfPi(x) / (math.Pi * x)
}

func logit(x float64) float64 {
	if x > 0.25 && x < 0.75 {
		return 2 * math.Atanh(2*x-1)
	}
	return natural(x) - math.Log1p(-x)
}

func mod(a, b float64) float64 {
	r := math.Mod(a, b)
	if r < 0 && b > 0 || r > 0 && b < 0 {
		return r + b
	}
	return r
}

// floorQuotient is ⌊a / b⌋; the smallest integer divided by -1 wraps to itself.
func floorQuotient(a, b int64) int64 {
	if b == -1 {
		return -a
	}
	q := a / b
	if q*b != a && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func quotient(a, b uint64, _ tensor.DType) uint64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// logAdd is the logarithm of a sum of powers, and the magnitude that its error is relative to.
func logAdd(a, b float64, exp func(float64) float64, two, scale float64) (y, terms float64) {
	if a == b {
		return a + two, math.Abs(a) + 1
	}
	more := scale * math.Log1p(exp(-math.Abs(a-b)))
	top := math.Max(a, b)
	return top + more, math.Abs(top) + (1+math.Abs(reference.Shift(a-b)))*more
}

// present picks a where it wins or b is NaN, else b, or a where b is NaN.
func present(a, b float64, wins bool) float64 {
	if wins || math.IsNaN(b) {
		return a
	}
	return b
}

// ofBits is a function of the bits of integers and of their number.
func ofBits(c spec.Case, f func(v, width uint64) int) spec.Result {
	x := c.In[0]
	y := spec.NewArray(x.DType, x.Shape...)
	width := uint64(8 * x.DType.Size())
	mask := ^uint64(0) >> (64 - width)
	for p := range y.Len() {
		if x.I != nil {
			y.I[p] = int64(f(uint64(x.I[p])&mask, width))
		} else {
			y.U[p] = uint64(f(x.U[p], width))
		}
	}
	return reference.Exactly(y)
}

func absolute(a int64) uint64 {
	if a < 0 {
		return uint64(-a)
	}
	return uint64(a)
}

// divisor is the greatest that a and b have in common, by Euclid's differences taken many at a time.
func divisor(a, b uint64) uint64 {
	for a != 0 && b != 0 {
		if a > b {
			a %= b
		} else {
			b %= a
		}
	}
	return a | b
}

func multiple(a, b uint64) uint64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a / divisor(a, b) * b
}
