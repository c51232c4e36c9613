package optest

import (
	"math"
	"math/bits"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Elementary functions, divisions, parts of floats, bits and selection, beside those of spec_function.go and spec_arithmetic.go.

func init() {
	type dt = tensor.DType
	Register("asinh", Spec{one(ops.Asinh), real1(math.Asinh), builtin(4, 4), few1()})
	Register("acosh", Spec{one(ops.Acosh), real1(acosh), builtin(4, 4), few1(1, 9)})
	Register("atanh", Spec{one(ops.Atanh), real1(math.Atanh), builtin(5, 5), few1(-1, 1)})
	Register("log10", Spec{one(ops.Log10), real1(func(x float64) float64 { return log2(x) * (math.Ln2 / math.Ln10) }), builtin(3, 3), few1(0.01, 9)})
	Register("exp10", Spec{one(ops.Exp10), real1(func(x float64) float64 { return math.Pow(10, x) }), builtin(3, 3), few1()})
	Register("cbrt", Spec{one(ops.Cbrt), real1(math.Cbrt), builtin(2, 2), few1(0.1, 9)})
	Register("hypot", Spec{two(ops.Hypot[*ops.Node, *ops.Node]), each2(math.Hypot, nil, nil), builtin(4, 4), few2()})
	Register("frac", Spec{one(ops.Frac), real1(func(x float64) float64 { return x - math.Trunc(x) }), exact, few1()})
	// sinpi 4, a product, a quotient.
	Register("sinc", Spec{one(ops.Sinc), real1(sinc), composed(4+1+2.5, 4+1+0.5), few1()})
	// A logarithm, 4, whose argument is off by a difference and a quotient, 3: times 2 where it is near 1, and where it is not
	// relative to the logarithm itself, which is above 1.
	Register("logit", Spec{func(in []*ops.Node) *ops.Node { return ops.Logit(in[0], -1) }, real1(logit), composed(4+2*3.5, 4+2*1.5), few1(0.01, 0.99)})
	Register("deg2rad", Spec{one(ops.Deg2Rad), real1(func(x float64) float64 { return x * (math.Pi / 180) }), composed(1, 1), few1()})
	Register("rad2deg", Spec{one(ops.Rad2Deg), real1(func(x float64) float64 { return x * (180 / math.Pi) }), composed(1, 1), few1()})

	Register("mod", Spec{
		Call: two(ops.Mod[*ops.Node, *ops.Node]),
		Reference: each2(mod,
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
		Tolerance: composed(0.5, 0.5),
		Samples:   second(few2(), 1.25, 4),
	})
	Register("floor_divide", Spec{
		Call: two(ops.FloorDivide[*ops.Node, *ops.Node]),
		Reference: each2(func(a, b float64) float64 {
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
		Tolerance: composed(2.5+1, 0.5+1), // a quotient and a difference, where numbers have no fraction any more
		Samples:   few2(),
	})
	Register("trunc_divide", Spec{
		Call: two(ops.TruncDivide[*ops.Node, *ops.Node]),
		Reference: each2(func(a, b float64) float64 {
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
		Tolerance: composed(2.5, 0.5),
		Samples:   few2(),
	})

	Register("copysign", Spec{two(ops.Copysign[*ops.Node, *ops.Node]), each2(math.Copysign, nil, nil), exact, few2()})
	Register("signbit", Spec{one(ops.Signbit), func(c Case) Result {
		x := c.In[0]
		y := NewArray(tensor.Bool, x.Shape...)
		for p := range y.U {
			y.U[p] = truth(x.I != nil && x.I[p] < 0 || x.F != nil && !math.IsNaN(x.F[p]) && math.Signbit(x.F[p]))
		}
		return exactly(y)
	}, exact, []Sample{{Label: "odd", Operands: []Operand{{Shape: []int{3, 5, 7}}}}}})
	Register("nextafter", Spec{two(ops.NextAfter[*ops.Node, *ops.Node]), func(c Case) Result {
		if c.In[0].DType == tensor.Float32 {
			return each2(func(a, b float64) float64 { return float64(math.Nextafter32(float32(a), float32(b))) }, nil, nil)(c)
		}
		return each2(math.Nextafter, nil, nil)(c)
	}, exact, few2()})
	Register("ldexp", Spec{
		Call: func(in []*ops.Node) *ops.Node { return ops.Ldexp(in[0], in[1]) },
		Reference: func(c Case) Result {
			x, e := c.In[0], c.In[1]
			y := NewArray(x.DType, broadcastShape(x.Shape, e.Shape)...)
			for p, at := range coordinates(y.Shape) {
				y.F[p] = x.F[stretched(x.Shape, at)] * math.Exp2(e.float(stretched(e.Shape, at)))
			}
			return exactly(y)
		},
		Tolerance: composed(3+0.5, 3+0.5), // exp2 and a product; of whole numbers nothing
		Samples: []Sample{
			{Label: "outer", Operands: []Operand{{Shape: []int{6, 1}}, {Shape: []int{1, 11}}}},
			{Label: "whole", Operands: []Operand{{Shape: []int{31}, Special: true}, {Shape: []int{31}, DType: tensor.Int64, Lo: -12, Hi: 12}}},
		},
	})
	Register("frexp", Spec{
		Reference: func(c Case) Result {
			x := c.In[0]
			m, e := NewArray(x.DType, x.Shape...), NewArray(tensor.Int32, x.Shape...)
			for p, v := range x.F {
				if m.F[p] = v; v-v == 0 {
					var k int
					m.F[p], k = math.Frexp(v)
					e.I[p] = int64(k)
				}
			}
			return exactly([]Array{m, e}[attr[int](c)])
		},
		Tolerance: exact,
		Samples: append(
			called(0, func(x *ops.Node) *ops.Node { m, _ := ops.Frexp(x); return m }, labelled("mantissa", few1(0.3, 40)[:1])),
			called(1, func(x *ops.Node) *ops.Node { _, e := ops.Frexp(x); return e }, labelled("exponent", few1(0.3, 40)[:1]))...),
	})

	// log1p of exp, both 3, and the sum.
	Register("logaddexp", Spec{two(ops.LogAddExp[*ops.Node, *ops.Node]), terms2(8, func(a, b float64) (float64, float64) {
		return logAdd(a, b, math.Exp, math.Ln2, 1)
	}), Tolerance{ULP: 1, ULP64: 1, Terms: 1, Source: composition}, few2()})
	Register("logaddexp2", Spec{two(ops.LogAddExp2[*ops.Node, *ops.Node]), terms2(8, func(a, b float64) (float64, float64) {
		return logAdd(a, b, math.Exp2, 1, math.Log2E)
	}), Tolerance{ULP: 1, ULP64: 1, Terms: 1, Source: composition}, few2()})
	Register("xlogy", Spec{two(ops.XLogY[*ops.Node, *ops.Node]), each2(func(a, b float64) float64 {
		if a == 0 && !math.IsNaN(b) {
			return 0
		}
		return a * natural(b)
	}, nil, nil), composed(3+0.5, 3+0.5), second(few2(), 0.1, 4)})
	Register("xlog1py", Spec{two(ops.XLog1PY[*ops.Node, *ops.Node]), each2(func(a, b float64) float64 {
		if a == 0 && !math.IsNaN(b) {
			return 0
		}
		return a * math.Log1p(b)
	}, nil, nil), composed(2+0.5, 2+0.5), second(few2(), -0.9, 4)})
	Register("entr", Spec{one(ops.Entr), real1(func(x float64) float64 {
		switch {
		case x > 0:
			return -x * natural(x)
		case x < 0:
			return math.Inf(-1)
		}
		return x // 0 or NaN
	}), composed(3+0.5, 3+0.5), few1(0.01, 3)})

	Register("fmax", Spec{two(ops.Fmax[*ops.Node, *ops.Node]), each2(
		func(a, b float64) float64 { return present(a, b, a > b) },
		func(a, b int64, _ dt) int64 { return max(a, b) },
		func(a, b uint64, _ dt) uint64 { return max(a, b) }), exact, few2()})
	Register("fmin", Spec{two(ops.Fmin[*ops.Node, *ops.Node]), each2(
		func(a, b float64) float64 { return present(a, b, a < b) },
		func(a, b int64, _ dt) int64 { return min(a, b) },
		func(a, b uint64, _ dt) uint64 { return min(a, b) }), exact, few2()})
	Register("clamp", Spec{
		Call: three(ops.Clamp[*ops.Node, *ops.Node, *ops.Node]),
		Reference: func(c Case) Result {
			lower := each2(func(a, b float64) float64 { return extreme(a, b, a > b) }, func(a, b int64, _ dt) int64 { return max(a, b) }, func(a, b uint64, _ dt) uint64 { return max(a, b) })(c)
			return each2(func(a, b float64) float64 { return extreme(a, b, a < b) }, func(a, b int64, _ dt) int64 { return min(a, b) }, func(a, b uint64, _ dt) uint64 { return min(a, b) })(
				Case{In: []Array{lower.Array, c.In[2]}})
		},
		Tolerance: exact,
		Samples:   []Sample{{Label: "outer", Operands: []Operand{{Shape: []int{6, 1, 3}}, {Shape: []int{1, 11, 1}}, {Shape: []int{11, 3}}}}},
	})
	Register("nan_to_num", Spec{
		Reference: func(c Case) Result {
			a := attr[[3]float64](c)
			f := formatOf(c.In[0].DType)
			largest := f.overflow() - f.ulp(f.overflow())/2
			if c.In[0].DType == tensor.Float64 {
				largest = math.MaxFloat64
			}
			return real1(func(x float64) float64 {
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
		Tolerance: exact,
		Samples: append(called([3]float64{0, math.Inf(1), math.Inf(-1)}, func(x *ops.Node) *ops.Node { return ops.NanToNum(x, 0, math.Inf(1), math.Inf(-1)) }, few1()),
			called([3]float64{2, 3, -4}, func(x *ops.Node) *ops.Node { return ops.NanToNum(x, 2, 3, -4) }, labelled("given", few1()[1:]))...),
	})
	Register("lerp", Spec{
		Call: three(ops.Lerp[*ops.Node, *ops.Node, *ops.Node]),
		Reference: func(c Case) Result {
			a, b, w := c.In[0], c.In[1], c.In[2]
			shape := broadcastShape(broadcastShape(a.Shape, b.Shape), w.Shape)
			r := Result{Array: NewArray(a.DType, shape...), Terms: make([]float64, count(shape)), N: 4}
			for p, at := range coordinates(shape) {
				x, y, v := a.F[stretched(a.Shape, at)], b.F[stretched(b.Shape, at)], w.F[stretched(w.Shape, at)]
				r.F[p], r.Terms[p] = x+v*(y-x), (math.Abs(x)+math.Abs(y))*(1+2*math.Abs(v))
			}
			return r
		},
		Tolerance: Tolerance{ULP: 0.5, ULP64: 0.5, Terms: 1, Source: composition},
		Samples:   []Sample{{Label: "outer", Operands: []Operand{{Shape: []int{6, 1, 3}}, {Shape: []int{1, 11, 1}}, {Shape: []int{11, 3}, Lo: -1, Hi: 2}}}},
	})
	Register("heaviside", Spec{two(ops.Heaviside[*ops.Node, *ops.Node]), each2(
		func(a, b float64) float64 {
			if a == 0 {
				return b
			}
			if math.IsNaN(a) {
				return a
			}
			return float64(truth(a > 0))
		},
		func(a, b int64, _ dt) int64 {
			if a == 0 {
				return b
			}
			return int64(truth(a > 0))
		},
		func(a, b uint64, _ dt) uint64 {
			if a == 0 {
				return b
			}
			return 1
		}), exact, few2()})
	Register("round_decimals", Spec{
		Reference: func(c Case) Result {
			ten := math.Pow10(attr[int](c))
			r := terms1(2, func(x float64) (float64, float64) { return math.RoundToEven(x*ten) / ten, math.Abs(x) })(c)
			return r
		},
		Tolerance: Tolerance{ULP: 2.5, ULP64: 0.5, Terms: 1, Source: composition + "; values that are nearly halves are not in the samples"},
		Samples: append(called(2, func(x *ops.Node) *ops.Node { return ops.RoundDecimals(x, 2) }, few1()[:1]),
			called(-2, func(x *ops.Node) *ops.Node { return ops.RoundDecimals(x, -2) }, labelled("hundreds", few1(-3000, 3000)[:1]))...),
	})

	Register("popcount", Spec{one(ops.PopCount), func(c Case) Result {
		return ofBits(c, func(v, _ uint64) int { return bits.OnesCount64(v) })
	}, exact, few1()})
	Register("count_leading_zeros", Spec{one(ops.CountLeadingZeros), func(c Case) Result {
		return ofBits(c, func(v, width uint64) int { return int(width) - bits.Len64(v) })
	}, exact, few1()})
	Register("gcd", Spec{two(ops.GCD[*ops.Node, *ops.Node]), each2(nil,
		func(a, b int64, _ dt) int64 { return int64(divisor(absolute(a), absolute(b))) },
		func(a, b uint64, _ dt) uint64 { return divisor(a, b) }), exact, few2()})
	Register("lcm", Spec{two(ops.LCM[*ops.Node, *ops.Node]), each2(nil,
		func(a, b int64, _ dt) int64 { return int64(multiple(absolute(a), absolute(b))) },
		func(a, b uint64, _ dt) uint64 { return multiple(a, b) }), exact, few2()})
	logical := func(of func(a, b bool) bool) Reference {
		return func(c Case) Result {
			a, b := c.In[0], c.In[1]
			y := NewArray(tensor.Bool, broadcastShape(a.Shape, b.Shape)...)
			for p, at := range coordinates(y.Shape) {
				y.U[p] = truth(of(a.float(stretched(a.Shape, at)) != 0, b.float(stretched(b.Shape, at)) != 0))
			}
			return exactly(y)
		}
	}
	Register("logical_and", Spec{two(ops.LogicalAnd[*ops.Node, *ops.Node]), logical(func(a, b bool) bool { return a && b }), exact, few2()[1:]})
	Register("logical_or", Spec{two(ops.LogicalOr[*ops.Node, *ops.Node]), logical(func(a, b bool) bool { return a || b }), exact, few2()[1:]})
	Register("logical_xor", Spec{two(ops.LogicalXor[*ops.Node, *ops.Node]), logical(func(a, b bool) bool { return a != b }), exact, few2()[1:]})
	Register("logical_not", Spec{one(ops.LogicalNot), func(c Case) Result {
		y := NewArray(tensor.Bool, c.In[0].Shape...)
		for p := range y.U {
			y.U[p] = truth(c.In[0].float(p) == 0)
		}
		return exactly(y)
	}, exact, few1()[1:]})
	closeTo := func(equalNaN bool) func(in []*ops.Node) *ops.Node {
		return func(in []*ops.Node) *ops.Node {
			return ops.IsClose(in[0], in[1], &ops.CloseOptions{RTol: 0.25, ATol: 0.125, EqualNaN: equalNaN})
		}
	}
	Register("is_close", Spec{
		Reference: func(c Case) Result {
			a, b := c.In[0], c.In[1]
			y := NewArray(tensor.Bool, broadcastShape(a.Shape, b.Shape)...)
			for p, at := range coordinates(y.Shape) {
				v, w := a.F[stretched(a.Shape, at)], b.F[stretched(b.Shape, at)]
				y.U[p] = truth(v == w || math.Abs(v-w) <= 0.125+0.25*math.Abs(w) && !math.IsInf(v, 0) && !math.IsInf(w, 0) || attr[bool](c) && math.IsNaN(v) && math.IsNaN(w))
			}
			return exactly(y)
		},
		Tolerance: exact,
		Samples: []Sample{
			{Label: "outer", Operands: few2()[0].Operands, Attr: false, Build: closeTo(false)},
			{Label: "special", Operands: few2()[1].Operands, Attr: true, Build: closeTo(true), Only: []tensor.DType{tensor.Float16, tensor.Float64}},
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

// logAdd is the logarithm of a sum of powers, and what its error is relative to.
func logAdd(a, b float64, exp func(float64) float64, two, scale float64) (y, terms float64) {
	if a == b {
		return a + two, math.Abs(a) + 1
	}
	more := scale * math.Log1p(exp(-math.Abs(a-b)))
	top := math.Max(a, b)
	return top + more, math.Abs(top) + (1+math.Abs(shift(a-b)))*more
}

// present picks a where it wins or b is NaN, else b, or a where b is NaN.
func present(a, b float64, wins bool) float64 {
	if wins || math.IsNaN(b) {
		return a
	}
	return b
}

// ofBits is a function of the bits of integers and of their number.
func ofBits(c Case, f func(v, width uint64) int) Result {
	x := c.In[0]
	y := NewArray(x.DType, x.Shape...)
	width := uint64(8 * x.DType.Size())
	mask := ^uint64(0) >> (64 - width)
	for p := range y.Len() {
		if x.I != nil {
			y.I[p] = int64(f(uint64(x.I[p])&mask, width))
		} else {
			y.U[p] = uint64(f(x.U[p], width))
		}
	}
	return exactly(y)
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
