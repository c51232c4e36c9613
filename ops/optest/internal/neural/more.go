package neural

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Fractional pooling, rotary embeddings, and quantisation that leaves floats.

// fractionalCase is the attribute of a sample of fractional_max_pool.
type fractionalCase struct {
	window, size []int
	indices      bool
}

func (f fractionalCase) sample(label string, x []int) spec.Sample {
	return spec.Sample{
		Label: label, Attr: f, Operands: []spec.Operand{{Shape: x, Distinct: true}, {Shape: []int{x[0], x[1], len(f.window)}, Lo: 0, Hi: 0.97, Fixed: true}}, Only: sample.FloatDTypes[2:],
		Build: func(in []*ops.Node) *ops.Node {
			y, at := ops.FractionalMaxPool(in[0], in[1], f.window, f.size)
			if f.indices {
				return at
			}
			return y
		},
	}
}

func fractionalMax(c spec.Case) spec.Result {
	f, x, u := reference.Attr[fractionalCase](c), c.In[0], c.In[1]
	y := spec.NewArray(c.DType, c.Shape...)
	n := len(f.window)
	for p, at := range reference.Coordinates(c.Shape) {
		start := make([]int, n)
		for a := range n {
			in, k, m, i := x.Shape[2+a], f.window[a], f.size[a], at[2+a]
			s := u.F[(at[0]*x.Shape[1]+at[1])*n+a]
			if start[a] = in - k; i < m-1 {
				alpha := float64(in-k) / float64(m-1)
				start[a] = int((float64(i)+s)*alpha) - int(s*alpha)
			}
		}
		best := -1
		for _, tap := range reference.Coordinates(f.window) {
			q := []int{at[0], at[1]}
			for a := range n {
				q = append(q, start[a]+tap[a])
			}
			if i := reference.Position(x.Shape, q); best < 0 || x.F[i] > x.F[best] {
				best = i
			}
		}
		if f.indices {
			y.I[p] = int64(best % spec.Count(x.Shape[2:]))
		} else {
			y.F[p] = x.F[best]
		}
	}
	return reference.Exactly(y)
}

// fakeCase is the attribute of a sample of fake_quantize.
type fakeCase struct{ axis, low, high int }

