package graphs_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// TestATrainingBeginsAtOnce: steps before and after the device takes over are those of one training.
func TestATrainingBeginsAtOnce(t *testing.T) {
	t.Parallel()
	const before, after = 3, 4
	feed := func(x, labels *Node) Feeds {
		f := tensor.Must(tensor.New(tensor.Float32, 24, 12))
		for i := range f.Len() {
			f.SetFloat64(i, float64(i%17)/8-1)
		}
		l := tensor.Must(tensor.New(tensor.Int32, 24))
		for i := range l.Len() {
			l.SetFloat64(i, float64(i%5))
		}
		return Feeds{x: f, labels: l}
	}
	train := func(rt *Runtime, start Start, place Place) (losses []float64, stages []Progress) {
		g := NewGraph("begins")
		x, labels, loss, updates := perceptron(g, 24)
		// A constant that no other test has, so that its kernels are compiled here.
		loss = Mul(loss, Exp(g.Full(tensor.Float32, 0)))
		exe, err := g.Compile(t.Context(), rt, Target{
			Outputs: []*Node{loss}, Updates: updates, Place: place, Start: start,
			Progress: func(p Progress) { stages = append(stages, p) },
		})
		require.NoError(t, err)
		defer exe.Close()
		for i := range before + after {
			if i == before {
				require.NoError(t, exe.Prepare(t.Context()))
			}
			out, err := exe.Run(t.Context(), feed(x, labels))
			require.NoError(t, err)
			losses = append(losses, out[0].Float64At(0))
		}
		if place == OnDevice {
			for _, task := range exe.Report().Tasks {
				require.NotEqual(t, "cpu", task.Where, "it is ready")
			}
		}
		return losses, stages
	}
	want, _ := train(openOrSkip(t, "cpu"), WhenCompiled, Auto)
	require.Less(t, want[before+after-1], want[0])
	rt := opstest.Device(t)
	// Where the device is open, and where it is opened while the training is under way.
	beside, err := Open(t.Context(), &Options{Start: AtOnce, Device: rt.Device().ID})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, beside.Close()) })
	for _, rt := range []*Runtime{beside, rt} {
		got, stages := train(rt, AtOnce, OnDevice)
		require.InDeltaSlice(t, want, got, 1e-5)
		for _, p := range stages {
			require.LessOrEqual(t, p.Done, p.Total)
			require.NotEmpty(t, p.Engine)
		}
	}
	require.Equal(t, rt.Device().ID, beside.Device().ID)
	require.Equal(t, rt.Device().ID, beside.Engines()[0].Name())
}

// A runtime that is closed while its device is being opened leaves nothing behind, and what waits for the device gets an error.
func TestARuntimeIsClosedWhileItsDeviceIsOpened(t *testing.T) {
	t.Parallel()
	id := opstest.Device(t).Device().ID
	rt, err := Open(t.Context(), &Options{Start: AtOnce, Device: id, CacheDir: t.TempDir()}) // nothing is known of the device there
	require.NoError(t, err)
	require.Contains(t, rt.Why(), id)
	g := NewGraph("early")
	x := g.Input("x", tensor.Float32, 2)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Add(x, 1.0)}, Start: AtOnce})
	require.NoError(t, err)
	out, err := exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{2}, 1, 2)})
	require.NoError(t, err)
	require.Equal(t, 3.0, out[0].Float64At(1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if inside.Machine(rt).Opening.Pending() {
		_, err = g.Compile(ctx, rt, Target{Outputs: []*Node{Add(x, 1.0)}})
		require.ErrorIs(t, err, context.Canceled)
	}
	require.NoError(t, rt.Close())
	require.ErrorIs(t, exe.Close(), nil)
	_, err = g.Compile(t.Context(), rt, Target{Outputs: []*Node{Add(x, 1.0)}, Start: AtOnce})
	require.ErrorIs(t, err, ErrClosed)
}

func TestStartsOfRuntimes(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), &Options{Start: 7, Device: "none"})
	require.ErrorContains(t, err, "the start is 7")
	rt, err := Open(t.Context(), &Options{Start: AtOnce, Device: "none"})
	require.NoError(t, err)
	require.Nil(t, rt.Device())
	require.Len(t, rt.Engines(), 1)
	require.NoError(t, rt.Close())
}

func TestWhatCannotBeginAtOnceIsRefused(t *testing.T) {
	t.Parallel()
	rt := openOrSkip(t, "cpu")
	g := NewGraph("wrong start")
	x := g.Input("x", tensor.Float32, 2)
	_, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{x}, Start: AtOnce, Reproducible: true})
	require.ErrorContains(t, err, "at once")
	_, err = g.Compile(t.Context(), rt, Target{Outputs: []*Node{x}, Start: 7})
	require.ErrorContains(t, err, "start is 7")
}

// TestPreparedSizesAreCompiled: no run of a graph with open sizes has to make a plan for those that were named.
func TestPreparedSizesAreCompiled(t *testing.T) {
	t.Parallel()
	rt := openOrSkip(t, "cpu")
	g := NewGraph("prepared")
	x := g.Input("x", tensor.Float32, Dim("rows"), 3)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Softmax(x, 1)}})
	require.NoError(t, err)
	defer exe.Close()
	require.NoError(t, exe.Prepare(t.Context(), Sizes{"rows": 4}, Sizes{"rows": 9}))
	require.Equal(t, 2, inside.Plans(exe))
	_, err = exe.Run(t.Context(), Feeds{x: tensor.Must(tensor.New(tensor.Float32, 9, 3))})
	require.NoError(t, err)
	require.Equal(t, 2, inside.Plans(exe))
	require.ErrorContains(t, exe.Prepare(t.Context(), Sizes{"columns": 4}), "columns is no open extent")

	fixed, err := NewGraph("fixed").Compile(t.Context(), rt, Target{})
	require.Error(t, err)
	require.Nil(t, fixed)
	h := NewGraph("numbers")
	y := h.Input("y", tensor.Float32, 2)
	exe, err = h.Compile(t.Context(), rt, Target{Outputs: []*Node{Exp(y)}})
	require.NoError(t, err)
	defer exe.Close()
	require.NoError(t, exe.Prepare(t.Context()))
	require.ErrorContains(t, exe.Prepare(t.Context(), Sizes{"rows": 4}), "no open sizes")
}
