package exec

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/store"
)

// absent is an engine in the place of one that is not open yet.
type absent struct{ named }

func (absent) Check(*engine.Task) error { return engine.ErrUnsupported }

// opened is a graph that begins at once on a machine whose device is opened beside it.
func opened(t *testing.T) (e *Executor, m *Machine, device engine.Engine, y *store.Variable) {
	t.Helper()
	cpu := &named{fallback.New(nil), "cpu"}
	device = &named{fallback.New(nil), "device"}
	m = &Machine{Engines: []engine.Engine{&absent{named{fallback.New(nil), "device"}}, cpu}, Log: slog.New(slog.DiscardHandler),
		Opening: NewOpening()}
	y = store.NewVariable("y", pair(0, 0))
	e, err := New(t.Context(), m, "copy", copying(store.NewVariable("x", pair(1, 2)), y), Options{AtOnce: true, Where: 0})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, e.Close())
		for _, e := range append(m.Engines, device) {
			require.Zero(t, e.Stats().Memories, "left on %s", e.Name())
			require.NoError(t, e.Close())
		}
	})
	return e, m, device, y
}

func TestRunsBeginBeforeTheDeviceIsOpen(t *testing.T) {
	t.Parallel()
	e, m, device, y := opened(t)
	require.NoError(t, e.Run(t.Context(), nothing, nil))
	got, err := y.Value(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2.0, got.Float64At(1), "computed before the device is open")
	require.Equal(t, "cpu", on(e))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, e.Ready(ctx), context.Canceled)
	_, err = New(ctx, m, "copy", copying(store.NewVariable("x", pair(1, 2)), y), Options{Where: 0})
	require.ErrorIs(t, err, context.Canceled, "others wait for the device")

	m.Opening.Finish([]engine.Engine{device, m.Engines[1]}, "open", nil)
	require.NoError(t, e.Ready(t.Context()))
	require.Equal(t, "device", on(e))
	require.Equal(t, "open", e.Report().Runtime)
	y.Set(pair(0, 0))
	require.NoError(t, e.Run(t.Context(), nothing, nil))
	got, err = y.Value(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2.0, got.Float64At(1), "computed by the device")
	runs, _ := e.Activity()
	require.EqualValues(t, 2, runs, "the count goes on")
}

func TestADeviceThatCannotBeOpenedLeavesRunsOnTheCPUEngine(t *testing.T) {
	t.Parallel()
	e, m, _, y := opened(t)
	gone := errors.New("the driver crashed")
	m.Opening.Finish(nil, "", gone)
	require.ErrorIs(t, e.Ready(t.Context()), gone)
	require.NoError(t, e.Run(t.Context(), nothing, nil))
	require.Equal(t, "cpu", on(e))
	_, err := New(t.Context(), m, "copy", copying(store.NewVariable("x", pair(1, 2)), y), Options{AtOnce: true, Where: 0})
	require.ErrorIs(t, err, gone)
}

func TestWithoutADeviceAfterAllGraphsStayOnTheCPUEngine(t *testing.T) {
	t.Parallel()
	e, m, _, y := opened(t)
	m.Opening.Finish(m.Engines[1:], "the CPU path", nil)
	require.NoError(t, e.Ready(t.Context()))
	require.NoError(t, e.Run(t.Context(), nothing, nil))
	require.Equal(t, "cpu", on(e))
	later, err := New(t.Context(), m, "copy", copying(store.NewVariable("x", pair(1, 2)), y), Options{AtOnce: true, Where: 0})
	require.NoError(t, err)
	require.Equal(t, "cpu", on(later))
	require.NoError(t, later.Close())
}

func TestClosingWaitsForNoDevice(t *testing.T) {
	t.Parallel()
	e, _, _, _ := opened(t)
	require.NoError(t, e.Close())
	require.ErrorIs(t, e.pending.err, context.Canceled)
	require.ErrorIs(t, e.Ready(t.Context()), ErrClosed)
}
