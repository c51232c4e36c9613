package elementwise

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// Activations beside those of function.go.

func init() {
	real := func(f func(x float64) float64) spec.Reference { return reference.Real1(f) }
	spec.Register("relu6", spec.Spec{Call: sample.One(ops.ReLU6), Reference: real(func(x float64) float64 { return limit(x, 0, 6) }),
		Tolerance: spec.Exact, Samples: sample.Few1(-2, 8)})
	spec.Register("hardtanh", spec.Spec{
		Reference: real(func(x float64) float64 { return limit(x, -1.5, 2) }), Tolerance: spec.Exact,
		Samples: sample.CalledAs(nil, func(x *ops.Node) *ops.Node { return ops.HardTanh(x, -1.5, 2) }, sample.Few1()),
	})
	// A sum and a quotient.
	spec.Register("hardsigmoid", spec.Spec{Call: sample.One(ops.HardSigmoid),
		Reference: reference.Terms1(1, func(x float64) (float64, float64) {
			return limit(x/6+0.5, 0, 1), math.Abs(reference.Shift(limit(x, -4, 4)))/6 + 0.5
		}), Tolerance: spec.Tolerance{ULP: 2.5, ULP64: 1, Terms: 1, Stored: 1, Source: spec.Composition}, Samples: sample.Few1(-5, 5)})
	spec.Register("hardshrink", spec.Spec{
		Reference: real(func(x float64) float64 {
			if math.Abs(x) <= 0.75 {
				return 0
			}
			return x
		}), Tolerance: spec.Exact,
		Samples: sample.CalledAs(nil, func(x *ops.Node) *ops.Node { return ops.HardShrink(x, 0.75) }, sample.Few1()),
	})
	spec.Register("softshrink", spec.Spec{
		Reference: real(func(x float64) float64 { return x - limit(x, -0.75, 0.75) }), Tolerance: spec.Rounded,
		Samples: sample.CalledAs(nil, func(x *ops.Node) *ops.Node { return ops.SoftShrink(x, 0.75) }, sample.Few1()),
	})
	spec.Register("shrink", spec.Spec{
		Reference: real(func(x float64) float64 {
			switch {
			case x > 0.75:
				return x - 0.25
			case x < -0.75:
				return x + 0.25
			}
			return 0
		}), Tolerance: spec.Rounded,
		Samples: sample.CalledAs(nil, func(x *ops.Node) *ops.Node { return ops.Shrink(x, 0.75, 0.25) }, sample.Few1()),
	})
	spec.Register("threshold", spec.Spec{
		Reference: reference.Each1(func(x float64) float64 {
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
		}), Tolerance: spec.Exact,
		Samples: sample.CalledAs(nil, func(x *ops.Node) *ops.Node { return ops.Threshold(x, 1, 7) }, sample.Few1()),
	})
	spec.Register("prelu", spec.Spec{
		Call: sample.Two(ops.PReLU),
		Reference: func(c spec.Case) spec.Result {
			x, s := c.In[0], c.In[1]
			if len(s.Shape) == 1 && len(x.Shape) == 3 {
				s.Shape = []int{s.Shape[0], 1}
			}
			return reference.Each2(func(a, b float64) float64 {
				if a > 0 {
					return a
				}
				return a * b
			}, nil, nil)(spec.Case{In: []spec.Array{x, s}})
		},
		Tolerance: spec.Rounded,
		Samples: []spec.Sample{
			{Label: "channels", Operands: []spec.Operand{{Shape: []int{3, 5, 7}}, {Shape: []int{5}}}},
			{Label: "one", Operands: []spec.Operand{{Shape: []int{31}, Special: true}, {}}},
		},
	})

	spec.Register("celu", spec.Spec{
		Reference: real(func(x float64) float64 {
			if x > 0 {
				return x
			}
			return 1.5 * math.Expm1(x/1.5)
		}), Tolerance: spec.Composed(3+0.5+3, 3+0.5+1), // and the quotient that is the exponent
		Samples: sample.CalledAs(nil, func(x *ops.Node) *ops.Node { return ops.CELU(x, 1.5) }, sample.Few1()),
	})
	spec.Register("selu", spec.Spec{Call: sample.One(ops.SELU), Reference: real(func(x float64) float64 {
		const alpha, gamma = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
		if x > 0 {
			return gamma * x
		}
		return gamma * alpha * math.Expm1(x)
	}), Tolerance: spec.Composed(3+1+1, 3+1+1), Samples: sample.Few1()})
	spec.Register("softsign", spec.Spec{Call: sample.One(ops.SoftSign),
		Reference: real(func(x float64) float64 { return x / (1 + math.Abs(x)) }), Tolerance: spec.Composed(0.5+2.5, 1), Samples: sample.Few1()})
	spec.Register("tanhshrink", spec.Spec{Call: sample.One(ops.TanhShrink), Reference: reference.Terms1(5, func(x float64) (float64, float64) {
		return x - math.Tanh(x), 2 * math.Abs(math.Tanh(x))
	}), Tolerance: spec.Tolerance{ULP: 0.5, ULP64: 0.5, Terms: 1, Source: spec.Composition}, Samples: sample.Few1()})
	// softplus 6, tanh 5 and the error that follows from that of its operand, at most as much; a product.
	spec.Register("mish", spec.Spec{Call: sample.One(ops.Mish),
		Reference: real(func(x float64) float64 { return x * math.Tanh(softplus(x)) }), Tolerance: spec.Composed(6+5+0.5, 6+5+0.5),
		Samples: sample.Few1()})
	spec.Register("logsigmoid", spec.Spec{Call: sample.One(ops.LogSigmoid), Reference: real(func(x float64) float64 { return -softplus(-x) }),
		Tolerance: spec.Composed(6, 6), Samples: sample.Few1(-12, 12)})
	spec.Register("softplus_beta", spec.Spec{
		Reference: real(func(x float64) float64 {
			if 2*x > 5 {
				return x
			}
			return softplus(2*x) / 2
		}), Tolerance: spec.Composed(6+2.5, 6+0.5),
		Samples: sample.CalledAs(nil, func(x *ops.Node) *ops.Node { return ops.SoftplusBeta(x, 2, 5) }, sample.Few1()),
	})
	// As silu, and the exponent, good to 1, which counts up to 1.702 · 4 times.
	spec.Register("quick_gelu", spec.Spec{Call: sample.One(ops.QuickGELU), Reference: real(func(x float64) float64 {
		if math.IsInf(x, -1) {
			return math.NaN()
		}
		return x * sigmoid(1.702*x)
	}), Tolerance: spec.Composed(6+7+0.5, 4+7+0.5), Samples: sample.Few1()})

	gates := []spec.Sample{
		{Label: "last", Operands: []spec.Operand{{Shape: []int{5, 14}}}, Attr: -1},
		{Label: "middle", Operands: []spec.Operand{{Shape: []int{3, 6, 5}}}, Attr: 1},
	}
	gate := func(op func(x *ops.Node, axis int) *ops.Node) []spec.Sample {
		out := append([]spec.Sample{}, gates...)
		for i := range out {
			axis := out[i].Attr.(int)
			out[i].Build = func(in []*ops.Node) *ops.Node { return op(in[0], axis) }
		}
		return out
	}
	halves := func(of func(a, b float64) float64) spec.Reference {
		return func(c spec.Case) spec.Result {
			x, axis := c.In[0], reference.WrapAxis(reference.Attr[int](c), len(c.In[0].Shape))
			y := spec.NewArray(x.DType, append([]int{}, x.Shape...)...)
			y.Shape[axis] /= 2
			y.F = y.F[:y.Len()]
			inner := spec.Count(y.Shape[axis:])
			for p := range y.F {
				q := p/inner*2*inner + p%inner
				y.F[p] = of(x.F[q], x.F[q+inner])
			}
			return reference.Exactly(y)
		}
	}
	spec.Register("glu", spec.Spec{Reference: halves(func(a, b float64) float64 { return a * sigmoid(b) }),
		Tolerance: spec.Composed(6.5, 4.5), Samples: gate(ops.GLU)})
	spec.Register("swiglu", spec.Spec{Reference: halves(func(a, b float64) float64 { return silu(a) * b }),
		Tolerance: spec.Composed(6.5, 4.5), Samples: gate(ops.SwiGLU)})
	spec.Register("softmin", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x := spec.NewArray(c.In[0].DType, c.In[0].Shape...)
			for p, v := range c.In[0].F {
				x.F[p] = -v
			}
			return spec.Of("softmax").Reference(spec.Case{In: []spec.Array{x}, Attr: c.Attr})
		},
		Tolerance: spec.Tolerance{ULP: 16, ULP64: 8, Terms: 1, Source: spec.Composition},
		Samples:   sample.AlongAxes(ops.Softmin)[:3],
	})
	// erfc 16, and the rounding of its argument, as in gelu.
	spec.Register("ndtr", spec.Spec{Call: sample.One(ops.NDTR),
		Reference: real(func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }), Tolerance: spec.Composed(16+17, 16+17),
		Samples: sample.Few1(-4, 4)})
	spec.Register("erfc", spec.Spec{Call: sample.One(ops.Erfc), Reference: real(math.Erfc), Tolerance: spec.Builtin(16, 16),
		Samples: sample.Few1()})
}

// limit is x within [lo, hi]; NaN stays.
func limit(x, lo, hi float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return math.Min(math.Max(x, lo), hi)
}
