package ops

import "slices"

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

// singles are samples of an element-wise op of one operand; range as in
// Operand, special values included.
func singles(r ...float64) []Sample {
	var out []Sample
	for _, h := range hurtful {
		out = append(out, Sample{Label: h.label, Operands: []Operand{bounded(h.shape, r)}})
	}
	special := bounded([]int{257}, r)
	special.Special = true
	return append(out,
		Sample{Label: "special", Operands: []Operand{special}},
		Sample{Label: "transposed", Operands: []Operand{bounded([]int{13, 9}, r)}, Through: func(in []*Node) []*Node {
			return []*Node{Transpose(in[0], 1, 0)}
		}},
		Sample{Label: "reversed every second", Operands: []Operand{bounded([]int{8, 11}, r)}, Through: func(in []*Node) []*Node {
			return []*Node{Slice(in[0], Range{Axis: 1, Start: -1, Step: -2})}
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
		Sample{Label: "transposed", Operands: []Operand{bounded([]int{13, 9}, r), bounded([]int{9, 13}, r)}, Through: func(in []*Node) []*Node {
			return []*Node{Transpose(in[0], 1, 0), in[1]}
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
