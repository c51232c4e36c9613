package contract

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnitsAreBusyUntilTheLastItemIsDone(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		units := 1 + r.Int64N(9)
		one := make([]int64, units) // when each is done, item after item
		b := newMakespan(units)
		for range 1 + r.IntN(5) {
			n, each := r.Int64N(60), r.Int64N(50)
			for range n {
				i := slices.Index(one, slices.Min(one))
				one[i] += each
			}
			b.add(n, each)
		}
		require.Equal(t, slices.Max(one), b.end())
	}
}
