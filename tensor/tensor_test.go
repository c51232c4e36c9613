package tensor

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// iota32 returns an int32 tensor whose elements are their own row-major indices.
func iota32(t testing.TB, shape ...int) *Tensor {
	t.Helper()
	x, err := New(Int32, shape...)
	require.NoError(t, err)
	for i := range x.Len() {
		storage[int32](x)[i] = int32(i)
	}
	return x
}

func elements(t *Tensor) []float64 {
	all := make([]float64, 0, t.Len())
	for _, v := range t.All() {
		all = append(all, v)
	}
	return all
}

func TestDTypesNameThemselvesAndParseBack(t *testing.T) {
	t.Parallel()
	require.Len(t, DTypes(), 13)
	for i, d := range DTypes() {
		assert.Equal(t, DType(i+1), d)
		back, err := ParseDType(d.String())
		require.NoError(t, err)
		assert.Equal(t, d, back)
		assert.True(t, d.Valid())
		assert.False(t, d.IsFloat() && d.IsInt())
		assert.Equal(t, d == Bool, !d.IsFloat() && !d.IsInt())
	}
	for _, s := range []string{"", "invalid", "Float32", "f4"} {
		_, err := ParseDType(s)
		require.ErrorContains(t, err, "bfloat16", s)
	}
	assert.False(t, Invalid.Valid())
	assert.False(t, DType(99).Valid())
	assert.Equal(t, "dtype(99)", DType(99).String())
	assert.Zero(t, DType(99).Size())
}

// elemCase checks that one Go type and one dtype belong together.
func elemCase[T Elem](t *testing.T, want DType, signed bool, one T) {
	t.Helper()
	assert.Equal(t, want, DTypeOf[T]())
	assert.Equal(t, int(unsafe.Sizeof(one)), want.Size())
	assert.Equal(t, signed, want.IsSigned(), want)
	s := Scalar(one)
	assert.Equal(t, want, s.DType())
	assert.Zero(t, s.Rank())
	v, err := s.At()
	require.NoError(t, err)
	assert.Equal(t, 1.0, v)
	back, err := ToSlice[T](s)
	require.NoError(t, err)
	assert.Equal(t, []T{one}, back)
}

func TestEachElementTypeHasItsDType(t *testing.T) {
	t.Parallel()
	elemCase(t, Bool, false, true)
	elemCase[int8](t, Int8, true, 1)
	elemCase[uint8](t, Uint8, false, 1)
	elemCase[int16](t, Int16, true, 1)
	elemCase[uint16](t, Uint16, false, 1)
	elemCase[int32](t, Int32, true, 1)
	elemCase[uint32](t, Uint32, false, 1)
	elemCase[int64](t, Int64, true, 1)
	elemCase[uint64](t, Uint64, false, 1)
	elemCase(t, Float16, true, HalfFrom(1))
	elemCase(t, BFloat16, true, BF16From(1))
	elemCase[float32](t, Float32, true, 1)
	elemCase[float64](t, Float64, true, 1)
}

func TestNewStorageIsZeroAndAligned(t *testing.T) {
	t.Parallel()
	for _, dt := range DTypes() {
		for _, shape := range [][]int{nil, {0}, {1}, {3, 0, 2}, {7, 11}, {1, 1, 1}} {
			x, err := New(dt, shape...)
			require.NoError(t, err)
			data, ok := x.Bytes()
			require.True(t, ok)
			assert.Len(t, data, x.NumBytes())
			assert.Zero(t, addressOf(data)%Alignment)
			for _, v := range x.All() {
				assert.Zero(t, v)
			}
		}
	}
	for n := range 200 {
		b := AlignedBytes(n)
		require.Len(t, b, n)
		require.Equal(t, n, cap(b))
		require.Zero(t, addressOf(b)%Alignment)
	}
	assert.Empty(t, AlignedBytes(-1))
}

