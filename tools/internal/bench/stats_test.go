package bench

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMedianIntervalOfFewValuesIsTheirRange(t *testing.T) {
	t.Parallel()
	lo, hi := medianInterval([]float64{3, 1, 2, 5, 4})
	require.Equal(t, []float64{1, 5}, []float64{lo, hi})
}

// By the binomial distribution, of 20 values the 6th and the 15th hold the median
// with 95.9 % confidence (Conover, table A3).
func TestMedianIntervalOfTwentyValuesIsThatOfTheTable(t *testing.T) {
	t.Parallel()
	var v []float64
	for i := range 20 {
		v = append(v, float64(i+1))
	}
	lo, hi := medianInterval(v)
	require.Equal(t, []float64{6, 15}, []float64{lo, hi})
}

func TestWhatSlowsAWholeTurnDoesNotChangeTheRatio(t *testing.T) {
	t.Parallel()
	r := Paired([]float64{1, 10, 1, 2, 1}, []float64{2, 20, 2, 4, 2})
	require.Equal(t, Ratio{2, 2, 2}, r)
	require.True(t, r.Differs())
}

func TestOverlappingNoiseIsNoDifference(t *testing.T) {
	t.Parallel()
	require.False(t, unpaired([]float64{1, 1.1, 1.2, 1.3, 1.4, 1.5}, []float64{1.1, 1.2, 1.3, 1.4, 1.5, 1.6}).Differs())
	require.True(t, unpaired([]float64{1, 1.01, 1.02}, []float64{2, 2.1, 2.2}).Differs())
}

func TestStatsOfSlices(t *testing.T) {
	t.Parallel()
	ms := func(v ...int) (out []time.Duration) {
		for _, x := range v {
			out = append(out, time.Duration(x)*time.Millisecond)
		}
		return out
	}
	s := summarise([]slice{{times: ms(1, 2, 3)}, {times: ms(10)}, {times: ms(4, 4)}})
	require.Equal(t, 6, s.N)
	require.Equal(t, []float64{0.002, 0.010, 0.004}, s.Turns)
	require.Equal(t, 0.004, s.Median)
	require.Equal(t, 0.001, s.Min)
	require.Equal(t, 0.010, s.Max)
	require.Equal(t, 0.010, s.P99)
}

func TestAClockTooCoarseDoesNotMakeInfiniteSpeed(t *testing.T) {
	t.Parallel()
	s := summarise([]slice{{times: []time.Duration{0, 0}}})
	require.False(t, math.IsInf((&Work{Flops: 1, Rate: GFLOPS}).Of(s.Median), 0))
}
