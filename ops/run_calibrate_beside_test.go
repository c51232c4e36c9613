package ops_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/calibrate"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

func TestWhatARuntimeDoesIsSeen(t *testing.T) {
	rt := opstest.CPUOnly(t)
	g := NewGraph("quiet")
	x := g.Input("x", tensor.Float32, 8)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Neg(x)}})
	require.NoError(t, err)
	require.Equal(t, calibrate.Activity{Graphs: 1, Compiles: 1}, Activity(rt))
	_, err = exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{8})})
	require.NoError(t, err)
	require.Equal(t, calibrate.Activity{Runs: 1, Graphs: 1, Compiles: 1}, Activity(rt))
	ends := Begins(rt)
	require.True(t, Activity(rt).Busy, "a graph is being compiled")
	ends()
	release := inside.Executor(exe).Hold()
	require.True(t, Activity(rt).Busy, "a run goes on")
	release()
	require.False(t, Activity(rt).Busy)
	require.NoError(t, exe.Close())
}

// Whenever a runtime is closed, its measurements beside its callers end and leave nothing.
func TestCloseEndsMeasurements(t *testing.T) {
	for _, after := range []time.Duration{0, 300 * time.Millisecond, time.Second} {
		lib, err := cl.Open(nil)
		if err != nil {
			t.Skip(err)
		}
		calibrate.Forget()
		rt, err := Open(t.Context(), &Options{CacheDir: t.TempDir(), Library: lib})
		require.NoError(t, err)
		if rt.Device() == nil {
			require.NoError(t, rt.Close())
			t.Skip("no OpenCL device")
		}
		require.True(t, Measuring(rt))
		ctx, cancel := context.WithTimeout(t.Context(), after)
		if err := rt.Settle(ctx); err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		cancel()
		require.NoError(t, rt.Close())
		require.Zero(t, lib.Stats().Total(), "after %v: %+v", after, lib.Stats())
	}
}

func TestOneProcessMeasuresEnough(t *testing.T) {
	dir := t.TempDir()
	calibrate.Forget()
	rt, err := Open(t.Context(), &Options{CacheDir: dir})
	require.NoError(t, err)
	if rt.Device() == nil {
		require.NoError(t, rt.Close())
		t.Skip("no OpenCL device")
	}
	require.NoError(t, rt.Settle(t.Context()))
	assert.True(t, inside.Opened(rt).Calibration().Settled())
	require.NoError(t, rt.Close())
}

func TestRuntimesOpenedAtOnceFromNothingComputeTheSame(t *testing.T) {
	for _, dir := range []string{t.TempDir(), "off"} {
		errs := make(chan error, 3)
		for range cap(errs) {
			go func() {
				rt, err := Open(t.Context(), &Options{CacheDir: dir})
				if err != nil {
					errs <- err
					return
				}
				g := NewGraph("at once")
				x := g.Input("x", tensor.Float32, 100)
				exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Add(x, x)}})
				if err == nil {
					in := opstest.Vec(t, []int{100})
					var out []*tensor.Tensor
					if out, err = exe.Run(t.Context(), Feeds{x: in}); err == nil && out[0].Float64At(7) != 2*in.Float64At(7) {
						err = errors.New("wrong result")
					}
				}
				errs <- errors.Join(err, rt.Close())
			}()
		}
		for range cap(errs) {
			require.NoError(t, <-errs)
		}
	}
}