func TestImpossibleShapesAreErrors(t *testing.T) {
	t.Parallel()
	for _, shape := range [][]int{
		{-1}, {2, -3}, {0, -1}, {math.MaxInt, 2}, {1 << 32, 1 << 31}, {math.MaxInt, math.MaxInt, math.MaxInt},
		{0, math.MaxInt, 2}, {1 << 21, 1 << 21, 1 << 21, 2}, {math.MinInt},
	} {
		_, err := NumElems(shape)
		require.Error(t, err, shape)
		_, err = New(Float32, shape...)
		require.ErrorContains(t, err, ShapeString(shape))
		_, err = FromSlice([]int8{1}, shape...)
		require.Error(t, err, shape)
	}
	n, err := NumElems([]int{1 << 31, 3, 1 << 20})
	require.NoError(t, err)
	assert.Equal(t, 3<<51, n)
	_, err = New(Int8, math.MaxInt) // fits an int, no memory
	require.ErrorContains(t, err, "too many bytes")
	_, err = New(Invalid, 2)
	require.Error(t, err)
	_, err = New(DType(77))
	require.ErrorContains(t, err, "dtype(77)")
}

func TestMustSlicePanicsForAnotherDType(t *testing.T) {
	x := Must(FromSlice([]int32{1, 2}))
	require.Equal(t, []int32{1, 2}, MustSlice[int32](x))
	require.Panics(t, func() { MustSlice[float32](x) })
}

func TestFromSliceAndToSliceShareMemory(t *testing.T) {
	t.Parallel()
	data := []float32{1, 2, 3, 4, 5, 6}
	x, err := FromSlice(data, 2, 3)
	require.NoError(t, err)
	data[4] = 50
	v, err := x.At(1, 1)
	require.NoError(t, err)
	assert.Equal(t, 50.0, v)
	back, err := ToSlice[float32](x)
	require.NoError(t, err)
	back[0] = -1
	assert.Equal(t, float32(-1), data[0])

	transposed, err := x.Transpose()
	require.NoError(t, err)
	copied, err := ToSlice[float32](transposed)
	require.NoError(t, err)
	assert.Equal(t, []float32{-1, 4, 2, 50, 3, 6}, copied)
	copied[0] = 9
	assert.Equal(t, float32(-1), data[0])

	part, err := x.Slice(0, 1, 2, 1)
	require.NoError(t, err)
	shared, err := ToSlice[float32](part)
	require.NoError(t, err)
	assert.Equal(t, []float32{4, 50, 6}, shared)
	assert.Equal(t, 3, cap(shared), "an append must not write into the parent")
}

func TestConstructorsRefuseDataThatDoNotFit(t *testing.T) {
	t.Parallel()
	_, err := FromSlice([]int16{1, 2, 3}, 2, 2)
	require.ErrorContains(t, err, "[2 2] of int16 takes 4 elements, the data has 3")
	_, err = FromBytes(Float32, make([]byte, 7), 2)
	require.Error(t, err)
	_, err = FromBytes(Float32, make([]byte, 7), 1)
	require.ErrorContains(t, err, "[1] of float32 takes 4 bytes, the data has 7")
	_, err = FromBytes(Float64, AlignedBytes(17)[1:], 2)
	require.ErrorContains(t, err, "aligned")
	_, err = FromBytes(Float64, AlignedBytes(17)[1:1], 2, 0)
	require.NoError(t, err, "no element lies anywhere")
	_, err = FromBytes(Invalid, nil)
	require.Error(t, err)
	_, err = ToSlice[int32](Must(New(Float32, 2)))
	require.ErrorContains(t, err, "float32")
	require.ErrorContains(t, err, "int32")

	line, err := FromSlice([]uint8{1, 2, 3})
	require.NoError(t, err)
	assert.Equal(t, []int{3}, line.Shape())
	none, err := FromSlice[float64](nil)
	require.NoError(t, err)
	assert.Equal(t, []int{0}, none.Shape())
	got, err := ToSlice[float64](none)
	require.NoError(t, err)
	assert.Empty(t, got)
	scalar, err := FromBytes(Int16, AlignedBytes(2))
	require.NoError(t, err)
	assert.Zero(t, scalar.Rank())
	assert.Equal(t, 1, scalar.Len())
}

