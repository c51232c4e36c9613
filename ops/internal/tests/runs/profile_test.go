package runs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/report"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// profiled compiles a step of training with a random mask on rt and profiles it.
func profiled(t *testing.T, rt *Runtime, where Place, runs int) (*Profile, *Executable, *Node) {
	t.Helper()
	g := NewGraph("profiled")
	x := g.Input("x", tensor.Float32, 8, 16)
	w := g.Variable("w", opstest.Random(t, 16, 4))
	count := g.Variable("count", tensor.Scalar(float32(0)))
	loss := Mean(Mul(MatMul(x, w), g.Uniform(tensor.Float32, 8, 4)))
	updates := []*Node{Assign(w, Sub(w, Gradients(loss, w)[0])), Assign(count, Add(count, ScalarLike(count, 1)))}
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{loss}, Updates: updates, Place: where})
	require.NoError(t, err)
	p, err := exe.Profile(t.Context(), Feeds{x: opstest.Random(t, 8, 16)}, ProfileOptions{Runs: runs})
	require.NoError(t, err)
	return p, exe, count
}

func onBoth(t *testing.T, test func(t *testing.T, rt *Runtime, where Place)) {
	t.Run("cpu", func(t *testing.T) { test(t, opstest.CPUOnly(t), OnCPU) })
	t.Run("device", func(t *testing.T) { test(t, opstest.Device(t), OnDevice) })
}

func TestAProfileAccountsForEveryTask(t *testing.T) {
	onBoth(t, func(t *testing.T, rt *Runtime, where Place) {
		p, exe, _ := profiled(t, rt, where, 3)
		defer exe.Close()
		require.Equal(t, 3, p.Runs)
		require.Len(t, p.Tasks, len(exe.Report().Tasks))
		launches, inTasks := 0, 0
		var timeOfTasks, timeOfKernels time.Duration
		for _, task := range p.Tasks {
			inTasks += task.Launches
			timeOfTasks += task.Time
			assert.Contains(t, task.Caller, "profile_test.go:", task.Name)
			if task.Time > 0 && task.Flops > 0 {
				assert.InEpsilon(t, task.Flops/task.Time.Seconds()/1e9, task.GFLOPS, 1e-6)
				assert.Contains(t, []string{"flops", "bytes"}, task.Bound)
				assert.Positive(t, task.Share)
			}
		}
		require.Positive(t, inTasks)
		for i, k := range p.Kernels {
			launches += k.Launches
			timeOfKernels += k.Time
			assert.NotEmpty(t, k.Name)
			if i > 0 {
				assert.LessOrEqual(t, k.Time, p.Kernels[i-1].Time, "the longest first")
			}
		}
		assert.Equal(t, inTasks, launches)
		assert.Equal(t, timeOfTasks, timeOfKernels)
		assert.Positive(t, p.Wall)
		text := p.String()
		for _, want := range []string{"profiled: a run takes", "of the peak", p.Kernels[0].Name, p.Tasks[0].Name} {
			assert.Contains(t, text, want)
		}
	})
}

// Spans of one track follow each other: the queue is in order.
func TestLaunchesOfAProfileFollowEachOther(t *testing.T) {
	onBoth(t, func(t *testing.T, rt *Runtime, where Place) {
		p, exe, _ := profiled(t, rt, where, 1)
		defer exe.Close()
		var last Span
		for _, s := range p.Spans {
			require.LessOrEqual(t, s.Start, s.End)
			if s.Task < 0 {
				require.Equal(t, report.Host, s.Track)
				continue
			}
			require.GreaterOrEqual(t, s.Start, last.End)
			require.Less(t, s.Task, len(p.Tasks))
			require.Equal(t, p.Tasks[s.Task].Where, s.Track)
			last = s
		}
		require.Positive(t, last.End)
	})
}

func TestProfileRunsAreRealRuns(t *testing.T) {
	onBoth(t, func(t *testing.T, rt *Runtime, where Place) {
		_, exe, count := profiled(t, rt, where, 2)
		defer exe.Close()
		v, err := Value(t.Context(), count)
		require.NoError(t, err)
		require.EqualValues(t, 2*2+2, v.Float64At(0))
	})
}

