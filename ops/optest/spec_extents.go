package optest

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Extents as numbers of a graph.

func init() {
	shaped := func(label string, shape ...int) Sample {
		return Sample{Label: label, Operands: []Operand{{Shape: shape}}}
	}
	Register("shape", Spec{
		Call: one(ops.Shape),
		Reference: func(c Case) Result {
			y := NewArray(tensor.Int64, len(c.In[0].Shape))
			for i, d := range c.In[0].Shape {
				y.I[i] = int64(d)
			}
			return exactly(y)
		},
		Tolerance: exact,
		Samples:   []Sample{shaped("three", 3, 5, 7), shaped("scalar"), shaped("nothing", 4, 0)},
	})
	sized := func(label string, axes []int, shape ...int) Sample {
		s := shaped(label, shape...)
		s.Attr = axes
		s.Build = func(in []*ops.Node) *ops.Node { return ops.Size(in[0], axes...) }
		return s
	}
	Register("size", Spec{
		Reference: func(c Case) Result {
			x, n := c.In[0], 1
			if axes := attr[[]int](c); axes == nil {
				n = x.Len()
			} else {
				for _, a := range axes {
					n *= x.Shape[wrapAxis(a, len(x.Shape))]
				}
			}
			return exactly(Array{DType: tensor.Int64, Shape: []int{}, I: []int64{int64(n)}})
		},
		Tolerance: exact,
		Samples:   []Sample{sized("all", nil, 3, 5, 7), sized("two", []int{-1, 0}, 3, 5, 7), sized("one", []int{1}, 2, 0), sized("scalar", nil)},
	})
}
