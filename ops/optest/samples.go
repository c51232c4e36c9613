package optest

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// one, two and three are calls of functions that take operands only.
func one(f func(x *ops.Node) *ops.Node) func(in []*ops.Node) *ops.Node {
	return func(in []*ops.Node) *ops.Node { return f(in[0]) }
}

func two(f func(a, b *ops.Node) *ops.Node) func(in []*ops.Node) *ops.Node {
	return func(in []*ops.Node) *ops.Node { return f(in[0], in[1]) }
}

func three(f func(a, b, c *ops.Node) *ops.Node) func(in []*ops.Node) *ops.Node {
	return func(in []*ops.Node) *ops.Node { return f(in[0], in[1], in[2]) }
}

// Sets of dtypes that samples are restricted to.
var (
	narrowDTypes = []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16}
	floatDTypes  = []tensor.DType{tensor.Float16, tensor.BFloat16, tensor.Float32, tensor.Float64}
	signedDTypes = slices.Concat([]tensor.DType{tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64}, floatDTypes)
	numberDTypes = slices.DeleteFunc(tensor.DTypes(), func(dt tensor.DType) bool { return dt == tensor.Bool })
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

// singles are samples of an element-wise op of one operand, special values
// included; r are its bounds, as Lo and Hi of [Operand].
func singles(r ...float64) []Sample {
	var out []Sample
	for _, h := range hurtful {
		out = append(out, Sample{Label: h.label, Operands: []Operand{bounded(h.shape, r)}})
	}
	special := bounded([]int{257}, r)
	special.Special = true
	return append(out,
		Sample{Label: "special", Operands: []Operand{special}},
		Sample{Label: "transposed", Operands: []Operand{bounded([]int{13, 9}, r)}, Through: func(in []*ops.Node) []*ops.Node {
			return []*ops.Node{ops.Transpose(in[0], 1, 0)}
		}},
		Sample{Label: "reversed every second", Operands: []Operand{bounded([]int{8, 11}, r)}, Through: func(in []*ops.Node) []*ops.Node {
			return []*ops.Node{ops.Slice(in[0], ops.Range{Axis: 1, Start: -1, Step: -2})}
		}},
	)
}

// pairs are samples of an element-wise op of two operands.
func pairs(r ...float64) []Sample {
	var out []Sample
	for _, h := range hurtful {
		out = append(out, Sample{Label: h.label, Operands: []Operand{bounded(h.shape, r), bounded(h.shape, r)}})
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
		out = append(out, Sample{Label: b.label, Operands: []Operand{bounded(b.a, r), bounded(b.b, r)}})
	}
	special := []Operand{bounded([]int{17, 1}, r), bounded([]int{1, 17}, r)}
	special[0].Special, special[1].Special = true, true
	return append(out,
		Sample{Label: "special", Operands: special},
		Sample{Label: "transposed", Operands: []Operand{bounded([]int{19, 17}, r), bounded([]int{17, 19}, r)}, Through: func(in []*ops.Node) []*ops.Node {
			return []*ops.Node{ops.Transpose(in[0], 1, 0), in[1]}
		}},
	)
}

func bounded(shape []int, r []float64) Operand {
	o := Operand{Shape: slices.Clone(shape)}
	if len(r) == 2 {
		o.Lo, o.Hi = r[0], r[1]
	}
	return o
}

// comparisons are pairs, and every value of an array with every other, so that
// equal ones meet.
func comparisons() []Sample {
	return append(pairs(), Sample{
		Label:    "ties",
		Operands: []Operand{{Shape: []int{31}, Special: true}},
		Through: func(in []*ops.Node) []*ops.Node {
			return []*ops.Node{ops.ExpandDims(in[0], 0), ops.ExpandDims(in[0], 1)}
		},
	})
}

// roundings are samples with values in ±4 and in ±3000, where float16 comes in
// steps of 1/4 to 2: ties, and whole numbers.
func roundings() []Sample {
	wide := Operand{Shape: []int{509}, Lo: -3000, Hi: 3000, Special: true}
	return append(singles(), Sample{Label: "wide", Operands: []Operand{wide}})
}

// shifts are samples with distances below, at and above every width, and with
// negative ones.
func shifts() []Sample {
	samples := pairs()
	for i := range samples {
		s := &samples[i]
		s.Operands[1].Lo, s.Operands[1].Hi, s.Operands[1].Special = 0, 70, false
	}
	return append(samples, Sample{
		Label:    "negative distances",
		Operands: []Operand{{Shape: []int{64, 1}, Lo: -100, Hi: 100}, {Shape: []int{1, 16}, Lo: -8, Hi: 8}},
		Only:     []tensor.DType{tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64},
	})
}
