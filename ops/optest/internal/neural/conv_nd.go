package neural

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// Convolutions over one to three axes, and their transposes.

func init() {
	spec.Register("conv", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			m := reference.Attr[moves](c)
			x, w := c.In[0], c.In[1]
			s := reference.NewSum(x.DType, c.Shape)
			out, in := w.Shape[0]/m.groups, x.Shape[1]/m.groups
			m.each(x.Shape, c.Shape, w.Shape, func(n, i, j, u []int) {
				for o := range w.Shape[0] {
					for ic := range in {
						s.Add(reference.Position(c.Shape, slices.Concat([]int{n[0], o}, j)),
							x, reference.Position(x.Shape, slices.Concat([]int{n[0], o/out*in + ic}, i)),
							w, reference.Position(w.Shape, slices.Concat([]int{o, ic}, u)))
					}
				}
			})
			return m.result(c, s, in*spec.Count(w.Shape[2:]))
		},
		Tolerance: convTolerance,
		Samples: []spec.Sample{
			convNDCase("one axis", []int{2, 3, 11}, []int{4, 3, 3}, true, &ops.ConvOptions{Stride: []int{2}, Pad: []int{1}, PadAfter: []int{2}},
				moves{stride: []int{2}, before: []int{1}}),
			convNDCase("one axis, depthwise", []int{1, 5, 16}, []int{5, 1, 3}, false,
				&ops.ConvOptions{Groups: 5, Dilation: []int{2}, Mode: ops.PadSame}, moves{dilation: []int{2}, before: []int{2}, groups: 5}),
			convNDCase("two axes, asymmetric", []int{2, 4, 6, 7}, []int{6, 2, 2, 3}, true,
				&ops.ConvOptions{Groups: 2, Pad: []int{0, 2}, PadAfter: []int{1, 0}}, moves{before: []int{0, 2}, groups: 2}),
			convNDCase("two axes, same below", []int{1, 2, 7, 8}, []int{3, 2, 4, 2}, false,
				&ops.ConvOptions{Stride: []int{2, 3}, Mode: ops.PadSameLower}, moves{stride: []int{2, 3}, before: []int{2, 0}}),
			convNDCase("volume", []int{2, 3, 5, 6, 7}, []int{4, 3, 3, 2, 3}, true, &ops.ConvOptions{Stride: []int{1, 2, 1}, Pad: []int{1}},
				moves{stride: []int{1, 2, 1}, before: []int{1, 1, 1}}),
			convNDCase("volume, many channels", []int{1, 18, 4, 3, 5}, []int{16, 9, 2, 2, 2}, false,
				&ops.ConvOptions{Groups: 2, Dilation: []int{2, 1, 1}, Mode: ops.PadValid}, moves{dilation: []int{2, 1, 1}, groups: 2}),
			convNDCase("volume, depthwise", []int{1, 3, 4, 5, 4}, []int{3, 1, 2, 3, 2}, false,
				&ops.ConvOptions{Groups: 3, Pad: []int{1, 0, 0}, Stride: []int{2, 1, 1}},
				moves{before: []int{1, 0, 0}, stride: []int{2, 1, 1}, groups: 3}),
			convNDCase("no images", []int{0, 2, 4}, []int{3, 2, 3}, true, nil, moves{}),
		},
	})
	spec.Register("conv_transpose", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			m := reference.Attr[moves](c)
			x, w := c.In[0], c.In[1]
			s := reference.NewSum(x.DType, c.Shape)
			in, out := x.Shape[1]/m.groups, w.Shape[1]
			m.each(c.Shape, x.Shape, w.Shape, func(n, j, i, u []int) {
				for ic := range x.Shape[1] {
					for o := range out {
						s.Add(reference.Position(c.Shape, slices.Concat([]int{n[0], ic/in*out + o}, j)),
							x, reference.Position(x.Shape, slices.Concat([]int{n[0], ic}, i)),
							w, reference.Position(w.Shape, slices.Concat([]int{ic, o}, u)))
					}
				}
			})
			return m.result(c, s, in*spec.Count(w.Shape[2:]))
		},
		Tolerance: convTolerance,
		Samples: []spec.Sample{
			transposeCase("one axis", []int{2, 3, 5}, []int{3, 4, 3}, true,
				&ops.ConvTransposeOptions{ConvOptions: ops.ConvOptions{Stride: []int{2}, Pad: []int{1}}, OutputPad: []int{1}},
				moves{stride: []int{2}, before: []int{1}}),
			transposeCase("two axes", []int{2, 4, 5, 4}, []int{4, 3, 3, 2}, true,
				&ops.ConvTransposeOptions{ConvOptions: ops.ConvOptions{Stride: []int{2, 3}, Groups: 2, Pad: []int{1, 0}, PadAfter: []int{0, 1}}},
				moves{stride: []int{2, 3}, before: []int{1, 0}, groups: 2}),
			transposeCase("two axes, dilated", []int{1, 2, 4, 5}, []int{2, 3, 2, 3}, false,
				&ops.ConvTransposeOptions{ConvOptions: ops.ConvOptions{Dilation: []int{2, 1}, Stride: []int{1, 2}}, OutputPad: []int{1, 0}},
				moves{dilation: []int{2, 1}, stride: []int{1, 2}}),
			transposeCase("depthwise, padded after", []int{1, 3, 4, 5}, []int{3, 1, 3, 3}, false,
				&ops.ConvTransposeOptions{ConvOptions: ops.ConvOptions{Groups: 3, Stride: []int{2, 1}}, OutputPad: []int{2, 1}},
				moves{stride: []int{2, 1}, groups: 3}),
			transposeCase("volume, stride", []int{1, 3, 3, 4, 2}, []int{3, 2, 3, 2, 3}, true,
				&ops.ConvTransposeOptions{ConvOptions: ops.ConvOptions{Stride: []int{2, 1, 2}, Pad: []int{1, 0, 1}}, OutputPad: []int{1, 0, 0}},
				moves{stride: []int{2, 1, 2}, before: []int{1, 0, 1}}),
			transposeCase("volume, dilated", []int{1, 2, 3, 2, 4}, []int{2, 2, 2, 1, 2}, false,
				&ops.ConvTransposeOptions{ConvOptions: ops.ConvOptions{Dilation: []int{1, 1, 2}, Groups: 2}},
				moves{dilation: []int{1, 1, 2}, groups: 2}),
			transposeCase("same", []int{1, 2, 4}, []int{2, 3, 3}, false,
				&ops.ConvTransposeOptions{ConvOptions: ops.ConvOptions{Stride: []int{2}, Mode: ops.PadSame}}, moves{stride: []int{2}}),
		},
	})
}

