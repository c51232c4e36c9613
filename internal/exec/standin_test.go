package exec

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/store"
)

// compiling is an engine that has to compile, which takes until compiled is closed or an error comes.
type compiling struct {
	named
	begun, compiled chan struct{}
	fails           error
}

func newCompiling() *compiling {
	return &compiling{named{fallback.New(nil), "device"}, make(chan struct{}, 1), make(chan struct{}), nil}
}

func (c *compiling) Traits() engine.Traits {
	return engine.Traits{Estimates: func(tasks []*engine.Task) engine.Estimates {
		return &unbuilt{engine.Independent(&c.named, tasks), c}
	}}
}

func (c *compiling) Prepare(ctx context.Context, tasks []engine.Bound) (engine.Sequence, error) {
	select {
	case c.begun <- struct{}{}:
	default:
	}
	select {
	case <-c.compiled:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c.fails != nil {
		return nil, c.fails
	}
	return c.named.Prepare(ctx, tasks)
}

type unbuilt struct {
	engine.Estimates
	of *compiling
}

func (u *unbuilt) Built([]int) bool {
	select {
	case <-u.of.compiled:
		return true
	default:
		return false
	}
}

// slow is a CPU engine on which every task is predicted to take so long.
type slow struct {
	named
	takes time.Duration
}

func (s *slow) Estimate(*engine.Task) time.Duration { return s.takes }

// atOnce is a schedule that begins at once on a machine whose device has to compile, which it does now.
func atOnce(t *testing.T, fails error) (*Executor, *compiling, *store.Variable) {
	t.Helper()
	c := &compiling{named{fallback.New(nil), "device"}, make(chan struct{}, 1), make(chan struct{}), fails}
	e, y := beginning(t, c, &named{fallback.New(nil), "cpu"})
	e.pending.release()
	return e, c, y
}

// beginning is a schedule that begins at once on a device and the CPU engine.
func beginning(t *testing.T, device, cpu engine.Engine) (*Executor, *store.Variable) {
	t.Helper()
	m := &Machine{Engines: []engine.Engine{device, cpu}, Log: slog.New(slog.DiscardHandler)}
	y := store.NewVariable("y", pair(0, 0))
	e, err := New(t.Context(), m, "copy", copying(store.NewVariable("x", pair(1, 2)), y), Options{AtOnce: true, Where: 0})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, e.Close())
		for _, e := range m.Engines {
			require.Zero(t, e.Stats().Memories, "left on %s", e.Name())
			require.NoError(t, e.Close())
		}
	})
	return e, y
}

func on(e *Executor) string { return e.Report().Tasks[0].Where }

func TestRunsBeginBeforeTheDeviceHasCompiled(t *testing.T) {
	t.Parallel()
	e, c, y := atOnce(t, nil)
	<-c.begun
	require.NoError(t, e.Run(t.Context(), nothing, nil))
	got, err := y.Value(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2.0, got.Float64At(1), "computed while the device compiles")
	require.Equal(t, "cpu", on(e))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, e.Ready(ctx), context.Canceled)

	close(c.compiled)
	require.NoError(t, e.Ready(t.Context()))
	require.Equal(t, "device", on(e))
	y.Set(pair(0, 0))
	require.NoError(t, e.Run(t.Context(), nothing, nil))
	got, err = y.Value(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2.0, got.Float64At(1), "computed by the device")
	runs, _ := e.Activity()
	require.EqualValues(t, 2, runs, "the count goes on")
}

func TestAGraphStaysWhereItIsIfTheDeviceCannotCompileIt(t *testing.T) {
	t.Parallel()
	refused := errors.New("out of registers")
	e, c, _ := atOnce(t, refused)
	close(c.compiled)
	require.ErrorIs(t, e.Ready(t.Context()), refused)
	require.NoError(t, e.Run(t.Context(), nothing, nil))
	require.Equal(t, "cpu", on(e))
}

