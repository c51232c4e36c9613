package fallback

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParallelCoversEachNumberOnce(t *testing.T) {
	for _, n := range []int{-1, 0, 1, 2, 3, 17, 1000} {
		counts := make([]atomic.Int32, max(n, 0))
		Parallel(n, func(from, to int) {
			for i := from; i < to; i++ {
				counts[i].Add(1)
			}
		})
		for i := range counts {
			require.EqualValues(t, 1, counts[i].Load(), "%d of %d", i, n)
		}
	}
}

func TestAPanicInParallelIsItsCallers(t *testing.T) {
	for _, n := range []int{1, 100} {
		require.PanicsWithValue(t, "mistake", func() {
			Parallel(n, func(from, _ int) {
				if from == 0 {
					panic("mistake")
				}
			})
		})
	}
}
