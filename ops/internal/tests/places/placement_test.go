package places_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// pacedPair is a runtime on a device and a CPU path whose runs take as long as is said, whatever is predicted.
func pacedPair(t *testing.T, predicted [2]time.Duration, takes [2]time.Duration) (*Runtime, *sleepy) {
	t.Helper()
	of := func(d time.Duration) opstest.Slowed {
		return opstest.Slowed{Engine: fallback.New(nil), Time: func(*engine.Task) time.Duration { return d }}
	}
	device, cpu := &sleepy{Slowed: of(predicted[0])}, &path{sleepy{Slowed: of(predicted[1])}}
	device.pause.Store(int64(takes[0]))
	cpu.pause.Store(int64(takes[1]))
	rt := NewRuntime(device, cpu)
	t.Cleanup(func() { require.NoError(t, errors.Join(rt.Close(), cpu.Engine.Close(), device.Engine.Close())) })
	return rt, device
}

func runs(t *testing.T, exe *Executable, feeds Feeds, n int) {
	t.Helper()
	for range n {
		_, err := exe.Run(t.Context(), feeds)
		require.NoError(t, err)
	}
}

// settledRuns lets what goes on beside the runs come to its end.
func settledRuns(t *testing.T, exe *Executable) {
	t.Helper()
	inside.Executor(exe).Settle()
}

func TestAFixedPlacementStaysWhateverRunsTake(t *testing.T) {
	for name, c := range map[string]struct {
		target    Target
		where     string
		placement string
	}{
		"fixed":                     {Target{Fixed: true}, "cpu", "fixed"},
		"reproducible":              {Target{Reproducible: true}, "slowed", "reproducible"},
		"reproducible, on the CPU":  {Target{Reproducible: true, Place: OnCPU}, "cpu", "reproducible"},
		"reproducible means fixed":  {Target{Reproducible: true, Fixed: true}, "slowed", "reproducible"},
		"left to the cost model":    {Target{}, "slowed", "adaptive"}, // after runs have shown that it is faster
		"demanded, which is enough": {Target{Place: OnCPU}, "cpu", "adaptive"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rt, _ := pacedPair(t, [2]time.Duration{2 * time.Millisecond, time.Millisecond}, [2]time.Duration{time.Microsecond, 3 * time.Millisecond})
			g := NewGraph("fixed")
			x := g.Input("x", tensor.Float32, 2)
			c.target.Outputs = []*Node{Exp(x)}
			exe, err := g.Compile(t.Context(), rt, c.target)
			require.NoError(t, err)
			feeds := Feeds{x: tensor.Must(tensor.FromSlice([]float32{1, 2}))}
			runs(t, exe, feeds, 40)
			settledRuns(t, exe)
			runs(t, exe, feeds, 1)
			r := exe.Report()
			require.Equal(t, c.where, r.Tasks[0].Where)
			require.Equal(t, c.placement, r.Placement)
			total := uint64(0)
			for _, p := range r.Placements {
				total += p.Runs
			}
			require.EqualValues(t, 41, total)
			if c.placement != "adaptive" {
				require.Len(t, r.Placements, 1)
				require.Contains(t, r.String(), c.placement+" placement")
			} else if c.where == "slowed" {
				require.Len(t, r.Placements, 2)
				require.Contains(t, r.String(), "adaptive placement: 1 on cpu in ")
			}
		})
	}
}

func TestAReproducibleTaskThatTheDeviceCannotRunIsTheCPUPaths(t *testing.T) {
	rt := opstest.BesideCPU(t, &opstest.Slowed{Time: func(task *engine.Task) time.Duration {
		if task.Kind == engine.Contract {
			return -1
		}
		return time.Hour
	}})
	g := NewGraph("rule")
	x := g.Input("x", tensor.Float32, 2, 2)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Sum(MatMul(Exp(x), x))}, Reproducible: true})
	require.NoError(t, err)
	for _, task := range exe.Report().Tasks {
		want := "slowed"
		if task.Kind == "contract" {
			want = "cpu"
		}
		require.Equal(t, want, task.Where, task.Name)
		require.Contains(t, task.Why, "reproducible")
	}
}

// compiling is an engine whose driver compiles in the way of runs, unless all is compiled.
type compiling struct {
	*sleepy
	compiled bool
}

func (c *compiling) Traits() engine.Traits {
	return engine.Traits{Estimates: func(tasks []*engine.Task) engine.Estimates {
		return compilingEstimates{engine.Independent(c, tasks), c.compiled}
	}}
}

type compilingEstimates struct {
	engine.Estimates
	compiled bool
}

func (s compilingEstimates) Compiled([]int) bool { return s.compiled }

func TestAPlacementThatRunsWouldWaitForIsLeftAlone(t *testing.T) {
	for _, compiled := range []bool{false, true} {
		_, device := pacedPair(t, [2]time.Duration{2 * time.Millisecond, time.Millisecond}, [2]time.Duration{time.Microsecond, 3 * time.Millisecond})
		cpu := &path{sleepy{Slowed: opstest.Slowed{Engine: fallback.New(nil), Time: func(*engine.Task) time.Duration { return time.Millisecond }}}}
		cpu.pause.Store(int64(3 * time.Millisecond))
		rt := NewRuntime(&compiling{device, compiled}, cpu)
		g := NewGraph("compiled")
		w := g.Variable("w", tensor.Must(tensor.FromSlice([]float32{3, 4})))
		x := g.Input("x", tensor.Float32, 2)
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Add(w, Exp(x))}})
		require.NoError(t, err)
		feeds := Feeds{x: tensor.Must(tensor.FromSlice([]float32{1, 2}))}
		runs(t, exe, feeds, 9)
		settledRuns(t, exe)
		require.Equal(t, compiled, len(exe.Report().Placements) > 1, "it moves where nothing is to be compiled")
		if compiled {
			require.True(t, inside.Variable(w).IsFresh(inside.Machine(rt).Engines[0]), "variables are there before the first run")
		}
		runs(t, exe, feeds, 1)
		require.NoError(t, errors.Join(rt.Close(), cpu.Engine.Close()))
	}
}

// A run that is far longer than those before ends a trial at once.
func TestATrialEndsAtTheFirstRunThatIsFarTooLong(t *testing.T) {
	// Predicted to take twice as long, the device is tried but never moved to, unless a busy machine more than doubles the times of sleep.
	rt, device := pacedPair(t, [2]time.Duration{20 * time.Millisecond, 10 * time.Millisecond}, [2]time.Duration{200 * time.Millisecond, 10 * time.Millisecond})
	g := NewGraph("lost")
	x := g.Input("x", tensor.Float32, 2)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Exp(x)}})
	require.NoError(t, err)
	feeds := Feeds{x: tensor.Must(tensor.FromSlice([]float32{0, 0}))}
	for end := time.Now().Add(20 * time.Second); len(exe.Report().Tried) == 0 && time.Now().Before(end); {
		runs(t, exe, feeds, 1)
	}
	r := exe.Report()
	require.Len(t, r.Tried, 1)
	require.False(t, r.Tried[0].Stays)
	require.Equal(t, "cpu", r.Tasks[0].Where)
	require.LessOrEqual(t, r.Placements[1].Runs, uint64(2))
	require.NotZero(t, device.Stats().Launches)
}
