package neural

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

func init() {
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
			rotaryCase("halves", []int{2, 3, 5, 8}, []int{5, 4}, ops.RotaryOptions{}),
			rotaryCase("neighbours", []int{2, 3, 5, 8}, []int{2, 1, 5, 4}, ops.RotaryOptions{Interleaved: true}),
			rotaryCase("a part", []int{3, 9}, []int{3, 2}, ops.RotaryOptions{Features: 4}),
		},
	})
}

func rotaryCase(label string, x, angles []int, o ops.RotaryOptions) spec.Sample {
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: x}, {Shape: angles, Lo: -1, Hi: 1}, {Shape: angles, Lo: -1, Hi: 1}}, Attr: o,
		Build: func(in []*ops.Node) *ops.Node { return ops.RotaryEmbedding(in[0], in[1], in[2], &o) },
	}
}
