package fft

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFactorsAreFewAndShort(t *testing.T) {
	for n, want := range map[int][]int{
		1: {1}, 2: {2}, 64: {64}, 97: {97}, 128: {16, 8}, 360: {20, 18}, 4096: {64, 64}, 127 * 64: {127, 64}, 131: nil, 2 * 10007: nil, 121: {11, 11},
	} {
		require.Equal(t, want, factors(n), n)
	}
	for n := 1; n < 3000; n++ {
		f, product := factors(n), 1
		for _, x := range f {
			product *= x
			require.LessOrEqual(t, x, longPrime)
		}
		if primesOf(n)[0] > longPrime {
			require.Nil(t, f)
		} else {
			require.Equal(t, n, product)
		}
	}
	require.Equal(t, 20250, smooth(20014))
}

func TestRootsAreExactOnTheAxes(t *testing.T) {
	require.Equal(t, []complex128{1, -1i, -1, 1i}, []complex128{root(0, 4), root(1, 4), root(2, 4), root(3, 4)})
	for _, n := range []int{3, 8, 12, 100, 4096, 10007} {
		for k := range min(n, 500) {
			r := root(k, n)
			require.InDelta(t, 0, cmplx.Abs(r-cmplx.Rect(1, -2*math.Pi*float64(k)/float64(n))), 1e-15)
			require.InDelta(t, 0, cmplx.Abs(cmplx.Conj(r)-root(n-k, n)), 3e-16, "%d of %d", k, n)
		}
	}
}
