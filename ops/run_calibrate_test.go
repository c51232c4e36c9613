package ops_test

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/pace"
	"github.com/anycl/anycl/internal/plan"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

func TestCalibrationCorrectsWhatEnginesSay(t *testing.T) {
	opstest.NumbersOnly(t)
	t.Parallel()
	rt := opstest.BesideCPU(t, &opstest.Slowed{Time: func(*engine.Task) time.Duration { return time.Microsecond }})
	results, err := rt.Calibrate(t.Context())
	require.NoError(t, err)
	require.Len(t, results, 2*Probes())
	measured := map[string]time.Duration{}
	for _, r := range results {
		require.Positive(t, r.Measured, r.Name)
		measured[r.Name+" on "+r.Where] = r.Measured
	}
	predict := func() (predicted, own time.Duration) {
		g := NewGraph("product")
		x := g.Input("x", tensor.Float32, 512, 512)
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{MatMul(x, x)}, Place: OnDevice})
		require.NoError(t, err)
		defer exe.Close()
		m, _ := inside.Executor(exe).Model()
		return exe.Report().Predicted, m.OwnTime()
	}
	// The engine predicts one microsecond whatever the size: it is corrected to the
	// middle of the measured times of products.
	predicted, _ := predict()
	require.Greater(t, predicted, measured["matmul 4 on slowed"])
	inside.Machine(rt).Pace.Forget()
	predicted, own := predict()
	require.InDelta(t, time.Microsecond+own, predicted, 200)
}

func TestCalibrationEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := opstest.CPUOnly(t).Calibrate(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// Graphs are placed and computed whatever became of the measurements: none were made, or by another driver
// or version (which is another file), their file is cut short, or no file can be written.
func TestAGraphRunsWhateverBecameOfTheMeasurements(t *testing.T) {
	dir := t.TempDir()
	run := func(dir string) (rt *Runtime, exe *Executable) {
		t.Helper()
		rt, err := Open(t.Context(), &Options{CacheDir: dir})
		require.NoError(t, err)
		if rt.Device() == nil {
			require.NoError(t, rt.Close())
			t.Skip("no OpenCL device")
		}
		g := NewGraph("measured or not")
		x := g.Input("x", tensor.Float32, 300)
		exe, err = g.Compile(t.Context(), rt, Target{Outputs: []*Node{Add(x, x)}})
		require.NoError(t, err)
		feed := opstest.Vec(t, []int{300})
		for range 20 {
			out, err := exe.Run(t.Context(), Feeds{x: feed})
			require.NoError(t, err)
			for i := range 300 {
				require.Equal(t, 2*feed.Float64At(i), out[0].Float64At(i))
			}
		}
		require.Positive(t, exe.Report().Predicted)
		t.Cleanup(func() { require.NoError(t, errors.Join(exe.Close(), rt.Close())) })
		return rt, exe
	}
	rt, _ := run(dir)
	require.NoError(t, rt.Settle(t.Context()))
	if _, err := inside.Opened(rt).Calibrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		wait := pace.Part{Key: plan.WaitKey(inside.Machine(rt).Engines[0]), Predicted: time.Microsecond, Times: 1}
		inside.Machine(rt).Pace.LearnSum([]pace.Part{wait}, time.Millisecond, true)
	}
	KeepLearned(rt)
	again, _ := run(dir)
	require.NotNil(t, inside.Opened(again).Calibration(), "it is kept")
	corrected, _ := inside.Machine(again).Pace.Correct(plan.WaitKey(inside.Machine(again).Engines[0]), time.Microsecond)
	require.Greater(t, corrected, 100*time.Microsecond, "and so is what was learned")

	cut := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		cut++
		return os.WriteFile(path, []byte("anycl/1 calibration 2\n{\"launch"), 0o600)
	}))
	require.Positive(t, cut)
	damaged, _ := run(dir)
	corrected, _ = inside.Machine(damaged).Pace.Correct(plan.WaitKey(inside.Machine(damaged).Engines[0]), time.Microsecond)
	require.Equal(t, time.Microsecond, corrected)

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	run(filepath.Join(file, "below"))
}

// A tiny graph is placed where a run costs next to nothing beside the product itself.
func TestATinyRunCostsAtMostTwoMicroseconds(t *testing.T) {
	if opstest.RaceEnabled {
		t.Skip("the race detector takes longer than the run")
	}
	rt, err := Open(t.Context(), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, rt.Close()) }()
	g := NewGraph("tiny")
	x := g.Input("x", tensor.Float32, 4, 4)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{MatMul(x, x)}})
	require.NoError(t, err)
	defer func() { require.NoError(t, exe.Close()) }()
	feeds, out := Feeds{x: opstest.Vec(t, []int{4, 4})}, []*tensor.Tensor{opstest.Vec(t, []int{4, 4})}
	a := make([]float32, 16)
	for i := range a {
		a[i] = float32(feeds[x].Float64At(i))
	}
	c := make([]float32, 16)
	direct := func() {
		for i := range 4 {
			for j := range 4 {
				var sum float32
				for k := range 4 {
					sum += a[4*i+k] * a[4*k+j]
				}
				c[4*i+j] = sum
			}
		}
	}
	const runs = 200
	least := func(f func()) time.Duration { // of rounds, since other work only makes them longer
		best := time.Duration(math.MaxInt64)
		for range 50 {
			start := time.Now()
			for range runs {
				f()
			}
			best = min(best, time.Since(start)/runs)
		}
		return best
	}
	run, own := least(func() {
		if err := exe.RunInto(t.Context(), feeds, out); err != nil {
			t.Error(err)
		}
	}), least(direct)
	for i, v := range c {
		require.InDelta(t, v, out[0].Float64At(i), 1e-4)
	}
	t.Logf("a run in %v, the product alone in %v, on %s", run, own, exe.Report().Tasks[0].Where)
	require.LessOrEqual(t, run, own+4*time.Microsecond)
}
