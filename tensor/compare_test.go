package tensor

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEqualComparesValuesNotLayout(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	x := Must(FromSlice([]float64{1, nan, 0, math.Inf(1)}, 2, 2))
	assert.True(t, Equal(x, Must(FromSlice([]float64{1, nan, math.Copysign(0, -1), math.Inf(1)}, 2, 2))))
	assert.False(t, Equal(x, Must(FromSlice([]float64{1, nan, 0, math.Inf(-1)}, 2, 2))))
	assert.False(t, Equal(x, Must(FromSlice([]float64{1, 2, 0, math.Inf(1)}, 2, 2))))
	assert.False(t, Equal(x, Must(x.Reshape(4))))
	assert.False(t, Equal(Scalar(1.0), Scalar(float32(1))))
	y := Must(Must(x.Transpose()).Clone().Transpose())
	assert.False(t, y.IsContiguous())
	assert.True(t, Equal(x, y))
	assert.True(t, Equal(Must(New(Bool, 0, 2)), Must(New(Bool, 0, 2))))
	assert.False(t, Equal(Must(New(Bool, 0, 2)), Must(New(Bool, 2, 0))))
}

func TestEqualSeesEveryBitOf64BitIntegers(t *testing.T) {
	t.Parallel()
	assert.False(t, Equal(Scalar(int64(1<<53)), Scalar(int64(1<<53+1))))
	assert.False(t, Equal(Scalar(uint64(math.MaxUint64)), Scalar(uint64(math.MaxUint64-1))))
	assert.True(t, Equal(Scalar(int64(math.MinInt64)), Scalar(int64(math.MinInt64))))
	close, why := AllClose(Scalar(int64(-1<<60-1)), Scalar(int64(-1<<60)), 0, 0.5)
	assert.False(t, close)
	assert.Contains(t, why, "-1152921504606846977 and -1152921504606846976")
	close, _ = AllClose(Scalar(int64(-1)), Scalar(uint64(math.MaxUint64)), 0, 1)
	assert.False(t, close)
	close, _ = AllClose(Scalar(int64(1<<60)), Scalar(uint64(1<<60+3)), 0, 3)
	assert.True(t, close)
}

func TestAllCloseBounds(t *testing.T) {
	t.Parallel()
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		a, b, rtol, atol float64
		want             bool
	}{
		{1, 1, 0, 0, true},
		{1, 1.5, 0, 0.5, true},
		{1, 1.5, 0, 0.49, false},
		{90, 100, 0.1, 0, true}, // relative to b
		{100, 90, 0.1, 0, false},
		{nan, nan, 0, 0, true},
		{nan, 1, 1, 1, false},
		{1, nan, 1, 1, false},
		{inf, inf, 0, 0, true},
		{inf, -inf, 1, 1, false},
		{1, inf, 1, 1, false},
		{inf, 1, 1, inf, false},
		{0, math.Copysign(0, -1), 0, 0, true},
		{1, 1, nan, nan, true},
		{1, 2, nan, 0, false},
	} {
		close, why := AllClose(Scalar(c.a), Scalar(c.b), c.rtol, c.atol)
		assert.Equal(t, c.want, close, "%+v", c)
		assert.Equal(t, c.want, why == "", "%+v: %s", c, why)
	}
}

func TestAllCloseReportsTheFirstDifferenceAndCountsAll(t *testing.T) {
	t.Parallel()
	x := Must(New(Float32, 30, 40))
	y := Must(New(Float64, 30, 40))
	require.NoError(t, x.SetAt(0.1, 20, 7))
	require.NoError(t, x.SetAt(3, 29, 39))
	close, why := AllClose(x, y, 0, 0.05)
	assert.False(t, close)
	assert.Contains(t, why, "2 of 1200 elements differ, first at [20 7]: 0.1 and 0 ")
	close, why = AllClose(x, Must(y.Reshape(40, 30)), 0, 9)
	assert.False(t, close)
	assert.Equal(t, "shapes differ: [30 40] and [40 30]", why)
	close, _ = AllClose(x, y, 0, 3)
	assert.True(t, close)
}
