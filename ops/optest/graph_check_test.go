package optest_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops/optest"
)

// stuck is an engine whose reductions of floats always give 77, or panic.
type stuck struct {
	engine.Engine
	panics bool
}

func (s *stuck) Prepare(ctx context.Context, tasks []engine.Bound) (engine.Sequence, error) {
	tasks = slices.Clone(tasks)
	for i, b := range tasks {
		if b.Task.Kind != engine.Reduce || !b.Task.Outs[0].DType.IsFloat() {
			continue
		}
		if s.panics {
			panic("cannot reduce")
		}
		dt := b.Task.Outs[0].DType
		task := *b.Task
		task.Values = slices.Clone(task.Values)
		task.Values[0] = engine.Constant(dt, engine.Const{Float: 77})
		tasks[i].Task = &task
	}
	return s.Engine.Prepare(ctx, tasks)
}

// A wrong graph is made smaller until all that is left is what is wrong.
func TestAWrongGraphShrinksToOneOp(t *testing.T) {
	t.Parallel()
	cpu := fallback.New(nil)
	e := &stuck{Engine: fallback.New(nil)}
	t.Cleanup(func() {
		require.NoError(t, e.Close())
		require.NoError(t, cpu.Close())
	})
	steps := func(err error) int { return strings.Count(err.Error(), " = ") - strings.Count(err.Error(), " = input") }
	for name, c := range map[string]*optest.GraphCheck{
		"fixed": optest.FixedGraphs(e), "open": optest.OpenGraphs(e), "divided": optest.DividedGraphs(e, cpu),
	} {
		wrong, single := 0, 0
		for seed := range uint64(60) {
			err := c.Error(t.Context(), seed)
			small := c.Smallest(t.Context(), seed, 1000)
			if err == nil {
				require.NoError(t, small)
				continue
			}
			require.Error(t, small, "%v", err)
			require.LessOrEqual(t, steps(small), steps(err))
			require.Contains(t, small.Error(), "value v")
			wrong++
			if steps(small) == 1 {
				single++
			}
		}
		require.Greater(t, wrong, 3, name)
		require.Greater(t, 2*single, wrong, "%s: most are wrong by one op", name)
	}
	require.Equal(t, optest.FixedGraphs(e).Error(t.Context(), 7), optest.GraphError(t.Context(), e, 7))
}

// An engine that panics has made an error, as has one that refuses what others compute.
func TestAPanicIsTheErrorOfItsGraph(t *testing.T) {
	t.Parallel()
	e := &stuck{Engine: fallback.New(nil), panics: true}
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	found := false
	for seed := uint64(0); seed < 60 && !found; seed++ {
		c := optest.FixedGraphs(e)
		if err := c.Error(t.Context(), seed); err != nil {
			require.ErrorContains(t, err, "panic: cannot reduce")
			require.ErrorContains(t, c.Smallest(t.Context(), seed, 1000), "panic: cannot reduce")
			found = true
		}
	}
	require.True(t, found)
}

// Few tries give a graph that is not the smallest, and is wrong all the same.
func TestShrinkingStopsAfterItsTries(t *testing.T) {
	t.Parallel()
	e := &stuck{Engine: fallback.New(nil)}
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	c := optest.FixedGraphs(e)
	for seed := range uint64(40) {
		if c.Error(t.Context(), seed) != nil {
			require.Error(t, c.Smallest(t.Context(), seed, 0))
			require.Error(t, c.Smallest(t.Context(), seed, 2))
		}
	}
}
