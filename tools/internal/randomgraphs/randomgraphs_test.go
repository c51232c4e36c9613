package randomgraphs

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
)

func run(t *testing.T, o Options) *Report {
	t.Helper()
	o.Device = "cpu"
	r, err := Run(t.Context(), &o)
	require.NoError(t, err)
	return r
}

func TestGraphsOfEveryKindAgree(t *testing.T) {
	t.Parallel()
	done := 0
	r := run(t, Options{Count: 40, Seed: 11, Progress: func(p Progress) {
		done++
		require.Equal(t, done, p.Done)
		require.Equal(t, 40, p.All)
	}})
	require.Equal(t, 40, done)
	require.Equal(t, 40, r.Checked)
	require.Empty(t, r.Wrong)
	for _, k := range Kinds {
		require.Equal(t, &Counts{Agree: 10}, r.Counts[k], k)
	}
	var b bytes.Buffer
	require.NoError(t, r.WriteText(&b))
	require.Contains(t, b.String(), "40 of 40 graphs, from seed 11, on cpu")
	_, err := json.Marshal(r)
	require.NoError(t, err)
}

// stuck is an engine whose reductions of floats give 77.
type stuck struct{ engine.Engine }

func (s stuck) Prepare(ctx context.Context, tasks []engine.Bound) (engine.Sequence, error) {
	tasks = slices.Clone(tasks)
	for i, b := range tasks {
		if dt := b.Task.Outs[0].DType; b.Task.Kind == engine.Reduce && dt.IsFloat() {
			task := *b.Task
			task.Values = slices.Clone(task.Values)
			task.Values[0] = engine.Constant(dt, engine.Const{Float: 77})
			tasks[i].Task = &task
		}
	}
	return s.Engine.Prepare(ctx, tasks)
}

func TestAWrongGraphIsToldWithItsSeedAndTheSmallest(t *testing.T) {
	t.Parallel()
	broken := Options{Count: 80, Seed: 3, wrap: func(e engine.Engine) engine.Engine { return stuck{e} }}
	r := run(t, broken)
	require.True(t, r.Failed())
	smaller := 0
	for _, w := range r.Wrong {
		require.NotEmpty(t, w.Smallest)
		require.LessOrEqual(t, len(w.Smallest), len(w.Error)+20)
		if w.Smallest != w.Error {
			smaller++
		}
	}
	require.Positive(t, smaller)
	var b bytes.Buffer
	require.NoError(t, r.WriteText(&b))
	require.Contains(t, b.String(), "again: anycl conformance -suite graphs -device cpu -kind ")

	first := r.Wrong[0]
	broken.Kinds, broken.Seed, broken.Count = []string{first.Kind}, first.Seed, 1
	again := run(t, broken)
	require.Equal(t, r.Wrong[:1], again.Wrong, "the command repeats it")
}

func TestPartsOfARunCheckTheSameGraphs(t *testing.T) {
	t.Parallel()
	for _, kinds := range [][]string{nil, {Fixed, Gradients}} {
		o := Options{Count: 23, Seed: 3, Kinds: kinds, wrap: func(e engine.Engine) engine.Engine { return stuck{e} }, shrinks: 1}
		whole := run(t, o)
		require.True(t, whole.Failed())
		parts := o.Divide(3)
		require.Len(t, parts, 3)
		var reports []*Report
		for _, p := range parts {
			reports = append(reports, run(t, *p))
		}
		joined := Joined(reports)
		joined.Duration = whole.Duration
		require.Equal(t, whole, joined)
	}
	few := Options{Count: 3}
	require.Equal(t, []*Options{{Count: 3}}, few.Divide(8), "kinds of a seed stay together")
}

func TestNoGraphBeginsAfterTheLimit(t *testing.T) {
	t.Parallel()
	r := run(t, Options{Count: 1 << 30, Limit: 10 * time.Millisecond})
	require.Positive(t, r.Checked)
	var b bytes.Buffer
	require.NoError(t, r.WriteText(&b))
	require.Contains(t, b.String(), " of 1073741824 graphs, from seed 0")
}

func TestAnUnknownKindIsAnError(t *testing.T) {
	t.Parallel()
	_, err := Run(t.Context(), &Options{Device: "cpu", Kinds: []string{"round"}})
	require.ErrorContains(t, err, `there is no kind "round", only fixed, open, divided, gradients`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Run(ctx, &Options{Device: "cpu", Count: 1})
	require.ErrorIs(t, err, context.Canceled)
}
