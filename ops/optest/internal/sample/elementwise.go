// Package sample makes the samples that many ops have in common.
package sample

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// One, two and three are calls of functions that take operands only.
func One(f func(x *ops.Node) *ops.Node) func(in []*ops.Node) *ops.Node {
	return func(in []*ops.Node) *ops.Node { return f(in[0]) }
}

func Two(f func(a, b *ops.Node) *ops.Node) func(in []*ops.Node) *ops.Node {
	return func(in []*ops.Node) *ops.Node { return f(in[0], in[1]) }
}

func Three(f func(a, b, c *ops.Node) *ops.Node) func(in []*ops.Node) *ops.Node {
	return func(in []*ops.Node) *ops.Node { return f(in[0], in[1], in[2]) }
}

// Sets of dtypes that samples are restricted to.
var (
	NarrowDTypes = []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16}
	FloatDTypes  = []tensor.DType{tensor.Float16, tensor.BFloat16, tensor.Float32, tensor.Float64}
	SignedDTypes = slices.Concat([]tensor.DType{tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64}, FloatDTypes)
	NumberDTypes = slices.DeleteFunc(tensor.DTypes(), func(dt tensor.DType) bool { return dt == tensor.Bool })
)

// Shapes that hurt: scalar, empty, one element, odd, prime, and enough to fill
// a work-group and spill into the next.
var hurtful = []struct {
	label string
	shape []int
}{
	{"scalar", []int{}},
	{"empty", []int{0, 3}},
	{"one", []int{1}},
	{"odd", []int{3, 5, 7}},
	{"prime", []int{1031}},
	{"large", []int{67, 129}},
}

// Singles are samples of an element-wise op of one operand, special values
// included; r are its bounds, as Lo and Hi of [Operand].
func Singles(r ...float64) []spec.Sample {
	var out []spec.Sample
	for _, h := range hurtful {
		out = append(out, spec.Sample{Label: h.label, Operands: []spec.Operand{bounded(h.shape, r)}})
	}
	special := bounded([]int{257}, r)
	special.Special = true
	return append(out,
		spec.Sample{Label: "special", Operands: []spec.Operand{special}},
		spec.Sample{Label: "transposed", Operands: []spec.Operand{bounded([]int{13, 9}, r)}, Through: func(in []*ops.Node) []*ops.Node {
			return []*ops.Node{ops.Transpose(in[0], 1, 0)}
		}},
		spec.Sample{Label: "reversed every second", Operands: []spec.Operand{bounded([]int{8, 11}, r)},
			Through: func(in []*ops.Node) []*ops.Node {
				return []*ops.Node{ops.Slice(in[0], ops.Range{Axis: 1, Start: -1, Step: -2})}
			}},
	)
}

// Pairs are samples of an element-wise op of two operands.
func Pairs(r ...float64) []spec.Sample {
	var out []spec.Sample
	for _, h := range hurtful {
		out = append(out, spec.Sample{Label: h.label, Operands: []spec.Operand{bounded(h.shape, r), bounded(h.shape, r)}})
	}
	for _, b := range []struct {
		label string
		a, b  []int
	}{
		{"row", []int{5, 7}, []int{7}},
		{"column", []int{5, 7}, []int{5, 1}},
		{"outer", []int{6, 1}, []int{1, 11}},
		{"with scalar", []int{3, 4, 5}, []int{}},
		{"middle", []int{3, 1, 5}, []int{2, 1, 4, 1}},
	} {
		out = append(out, spec.Sample{Label: b.label, Operands: []spec.Operand{bounded(b.a, r), bounded(b.b, r)}})
	}
	special := []spec.Operand{bounded([]int{17, 1}, r), bounded([]int{1, 17}, r)}
	special[0].Special, special[1].Special = true, true
	return append(out,
		spec.Sample{Label: "special", Operands: special},
		spec.Sample{Label: "transposed", Operands: []spec.Operand{bounded([]int{19, 17}, r), bounded([]int{17, 19}, r)},
			Through: func(in []*ops.Node) []*ops.Node {
				return []*ops.Node{ops.Transpose(in[0], 1, 0), in[1]}
			}},
	)
}

func bounded(shape []int, r []float64) spec.Operand {
	o := spec.Operand{Shape: slices.Clone(shape)}
	if len(r) == 2 {
		o.Lo, o.Hi = r[0], r[1]
	}
	return o
}

// Comparisons are pairs, and every value of an array with every other, so that
// equal ones meet.
func Comparisons() []spec.Sample {
	return append(Pairs(), spec.Sample{
		Label:    "ties",
		Operands: []spec.Operand{{Shape: []int{31}, Special: true}},
		Through: func(in []*ops.Node) []*ops.Node {
			return []*ops.Node{ops.ExpandDims(in[0], 0), ops.ExpandDims(in[0], 1)}
		},
	})
}

// Roundings are samples with values in ±4 and in ±3000, where float16 comes in
// steps of 1/4 to 2: ties, and whole numbers.
func Roundings() []spec.Sample {
	wide := spec.Operand{Shape: []int{509}, Lo: -3000, Hi: 3000, Special: true}
	return append(Singles(), spec.Sample{Label: "wide", Operands: []spec.Operand{wide}})
}

// Shifts are samples with distances below, at and above every width, and with
// negative ones.
func Shifts() []spec.Sample {
	samples := Pairs()
	for i := range samples {
		s := &samples[i]
		s.Operands[1].Lo, s.Operands[1].Hi, s.Operands[1].Special = 0, 70, false
	}
	return append(samples, spec.Sample{
		Label:    "negative distances",
		Operands: []spec.Operand{{Shape: []int{64, 1}, Lo: -100, Hi: 100}, {Shape: []int{1, 16}, Lo: -8, Hi: 8}},
		Only:     []tensor.DType{tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64},
	})
}
