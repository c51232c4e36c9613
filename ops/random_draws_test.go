package ops

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

func TestTruncatedNormalHasItsDistribution(t *testing.T) {
	t.Parallel()
	e := fallback.New(nil)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	inf := math.Inf(1)
	type draw struct {
		dt                         tensor.DType
		mean, deviation, low, high float64
	}
	draws := []draw{
		{tensor.Float32, 0, 1, -2, 2}, {tensor.Float32, 1, 0.02, 0.9, 1.01}, {tensor.Float64, 0, 1, 6, inf}, {tensor.Float32, 3, 2, -inf, 2.5},
		{tensor.Float16, 0, 1, -0.3001, 0.7003}, {tensor.Float64, -5, 1, 3, 4}, {tensor.Float32, 0, 1, -inf, inf}, {tensor.BFloat16, 0, 100, 1, 3},
		{tensor.Float32, 0, 1, 8, 8.5},
	}
	g := NewGraph("truncated")
	g.Seed(3)
	var outs []*Node
	const n = 20_000
	for _, d := range draws {
		outs = append(outs, g.TruncatedNormal(d.dt, d.mean, d.deviation, d.low, d.high, n))
	}
	exe, err := g.Compile(t.Context(), NewRuntime(e), Target{Outputs: outs})
	require.NoError(t, err)
	got, err := exe.Run(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, exe.Close())
	for i, d := range draws {
		var all []float64
		for _, v := range got[i].All() {
			require.True(t, d.low <= v && v <= d.high && !math.IsInf(v, 0), "%v of %+v", v, d)
			all = append(all, v)
		}
		slices.Sort(all)
		// The distribution function, from the side on which it has its digits; Kolmogorov's distance of n draws is
		// above 1.95/√n once in a thousand. Numbers of 16 bits are steps.
		worst := 0.0
		for k, v := range all {
			upper := func(x float64) float64 { return math.Erfc((x - d.mean) / d.deviation / math.Sqrt2) }
			want := (upper(d.low) - upper(v)) / (upper(d.low) - upper(d.high))
			worst = max(worst, math.Abs(want-(float64(k)+0.5)/n))
		}
		most := 1.95 / math.Sqrt(n)
		if d.dt.Size() == 2 {
			most = 0.02
		}
		require.Less(t, worst, most, "%+v", d)
	}
}

func TestTruncatedNormalRefusesWhatHasNoDistribution(t *testing.T) {
	t.Parallel()
	for want, d := range map[string][4]float64{
		"no float32 lies between 1 and 1":   {0, 1, 1, 1},
		"the mean is 0 and the deviation 0": {0, 0, -1, 1},
		"which is too small":                {0, 1, 30, 31},
		"no float32 lies between 1.6777217": {16777217, 1, 16777217, 16777217.5},
		"the mean is NaN and the deviation": {math.NaN(), 1, -1, 1},
	} {
		g := NewGraph("wrong")
		g.TruncatedNormal(tensor.Float32, d[0], d[1], d[2], d[3], 4)
		require.ErrorContains(t, g.Err(), want)
	}
	g := NewGraph("integers")
	g.TruncatedNormal(tensor.Int32, 0, 1, -1, 1, 4)
	require.Error(t, g.Err())
}

func TestRoundToStaysInside(t *testing.T) {
	t.Parallel()
	for _, v := range []float64{0.1, -0.1, 1e-9, 65504, 3.14159, -2.00001} {
		for _, dt := range []tensor.DType{tensor.Float16, tensor.BFloat16, tensor.Float32} {
			up, down := roundTo(dt, v, true), roundTo(dt, v, false)
			require.LessOrEqual(t, down, v)
			require.GreaterOrEqual(t, up, v)
			for _, y := range []float64{up, down} {
				if !math.IsInf(y, 0) {
					require.Equal(t, y, tensor.Must(tensor.Cast(tensor.Scalar(y), dt)).Float64At(0))
				}
			}
			middle := tensor.Must(tensor.Cast(tensor.Scalar((up+down)/2), dt)).Float64At(0)
			require.True(t, middle == up || middle == down || math.IsInf(up, 0), "neighbours of %v in %v", v, dt)
		}
	}
}
