package neural

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// fractionalCase is the attribute of a sample of fractional_max_pool.
type fractionalCase struct {
	window, size []int
	indices      bool
}

func (f fractionalCase) sample(label string, x []int) spec.Sample {
	return spec.Sample{
		Label: label, Attr: f, Operands: []spec.Operand{{Shape: x, Distinct: true},
			{Shape: []int{x[0], x[1], len(f.window)}, Lo: 0, Hi: 0.97, Fixed: true}}, Only: sample.FloatDTypes[2:],
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

func init() {
	spec.Register("fractional_max_pool", spec.Spec{
		Reference: fractionalMax, Tolerance: spec.Exact,
		Samples: []spec.Sample{
			fractionalCase{[]int{2, 3}, []int{4, 3}, false}.sample("images", []int{2, 2, 9, 7}),
			fractionalCase{[]int{2, 3}, []int{4, 1}, true}.sample("indices", []int{2, 2, 9, 7}),
			fractionalCase{[]int{2, 1, 2}, []int{2, 3, 2}, false}.sample("volumes", []int{1, 2, 5, 4, 6}),
		},
	})
}
