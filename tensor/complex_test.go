package tensor

import (
	"bytes"
	"fmt"
	"math"
	"math/cmplx"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var complexDTypes = []DType{Complex64, Complex128}

func TestComplexDTypesHaveParts(t *testing.T) {
	t.Parallel()
	for i, dt := range complexDTypes {
		part := []DType{Float32, Float64}[i]
		assert.True(t, dt.Valid() && dt.IsComplex() && !dt.IsFloat() && !dt.IsInt() && !dt.IsSigned())
		assert.Equal(t, part, dt.Part())
		assert.Equal(t, dt, part.Complex())
		assert.Equal(t, 2*part.Size(), dt.Size())
		assert.Equal(t, dt, Must(ParseDType(dt.String())))
		assert.NotContains(t, DTypes(), dt)
	}
	assert.Equal(t, Invalid, Float16.Complex())
	assert.Equal(t, Int8, Int8.Part())
}

func TestComplexViewsShareMemory(t *testing.T) {
	t.Parallel()
	data := []complex64{1 + 2i, 3 - 4i, 5, 6i, -7, 8 + 9i}
	z := Must(FromSlice(data, 2, 3))
	r := Must(z.AsReal())
	assert.Equal(t, []int{2, 3, 2}, r.Shape())
	assert.Equal(t, []float64{1, 2, 3, -4, 5, 0, 0, 6, -7, 0, 8, 9}, elements(r))
	require.NoError(t, r.SetAt(11, 0, 1, 1))
	assert.Equal(t, complex64(3+11i), data[1])

	turned := Must(z.Transpose())
	assert.True(t, Equal(turned, Must(Must(turned.AsReal()).AsComplex())), "a view of a view")
	assert.Equal(t, 6i, Must(turned.ComplexAt(0, 1)))
	part := Must(turned.Slice(0, 2, -1, -1))
	assert.Equal(t, []complex64{5, 8 + 9i, 3 + 11i, -7, 1 + 2i, 6i}, Must(ToSlice[complex64](part)))
	assert.True(t, Equal(part, part.Clone()))

	for _, wrong := range []*Tensor{
		Must(New(Float16, 2)), Must(New(Float32, 3)), Scalar(1.0), Must(Must(New(Float32, 2, 4)).Slice(1, 1, 3, 1)),
		Must(Must(New(Float64, 2, 2)).Transpose()),
	} {
		_, err := wrong.AsComplex()
		assert.Error(t, err, "%v", wrong)
	}
	_, err := Scalar(1.0).AsReal()
	require.ErrorContains(t, err, "not complex")
	empty := Must(New(Complex128, 0, 3))
	assert.Equal(t, []int{0, 3}, Must(Must(empty.AsReal()).AsComplex()).Shape())
}

func TestComplexCasts(t *testing.T) {
	t.Parallel()
	z := Must(FromSlice([]complex128{0, 1.5 - 2i, 3i, complex(math.NaN(), 0), complex(math.Inf(1), 1e300), 1e300}))
	assert.Equal(t, []bool{false, true, true, true, true, true}, Must(ToSlice[bool](Must(Cast(z, Bool)))))
	assert.Equal(t, []int8{0, 1, 0, 0, 127, 127}, Must(ToSlice[int8](Must(Cast(z, Int8)))))
	narrow := Must(Cast(z, Complex64))
	inf := math.Inf(1)
	assert.Equal(t, complex64(complex(inf, inf)), Must(ToSlice[complex64](narrow))[4])
	assert.Equal(t, complex64(1.5-2i), Must(ToSlice[complex64](narrow))[1])
	for _, from := range DTypes() {
		x := Must(Cast(Must(FromSlice([]float64{0, 1, 2, 3}, 2, 2)), from))
		turned := Must(x.Transpose())
		for _, to := range complexDTypes {
			c := Must(Cast(turned, to))
			for i := range 4 {
				assert.Equal(t, complex(turned.Float64At(i), 0), c.Complex128At(i), "%v to %v", from, to)
			}
			assert.True(t, Equal(turned, Must(Cast(c, from))))
		}
	}
}

func TestComplexElements(t *testing.T) {
	t.Parallel()
	z := Must(New(Complex128, 2, 2))
	require.NoError(t, z.SetComplexAt(1-2i, 1, 0))
	require.NoError(t, z.SetAt(4, 0, 1))
	require.Error(t, z.SetComplexAt(1, 2, 0))
	assert.Equal(t, []complex128{0, 4, 1 - 2i, 0}, Must(ToSlice[complex128](z)))
	assert.InDelta(t, 1, Must(z.At(1, 0)), 0)
	_, err := z.ComplexAt(0)
	require.Error(t, err)
	x := Must(New(Float32, 1))
	require.NoError(t, x.SetComplexAt(3+4i, 0))
	assert.Equal(t, complex(3, 0), x.Complex128At(0))
}

func TestComplexComparisons(t *testing.T) {
	t.Parallel()
	nan := cmplx.NaN()
	a := Must(FromSlice([]complex128{1 + 1i, nan, cmplx.Inf(), 3}))
	assert.True(t, Equal(a, a.Clone()))
	b := Must(FromSlice([]complex128{1 + 1.001i, nan, cmplx.Inf(), 3 + 1e-3i}))
	assert.False(t, Equal(a, b))
	ok, _ := AllClose(a, b, 0, 1.1e-3)
	assert.True(t, ok)
	ok, why := AllClose(a, b, 0, 1e-4)
	assert.False(t, ok)
	assert.Contains(t, why, "2 of 4 elements differ, first at [0]: 1+1i and 1+1.001i")
	ok, _ = AllClose(Must(FromSlice([]complex128{1})), Must(FromSlice([]complex128{cmplx.Inf()})), 1, 1)
	assert.False(t, ok)
	ok, _ = AllClose(Must(FromSlice([]complex128{2})), Scalar(2.0), 0, 0)
	assert.False(t, ok, "shapes")
}

func TestComplexFiles(t *testing.T) {
	t.Parallel()
	want := Must(FromSlice([]complex128{1 + 2i, complex(0, -0.5), 3, complex(math.Inf(1), -1), -4 + 0.25i, 0}, 2, 3))
	for _, dt := range complexDTypes {
		for _, order := range []string{"le", "be"} {
			z, err := LoadNPY(filepath.Join("testdata", dt.String()+"_"+order+".npy"))
			require.NoError(t, err)
			assert.True(t, Equal(Must(Cast(want, dt)), z), "%s %s: %v", dt, order, z)
		}
		var file bytes.Buffer
		turned := Must(Must(Cast(want, dt)).Transpose())
		require.NoError(t, WriteNPY(&file, turned))
		assert.True(t, Equal(turned, Must(ReadNPY(&file))))
	}
}

func TestComplexText(t *testing.T) {
	t.Parallel()
	z := Must(FromSlice([]complex64{1 + 2i, 0.1 - 3i}))
	assert.Equal(t, "complex64 [2]\n[  1+2i 0.1-3i]", z.String())
	assert.Equal(t, "complex64 [2]\n[1.00+2.00i 0.10-3.00i]", fmt.Sprintf("%.2f", z))
	assert.Equal(t, "complex128 [] NaN+Infi", Scalar(complex(math.NaN(), math.Inf(1))).String())
}
