package perfecthash

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Keys in a row, apart by powers of two, extreme, and random, in all numbers.
func TestPerfectHashFindsEveryKeyInItsSlot(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 8))
	for _, n := range []int{1, 2, 3, 7, 64, 1000, 10_000} {
		for shift := range 4 {
			keys, values := make([]int64, n), make([]int64, n)
			for i := range keys {
				keys[i], values[i] = int64(i)<<(16*shift%47), int64(i)
				if shift == 3 {
					keys[i] = int64(rng.Uint64())
				}
			}
			if n > 3 {
				keys[n-1], keys[n-2] = math.MinInt64, math.MaxInt64
			}
			h, err := New(keys, values)
			require.NoError(t, err)
			for i, k := range keys {
				x := h.mix(k)
				s := h.slot(x, h.Displace[h.bucket(x)])
				require.Equal(t, k, h.Keys[s])
				require.Equal(t, int64(i), h.Values[s])
			}
		}
	}
}