var convTolerance = spec.Tolerance{ULP: 1, ULP64: 1, Terms: 1, Stored: 1, Source: spec.AnySum + " of products"}

// moves say how kernels slide over the spatial axes. Fields left out are 1, and before is 0.
type moves struct {
	stride, before, dilation []int
	groups                   int
}

func (m moves) normal(n int) moves {
	fill := func(list []int, v int) []int {
		if list == nil {
			list = slices.Repeat([]int{v}, n)
		}
		return list
	}
	return moves{fill(m.stride, 1), fill(m.before, 0), fill(m.dilation, 1), max(m.groups, 1)}
}

// each visits every batch n, element i of the image, position j of the kernel and tap u that meet.
func (m moves) each(image, positions, w []int, visit func(n, i, j, u []int)) {
	axes := len(w) - 2
	for _, n := range reference.Coordinates(image[:1]) {
		for _, j := range reference.Coordinates(positions[2:]) {
			for _, u := range reference.Coordinates(w[2:]) {
				i := make([]int, axes)
				inside := true
				for a := range i {
					i[a] = j[a]*m.stride[a] + u[a]*m.dilation[a] - m.before[a]
					inside = inside && i[a] >= 0 && i[a] < image[2+a]
				}
				if inside {
					visit(n, i, j, u)
				}
			}
		}
	}
}

// result adds the bias, operand 2.
func (m moves) result(c spec.Case, s reference.Sum, n int) spec.Result {
	if len(c.In) > 2 {
		for p, at := range reference.Coordinates(c.Shape) {
			s.Y.F[p] += c.In[2].F[at[1]]
			s.Terms[p] += math.Abs(c.In[2].F[at[1]])
		}
	}
	return spec.Result{Array: s.Y, Terms: s.Terms, N: float64(n + 1)}
}

func convNDCase(label string, x, w []int, bias bool, o *ops.ConvOptions, m moves) spec.Sample {
	s := spec.Sample{Label: label, Operands: []spec.Operand{{Shape: x}, {Shape: w}}, Attr: m.normal(len(x) - 2)}
	if bias {
		s.Operands = append(s.Operands, spec.Operand{Shape: w[:1]})
	}
	s.Build = func(in []*ops.Node) *ops.Node { return ops.Conv(in[0], in[1], at(in, 2), o) }
	return s
}

func transposeCase(label string, x, w []int, bias bool, o *ops.ConvTransposeOptions, m moves) spec.Sample {
	m = m.normal(len(x) - 2)
	s := spec.Sample{Label: label, Operands: []spec.Operand{{Shape: x}, {Shape: w}}, Attr: m}
	if bias {
		s.Operands = append(s.Operands, spec.Operand{Shape: []int{w[1] * m.groups}})
	}
	s.Build = func(in []*ops.Node) *ops.Node { return ops.ConvTranspose(in[0], in[1], at(in, 2), o) }
	return s
}

// at is operand i, or nil where there are fewer.
func at(in []*ops.Node, i int) *ops.Node {
	if i < len(in) {
		return in[i]
	}
	return nil
}
