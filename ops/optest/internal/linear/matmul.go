package linear

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// The matrix product.

func init() {
	spec.Register("matmul", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return reference.MatMul(c.In[0], c.In[1]) },
		Tolerance: spec.Summed(spec.AnySum + " of products"),
		Samples: []spec.Sample{
			matmulCase("square", []int{16, 16}, []int{16, 16}),
			matmulCase("odd", []int{7, 33}, []int{33, 5}),
			matmulCase("prime", []int{67, 31}, []int{31, 101}),
			matmulCase("tile edges", []int{130, 70}, []int{70, 66}),
			matmulCase("row", []int{1, 65}, []int{65, 9}),
			matmulCase("column", []int{65, 9}, []int{9, 1}),
			matmulCase("vectors", []int{37}, []int{37}),
			matmulCase("vector matrix", []int{5}, []int{5, 3}),
			matmulCase("matrix vector", []int{3, 5}, []int{5}),
			matmulCase("batch", []int{3, 5, 9}, []int{3, 9, 4}),
			matmulCase("shared right", []int{2, 3, 5, 9}, []int{9, 4}),
			matmulCase("broadcast batch", []int{2, 1, 4, 3}, []int{5, 3, 6}),
			matmulCase("long inner", []int{3, 2049}, []int{2049, 2}),
			matmulCase("empty inner", []int{3, 0}, []int{0, 2}),
			matmulCase("empty", []int{0, 3}, []int{3, 2}),
			transposedMatmul("transposed left", []int{33, 7}, []int{33, 5}, true, false),
			transposedMatmul("transposed right", []int{7, 33}, []int{5, 33}, false, true),
			transposedMatmul("transposed both", []int{33, 7}, []int{5, 33}, true, true),
		},
	})
}

func matmulCase(label string, a, b []int) spec.Sample {
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: a}, {Shape: b}},
		Build: func(in []*ops.Node) *ops.Node { return ops.MatMul(in[0], in[1]) },
	}
}

func transposedMatmul(label string, a, b []int, left, right bool) spec.Sample {
	s := matmulCase(label, a, b)
	s.Through = func(in []*ops.Node) []*ops.Node {
		x, y := in[0], in[1]
		if left {
			x = ops.Transpose(x)
		}
		if right {
			y = ops.Transpose(y)
		}
		return []*ops.Node{x, y}
	}
	return s
}
