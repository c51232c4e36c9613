package frame_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
)

func table(t *testing.T) *frame.Frame {
	t.Helper()
	f, err := frame.New(
		frame.Of("city", []string{"Brno", "Oslo", "Brno", "Lima", "Oslo"}),
		frame.Of("t", []float64{21, 14, 25, 30, 11}),
		frame.Of("n", []int{1, 2, 3, 4, 5}),
	)
	require.NoError(t, err)
	return f
}

func TestAQueryIsRead(t *testing.T) {
	t.Parallel()
	f := table(t)
	r, err := f.Query().
		Filter(frame.Col("t").Gt(12)).
		GroupBy("city").
		Agg(frame.Mean("t").As("mean"), frame.Rows().As("days"), frame.Max("n").Sub(frame.Min("n")).As("span")).
		Sort(frame.Desc("mean")).
		Run(t.Context(), frame.Options{Workers: 2})
	require.NoError(t, err)
	t.Log("\n", r.Frame, "\n", r)
	require.Equal(t, `3 rows x 4 columns
city        mean   days   span
dictionary  float64  int64  int64
`[:20], r.Frame.String()[:20])
}
