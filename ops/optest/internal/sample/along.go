package sample

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// AlongAxes are samples of an op that normalises along an axis.
func AlongAxes(op func(x *ops.Node, axis int) *ops.Node) []spec.Sample {
	var out []spec.Sample
	for _, s := range []struct {
		label string
		shape []int
		axis  int
		reach float64
	}{
		{"last", []int{7, 33}, -1, 4},
		{"first", []int{33, 7}, 0, 4},
		{"middle", []int{3, 17, 5}, 1, 4},
		{"one", []int{5, 1}, 1, 4},
		{"vector", []int{1031}, 0, 4},
		{"no rows", []int{0, 5}, 1, 4},
		{"far apart", []int{9, 21}, 1, 200},
	} {
		out = append(out, spec.Sample{
			Label: s.label, Operands: []spec.Operand{{Shape: s.shape, Lo: -s.reach, Hi: s.reach}}, Attr: s.axis,
			Build: func(in []*ops.Node) *ops.Node { return op(in[0], s.axis) },
		})
	}
	return append(out, spec.Sample{
		Label: "transposed", Operands: []spec.Operand{{Shape: []int{6, 11}}}, Attr: 1,
		Through: func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Transpose(in[0])} },
		Build:   func(in []*ops.Node) *ops.Node { return op(in[0], 1) },
	})
}
