package frame_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/ops"
)

// numbers is a table of n rows.
func numbersTable(t *testing.T, n int) *frame.Frame {
	t.Helper()
	x, k := make([]float64, n), make([]int32, n)
	for i := range x {
		x[i], k[i] = float64(i%1000)/7, int32(i%13)
	}
	f, err := frame.New(frame.Of("x", x), frame.Of("k", k))
	require.NoError(t, err)
	return f
}

func scored(f *frame.Frame) *frame.Query {
	x := frame.Col("x")
	return f.Query().Filter(frame.Col("k").Ne(3)).Select("k", x.Add(1).Log().Mul(x.Sqrt()).As("y"))
}

func TestWithoutADeviceAutoIsTheCPUPath(t *testing.T) {
	t.Parallel()
	d := openDevice(t, "none", frame.DeviceOptions{})
	r, err := scored(numbersTable(t, 10_000)).Run(t.Context(), frame.Options{Device: d})
	require.NoError(t, err)
	require.Zero(t, r.OnDevice())
	require.Contains(t, r.String(), "there is no device")
}

// Whatever side runs, and while a graph is compiled, results are the same.
func TestAutoMeasuresBothSides(t *testing.T) {
	t.Parallel()
	d := openDevice(t, "", frame.DeviceOptions{})
	few := numbersTable(t, 1000)
	r, err := scored(few).Run(t.Context(), frame.Options{Device: d})
	require.NoError(t, err)
	require.Zero(t, r.OnDevice())
	require.Contains(t, r.String(), "few rows")

	f := numbersTable(t, 50_000)
	want, err := scored(f).Collect(t.Context())
	require.NoError(t, err)
	tried, reasons := 0, map[string]bool{}
	for range 12 {
		r, err := scored(f).Run(t.Context(), frame.Options{Device: d})
		require.NoError(t, err)
		require.Equal(t, want.Rows(), r.Frame.Rows())
		for row := 0; row < want.Rows(); row += 997 {
			a, _ := want.Value("y", row)
			b, _ := r.Frame.Value("y", row)
			require.InEpsilon(t, 1+a.(float64), 1+b.(float64), 1e-12)
		}
		if r.OnDevice() > 0 {
			tried++
		}
		for _, why := range r.Left() {
			reasons[why] = true
		}
		require.NoError(t, d.Settle(t.Context()))
	}
	require.True(t, reasons["filter: the graph is not compiled yet"], reasons)
	require.GreaterOrEqual(t, tried+len(reasons), 2)
}

func TestGoroutinesShareADevice(t *testing.T) {
	t.Parallel()
	d := openDevice(t, "none", frame.DeviceOptions{Place: ops.OnDevice})
	f := numbersTable(t, 5000)
	want, err := f.Query().GroupBy("k").Agg(frame.Rows().As("n"), frame.Max("x").As("x")).Collect(t.Context())
	require.NoError(t, err)
	var wg sync.WaitGroup
	for i := range 6 {
		part, err := f.Slice(0, 5000-13*(i%2))
		require.NoError(t, err)
		wg.Go(func() {
			for range 5 {
				r, err := part.Query().GroupBy("k").Agg(frame.Rows().As("n"), frame.Max("x").As("x")).Run(t.Context(), frame.Options{Device: d})
				if err != nil || r.OnDevice() != 1 || i%2 == 0 && !frame.Equal(want, r.Frame) {
					t.Errorf("%v\n%v", err, r)
				}
			}
		})
	}
	wg.Wait()
}

func TestDevicesStopWithTheirContextAndWhenClosed(t *testing.T) {
	t.Parallel()
	d := openDevice(t, "none", frame.DeviceOptions{Place: ops.OnDevice})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := scored(numbersTable(t, 5000)).Run(ctx, frame.Options{Device: d})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
	_, err = scored(numbersTable(t, 5000)).Run(t.Context(), frame.Options{Device: d})
	require.ErrorContains(t, err, "the device is closed")
}

func TestMemoryLimitsHoldOnDevices(t *testing.T) {
	t.Parallel()
	d := openDevice(t, "none", frame.DeviceOptions{Place: ops.OnDevice})
	_, err := scored(numbersTable(t, 50_000)).Run(t.Context(), frame.Options{Device: d, Memory: 10_000})
	require.ErrorIs(t, err, frame.ErrMemory)
}

// Queries that differ in constants, and frames that differ in their number of rows and in dictionaries, share a graph.
func TestConstantsAndSizesShareAGraph(t *testing.T) {
	t.Parallel()
	d := openDevice(t, "none", frame.DeviceOptions{Place: ops.OnDevice})
	for i, words := range [][]string{{"a", "b", "a"}, {"c", "b"}, {"x", "y", "z", "y"}} {
		text, err := column.Of(words).Encode()
		require.NoError(t, err)
		v := make([]int64, len(words))
		f, err := frame.New(frame.Named{Name: "t", Column: text}, frame.Of("v", v))
		require.NoError(t, err)
		r, err := f.Query().Filter(frame.Col("t").Eq(words[0]).And(frame.Col("v").Lt(i+1))).GroupBy("t").Agg(frame.Sum(frame.Col("v").Add(i)).As("s")).Run(t.Context(), frame.Options{Device: d})
		require.NoError(t, err)
		require.Equal(t, 2, r.OnDevice(), r)
		require.Equal(t, 1, r.Frame.Rows())
	}
	require.Len(t, d.Graphs(), 1)
}
