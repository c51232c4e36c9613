package indexing

import (
	"fmt"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

type viewCase struct {
	label string
	shape []int
	attr  any
	call  func(x *ops.Node) *ops.Node
}

// views are samples of a view, bare and under an element-wise op, so that the
// index map is folded into a fused load as well.
func views(cases ...viewCase) []spec.Sample {
	var out []spec.Sample
	for _, c := range cases {
		out = append(out, spec.Sample{
			Label: c.label, Operands: []spec.Operand{{Shape: c.shape}}, Attr: c.attr,
			Build: func(in []*ops.Node) *ops.Node { return c.call(in[0]) },
		})
	}
	return out
}

func sliceCase(label string, shape []int, ranges ...ops.Range) []spec.Sample {
	return []spec.Sample{{
		Label: label, Operands: []spec.Operand{{Shape: shape}}, Attr: ranges,
		Build: func(in []*ops.Node) *ops.Node { return ops.Slice(in[0], ranges...) },
	}}
}

func padCase(label string, shape []int, value float64, paddings ...ops.Padding) []spec.Sample {
	return []spec.Sample{{
		Label: label, Operands: []spec.Operand{{Shape: shape}}, Attr: PadAttr{value, paddings},
		Build: func(in []*ops.Node) *ops.Node { return ops.Pad(in[0], value, paddings...) },
	}}
}

// PadAttr is the attribute of samples of pad.
type PadAttr struct {
	Value    float64
	Paddings []ops.Padding
}

func concatCase(label string, axis int, shapes ...[]int) spec.Sample {
	s := spec.Sample{Label: label, Attr: axis, Build: func(in []*ops.Node) *ops.Node { return ops.Concat(axis, in...) }}
	for _, shape := range shapes {
		s.Operands = append(s.Operands, spec.Operand{Shape: shape})
	}
	return s
}

func windowCase(label string, shape []int, windows ...ops.Window) spec.Sample {
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: shape}}, Attr: windows,
		Build: func(in []*ops.Node) *ops.Node { return ops.Windows(in[0], windows...) },
	}
}

func iotaSamples() []spec.Sample {
	var out []spec.Sample
	for _, c := range []struct {
		axis  int
		shape []int
	}{{0, []int{5}}, {1, []int{3, 7}}, {-3, []int{4, 1, 5}}, {0, []int{0, 2}}} {
		out = append(out, spec.Sample{
			Label: fmt.Sprint(c.shape, c.axis), Attr: c.axis,
			Source: func(g *ops.Graph, dt tensor.DType) *ops.Node { return g.Iota(dt, c.axis, c.shape...) },
		})
	}
	return out
}

func choices() []spec.Sample {
	var out []spec.Sample
	for _, s := range sample.Pairs() {
		condition := spec.Operand{Shape: s.Operands[0].Shape, DType: tensor.Bool}
		s.Operands = append([]spec.Operand{condition}, s.Operands...)
		if through := s.Through; through != nil {
			s.Through = func(in []*ops.Node) []*ops.Node { // the condition takes the shape of a's view
				return append([]*ops.Node{ops.Transpose(in[0])}, through(in[1:])...)
			}
		}
		out = append(out, s)
	}
	return append(out,
		spec.Sample{Label: "scalar condition", Operands: []spec.Operand{{DType: tensor.Bool}, {Shape: []int{4, 5}}, {Shape: []int{4, 1}}}},
		spec.Sample{Label: "condition decides the shape",
			Operands: []spec.Operand{{Shape: []int{3, 4}, DType: tensor.Bool}, {}, {Shape: []int{4}}}},
	)
}
