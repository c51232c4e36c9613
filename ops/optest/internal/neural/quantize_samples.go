package neural

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// QuantAttr is the attribute of samples of matmul_integer, of conv_integer
// and of the conversions: which zero points follow the operands.
type QuantAttr struct {
	First, Second bool
	Conv          ops.Conv2DOptions
	Axis          int
}

func matMulIntegers() []spec.Sample {
	whole := func(shape ...int) spec.Operand { return spec.Operand{Shape: shape, Lo: -128, Hi: 255, Special: true} }
	of := func(dt tensor.DType, o spec.Operand) spec.Operand { o.DType = dt; return o }
	sample := func(label string, a, b, za, zb *spec.Operand) spec.Sample {
		s := spec.Sample{Label: label, Operands: []spec.Operand{*a, *b}, Attr: QuantAttr{First: za != nil, Second: zb != nil}}
		for _, z := range []*spec.Operand{za, zb} {
			if z != nil {
				s.Operands = append(s.Operands, *z)
			}
		}
		s.Build = func(in []*ops.Node) *ops.Node {
			var z [2]*ops.Node
			next := 2
			for i, o := range []*spec.Operand{za, zb} {
				if o != nil {
					z[i] = in[next]
					next++
				}
			}
			return ops.MatMulInteger(in[0], in[1], z[0], z[1])
		}
		return s
	}
	pair := func(label string, a, b []int) spec.Sample {
		x, y := whole(a...), whole(b...)
		return sample(label, &x, &y, nil, nil)
	}
	mixed := func(label string, dt tensor.DType) spec.Sample {
		a, b := whole(19, 37), of(dt, whole(37, 35))
		return sample(label, &a, &b, nil, nil)
	}
	zeros := func(label string, a, b []int, za, zb []int) spec.Sample {
		x, y := whole(a...), of(tensor.Int8, whole(b...))
		var z [2]*spec.Operand
		for i, s := range [][]int{za, zb} {
			if s != nil {
				o := whole(s...)
				if i == 1 {
					o.DType = tensor.Int8
				}
				z[i] = &o
			}
		}
		return sample(label, &x, &y, z[0], z[1])
	}
	turned := func(label string, a, b []int, left, right bool) spec.Sample {
		s := pair(label, a, b)
		s.Through = func(in []*ops.Node) []*ops.Node {
			out := slices.Clone(in)
			for i, t := range []bool{left, right} {
				if t {
					out[i] = transposedMatrices(in[i])
				}
			}
			return out
		}
		return s
	}
	return []spec.Sample{
		pair("square", []int{16, 16}, []int{16, 16}),
		pair("words", []int{67, 132}, []int{132, 101}),
		pair("odd", []int{7, 33}, []int{33, 5}),
		pair("row", []int{1, 65}, []int{65, 9}),
		pair("column", []int{65, 9}, []int{9, 1}),
		pair("vectors", []int{37}, []int{37}),
		pair("vector matrix", []int{6}, []int{6, 3}),
		pair("matrix vector", []int{3, 5}, []int{5}),
		pair("batch", []int{3, 5, 10}, []int{3, 10, 4}),
		pair("shared right", []int{2, 3, 5, 9}, []int{9, 4}),
		pair("broadcast batch", []int{2, 1, 4, 3}, []int{5, 3, 6}),
		pair("long inner", []int{3, 2050}, []int{2050, 2}),
		pair("empty inner", []int{3, 0}, []int{0, 2}),
		pair("empty", []int{0, 3}, []int{3, 2}),
		mixed("with int8", tensor.Int8),
		mixed("with uint8", tensor.Uint8),
		turned("transposed left", []int{36, 7}, []int{36, 5}, true, false),
		turned("transposed right", []int{21, 36}, []int{50, 36}, false, true),
		turned("transposed both", []int{33, 7}, []int{5, 33}, true, true),
		zeros("zero points", []int{9, 40}, []int{40, 21}, []int{}, []int{}),
		zeros("zero point of a", []int{9, 11}, []int{11, 7}, []int{1}, nil),
		zeros("zero point of b", []int{9, 11}, []int{11, 7}, nil, []int{}),
		zeros("zero points by row and column", []int{9, 12}, []int{12, 7}, []int{9}, []int{7}),
		zeros("zero points by row and column of a batch", []int{2, 5, 6}, []int{2, 6, 3}, []int{2, 5, 1}, []int{2, 1, 3}),
		zeros("zero points of vectors", []int{12}, []int{12}, []int{}, []int{}),
	}
}

