package tensor

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hardValues are floats at which conversions go wrong.
var hardValues = []float64{
	0, math.Copysign(0, -1), 0.25, 0.5, 0.999, 1, 1.5, -0.5, -1, -1.5, 2.5, 126.9, 127, 127.5, 128, -128, -128.9, -129,
	255, 255.5, 256, 32767, 32768, -32768, -32769, 65504, 65519, 65520, 65535, 65536, 1 << 24, 1<<24 + 1,
	math.MaxInt32, math.MaxInt32 + 1, math.MinInt32, math.MinInt32 - 1, math.MaxUint32, math.MaxUint32 + 1,
	1 << 53, 0x1p63, -0x1p63, 0x1.fffffffffffffp62, 0x1p64, 0x1.fffffffffffffp63, -0x1p64,
	0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-133, 0x1p-149, 1e-310, 3.4e38, 3.5e38, 1e300, -1e300,
	1 + 0x1p-8, 1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-24 + 0x1p-50,
	math.Inf(1), math.Inf(-1), math.NaN(),
}

// bounds are the integer dtypes' ranges, written down apart from the code.
var bounds = map[DType][2]string{
	Int8: {"-128", "127"}, Uint8: {"0", "255"}, Int16: {"-32768", "32767"}, Uint16: {"0", "65535"},
	Int32: {"-2147483648", "2147483647"}, Uint32: {"0", "4294967295"},
	Int64: {"-9223372036854775808", "9223372036854775807"}, Uint64: {"0", "18446744073709551615"},
}

// exact returns one element as text: floats in full, integers in decimal.
func exact(x *Tensor, i int) string {
	switch c := x.Contiguous(); c.dtype {
	case Int64:
		return fmt.Sprint(storage[int64](c)[c.offset+i])
	case Uint64:
		return fmt.Sprint(storage[uint64](c)[c.offset+i])
	}
	if !x.dtype.IsFloat() {
		return strconv.FormatFloat(x.Float64At(i), 'f', -1, 64)
	}
	return fmt.Sprint(x.Float64At(i))
}

// wantFromFloat is what the rules of Cast say of v, in arbitrary precision.
func wantFromFloat(v float64, to DType) string {
	switch {
	case to == Bool && v != 0:
		return "1"
	case to == Bool:
		return "0"
	case to.IsInt() && v != v:
		return "0"
	case to.IsInt():
		low, _ := new(big.Int).SetString(bounds[to][0], 10)
		high, _ := new(big.Int).SetString(bounds[to][1], 10)
		if math.IsInf(v, 1) {
			return high.String()
		}
		if math.IsInf(v, -1) {
			return low.String()
		}
		n, _ := new(big.Float).SetFloat64(v).Int(nil)
		if n.Cmp(low) < 0 {
			n = low
		}
		if n.Cmp(high) > 0 {
			n = high
		}
		return n.String()
	}
	return fmt.Sprint(roundTo(v, to))
}

// roundTo rounds v to a float dtype with big.Float where v is normal there. Subnormals and
// infinities are left to the narrowing that half_test.go holds to account.
func roundTo(v float64, to DType) float64 {
	precision := map[DType]uint{Float16: 11, BFloat16: 8, Float32: 24, Float64: 53}[to]
	smallest := map[DType]float64{Float16: 0x1p-14, BFloat16: 0x1p-126, Float32: 0x1p-126, Float64: 0}[to]
	largest := map[DType]float64{Float16: 65504, BFloat16: 0x1.fep127, Float32: math.MaxFloat32, Float64: math.MaxFloat64}[to]
	if v != v || math.IsInf(v, 0) {
		return v
	}
	if math.Abs(v) < smallest {
		switch to {
		case Float16:
			return HalfFrom64(v).Float64()
		case BFloat16:
			return BF16From64(v).Float64()
		}
		return float64(float32(v))
	}
	r, _ := new(big.Float).SetMode(big.ToNearestEven).SetPrec(precision).SetFloat64(v).Float64()
	if math.Abs(r) > largest {
		return math.Inf(int(math.Copysign(1, v)))
	}
	return r
}

