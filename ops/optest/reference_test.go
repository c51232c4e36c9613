package optest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/indexing"
	"github.com/anycl/anycl/ops/optest/internal/neural"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// floats is an array of float64.
func floats(shape []int, vs ...float64) spec.Array {
	return spec.Array{DType: tensor.Float64, Shape: shape, F: vs}
}

func integers(dt tensor.DType, shape []int, vs ...int64) spec.Array {
	return spec.Array{DType: dt, Shape: shape, I: vs}
}

func naturals(dt tensor.DType, shape []int, vs ...uint64) spec.Array {
	return spec.Array{DType: dt, Shape: shape, U: vs}
}

func TestReferencesGiveWhatOneFindsByHand(t *testing.T) {
	t.Parallel()
	x23 := floats([]int{2, 3}, 1, 2, 3, 4, 5, 6)
	i4 := func(vs ...int64) spec.Array { return integers(tensor.Int32, []int{len(vs)}, vs...) }
	for _, c := range []struct {
		op   string
		in   []spec.Array
		attr any
		want spec.Array
	}{
		{"add", []spec.Array{x23, floats([]int{2, 1}, 10, 20)}, nil, floats([]int{2, 3}, 11, 12, 13, 24, 25, 26)},
		{"add", []spec.Array{integers(tensor.Int8, []int{2}, 127, -128), integers(tensor.Int8, []int{}, 1)}, nil, integers(tensor.Int8, []int{2}, -128, -127)},
		{"sub", []spec.Array{naturals(tensor.Uint8, []int{1}, 3), naturals(tensor.Uint8, []int{1}, 5)}, nil, naturals(tensor.Uint8, []int{1}, 254)},
		{"div", []spec.Array{i4(7, -7, 5, math.MinInt32), i4(2, 2, 0, -1)}, nil, i4(3, -3, 0, math.MinInt32)},
		{"rem", []spec.Array{i4(7, -7, 5), i4(-3, 3, 0)}, nil, i4(1, -1, 0)},
		{"rem", []spec.Array{floats([]int{2}, 5.5, -5.5), floats([]int{}, 2)}, nil, floats([]int{2}, 1.5, -1.5)},
		{"maximum", []spec.Array{floats([]int{3}, nan, 1, 2), floats([]int{3}, 1, nan, 1)}, nil, floats([]int{3}, nan, nan, 2)},
		{"abs", []spec.Array{integers(tensor.Int8, []int{2}, -128, -5)}, nil, integers(tensor.Int8, []int{2}, -128, 5)},
		{"shift_left", []spec.Array{i4(1, 1, -1), i4(31, 32, -1)}, nil, i4(math.MinInt32, 0, 0)},
		{"shift_right", []spec.Array{i4(-8, -8, 8), i4(1, 40, 40)}, nil, i4(-4, -1, 0)},
		{"greater_equal", []spec.Array{floats([]int{3}, 1, nan, 2), floats([]int{3}, 1, 1, 3)}, nil, naturals(tensor.Bool, []int{3}, 1, 0, 0)},
		{"round", []spec.Array{floats([]int{4}, 0.5, 1.5, -2.5, 2.4)}, nil, floats([]int{4}, 0, 2, -2, 2)},
		{"acos", []spec.Array{floats([]int{3}, 1, -1, 0)}, nil, floats([]int{3}, 0, math.Pi, math.Pi/2)},
		{"atan2", []spec.Array{floats([]int{2}, -1e-300, 1), floats([]int{2}, -1e300, 1)}, nil, floats([]int{2}, -math.Pi, math.Pi/4)},
		{"log", []spec.Array{floats([]int{2}, 0x1p-1074, math.E)}, nil, floats([]int{2}, -1074*math.Ln2, 1)},
		{"pow", []spec.Array{floats([]int{2}, 0x1p-1074, -8), floats([]int{2}, 0.5, 3)}, nil, floats([]int{2}, 0x1p-537, -512)},
		{"transpose", []spec.Array{x23}, []int{1, 0}, floats([]int{3, 2}, 1, 4, 2, 5, 3, 6)},
		{"slice", []spec.Array{x23}, []ops.Range{{Axis: -1, Start: -1, Step: -2}}, floats([]int{2, 2}, 3, 1, 6, 4)},
		{"slice", []spec.Array{x23}, []ops.Range{{Axis: 0, Start: 1, Stop: 9}, {Axis: 1, Stop: -1}}, floats([]int{1, 2}, 4, 5)},
		{"pad", []spec.Array{floats([]int{2}, 1, 2)}, indexing.PadAttr{Value: 7, Paddings: []ops.Padding{{Axis: 0, Before: 1, After: 2}}}, floats([]int{5}, 7, 1, 2, 7, 7)},
		{"concat", []spec.Array{x23, floats([]int{2, 1}, 7, 8)}, 1, floats([]int{2, 4}, 1, 2, 3, 7, 4, 5, 6, 8)},
		{"windows", []spec.Array{floats([]int{5}, 1, 2, 3, 4, 5)}, []ops.Window{{Axis: 0, Size: 2, Stride: 2, Dilation: 2}}, floats([]int{2, 2}, 1, 3, 3, 5)},
		{"where", []spec.Array{naturals(tensor.Bool, []int{2}, 1, 0), floats([]int{}, nan), floats([]int{2}, 1, 2)}, nil, floats([]int{2}, nan, 2)},
		{"sum", []spec.Array{x23}, []int{0}, floats([]int{3}, 5, 7, 9)},
		{"sum", []spec.Array{integers(tensor.Int8, []int{3}, 100, 100, 100)}, []int(nil), integers(tensor.Int8, []int{}, 44)},
		{"prod", []spec.Array{floats([]int{0})}, []int(nil), floats([]int{}, 1)},
		{"max", []spec.Array{floats([]int{2, 2}, 1, nan, 3, 2)}, []int{1}, floats([]int{2}, nan, 3)},
		{"min", []spec.Array{integers(tensor.Int16, []int{0})}, []int(nil), integers(tensor.Int16, []int{}, math.MaxInt16)},
		{"argmax", []spec.Array{floats([]int{5}, 1, 3, 3, nan, nan)}, 0, integers(tensor.Int64, []int{}, 3)},
		{"argmin", []spec.Array{floats([]int{4}, 2, 1, 1, 5)}, 0, integers(tensor.Int64, []int{}, 1)},
		{"mean", []spec.Array{x23}, []int{1}, floats([]int{2}, 2, 5)},
		{"variance", []spec.Array{x23}, []int{1}, floats([]int{2}, 2.0/3, 2.0/3)},
		{"log_sum_exp", []spec.Array{floats([]int{2}, 1000, 1000)}, []int(nil), floats([]int{}, 1000+math.Ln2)},
		{"matmul", []spec.Array{x23, floats([]int{3}, 1, 0, -1)}, nil, floats([]int{2}, -2, -2)},
		{"matmul", []spec.Array{floats([]int{2}, 1, 2), floats([]int{2, 1, 2, 1}, 1, 1, 3, 4)}, nil, floats([]int{2, 1, 1}, 3, 11)},
		{"conv2d", []spec.Array{floats([]int{1, 1, 2, 2}, 1, 2, 3, 4), floats([]int{1, 1, 2, 2}, 1, 10, 100, 1000)},
			ops.Conv2DOptions{Pad: [2]int{1, 0}}, floats([]int{1, 1, 3, 1}, 2100, 4321, 43)},
		{"matmul_integer", []spec.Array{naturals(tensor.Uint8, []int{1, 2}, 255, 3), integers(tensor.Int8, []int{2, 1}, -128, 1), naturals(tensor.Uint8, []int{}, 1), integers(tensor.Int8, []int{1}, 1)},
			neural.QuantAttr{First: true, Second: true}, integers(tensor.Int32, []int{1, 1}, 254*-129)},
		{"conv_integer", []spec.Array{naturals(tensor.Uint8, []int{1, 1, 1, 2}, 7, 9), integers(tensor.Int8, []int{1, 1, 1, 2}, 1, -1), naturals(tensor.Uint8, []int{}, 5)},
			neural.QuantAttr{First: true, Conv: ops.Conv2DOptions{Pad: [2]int{0, 1}}}, integers(tensor.Int32, []int{1, 1, 1, 3}, -2, -2, 4)},
		{"quantize_linear", []spec.Array{floats([]int{4}, 1.25, -0.75, 900, nan), floats([]int{}, 0.5), naturals(tensor.Uint8, []int{}, 1)},
			neural.QuantAttr{First: true}, naturals(tensor.Uint8, []int{4}, 3, 0, 255, 0)},
		{"dequantize_linear", []spec.Array{integers(tensor.Int8, []int{2}, -128, 3), floats([]int{2}, 0.5, 2), integers(tensor.Int8, []int{2}, 127, 1)},
			neural.QuantAttr{First: true}, floats([]int{2}, -127.5, 4)},
		{"max_pool2d", []spec.Array{floats([]int{1, 1, 2, 2}, -1, -2, -3, -4)}, ops.PoolOptions{Size: [2]int{2, 2}, Pad: [2]int{1, 1}},
			floats([]int{1, 1, 2, 2}, -1, -2, -3, -4)},
		{"avg_pool2d", []spec.Array{floats([]int{1, 1, 1, 2}, 1, 2)}, ops.PoolOptions{Size: [2]int{1, 2}, Stride: [2]int{1, 1}, Pad: [2]int{0, 1}},
			floats([]int{1, 1, 1, 3}, 1, 1.5, 2)},
		{"gather", []spec.Array{x23, i4(1, -1, 3)}, 1, floats([]int{2, 3}, 2, 0, 0, 5, 0, 0)},
		{"take_along", []spec.Array{x23, integers(tensor.Int64, []int{2, 1}, 2, 0)}, 1, floats([]int{2, 1}, 3, 4)},
		{"scatter_add", []spec.Array{floats([]int{3}, 1, 1, 1), i4(2, 0, 2, 5), floats([]int{4}, 1, 2, 3, 4)}, 0, floats([]int{3}, 3, 1, 5)},
		{"softmax", []spec.Array{floats([]int{2, 1}, 0, math.Log(3))}, 0, floats([]int{2, 1}, 0.25, 0.75)},
		{"log_softmax", []spec.Array{floats([]int{1, 2}, 500, 500)}, -1, floats([]int{1, 2}, -math.Ln2, -math.Ln2)},
		{"cross_entropy", []spec.Array{floats([]int{2, 2}, 0, 0, 0, 0), i4(1, 7)}, nil, floats([]int{}, math.Ln2/2)},
		{"layer_norm", []spec.Array{floats([]int{1, 2}, 1, 3), floats([]int{2}, 1, 2), floats([]int{2}, 0, 1)}, 0.0, floats([]int{1, 2}, -1, 3)},
		{"batch_norm", []spec.Array{floats([]int{1, 1}, 5), floats([]int{1}, 2), floats([]int{1}, 1), floats([]int{1}, 3), floats([]int{1}, 4)}, 0.0, floats([]int{1, 1}, 3)},
		{"batch_norm_train", []spec.Array{floats([]int{2, 1}, 1, 3), floats([]int{1}, 1), floats([]int{1}, 0)}, 0.0, floats([]int{2, 1}, -1, 1)},
		{"embedding", []spec.Array{x23, i4(1)}, nil, floats([]int{1, 3}, 4, 5, 6)},
		{"clip", []spec.Array{floats([]int{3}, -5, nan, 5)}, [2]float64{-1, 2}, floats([]int{3}, -1, nan, 2)},
		{"elu", []spec.Array{floats([]int{2}, -inf, 2)}, 1.5, floats([]int{2}, -1.5, 2)},
		{"softplus", []spec.Array{floats([]int{2}, 1e9, -inf)}, nil, floats([]int{2}, 1e9, 0)},
	} {
		got := spec.Of(c.op).Reference(spec.Case{In: c.in, Attr: c.attr, DType: c.want.DType, Shape: c.want.Shape})
		v := Compare(spec.Tolerance{ULP64: 2}, c.want.Tensor(), got)
		require.True(t, v.OK(), "%s: %s", c.op, v.Message)
	}
}

