package optest

import (
	"math"

	"github.com/anycl/anycl/ops"
)

// Activations beside those of spec_function.go.

func init() {
	real := func(f func(x float64) float64) Reference { return real1(f) }
	Register("relu6", Spec{one(ops.ReLU6), real(func(x float64) float64 { return limit(x, 0, 6) }), exact, few1(-2, 8)})
	Register("hardtanh", Spec{
		Reference: real(func(x float64) float64 { return limit(x, -1.5, 2) }), Tolerance: exact,
		Samples: called(nil, func(x *ops.Node) *ops.Node { return ops.HardTanh(x, -1.5, 2) }, few1()),
	})
	// A sum and a quotient.
	Register("hardsigmoid", Spec{one(ops.HardSigmoid), terms1(1, func(x float64) (float64, float64) {
		return limit(x/6+0.5, 0, 1), math.Abs(shift(limit(x, -4, 4)))/6 + 0.5
	}), Tolerance{ULP: 2.5, ULP64: 1, Terms: 1, Stored: 1, Source: composition}, few1(-5, 5)})
	Register("hardshrink", Spec{
		Reference: real(func(x float64) float64 {
			if math.Abs(x) <= 0.75 {
				return 0
			}
			return x
		}), Tolerance: exact,
		Samples: called(nil, func(x *ops.Node) *ops.Node { return ops.HardShrink(x, 0.75) }, few1()),
	})
	Register("softshrink", Spec{
		Reference: real(func(x float64) float64 { return x - limit(x, -0.75, 0.75) }), Tolerance: rounded,
		Samples: called(nil, func(x *ops.Node) *ops.Node { return ops.SoftShrink(x, 0.75) }, few1()),
	})
	Register("shrink", Spec{
		Reference: real(func(x float64) float64 {
			switch {
			case x > 0.75:
				return x - 0.25
			case x < -0.75:
				return x + 0.25
			}
			return 0
		}), Tolerance: rounded,
		Samples: called(nil, func(x *ops.Node) *ops.Node { return ops.Shrink(x, 0.75, 0.25) }, few1()),
	})
	Register("threshold", Spec{
		Reference: each1(func(x float64) float64 {
			if x > 1 {
				return x
			}
			return 7
		}, func(x int64) int64 {
			if x > 1 {
				return x
			}
			return 7
		}, func(x uint64) uint64 {
			if x > 1 {
				return x
			}
			return 7
		}), Tolerance: exact,
		Samples: called(nil, func(x *ops.Node) *ops.Node { return ops.Threshold(x, 1, 7) }, few1()),
	})
	Register("prelu", Spec{
		Call: two(ops.PReLU),
		Reference: func(c Case) Result {
			x, s := c.In[0], c.In[1]
			if len(s.Shape) == 1 && len(x.Shape) == 3 {
				s.Shape = []int{s.Shape[0], 1}
			}
			return each2(func(a, b float64) float64 {
				if a > 0 {
					return a
				}
				return a * b
			}, nil, nil)(Case{In: []Array{x, s}})
		},
		Tolerance: rounded,
		Samples: []Sample{
			{Label: "channels", Operands: []Operand{{Shape: []int{3, 5, 7}}, {Shape: []int{5}}}},
			{Label: "one", Operands: []Operand{{Shape: []int{31}, Special: true}, {}}},
		},
	})

	Register("celu", Spec{
		Reference: real(func(x float64) float64 {
			if x > 0 {
				return x
			}
			return 1.5 * math.Expm1(x/1.5)
		}), Tolerance: composed(3+0.5+3, 3+0.5+1), // and the quotient that is the exponent
		Samples: called(nil, func(x *ops.Node) *ops.Node { return ops.CELU(x, 1.5) }, few1()),
	})
	Register("selu", Spec{one(ops.SELU), real(func(x float64) float64 {
		const alpha, gamma = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
		if x > 0 {
			return gamma * x
		}
		return gamma * alpha * math.Expm1(x)
	}), composed(3+1+1, 3+1+1), few1()})
	Register("softsign", Spec{one(ops.SoftSign), real(func(x float64) float64 { return x / (1 + math.Abs(x)) }), composed(0.5+2.5, 1), few1()})
	Register("tanhshrink", Spec{one(ops.TanhShrink), terms1(5, func(x float64) (float64, float64) {
		return x - math.Tanh(x), 2 * math.Abs(math.Tanh(x))
	}), Tolerance{ULP: 0.5, ULP64: 0.5, Terms: 1, Source: composition}, few1()})
	// softplus 6, tanh 5 and what an error of its operand makes of it, at most as much; a product.
	Register("mish", Spec{one(ops.Mish), real(func(x float64) float64 { return x * math.Tanh(softplus(x)) }), composed(6+5+0.5, 6+5+0.5), few1()})
	Register("logsigmoid", Spec{one(ops.LogSigmoid), real(func(x float64) float64 { return -softplus(-x) }), composed(6, 6), few1(-12, 12)})
	Register("softplus_beta", Spec{
		Reference: real(func(x float64) float64 {
			if 2*x > 5 {
				return x
			}
			return softplus(2*x) / 2
		}), Tolerance: composed(6+2.5, 6+0.5),
		Samples: called(nil, func(x *ops.Node) *ops.Node { return ops.SoftplusBeta(x, 2, 5) }, few1()),
	})
	// As silu, and the exponent, good to 1, which counts up to 1.702 · 4 times.
	Register("quick_gelu", Spec{one(ops.QuickGELU), real(func(x float64) float64 {
		if math.IsInf(x, -1) {
			return math.NaN()
		}
		return x * sigmoid(1.702*x)
	}), composed(6+7+0.5, 4+7+0.5), few1()})

	gates := []Sample{
		{Label: "last", Operands: []Operand{{Shape: []int{5, 14}}}, Attr: -1},
		{Label: "middle", Operands: []Operand{{Shape: []int{3, 6, 5}}}, Attr: 1},
	}
	gate := func(op func(x *ops.Node, axis int) *ops.Node) []Sample {
		out := append([]Sample{}, gates...)
		for i := range out {
			axis := out[i].Attr.(int)
			out[i].Build = func(in []*ops.Node) *ops.Node { return op(in[0], axis) }
		}
		return out
	}
	halves := func(of func(a, b float64) float64) Reference {
		return func(c Case) Result {
			x, axis := c.In[0], wrapAxis(attr[int](c), len(c.In[0].Shape))
			y := NewArray(x.DType, append([]int{}, x.Shape...)...)
			y.Shape[axis] /= 2
			y.F = y.F[:y.Len()]
			inner := count(y.Shape[axis:])
			for p := range y.F {
				q := p/inner*2*inner + p%inner
				y.F[p] = of(x.F[q], x.F[q+inner])
			}
			return exactly(y)
		}
	}
	Register("glu", Spec{Reference: halves(func(a, b float64) float64 { return a * sigmoid(b) }), Tolerance: composed(6.5, 4.5), Samples: gate(ops.GLU)})
	Register("swiglu", Spec{Reference: halves(func(a, b float64) float64 { return silu(a) * b }), Tolerance: composed(6.5, 4.5), Samples: gate(ops.SwiGLU)})
	Register("softmin", Spec{
		Reference: func(c Case) Result {
			x := NewArray(c.In[0].DType, c.In[0].Shape...)
			for p, v := range c.In[0].F {
				x.F[p] = -v
			}
			return specs["softmax"].Reference(Case{In: []Array{x}, Attr: c.Attr})
		},
		Tolerance: Tolerance{ULP: 16, ULP64: 8, Terms: 1, Source: composition},
		Samples:   alongAxes(ops.Softmin)[:3],
	})
	// erfc 16, and the rounding of its argument, as in gelu.
	Register("ndtr", Spec{one(ops.NDTR), real(func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }), composed(16+17, 16+17), few1(-4, 4)})
	Register("erfc", Spec{one(ops.Erfc), real(math.Erfc), builtin(16, 16), few1()})
}

// limit is x within [lo, hi]; NaN stays.
func limit(x, lo, hi float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return math.Min(math.Max(x, lo), hi)
}