func TestTheShapeIsNotTheCallersSlice(t *testing.T) {
	t.Parallel()
	shape := []int{2, 3}
	x := Must(New(Int8, shape...))
	v, err := x.Reshape(shape...)
	require.NoError(t, err)
	b, err := x.BroadcastTo(shape...)
	require.NoError(t, err)
	shape[0] = 99
	for _, y := range []*Tensor{x, v, b} {
		assert.Equal(t, []int{2, 3}, y.Shape())
	}
}

func TestMustPanicsOnError(t *testing.T) {
	t.Parallel()
	assert.Panics(t, func() { Must(New(Float32, -1)) })
	assert.NotPanics(t, func() { Must(New(Float32, 1)) })
}

func TestZeroTensorHoldsNothing(t *testing.T) {
	t.Parallel()
	var zero Tensor
	assert.Equal(t, "invalid tensor", zero.String())
	assert.Zero(t, zero.Len())
	assert.Zero(t, zero.NumBytes())
	assert.Zero(t, zero.Clone().Len())
	_, err := ToSlice[float32](&zero)
	require.Error(t, err)
	_, err = Cast(&zero, Float32)
	require.NoError(t, err)
	require.Error(t, WriteNPY(nil, &zero))
}

func TestElementAccessChecksItsIndex(t *testing.T) {
	t.Parallel()
	x := iota32(t, 2, 3)
	for _, index := range [][]int{{}, {1}, {0, 0, 0}, {2, 0}, {0, 3}, {-1, 0}, {0, -1}} {
		_, err := x.At(index...)
		require.Error(t, err, index)
		require.Error(t, x.SetAt(1, index...), index)
	}
	view, err := x.Slice(1, 0, 2, 1) // storage goes on behind the view
	require.NoError(t, err)
	for _, i := range []int{-1, 4, math.MaxInt, math.MinInt} {
		assert.Panics(t, func() { view.Float64At(i) }, i)
		assert.Panics(t, func() { view.SetFloat64(i, 0) }, i)
	}
	assert.Equal(t, 4.0, view.Float64At(3))
	view.SetFloat64(2, 77.9)
	require.NoError(t, view.SetAt(-5, 0, 1))
	assert.Equal(t, []float64{0, -5, 2, 77, 4, 5}, elements(x))
}

func TestElementAccessAllocatesNothing(t *testing.T) {
	x := Must(New(Float16, 4, 5))
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		x.SetFloat64(7, x.Float64At(6)+1)
		_ = x.Shape()
		_, _ = x.Bytes()
	}))
}

func TestIterationStopsWhenAsked(t *testing.T) {
	t.Parallel()
	x, err := iota32(t, 40, 50).Transpose()
	require.NoError(t, err)
	seen := 0
	for i, v := range x.All() {
		require.Equal(t, x.Float64At(i), v)
		if seen++; seen == 700 {
			break
		}
	}
	assert.Equal(t, 700, seen)
}

func TestIndexArithmeticHolds64Bits(t *testing.T) {
	t.Parallel()
	// A row of 3 bytes repeated 2^33 times: large indices over little memory.
	row := Must(FromSlice([]uint8{10, 20, 30}, 1, 3))
	big, err := row.BroadcastTo(1<<33, 3)
	require.NoError(t, err)
	assert.Equal(t, 3<<33, big.Len())
	assert.Equal(t, 20.0, big.Float64At(3<<33-2))
	v, err := big.At(1<<33-1, 2)
	require.NoError(t, err)
	assert.Equal(t, 30.0, v)
	tail, err := big.Slice(0, 1<<33-2, 1<<33, 1)
	require.NoError(t, err)
	assert.Equal(t, []float64{10, 20, 30, 10, 20, 30}, elements(tail))
	assert.Contains(t, big.String(), "uint8 [8589934592 3]")
	_, err = row.BroadcastTo(1<<60, 3)
	require.Error(t, err)
}
