package fft

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFactorsAreFewAndShort(t *testing.T) {
	for n, want := range map[int][]int{
		1: {1}, 2: {2}, 64: {64}, 97: {97}, 256: {256}, 360: {20, 18}, 4096: {64, 64}, 127 * 64: {127, 64}, 121: {121}, 1 << 16: {256, 256}, 1 << 20: {128, 128, 64},
	} {
		require.Equal(t, want, factors(n, factor), n)
	}
	require.Equal(t, []int{16, 16}, factors(256, fewFactor))
	require.Equal(t, []int{97}, factors(97, fewFactor))
	for n := 1; n < 3000; n++ {
		if primesOf(n)[0] > longPrime {
			continue
		}
		for _, longest := range []int{fewFactor, factor, stepMost} {
			product := 1
			for _, f := range factors(n, longest) {
				product *= f
				require.LessOrEqual(t, f, stepMost)
				for _, passes := range [][]int{radices(f), hostRadices(f)} {
					all := 1
					for _, r := range passes {
						all *= r
					}
					require.Equal(t, f, all)
					require.LessOrEqual(t, len(passes), 8, "bytes of a number")
				}
			}
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
