package optest

import (
	"fmt"

	"github.com/anycl/anycl/ops"
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
func views(cases ...viewCase) []Sample {
	var out []Sample
	for _, c := range cases {
		out = append(out, Sample{
			Label: c.label, Operands: []Operand{{Shape: c.shape}}, Attr: c.attr,
			Build: func(in []*ops.Node) *ops.Node { return c.call(in[0]) },
		})
	}
	return out
}

func sliceCase(label string, shape []int, ranges ...ops.Range) []Sample {
	return []Sample{{
		Label: label, Operands: []Operand{{Shape: shape}}, Attr: ranges,
		Build: func(in []*ops.Node) *ops.Node { return ops.Slice(in[0], ranges...) },
	}}
}

func padCase(label string, shape []int, value float64, paddings ...ops.Padding) []Sample {
	return []Sample{{
		Label: label, Operands: []Operand{{Shape: shape}}, Attr: padAttr{value, paddings},
		Build: func(in []*ops.Node) *ops.Node { return ops.Pad(in[0], value, paddings...) },
	}}
}

// padAttr is the attribute of samples of pad.
type padAttr struct {
	Value    float64
	Paddings []ops.Padding
}

func concatCase(label string, axis int, shapes ...[]int) Sample {
	s := Sample{Label: label, Attr: axis, Build: func(in []*ops.Node) *ops.Node { return ops.Concat(axis, in...) }}
	for _, shape := range shapes {
		s.Operands = append(s.Operands, Operand{Shape: shape})
	}
	return s
}

func windowCase(label string, shape []int, windows ...ops.Window) Sample {
	return Sample{
		Label: label, Operands: []Operand{{Shape: shape}}, Attr: windows,
		Build: func(in []*ops.Node) *ops.Node { return ops.Windows(in[0], windows...) },
	}
}

func iotaSamples() []Sample {
	var out []Sample
	for _, c := range []struct {
		axis  int
		shape []int
	}{{0, []int{5}}, {1, []int{3, 7}}, {-3, []int{4, 1, 5}}, {0, []int{0, 2}}} {
		out = append(out, Sample{
			Label: fmt.Sprint(c.shape, c.axis), Attr: c.axis, Source: func(g *ops.Graph, dt tensor.DType) *ops.Node { return g.Iota(dt, c.axis, c.shape...) },
		})
	}
	return out
}

func choices() []Sample {
	var out []Sample
	for _, s := range pairs() {
		condition := Operand{Shape: s.Operands[0].Shape, DType: tensor.Bool}
		s.Operands = append([]Operand{condition}, s.Operands...)
		if through := s.Through; through != nil {
			s.Through = func(in []*ops.Node) []*ops.Node { // the condition takes the shape of a's view
				return append([]*ops.Node{ops.Transpose(in[0])}, through(in[1:])...)
			}
		}
		out = append(out, s)
	}
	return append(out,
		Sample{Label: "scalar condition", Operands: []Operand{{DType: tensor.Bool}, {Shape: []int{4, 5}}, {Shape: []int{4, 1}}}},
		Sample{Label: "condition decides the shape", Operands: []Operand{{Shape: []int{3, 4}, DType: tensor.Bool}, {}, {Shape: []int{4}}}},
	)
}
