package fallback

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// normalised is a task of three folds, of which the second and the outputs use the result of the
// first: v = dear(x - max x), out = v + sum v over the row, then its sum, and the place of the maximum.
func normalised(dt tensor.DType, rows, cols int) *engine.Task {
	n := int64(rows * cols)
	x := engine.Load(0, dt, engine.AxisIndex(0).Mul(int64(cols)).Add(engine.AxisIndex(1)), nil)
	dear := *fnAdd // worth keeping
	dear.Name, dear.Flops = "dear", 2*keepFlops
	v := engine.Apply(&dear, dt, x, engine.Apply(fnNeg, dt, engine.Acc(0, dt)))
	return &engine.Task{
		Kind: engine.Row, Name: "normalised", Axes: engine.Domain{rows, cols}, Groups: []int{1, 1},
		Ins: []engine.Operand{{DType: dt, Len: n}},
		Folds: []engine.Fold{
			{Monoid: engine.Max, Value: x, Acc: dt}, {Monoid: engine.Sum, Value: v, Acc: dt},
			{Monoid: engine.ArgMax, Value: x, Acc: tensor.Int64},
		},
		Values: []*engine.Expr{engine.Apply(fnAdd, dt, v, engine.Acc(1, dt)), engine.Acc(1, dt), engine.Acc(2, tensor.Int64)},
		Outs:   []engine.Operand{{DType: dt, Len: n}, {DType: dt, Len: int64(rows)}, {DType: tensor.Int64, Len: int64(rows)}},
	}
}

func TestFewLongRowsAreDivided(t *testing.T) {
	t.Parallel()
	small, alone, three := smallLimits(3), New(&Options{Workers: 1}), New(&Options{Workers: 3})
	for _, e := range []*Engine{small, alone, three} {
		defer e.Close()
	}
	r := rand.New(rand.NewPCG(1, 2))
	check := func(e *Engine, dt tensor.DType, rows, cols int, divided bool) {
		task := normalised(dt, rows, cols)
		requireNaive(t, e, task, bytesOf(dt, int64(rows*cols), func(int64) float64 { return float64(r.IntN(7)) }))
		s := prepare(t, e, task)
		require.Equal(t, divided, s.(*sequence).tasks[0].Runner.(*rowTask).chunks > 1, "%d x %d", rows, cols)
	}
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int64, tensor.Uint64} {
		for rows := 1; rows <= fewRows; rows++ {
			check(small, dt, rows, 301, rows < fewRows)
		}
	}
	check(small, tensor.Float32, 2, 60, false)
	check(small, tensor.Float32, 2, 0, false)
	check(small, tensor.Float32, 0, 300, false)
	check(three, tensor.Float32, 3, 2*1<<16+5, true)
	check(three, tensor.Float32, 3, 2*1<<16-5, false)

	// Sums of any numbers are the same bits however many workers there are.
	task := normalised(tensor.Float32, 2, 300_007)
	in := bytesOf(tensor.Float32, task.Ins[0].Len, func(int64) float64 { return r.NormFloat64() })
	want, err := tryTask(t, alone, task, 0, in)
	require.NoError(t, err)
	got, err := tryTask(t, three, task, 0, in)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("%x", want[1]), fmt.Sprintf("%x", got[1]))
	require.True(t, string(want[0]) == string(got[0]), "the values differ")
}

func TestDividedRowsAllocateNothing(t *testing.T) {
	e := New(&Options{Workers: 2})
	defer e.Close()
	task := normalised(tensor.Float32, 2, 300_007)
	x := task.Folds[0].Value
	task.Folds[1].Value, task.Values[0] = x, x // the functions of the tests allocate
	s := prepare(t, e, task)
	run := func() { require.NoError(t, s.Run(t.Context(), 0, 1, 0)) }
	for range 20 { // until every worker has made its frames
		run()
	}
	require.Zero(t, testing.AllocsPerRun(20, run))
}
