package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// dropper is an executable that returns random numbers, with open sizes or without.
func dropper(t *testing.T, rt *Runtime, open bool, seed uint64) (x *Executable, run func() *tensor.Tensor) {
	t.Helper()
	g := NewGraph("dropper")
	g.Seed(seed)
	rows := 4
	if open {
		rows = Dim("rows")
	}
	in := g.Input("x", tensor.Float32, rows)
	x, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Dropout(in, 0.5)}})
	require.NoError(t, err)
	ones := tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4}))
	return x, func() *tensor.Tensor {
		outs, err := x.Run(t.Context(), Feeds{in: ones})
		require.NoError(t, err)
		return outs[0]
	}
}

func TestRandomNumbersGoOnInAnotherExecutable(t *testing.T) {
	rt, err := Open(t.Context(), &Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	for _, open := range []bool{false, true} {
		x, run := dropper(t, rt, open, 3)
		for range 5 {
			run()
		}
		state := x.RandomState()
		require.Equal(t, RandomState{Seed: 3, Runs: 5}, state)
		y, again := dropper(t, rt, open, 3)
		require.NoError(t, y.SetRandomState(state))
		differ := false
		for range 6 {
			want, got := run(), again()
			require.True(t, tensor.Equal(want, got), "%v and %v", want, got)
			require.NoError(t, x.SetRandomState(RandomState{Seed: 3}))
			differ = differ || !tensor.Equal(want, run())
			require.NoError(t, x.SetRandomState(y.RandomState()))
		}
		require.True(t, differ, "other runs draw other numbers")

		other, _ := dropper(t, rt, open, 4)
		require.ErrorContains(t, other.SetRandomState(state), "seed 4")
	}
}

func TestRandomNumbersOfStepsGoOnInAnotherTraining(t *testing.T) {
	train := func() (*learner, *DataParallel, func(i int)) {
		l := newLearner(t, tensor.Float32)
		l.twist = func(loss, x *Node) *Node { return Mul(loss, Mean(Dropout(OnesLike(x), 0.5))) }
		var devices []*Runtime
		for range 2 {
			rt, err := Open(t.Context(), &Options{Device: "none", Workers: 1})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, rt.Close()) })
			devices = append(devices, rt)
		}
		p, err := NewDataParallel(t.Context(), devices, DataParallelOptions{
			Params: l.params, Share: l.share, Batch: 8, Reproducible: true,
			Optimizer: func(loss *Node) []*Node { return opstest.Momentum(loss, l.params, 0.1, 0) },
		})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, p.Close()) })
		return l, p, func(i int) {
			x, y := ring(tensor.Float32, i, 8)
			_, err := p.Step(t.Context(), nil, x, y)
			require.NoError(t, err)
		}
	}
	l, p, step := train()
	for i := range 3 {
		step(i)
	}
	state, values := p.RandomState(), l.values(t)
	require.EqualValues(t, 3, state.Runs)
	step(3)

	m, q, resumed := train()
	for i, v := range m.params {
		require.NoError(t, Set(t.Context(), v, values[i]))
	}
	resumed(3)
	require.False(t, tensor.Equal(l.values(t)[0], m.values(t)[0]), "without the state, other numbers are drawn")
	for i, v := range m.params {
		require.NoError(t, Set(t.Context(), v, values[i]))
	}
	require.NoError(t, q.SetRandomState(state))
	resumed(3)
	for i, want := range l.values(t) {
		require.True(t, tensor.Equal(want, m.values(t)[i]), "parameter %d", i)
	}
	m.g.Seed(9)
	require.ErrorContains(t, q.SetRandomState(state), "seed 9")
}

func TestATrainingOnSeveralDevicesMayShareAGraphWithOpenSizes(t *testing.T) {
	rt, err := Open(t.Context(), &Options{Device: "none", Workers: 1})
	require.NoError(t, err)
	defer rt.Close()
	var sums []*tensor.Tensor
	for _, open := range []bool{false, true} {
		l := newLearner(t, tensor.Float32)
		var x *Node
		if open {
			x = Mul(l.g.Input("validation", tensor.Float32, Dim("rows"), 2), 2)
		}
		p, err := NewDataParallel(t.Context(), []*Runtime{rt}, DataParallelOptions{
			Params: l.params, Share: l.share, Batch: 8, Optimizer: l.adam,
		})
		require.NoError(t, err)
		a, b := ring(tensor.Float32, 1, 8)
		_, err = p.Step(t.Context(), nil, a, b)
		require.NoError(t, err)
		sums = append(sums, l.values(t)[0])
		if open {
			exe, err := l.g.Compile(t.Context(), rt, Target{Outputs: []*Node{x}})
			require.NoError(t, err)
			require.NoError(t, exe.Close())
		}
		require.NoError(t, p.Close())
	}
	require.True(t, tensor.Equal(sums[0], sums[1]))
}
