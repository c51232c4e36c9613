package tensor

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPrintingIsReadable(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	for want, x := range map[string]*Tensor{
		"float64 [] 3.5":          Scalar(3.5),
		"int8 [] -3":              Scalar(int8(-3)),
		"bool [0 2]":              Must(New(Bool, 0, 2)),
		"bool [2]\n[ true false]": Must(FromSlice([]bool{true, false})),
		"float32 [2 3]\n" +
			"[[ 1.   2.5  3. ]\n" +
			" [-4.   5.   0.1]]": Must(FromSlice([]float32{1, 2.5, 3, -4, 5, 0.1}, 2, 3)),
		"float64 [2 1 3]\n" +
			"[[[1.0e-09 2.5e+00 1.0e-01]]\n" +
			"\n" +
			" [[    nan    -inf 6.0e+00]]]": Must(FromSlice([]float64{1e-9, 2.5, 0.1, nan, -inf, 6}, 2, 1, 3)),
		"float64 [4]\n[ nan -inf  0.5 -0. ]":                      Must(FromSlice([]float64{nan, -inf, 0.5, math.Copysign(0, -1)})),
		"float64 [2]\n[nan inf]":                                  Must(FromSlice([]float64{nan, inf})),
		"float64 [2]\n[0.33333333 1.        ]":                    Must(FromSlice([]float64{1. / 3, 1})),
		"float64 [1]\n[3.33333333e+09]":                           Must(FromSlice([]float64{1e10 / 3})),
		"float16 [2]\n[0.1    0.3333]":                            Must(FromSlice([]Half{HalfFrom(0.1), HalfFrom(1. / 3)})),
		"bfloat16 [2]\n[0.1  3.14]":                               Must(FromSlice([]BF16{BF16From(0.1), BF16From(3.14)})),
		"uint64 [2]\n[18446744073709551615                    0]": Must(FromSlice([]uint64{math.MaxUint64, 0})),
		"int64 [2]\n[-9223372036854775808                    1]":  Must(FromSlice([]int64{math.MinInt64, 1})),
		"int32 [3 2]\n[[0 3]\n [1 4]\n [2 5]]":                    Must(iota32(t, 2, 3).Transpose()),
	} {
		assert.Equal(t, want, x.String())
		assert.Equal(t, want, fmt.Sprint(x))
	}
}

func TestLargeTensorsAreSummarised(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "int32 [40 50]\n"+
		"[[   0    1    2 ...   47   48   49]\n"+
		" [  50   51   52 ...   97   98   99]\n"+
		" [ 100  101  102 ...  147  148  149]\n"+
		" ...\n"+
		" [1850 1851 1852 ... 1897 1898 1899]\n"+
		" [1900 1901 1902 ... 1947 1948 1949]\n"+
		" [1950 1951 1952 ... 1997 1998 1999]]", iota32(t, 40, 50).String())
	assert.Equal(t, "int32 [2000]\n[   0    1    2 ... 1997 1998 1999]", iota32(t, 2000).String())
	assert.NotContains(t, iota32(t, 1000).String(), "...")
}

func TestLongRowsWrapUnderTheirBracket(t *testing.T) {
	t.Parallel()
	lines := strings.Split(iota32(t, 2, 60).String(), "\n")[1:]
	assert.Len(t, lines, 8)
	for i, line := range lines {
		assert.LessOrEqual(t, len(line), lineWidth)
		assert.Equal(t, i == 0, strings.HasPrefix(line, "[["))
		assert.Equal(t, i == 4, strings.HasPrefix(line, " ["))
	}
	assert.True(t, strings.HasPrefix(lines[1], "   19 "), lines[1])
}

func TestVerbsFormatEachElement(t *testing.T) {
	t.Parallel()
	x := Must(FromSlice([]float32{1, -2.55, 0.125}))
	assert.Equal(t, "float32 [3]\n[ 1.00 -2.55  0.13]", fmt.Sprintf("%.2f", Must(FromSlice([]float32{1, -2.55, 0.126}))))
	assert.Equal(t, "float32 [3]\n[    1 -2.55 0.125]", fmt.Sprintf("%g", x))
	assert.Equal(t, "float32 [3]\n[ 1.0e+00 -2.5e+00  1.2e-01]", fmt.Sprintf("%.1e", Must(FromSlice([]float32{1, -2.54, 0.12}))))
	assert.Equal(t, "int8 [] 3", fmt.Sprintf("%.2f", Scalar(int8(3))))
	assert.Equal(t, "%!d(*tensor.Tensor=float32 [3])", fmt.Sprintf("%d", x))
	assert.Equal(t, "<nil>", fmt.Sprint((*Tensor)(nil)))
}

func TestPrintingABroadcastGiantIsCheap(t *testing.T) {
	t.Parallel()
	x, err := Scalar(float32(0.5)).BroadcastTo(1<<20, 1<<20)
	require.NoError(t, err)
	assert.Less(t, len(x.String()), 300)
}