func TestCastFromFloatsFollowsTheRules(t *testing.T) {
	t.Parallel()
	for _, from := range []DType{Float64, Float32, Float16, BFloat16} {
		x, err := Cast(Must(FromSlice(hardValues)), from)
		require.NoError(t, err)
		for _, to := range DTypes() {
			y, err := Cast(x, to)
			require.NoError(t, err)
			require.Equal(t, to, y.DType())
			for i := range x.Len() {
				v := x.Float64At(i)
				require.Equal(t, wantFromFloat(v, to), exact(y, i), "%v from %s to %s", v, from, to)
			}
		}
	}
}

// hardIntegers are 64-bit patterns at the edges of every width, and beside the ties of the floats.
var hardIntegers = func() []int64 {
	var all []int64
	for shift := range 64 {
		for _, near := range []int64{-2, -1, 0, 1, 2} {
			all = append(all, int64(uint64(1)<<shift)+near, -int64(uint64(1)<<shift)+near)
		}
	}
	for _, top := range []int64{1 << 62, 1 << 60, -1 << 62, -1 << 63} {
		for _, tie := range []int64{1 << 54, 1 << 52, 3 << 54, 1 << 38, 1 << 9, 3 << 9} {
			all = append(all, top+tie-1, top+tie, top+tie+1)
		}
	}
	return all
}()

func TestCastFromIntegersFollowsTheRules(t *testing.T) {
	t.Parallel()
	wide := Must(FromSlice(hardIntegers))
	for _, from := range DTypes() {
		if from.IsFloat() {
			continue
		}
		x, err := Cast(wide, from)
		require.NoError(t, err)
		for _, to := range DTypes() {
			y, err := Cast(x, to)
			require.NoError(t, err)
			for i := range x.Len() {
				v, ok := new(big.Int).SetString(exact(x, i), 10)
				require.True(t, ok)
				if want, got := wantFromInteger(v, to), exact(y, i); want != got {
					t.Fatalf("%s from %s to %s is %s, want %s", v, from, to, got, want)
				}
			}
		}
	}
}

func wantFromInteger(v *big.Int, to DType) string {
	switch {
	case to == Bool:
		return fmt.Sprint(v.CmpAbs(new(big.Int)))
	case to.IsInt():
		modulus := new(big.Int).Lsh(big.NewInt(1), uint(8*to.Size()))
		r := new(big.Int).Mod(v, modulus)
		if high, _ := new(big.Int).SetString(bounds[to][1], 10); r.Cmp(high) > 0 {
			r.Sub(r, modulus)
		}
		return r.String()
	}
	precision := map[DType]uint{Float16: 11, BFloat16: 8, Float32: 24, Float64: 53}[to]
	r, _ := new(big.Float).SetMode(big.ToNearestEven).SetPrec(precision).SetInt(v).Float64()
	if to == Float16 && math.Abs(r) > 65504 {
		r = math.Inf(v.Sign())
	}
	return fmt.Sprint(r)
}

func TestCastReadsViewsAndCopies(t *testing.T) {
	t.Parallel()
	x := iota32(t, 30, 40)
	view := Must(Must(x.Transpose()).Slice(0, 39, -1, -3))
	y, err := Cast(view, Int8)
	require.NoError(t, err)
	assert.True(t, y.IsContiguous())
	assert.Equal(t, view.Shape(), y.Shape())
	for i, v := range view.All() {
		require.Equal(t, float64(int8(v)), y.Float64At(i))
	}
	same, err := Cast(x, Int32)
	require.NoError(t, err)
	same.SetFloat64(0, 99)
	assert.Zero(t, x.Float64At(0))

	_, err = Cast(x, Invalid)
	require.ErrorContains(t, err, "int32")
	_, err = Cast(x, DType(200))
	require.Error(t, err)
	huge := Must(Scalar(int8(1)).BroadcastTo(1 << 44))
	_, err = Cast(huge, Float64)
	require.ErrorContains(t, err, "too many bytes")
	none, err := Cast(Must(New(Float32, 0, 4)), Bool)
	require.NoError(t, err)
	assert.Zero(t, none.Len())
}

func TestSettersFollowTheRulesOfCast(t *testing.T) {
	t.Parallel()
	for _, dt := range DTypes() {
		x := Must(New(dt, 1))
		for _, v := range hardValues {
			x.SetFloat64(0, v)
			require.Equal(t, wantFromFloat(v, dt), exact(x, 0), "%v as %s", v, dt)
		}
	}
}
