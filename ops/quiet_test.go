package ops

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/tensor"
)

// waits reports whether quiet is still waiting after a time.
func waits(t *testing.T, rt *Runtime, while func()) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- rt.quiet(ctx) }()
	while()
	select {
	case <-done:
		return false
	default:
		return true
	}
}

func TestMeasurementsWaitUntilNobodyRunsOrCompiles(t *testing.T) {
	rt := cpuOnly(t)
	defer func(a, b, c time.Duration) { quietFor, quietFirst, quietLook = a, b, c }(quietFor, quietFirst, quietLook)
	quietFor, quietFirst, quietLook = 60*time.Millisecond, time.Hour, 5*time.Millisecond
	rt.beside.hurry = make(chan struct{})
	require.True(t, waits(t, rt, func() { time.Sleep(5 * quietFor) }), "nothing has run yet")

	g := NewGraph("quiet")
	x := g.Input("x", tensor.Float32, 8)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Neg(x)}})
	require.NoError(t, err)
	run := func() {
		_, err := exe.Run(t.Context(), Feeds{x: vec(t, []int{8})})
		require.NoError(t, err)
	}
	require.True(t, waits(t, rt, func() {
		for start := time.Now(); time.Since(start) < 5*quietFor; time.Sleep(time.Millisecond) {
			run()
		}
	}), "runs go on")
	ends := rt.begins()
	require.True(t, waits(t, rt, func() { time.Sleep(5 * quietFor) }), "a graph is being compiled")
	ends()
	release := exe.executor.Hold()
	require.True(t, waits(t, rt, func() { time.Sleep(5 * quietFor) }), "a run goes on")
	release()
	require.NoError(t, rt.quiet(t.Context()))

	quietFor = time.Hour
	close(rt.beside.hurry)
	require.NoError(t, rt.quiet(t.Context()), "somebody waits")
	require.NoError(t, exe.Close())
}

// Whenever a runtime is closed, what it measures beside its callers ends and leaves nothing.
func TestCloseEndsMeasurements(t *testing.T) {
	for _, after := range []time.Duration{0, 300 * time.Millisecond, time.Second} {
		lib, err := cl.Open(nil)
		if err != nil {
			t.Skip(err)
		}
		calibrated.Clear()
		rt, err := Open(t.Context(), &Options{CacheDir: t.TempDir(), Library: lib})
		require.NoError(t, err)
		if rt.Device() == nil {
			require.NoError(t, rt.Close())
			t.Skip("no OpenCL device")
		}
		require.NotNil(t, rt.beside.cancel)
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
	calibrated.Clear()
	rt, err := Open(t.Context(), &Options{CacheDir: dir})
	require.NoError(t, err)
	if rt.Device() == nil {
		require.NoError(t, rt.Close())
		t.Skip("no OpenCL device")
	}
	require.NoError(t, rt.Settle(t.Context()))
	assert.True(t, rt.opened.Calibration().Settled())
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
					in := vec(t, []int{100})
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
