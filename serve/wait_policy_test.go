package serve

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWaitsThatBringNothingAreLeftOut(t *testing.T) {
	t.Parallel()
	var p waitPolicy
	waits := 0
	for range 1000 {
		if p.worth() {
			waits++
			p.note(false)
		}
	}
	require.Less(t, waits, 20)
	require.GreaterOrEqual(t, waits, 8+900/tryAgain)
	for !p.worth() {
	}
	p.note(true) // one brings company: all wait again
	for range 4 {
		require.True(t, p.worth())
		p.note(true)
	}
}

func TestSizesOfBatchesEndAtTheLimit(t *testing.T) {
	t.Parallel()
	require.Equal(t, []int{1, 2, 4, 8, 12}, newCosts(12).sizes)
	require.Equal(t, []int{1, 2, 4, 8}, newCosts(8).sizes)
	require.Len(t, newCosts(math.MaxInt).sizes, 64)
}
