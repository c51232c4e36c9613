package indexing

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Extents as numbers of a graph.

func init() {
	shaped := func(label string, shape ...int) spec.Sample {
		return spec.Sample{Label: label, Operands: []spec.Operand{{Shape: shape}}}
	}
	spec.Register("shape", spec.Spec{
		Call: sample.One(ops.Shape),
		Reference: func(c spec.Case) spec.Result {
			y := spec.NewArray(tensor.Int64, len(c.In[0].Shape))
			for i, d := range c.In[0].Shape {
				y.I[i] = int64(d)
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Exact,
		Samples:   []spec.Sample{shaped("three", 3, 5, 7), shaped("scalar"), shaped("nothing", 4, 0)},
	})
	sized := func(label string, axes []int, shape ...int) spec.Sample {
		s := shaped(label, shape...)
		s.Attr = axes
		s.Build = func(in []*ops.Node) *ops.Node { return ops.Size(in[0], axes...) }
		return s
	}
	spec.Register("size", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, n := c.In[0], 1
			if axes := reference.Attr[[]int](c); axes == nil {
				n = x.Len()
			} else {
				for _, a := range axes {
					n *= x.Shape[reference.WrapAxis(a, len(x.Shape))]
				}
			}
			return reference.Exactly(spec.Array{DType: tensor.Int64, Shape: []int{}, I: []int64{int64(n)}})
		},
		Tolerance: spec.Exact,
		Samples: []spec.Sample{sized("all", nil, 3, 5, 7), sized("two", []int{-1, 0}, 3, 5, 7), sized("one", []int{1}, 2, 0),
			sized("scalar", nil)},
	})
}
