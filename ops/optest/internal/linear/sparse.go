package linear

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/sparse"
	"github.com/anycl/anycl/tensor"
)

// Products of sparse matrices: the samples' operands are values and x, and where the values stand is known to the reference.

func init() {
	spec.Register("sparse.multiply", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			values, x, p := c.In[0], c.In[1], reference.Attr[sparseCase](c)
			k := 1
			if len(x.Shape) == 2 {
				k = x.Shape[1]
			}
			r := spec.Result{Array: spec.NewArray(x.DType, c.Shape...), Terms: make([]float64, spec.Count(c.Shape))}
			for row := range len(p.ptr) - 1 {
				for i := p.ptr[row]; i < p.ptr[row+1]; i++ {
					for j := range k {
						if at := int(p.col[i])*k + j; p.col[i] >= 0 && at < len(x.F) {
							v := values.F[i] * x.F[at]
							r.F[row*k+j] += v
							r.Terms[row*k+j] += math.Abs(v)
						}
					}
				}
				r.N = max(r.N, float64(p.ptr[row+1]-p.ptr[row]))
			}
			return r
		},
		Tolerance: spec.Summed("a sum in any order, of n products: n·u·Σ|terms|"),
		Samples:   sparseSamples(),
	})
}

// sparseCase is where the elements are.
type sparseCase struct{ ptr, col []int32 }

func sparseSamples() (all []spec.Sample) {
	add := func(label string, x []int, ptr, col []int32) {
		vector := func(g *ops.Graph, v []int32) *ops.Node { return g.Const(tensor.Must(tensor.FromSlice(v, len(v)))) }
		all = append(all, spec.Sample{
			Label: label, Operands: []spec.Operand{{Shape: []int{len(col)}}, {Shape: x}}, Attr: sparseCase{ptr, col},
			Build: func(in []*ops.Node) *ops.Node {
				g := in[0].Graph()
				return sparse.Multiply(vector(g, ptr), vector(g, col), in[0], in[1])
			},
		})
	}
	ptr, col := []int32{0}, []int32(nil)
	for r := range int32(37) { // rows of 0 to 6 elements
		for i := range r % 7 {
			col = append(col, (r*5+i*3)%23)
		}
		ptr = append(ptr, int32(len(col)))
	}
	add("vector", []int{23}, ptr, col)
	add("columns", []int{23, 19}, ptr, col)
	add("columns outside count nothing", []int{3, 2}, []int32{0, 2, 3, 5}, []int32{0, 3, -1, 2, 1 << 30})
	long := make([]int32, 700)
	for i := range long {
		long[i] = int32(i % 11)
	}
	add("long rows", []int{11}, []int32{0, 650, 650, 700}, long)
	add("one", []int{1}, []int32{0, 1}, []int32{0})
	add("no rows", []int{4}, []int32{0}, nil)
	add("no elements", []int{4}, []int32{0, 0, 0}, nil)
	return all
}
