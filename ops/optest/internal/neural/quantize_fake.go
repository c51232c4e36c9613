package neural

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// fakeCase is the attribute of a sample of fake_quantize.
type fakeCase struct{ axis, low, high int }

func init() {
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
			{Label: "channels", Operands: []spec.Operand{{Shape: []int{3, 4, 5}, Special: true}, {Shape: []int{4}, Lo: 0.25, Hi: 0.25, Fixed: true},
				{Shape: []int{4}, Lo: -4, Hi: 4, Fixed: true}}, Attr: fakeCase{1, -8, 7},
				Build: func(in []*ops.Node) *ops.Node { return ops.FakeQuantize(in[0], in[1], ops.Round(in[2]), 1, -8, 7) },
				Only:  sample.FloatDTypes[2:]},
			{Label: "one", Operands: []spec.Operand{{Shape: []int{7}, Special: true}, {Lo: 0.5, Hi: 0.5}}, Attr: fakeCase{0, 0, 255},
				Build: func(in []*ops.Node) *ops.Node { return ops.FakeQuantize(in[0], in[1], nil, 0, 0, 255) }},
		},
	})
}
