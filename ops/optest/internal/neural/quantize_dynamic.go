package neural

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

func init() {
	dynamic := func(label string, which int, o spec.Operand) spec.Sample {
		return spec.Sample{Label: label, Operands: []spec.Operand{o}, Attr: which, Build: func(in []*ops.Node) *ops.Node {
			y, scale, zero := ops.DynamicQuantizeLinear(in[0])
			return []*ops.Node{y, scale, zero}[which]
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
		Samples: []spec.Sample{dynamic("values", 0, spec.Operand{Shape: []int{5, 7}}),
			dynamic("scale", 1, spec.Operand{Shape: []int{5, 7}, Lo: 1, Hi: 3}), dynamic("zero", 2, spec.Operand{Shape: []int{9}, Lo: -2, Hi: 3})},
	})
}