// The schema of the trace format: an array of events, each with a phase; complete
// events have a start and a duration, metadata a name in their arguments.
func TestATraceIsChromeTraceJSON(t *testing.T) {
	onBoth(t, func(t *testing.T, rt *Runtime, where Place) {
		p, exe, _ := profiled(t, rt, where, 1)
		defer exe.Close()
		var b bytes.Buffer
		require.NoError(t, p.WriteTrace(&b))
		var doc struct {
			Events []struct {
				Name string         `json:"name"`
				Cat  string         `json:"cat"`
				Ph   string         `json:"ph"`
				TS   *float64       `json:"ts"`
				Dur  *float64       `json:"dur"`
				PID  *int           `json:"pid"`
				TID  *int           `json:"tid"`
				Args map[string]any `json:"args"`
			} `json:"traceEvents"`
			Unit string `json:"displayTimeUnit"`
		}
		d := json.NewDecoder(&b)
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&doc))
		require.Equal(t, "ns", doc.Unit)
		threads, complete := map[int]string{}, 0
		for _, e := range doc.Events {
			require.NotEmpty(t, e.Name)
			require.NotNil(t, e.PID)
			require.NotNil(t, e.TID)
			require.NotNil(t, e.TS)
			switch e.Ph {
			case "M":
				name, ok := e.Args["name"].(string)
				require.True(t, ok)
				if e.Name == "thread_name" {
					threads[*e.TID] = name
				}
			case "X":
				require.NotNil(t, e.Dur)
				require.GreaterOrEqual(t, *e.Dur, 0.0)
				require.NotEmpty(t, e.Cat)
				require.Contains(t, threads, *e.TID, "a track has a name before its first event")
				complete++
			default:
				require.Fail(t, "phase "+e.Ph)
			}
		}
		require.Equal(t, len(p.Spans), complete)
		require.Len(t, threads, 2, "the host and the engine")
	})
}

func TestProfileMistakesAreErrors(t *testing.T) {
	rt := opstest.CPUOnly(t)
	g := NewGraph("mistakes")
	x := g.Input("x", tensor.Float32, 2)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Neg(x)}})
	require.NoError(t, err)
	_, err = exe.Profile(t.Context(), Feeds{x: opstest.Vec(t, []int{2})}, ProfileOptions{Runs: -1})
	require.ErrorContains(t, err, "-1 runs")
	_, err = exe.Profile(t.Context(), nil, ProfileOptions{})
	require.ErrorIs(t, err, ErrFeed)
	require.NoError(t, exe.Close())
	_, err = exe.Profile(t.Context(), Feeds{x: opstest.Vec(t, []int{2})}, ProfileOptions{})
	require.ErrorIs(t, err, ErrClosed)
}

// An engine that cannot time its launches is profiled as a whole.
func TestAnEngineWithoutClocksIsProfiledAsAWhole(t *testing.T) {
	rt := NewRuntime(plainEngine{inside.Machine(opstest.CPUOnly(t)).Engines[0]})
	defer rt.Close()
	p, exe, _ := profiled(t, rt, Auto, 1)
	defer exe.Close()
	for _, s := range p.Spans {
		require.Equal(t, report.Host, s.Track)
	}
	require.Empty(t, p.Kernels)
	require.NotEmpty(t, p.String())
	require.NoError(t, p.WriteTrace(new(bytes.Buffer)))
}

// plainEngine has no traits, nor have its sequences.
type plainEngine struct{ engine.Engine }

func (plainEngine) Traits() engine.Traits { return engine.Traits{} }

type plainSequence struct{ engine.Sequence }

func (plainSequence) Traits() engine.SequenceTraits { return engine.SequenceTraits{} }

func (e plainEngine) Prepare(ctx context.Context, tasks []engine.Bound) (engine.Sequence, error) {
	s, err := e.Engine.Prepare(ctx, tasks)
	return plainSequence{s}, err
}