// Closing an executor cancels the compiles beside its runs.
func TestClosingEndsWhatIsCompiledBeside(t *testing.T) {
	t.Parallel()
	e, c, _ := atOnce(t, nil)
	<-c.begun
	require.NoError(t, e.Close())
	require.ErrorIs(t, e.pending.err, context.Canceled)
	require.ErrorIs(t, e.Ready(t.Context()), ErrClosed)
	require.ErrorIs(t, e.Run(t.Context(), nothing, nil), ErrClosed)
}

// Both at the same time would take as long for the first result as one after the other.
func TestTheFirstShortRunComesBeforeCompiling(t *testing.T) {
	t.Parallel()
	c := newCompiling()
	e, _ := beginning(t, c, &named{fallback.New(nil), "cpu"})
	time.Sleep(5 * time.Millisecond)
	require.Empty(t, c.begun, "nothing is compiled before the first run")
	require.Equal(t, "cpu", on(e))
	require.NoError(t, e.Run(t.Context(), nothing, nil))
	<-c.begun
	close(c.compiled)
	require.NoError(t, e.Ready(t.Context()))
	require.Equal(t, "device", on(e))
}

func TestWhatIsSlowElsewhereWaitsForADeviceThatIsSoonReady(t *testing.T) {
	t.Parallel()
	c := newCompiling()
	go func() { <-c.begun; close(c.compiled) }()
	e, y := beginning(t, c, &slow{named{fallback.New(nil), "cpu"}, time.Hour})
	require.Equal(t, "device", on(e))
	require.NoError(t, e.Run(t.Context(), nothing, nil))
	got, err := y.Value(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2.0, got.Float64At(1))
	require.NoError(t, e.Ready(t.Context()))
}

func TestWhatIsSlowElsewhereWaitsNoLongerThanThat(t *testing.T) {
	t.Parallel()
	c := newCompiling()
	e, _ := beginning(t, c, &slow{named{fallback.New(nil), "cpu"}, quick + time.Microsecond})
	require.Equal(t, "cpu", on(e))
	require.NoError(t, e.Run(t.Context(), nothing, nil))
	close(c.compiled)
	require.NoError(t, e.Ready(t.Context()))
	require.Equal(t, "device", on(e))
}

func TestWaitingForADeviceEndsWithTheContext(t *testing.T) {
	t.Parallel()
	c := newCompiling()
	m := &Machine{Engines: []engine.Engine{c, &slow{named{fallback.New(nil), "cpu"}, time.Hour}}, Log: slog.New(slog.DiscardHandler)}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-c.begun; cancel() }()
	_, err := New(ctx, m, "copy", copying(store.NewVariable("x", pair(1, 2)), store.NewVariable("y", pair(0, 0))),
		Options{AtOnce: true, Where: 0})
	require.ErrorIs(t, err, context.Canceled)
	for _, e := range m.Engines {
		require.Zero(t, e.Stats().Memories, "left on %s", e.Name())
		require.NoError(t, e.Close())
	}
}

// A trial of what is far slower than the device would be noticed. What may be as fast is tried, as for other graphs.
func TestWhatStoodInIsTriedOnlyWhereItMayBeAsFast(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cpu    time.Duration // predicted
		trials int
	}{"slow": {quick + time.Microsecond, 0}, "as fast": {50 * time.Microsecond, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			device := newCompiling()
			e, _ := beginning(t, device, &slow{named{fallback.New(nil), "cpu"}, c.cpu})
			require.Equal(t, "cpu", on(e))
			require.NoError(t, e.Run(t.Context(), nothing, nil))
			close(device.compiled)
			require.NoError(t, e.Ready(t.Context()))
			e.Settle()
			for range 4 * many {
				e.now().Note(time.Millisecond)
				e.Settle()
			}
			require.Len(t, e.adaptive.verdicts, c.trials)
		})
	}
}
