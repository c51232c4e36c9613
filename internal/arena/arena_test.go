package arena

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNothingThatLivesTogetherOverlaps(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		values := make([]Interval, 1+r.IntN(60))
		for i := range values {
			from := r.IntN(40)
			values[i] = Interval{Bytes: int64(r.IntN(5000)), From: from, To: from + r.IntN(10)}
		}
		limit := int64(r.IntN(2) * 8192)
		places, sizes := Plan(values, limit)
		for i, v := range values {
			require.Zero(t, places[i].Offset%Align)
			require.LessOrEqual(t, places[i].Offset+v.Bytes, sizes[places[i].Arena])
			for j, w := range values[:i] {
				if v.To < w.From || w.To < v.From || places[i].Arena != places[j].Arena {
					continue
				}
				apart := places[i].Offset+v.Bytes <= places[j].Offset || places[j].Offset+w.Bytes <= places[i].Offset
				require.True(t, apart, "%+v at %+v and %+v at %+v", v, places[i], w, places[j])
			}
		}
		if limit == 0 {
			require.LessOrEqual(t, Live(values), sizes[0])
		}
		for _, s := range sizes {
			require.True(t, limit == 0 || s <= limit, "arena of %d above %d", s, limit)
		}
	}
}

func TestAChainNeedsRoomForTwo(t *testing.T) {
	var chain []Interval
	for i := range 50 {
		chain = append(chain, Interval{Bytes: 1024, From: i, To: i + 1})
	}
	_, sizes := Plan(chain, 0)
	require.Equal(t, []int64{2048}, sizes)
}

func TestAValueAboveTheLimitGetsItsOwnArena(t *testing.T) {
	places, sizes := Plan([]Interval{{10000, 0, 1}, {100, 0, 1}}, 4096)
	require.NotEqual(t, places[0].Arena, places[1].Arena)
	require.Len(t, sizes, 2)
}

func TestLiveIsTheMostAtOnce(t *testing.T) {
	require.Zero(t, Live(nil))
	require.EqualValues(t, Align, Live([]Interval{{1, 0, 0}, {200, 1, 3}}), "one after the other")
	require.EqualValues(t, 2*Align, Live([]Interval{{1, 0, 1}, {200, 1, 3}}), "both in step 1")
	require.EqualValues(t, 4*Align, Live([]Interval{{2 * Align, 0, 9}, {Align, 1, 2}, {Align, 3, 4}, {2 * Align, 5, 5}}))
}