func init() {
	type node = *ops.Node
	spec.Register("fractional_max_pool", spec.Spec{
		Reference: fractionalMax, Tolerance: spec.Exact,
		Samples: []spec.Sample{
			fractionalCase{[]int{2, 3}, []int{4, 3}, false}.sample("images", []int{2, 2, 9, 7}),
			fractionalCase{[]int{2, 3}, []int{4, 1}, true}.sample("indices", []int{2, 2, 9, 7}),
			fractionalCase{[]int{2, 1, 2}, []int{2, 3, 2}, false}.sample("volumes", []int{1, 2, 5, 4, 6}),
		},
	})
	// The attribute: interleaved or not, and how many features turn.
	spec.Register("rotary_embedding", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			o, x := reference.Attr[ops.RotaryOptions](c), c.In[0]
			y := spec.NewArray(x.DType, x.Shape...)
			terms := make([]float64, y.Len())
			d := x.Shape[len(x.Shape)-1]
			n := o.Features
			if n == 0 {
				n = d
			}
			for p, at := range reference.Coordinates(x.Shape) {
				i := at[len(at)-1]
				if i >= n {
					y.F[p] = x.F[p]
					continue
				}
				pair, first, other := i%(n/2), i < n/2, p+n/2
				if o.Interleaved {
					pair, first, other = i/2, i%2 == 0, p+1
				}
				side := -1.0
				if !first {
					other, side = 2*p-other, 1
				}
				to := append(slices.Clone(at[:len(at)-1]), pair)
				cos, sin := c.In[1].F[reference.Stretched(c.In[1].Shape, to)], c.In[2].F[reference.Stretched(c.In[2].Shape, to)]
				y.F[p] = x.F[p]*cos + side*x.F[other]*sin
				terms[p] = math.Abs(x.F[p]*cos) + math.Abs(x.F[other]*sin)
			}
			return spec.Result{Array: y, Terms: terms, N: 3}
		},
		Tolerance: spec.Tolerance{ULP: 1, ULP64: 1, Terms: 1, Stored: 1, Source: spec.Composition},
		Samples: []spec.Sample{
			rotaryCase("halves", []int{2, 3, 5, 8}, []int{5, 4}, ops.RotaryOptions{}), rotaryCase("neighbours", []int{2, 3, 5, 8}, []int{2, 1, 5, 4}, ops.RotaryOptions{Interleaved: true}),
			rotaryCase("a part", []int{3, 9}, []int{3, 2}, ops.RotaryOptions{Features: 4}),
		},
	})
	spec.Register("fake_quantize", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			f, x := reference.Attr[fakeCase](c), c.In[0]
			y := spec.NewArray(x.DType, x.Shape...)
			for p, at := range reference.Coordinates(x.Shape) {
				k := 0
				if c.In[1].Len() > 1 {
					k = at[f.axis]
				}
				zero := 0.0
				if len(c.In) > 2 {
					zero = math.Round(c.In[2].F[k])
				}
				q := math.RoundToEven(x.F[p]/c.In[1].F[k]) + zero
				y.F[p] = (min(max(q, float64(f.low)), float64(f.high)) - zero) * c.In[1].F[k]
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Composed(1, 1),
		Samples: []spec.Sample{
			// Constants: the derivative of the formula is 0, and the one that is used passes straight through.
			{Label: "channels", Operands: []spec.Operand{{Shape: []int{3, 4, 5}, Special: true}, {Shape: []int{4}, Lo: 0.25, Hi: 0.25, Fixed: true}, {Shape: []int{4}, Lo: -4, Hi: 4, Fixed: true}}, Attr: fakeCase{1, -8, 7},
				Build: func(in []node) node { return ops.FakeQuantize(in[0], in[1], ops.Round(in[2]), 1, -8, 7) }, Only: sample.FloatDTypes[2:]},
			{Label: "one", Operands: []spec.Operand{{Shape: []int{7}, Special: true}, {Lo: 0.5, Hi: 0.5}}, Attr: fakeCase{0, 0, 255}, Build: func(in []node) node { return ops.FakeQuantize(in[0], in[1], nil, 0, 0, 255) }},
		},
	})
	dynamic := func(label string, which int, o spec.Operand) spec.Sample {
		return spec.Sample{Label: label, Operands: []spec.Operand{o}, Attr: which, Build: func(in []node) node {
			y, scale, zero := ops.DynamicQuantizeLinear(in[0])
			return []node{y, scale, zero}[which]
		}}
	}
	spec.Register("dynamic_quantize_linear", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x := c.In[0]
			low, high := min(0, slices.Min(x.F)), max(0, slices.Max(x.F))
			narrow := func(v float64) float64 {
				if x.DType != tensor.Float64 {
					v = float64(float32(v))
				}
				return v
			}
			scale := format.Round(x.DType, narrow(narrow(high-low)/255))
			if scale == 0 {
				scale = 1
			}
			zero := math.RoundToEven(narrow(-low / scale))
			y := spec.NewArray(c.DType, c.Shape...)
			switch reference.Attr[int](c) {
			case 1:
				y.F[0] = scale
			case 2:
				y.U[0] = uint64(zero)
			default:
				for p, v := range x.F {
					y.U[p] = uint64(min(max(math.RoundToEven(narrow(v/scale))+zero, 0), 255))
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Composed(2, 2),
		Samples:   []spec.Sample{dynamic("values", 0, spec.Operand{Shape: []int{5, 7}}), dynamic("scale", 1, spec.Operand{Shape: []int{5, 7}, Lo: 1, Hi: 3}), dynamic("zero", 2, spec.Operand{Shape: []int{9}, Lo: -2, Hi: 3})},
	})
}

func rotaryCase(label string, x, angles []int, o ops.RotaryOptions) spec.Sample {
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: x}, {Shape: angles, Lo: -1, Hi: 1}, {Shape: angles, Lo: -1, Hi: 1}}, Attr: o,
		Build: func(in []*ops.Node) *ops.Node { return ops.RotaryEmbedding(in[0], in[1], in[2], &o) },
	}
}
