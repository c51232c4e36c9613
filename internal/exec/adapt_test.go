package exec

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/store"
	"github.com/anycl/anycl/tensor"
)

// named is an engine on the processor under another name, which predicts the same of every task.
type named struct {
	engine.Engine
	name string
}

func (n *named) Name() string                        { return n.name }
func (n *named) Traits() engine.Traits               { return engine.Traits{} }
func (n *named) Estimate(*engine.Task) time.Duration { return 50 * time.Microsecond }

// copying is a schedule that writes x to y.
func copying(x, y *store.Variable) *ir.Schedule {
	variable := func(v *store.Variable) *ir.Node {
		return &ir.Node{Op: &ir.Op{Name: "variable", Kind: ir.KindVariable}, State: v, Shape: []int{2}, DType: tensor.Float32, Label: v.Name}
	}
	operand := engine.Operand{DType: tensor.Float32, Len: 2}
	from := &ir.Value{Node: variable(x), DType: tensor.Float32, Len: 2, Addr: engine.AxisIndex(0), Dense: true}
	task := &engine.Task{
		Kind: engine.Map, Name: "copy", Axes: []int{2}, Groups: []int{1}, Ins: []engine.Operand{operand}, Outs: []engine.Operand{operand},
		Values: []*engine.Expr{engine.Load(0, tensor.Float32, engine.AxisIndex(0), nil)},
	}
	u := &ir.Instruction{Task: task, Ins: []*ir.Value{from}}
	u.Outs = []*ir.Value{{Node: variable(y), DType: tensor.Float32, Len: 2, Addr: engine.AxisIndex(0), Dense: true, Maker: u, Stored: y}}
	return &ir.Schedule{Instructions: []*ir.Instruction{u}}
}

func onTwo(t *testing.T) *Machine {
	t.Helper()
	m := &Machine{Engines: []engine.Engine{&named{fallback.New(nil), "device"}, &named{fallback.New(nil), "cpu"}},
		Log: slog.New(slog.DiscardHandler)}
	t.Cleanup(func() {
		for _, e := range m.Engines {
			require.Zero(t, e.Stats().Memories)
			require.NoError(t, e.Close())
		}
	})
	return m
}

func pair(a, b float32) *tensor.Tensor { return tensor.Must(tensor.FromSlice([]float32{a, b}, 2)) }

func nothing([]*tensor.Tensor) error { return nil }

func TestAScheduleRuns(t *testing.T) {
	t.Parallel()
	x, y := store.NewVariable("x", pair(1, 2)), store.NewVariable("y", pair(0, 0))
	e, err := New(t.Context(), onTwo(t), "copy", copying(x, y), Options{Where: ir.CPU})
	require.NoError(t, err)
	require.NoError(t, e.Run(t.Context(), nothing, nil))
	got, err := y.Value(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2.0, got.Float64At(1))
	require.NoError(t, e.Close())
	require.NoError(t, e.Close(), "twice")
	require.ErrorIs(t, e.Run(t.Context(), nothing, nil), ErrClosed)
}

// A machine on which each placement becomes slower once it runs moves a graph no more often than
// the logarithm of its runs.
func TestAGraphDoesNotFlap(t *testing.T) {
	t.Parallel()
	e, err := New(t.Context(), onTwo(t), "flapping", copying(store.NewVariable("x", pair(1, 2)), store.NewVariable("y", pair(0, 0))),
		Options{})
	require.NoError(t, err)
	a := e.adaptive
	const runs = 1000
	for range runs {
		a.tried.Store(true) // trials are no moves
		e.now().Note(time.Millisecond << (2 * a.moves.Load()))
		e.Settle()
	}
	moves := int(a.moves.Load())
	require.Greater(t, moves, 3, "there was reason to")
	require.LessOrEqual(t, enough*(1<<moves-1), runs, "%d moves", moves)
	require.NoError(t, e.Close())
}

// A time measured while other work ran does not keep a graph from a placement for good.
func TestAGraphReturnsToWhatItLeftOnABusyMachine(t *testing.T) {
	t.Parallel()
	e, err := New(t.Context(), onTwo(t), "returning", copying(store.NewVariable("x", pair(1, 2)), store.NewVariable("y", pair(0, 0))),
		Options{})
	require.NoError(t, err)
	first := e.now()
	note := func(took time.Duration) {
		e.now().Note(took)
		e.Settle()
	}
	for range 16 {
		if e.now() == first {
			note(10 * time.Millisecond)
		}
	}
	require.NotSame(t, first, e.now(), "it moves")
	for range 400 {
		took := 2 * time.Millisecond
		if e.now() == first {
			took = time.Millisecond
		}
		note(took)
	}
	require.Same(t, first, e.now())
	require.Len(t, e.adaptive.verdicts, 1, "compared once")
	require.NoError(t, e.Close())
}

// cold is an engine whose kernels are compiled when tasks are prepared.
type cold struct {
	named
	prepared atomic.Int32
}

func (c *cold) Estimate(*engine.Task) time.Duration { return 60 * time.Microsecond }

func (c *cold) Traits() engine.Traits {
	return engine.Traits{Estimates: func(tasks []*engine.Task) engine.Estimates {
		return coldEstimates{engine.Independent(c, tasks), c}
	}}
}

func (c *cold) Prepare(ctx context.Context, tasks []engine.Bound) (engine.Sequence, error) {
	c.prepared.Add(1)
	return c.named.Prepare(ctx, tasks)
}

type coldEstimates struct {
	engine.Estimates
	of *cold
}

func (e coldEstimates) Compiled([]int) bool { return e.of.prepared.Load() > 0 }

// A graph that a wrong prediction began elsewhere moves to where nothing has been compiled for it, once it has run for so
// long that compiling pays.
func TestKernelsOfAnotherPlacementAreCompiledForAGraphThatRunsLong(t *testing.T) {
	t.Parallel()
	m := onTwo(t)
	device := &cold{named: named{fallback.New(nil), "device"}}
	require.NoError(t, m.Engines[0].Close())
	m.Engines[0] = device
	x, y := store.NewVariable("x", pair(1, 2)), store.NewVariable("y", pair(0, 0))
	e, err := New(t.Context(), m, "slow", copying(x, y), Options{})
	require.NoError(t, err)
	first := e.now()
	require.Equal(t, []int{0, 1}, first.counts())
	const took = 100 * time.Millisecond
	for ran := time.Duration(0); ran < compileAfter; ran += took {
		require.Same(t, first, e.now(), "after %v", ran)
		require.Zero(t, device.prepared.Load())
		e.now().Note(took)
		e.Settle()
	}
	for range 2 * enough {
		e.now().Note(took)
		e.Settle()
	}
	require.Equal(t, []int{1, 0}, e.now().counts())
	require.EqualValues(t, 2, device.prepared.Load(), "compiled beside the runs, and then prepared to run")
	require.NoError(t, e.Run(t.Context(), nothing, nil))
	got, err := y.Value(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2.0, got.Float64At(1))
	require.NoError(t, e.Close())
}
