package numerics_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// registers holds the elements of x as an engine loads them.
func registers(t *testing.T, x *tensor.Tensor) engine.Block {
	t.Helper()
	var b engine.Block
	var err error
	wide := func(dt tensor.DType) *tensor.Tensor { return tensor.Must(tensor.Cast(x, dt)) }
	switch engine.ClassOf(x.DType()) {
	case engine.ClassF32:
		b.F32, err = tensor.ToSlice[float32](wide(tensor.Float32))
	case engine.ClassF64:
		b.F64, err = tensor.ToSlice[float64](x)
	case engine.ClassI64:
		b.I64, err = tensor.ToSlice[int64](wide(tensor.Int64))
	case engine.ClassU64:
		b.U64, err = tensor.ToSlice[uint64](wide(tensor.Uint64))
	}
	require.NoError(t, err)
	return b
}

// stored is what an engine stores from registers: integers wrap, and what is
// no integer must be exact in dt already.
func stored(t *testing.T, dt tensor.DType, b engine.Block) *tensor.Tensor {
	t.Helper()
	var wide *tensor.Tensor
	switch engine.ClassOf(dt) {
	case engine.ClassF32:
		wide = tensor.Must(tensor.FromSlice(b.F32))
	case engine.ClassF64:
		wide = tensor.Must(tensor.FromSlice(b.F64))
	case engine.ClassI64:
		wide = tensor.Must(tensor.FromSlice(b.I64))
	case engine.ClassU64:
		wide = tensor.Must(tensor.FromSlice(b.U64))
	}
	narrow := tensor.Must(tensor.Cast(wide, dt))
	if dt.IsFloat() || dt == tensor.Bool {
		again := tensor.Must(tensor.Cast(narrow, wide.DType()))
		require.True(t, tensor.Equal(wide, again), "a cast to %v left something to round", dt)
	}
	return narrow
}

// castValues are numbers at which a conversion between some pair of dtypes breaks.
func castValues() (floats []float64, ints []int64, uints []uint64) {
	floats = []float64{
		0, math.Copysign(0, -1), 0.5, -0.5, 0.999999, -0.999999, 1.5, 2.5, -2.5, 127, 127.9, 128, -128, -128.9, -129, 255.9, 256,
		32767.5, 32768, -32769, 65535.5, 65504, 65519.9, 65520, 65536, 2147483520, 2147483647, 2147483648, -2147483648, -2147483649, 4294967295, 4294967296,
		9007199254740993, 9223372036854774784, 9223372036854775808, -9223372036854775808, 18446744073709549568, 18446744073709551616, 1e30, -1e30,
		math.MaxFloat32, math.MaxFloat64, -math.MaxFloat64, 3.4028235677973366e38, math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat64,
		0x1p-24, 0x1p-25, 0x1.8p-25, 0x1.002p0, 0x1.006p0, 0x1.0020000000001p0, 0x1.01p0, 0x1.03p0, 0x1.0100000000001p0, 1 / 3.0,
		math.NaN(), math.Inf(1), math.Inf(-1),
	}
	ints = []int64{0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, -32769, 65519, 65520, 65535, 65536, 16777217, 33554435, math.MaxInt32, math.MinInt32,
		1 << 31, 1<<53 + 1, -(1<<53 + 1), 1<<62 + 1<<54, 1<<62 + 1<<54 + 1, -(1<<62 + 1<<54 + 1), 0x4040000000000001, 0x4040000000000000, math.MaxInt64, math.MinInt64}
	for _, v := range ints {
		uints = append(uints, uint64(v))
	}
	return floats, ints, append(uints, 0x8080000000000001, 0x8080000000000000, 0x8180000000000000)
}

func TestHostCastIsThatOfTensors(t *testing.T) {
	t.Parallel()
	f, i, u := castValues()
	for _, from := range tensor.DTypes() {
		x := tensor.Must(tensor.FromSlice(f))
		switch {
		case from.IsFloat():
		case from.IsSigned():
			x = tensor.Must(tensor.FromSlice(i))
		default:
			x = tensor.Must(tensor.FromSlice(u))
		}
		x = tensor.Must(tensor.Cast(x, from))
		for _, to := range tensor.DTypes() {
			want := tensor.Must(tensor.Cast(x, to))
			dst := registers(t, tensor.Must(tensor.New(to, x.Len())))
			opOf("cast").Scalar.Host(to, []tensor.DType{from}, dst, []engine.Block{registers(t, x)})
			require.True(t, tensor.Equal(want, stored(t, to, dst)), "%v to %v:\n%v\nwant %v", from, to, stored(t, to, dst), want)
		}
	}
}