func TestCastsOfTheReferenceSaturateWrapAndRoundOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, want spec.Array
	}{
		{floats([]int{5}, nan, 300, -300, 2.9, -2.9), integers(tensor.Int8, []int{5}, 0, 127, -128, 2, -2)},
		{floats([]int{3}, -1, inf, 1e30), naturals(tensor.Uint64, []int{3}, 0, math.MaxUint64, math.MaxUint64)},
		{integers(tensor.Int32, []int{2}, 257, -1), naturals(tensor.Uint8, []int{2}, 1, 255)},
		{naturals(tensor.Uint64, []int{1}, math.MaxUint64), integers(tensor.Int16, []int{1}, -1)},
		{floats([]int{3}, nan, 0, 0.1), naturals(tensor.Bool, []int{3}, 1, 0, 1)},
		{naturals(tensor.Bool, []int{2}, 1, 0), integers(tensor.Int64, []int{2}, 1, 0)},
		// 2^24 + 1 lies half way in float32; with something below it rounds up.
		{integers(tensor.Int64, []int{2}, 1<<24+1, 1<<54+1<<30+1), spec.Array{DType: tensor.Float32, Shape: []int{2}, F: []float64{1 << 24, 1<<54 + 1<<31}}},
		// Through float32 it would round to an even half first.
		{floats([]int{1}, 1+0x1p-11+0x1p-40), spec.Array{DType: tensor.Float16, Shape: []int{1}, F: []float64{1 + 0x1p-10}}},
		{floats([]int{2}, 65519, 65520), spec.Array{DType: tensor.Float16, Shape: []int{2}, F: []float64{65504, inf}}},
	} {
		got := spec.Of("cast").Reference(spec.Case{In: []spec.Array{c.from}, Attr: c.want.DType})
		v := Compare(spec.Moved, c.want.Tensor(), got)
		require.True(t, v.OK(), "%v to %v: %s", c.from.DType, c.want.DType, v.Message)
	}
}

func TestPhiloxOfTheReferenceGivesThePublishedAnswers(t *testing.T) {
	t.Parallel()
	// The known-answer tests of the authors' library Random123.
	require.Equal(t, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}, reference.PhiloxBlock([4]uint32{}, [2]uint32{}))
	ones := uint32(math.MaxUint32)
	require.Equal(t, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}, reference.PhiloxBlock([4]uint32{ones, ones, ones, ones}, [2]uint32{ones, ones}))
	require.Equal(t, [4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		reference.PhiloxBlock([4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0}))
}