func convIntegers() []spec.Sample {
	sample := func(label string, x, w []int, o ops.Conv2DOptions, zx bool, zw []int) spec.Sample {
		whole := func(shape []int) spec.Operand { return spec.Operand{Shape: shape, Lo: -128, Hi: 255, Special: true} }
		s := spec.Sample{
			Label: label, Attr: QuantAttr{First: zx, Second: zw != nil, Conv: o},
			Operands: []spec.Operand{whole(x), whole(w)},
		}
		s.Operands[1].DType = tensor.Int8
		if zx {
			s.Operands = append(s.Operands, whole(nil))
		}
		if zw != nil {
			s.Operands = append(s.Operands, whole(zw))
			s.Operands[len(s.Operands)-1].DType = tensor.Int8
		}
		s.Build = func(in []*ops.Node) *ops.Node {
			var a, b *ops.Node
			if zx {
				a = in[2]
			}
			if zw != nil {
				b = in[len(in)-1]
			}
			return ops.ConvInteger(in[0], in[1], a, b, o)
		}
		return s
	}
	pad := [2]int{1, 1}
	return []spec.Sample{
		sample("1x1", []int{2, 8, 5, 7}, []int{4, 8, 1, 1}, ops.Conv2DOptions{}, false, nil),
		sample("3x3", []int{2, 3, 8, 9}, []int{5, 3, 3, 3}, ops.Conv2DOptions{Pad: pad}, false, nil),
		sample("words", []int{1, 16, 9, 10}, []int{20, 16, 3, 3}, ops.Conv2DOptions{Pad: pad, Stride: [2]int{2, 1}}, true, nil),
		sample("zero points", []int{1, 4, 6, 5}, []int{3, 4, 3, 3}, ops.Conv2DOptions{Pad: pad}, true, []int{}),
		sample("zero points by channel", []int{2, 6, 5, 5}, []int{4, 3, 3, 3}, ops.Conv2DOptions{Groups: 2, Pad: pad}, true, []int{4}),
		sample("zero point of w", []int{1, 2, 9, 9}, []int{2, 2, 3, 2}, ops.Conv2DOptions{Dilation: [2]int{2, 3}}, false, []int{2}),
		sample("depthwise", []int{1, 5, 6, 6}, []int{5, 1, 3, 3}, ops.Conv2DOptions{Groups: 5, Stride: [2]int{2, 2}, Pad: pad}, true, []int{5}),
		sample("no images", []int{0, 2, 4, 4}, []int{3, 2, 3, 3}, ops.Conv2DOptions{Pad: pad}, true, nil),
	}
}

// transposedMatrices is x with its last two axes exchanged.
func transposedMatrices(x *ops.Node) *ops.Node {
	perm := make([]int, x.Rank())
	for i := range perm {
		perm[i] = i
	}
	slices.Reverse(perm[len(perm)-2:])
	return ops.Transpose(x, perm...)
}

// quantizations have scales that are powers of two, so that quotients are exact and
// ties are met on every device.
func quantizations() []spec.Sample {
	var out []spec.Sample
	for _, dt := range append(slices.Clone(sample.NarrowDTypes), tensor.Invalid) {
		zero := dt.Valid()
		label := "to uint8 without a zero point"
		if zero {
			label = fmt.Sprintf("to %v", dt)
		}
		for _, per := range []bool{false, true} {
			name, shape := label, []int{}
			if per {
				name, shape = label+" by axis", []int{5}
			}
			s := spec.Sample{Label: name, Attr: QuantAttr{First: zero, Axis: -2}}
			s.Operands = []spec.Operand{{Shape: []int{7, 5, 33}, Lo: -90, Hi: 90, Special: true}, {Shape: shape, Lo: 0.5, Hi: 0.5}}
			if zero {
				s.Operands = append(s.Operands, spec.Operand{Shape: shape, DType: dt, Lo: -100, Hi: 200})
			}
			s.Through = func(in []*ops.Node) []*ops.Node {
				in = slices.Clone(in)
				in[0] = ops.Mul(ops.Round(ops.Mul(in[0], ops.ScalarLike(in[0], 4))), ops.ScalarLike(in[0], 0.25)) // in quarters: ties
				return in
			}
			s.Build = quantizing(ops.QuantizeLinear)
			out = append(out, s)
		}
	}
	return append(out,
		spec.Sample{Label: "scalar", Operands: []spec.Operand{{}, {Lo: 0.25, Hi: 0.25}}, Attr: QuantAttr{},
			Build: func(in []*ops.Node) *ops.Node { return ops.QuantizeLinear(in[0], in[1], nil, 0) }},
		spec.Sample{Label: "empty", Operands: []spec.Operand{{Shape: []int{3, 0}}, {Shape: []int{3}, Lo: 1, Hi: 2}}, Attr: QuantAttr{},
			Build: func(in []*ops.Node) *ops.Node { return ops.QuantizeLinear(in[0], in[1], nil, 0) }},
	)
}

func quantizing(f func(x, scale, zero *ops.Node, axis int) *ops.Node) func(in []*ops.Node) *ops.Node {
	return func(in []*ops.Node) *ops.Node {
		var zero *ops.Node
		if len(in) > 2 {
			zero = in[2]
		}
		return f(in[0], in[1], zero, -2)
	}
}

func dequantizations() []spec.Sample {
	var out []spec.Sample
	for _, dt := range sample.FloatDTypes {
		for _, per := range []bool{false, true} {
			for _, zero := range []bool{false, true} {
				if dt != tensor.Float32 && !(per && zero) {
					continue
				}
				shape := []int{}
				if per {
					shape = []int{5}
				}
				s := spec.Sample{
					Label: fmt.Sprintf("to %v by axis %v zero point %v", dt, per, zero), Attr: QuantAttr{First: zero, Axis: -2},
					Operands: []spec.Operand{{Shape: []int{7, 5, 33}, Special: true}, {Shape: shape, DType: dt, Lo: 0.01, Hi: 3}},
					Build:    quantizing(ops.DequantizeLinear),
				}
				if zero {
					s.Operands = append(s.Operands, spec.Operand{Shape: shape})
				}
				out = append(out, s)
			}
		}
	}
	f32 := spec.Operand{DType: tensor.Float32, Lo: 1, Hi: 2}
	return append(out,
		spec.Sample{Label: "scalar", Operands: []spec.Operand{{}, f32}, Attr: QuantAttr{},
			Build: func(in []*ops.Node) *ops.Node { return ops.DequantizeLinear(in[0], in[1], nil, 0) }},
		spec.Sample{Label: "empty", Operands: []spec.Operand{{Shape: []int{0, 3}}, f32}, Attr: QuantAttr{},
			Build: func(in []*ops.Node) *ops.Node { return ops.DequantizeLinear(in[0], in[1], nil, 0) }},
	)
}
