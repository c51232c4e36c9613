package indexing

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Inside a graph a trimmed value is the whole of it.

func init() {
	layouts("trim", spec.Sample{
		Label: "inside", Operands: []spec.Operand{{Shape: []int{5, 3}}, {Shape: []int{}, DType: tensor.Int64, Lo: 2, Hi: 2}},
		Build: func(in []*ops.Node) *ops.Node { return ops.Reshape(ops.Trim(in[0], 0, in[1]), 15) },
		Attr:  placed([]int{15}, func(at []int) []int { return []int{at[0] / 3, at[0] % 3} }),
	})
}
