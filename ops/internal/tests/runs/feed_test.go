package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

func TestAFeedThatDoesNotFitSaysWhichAndWhy(t *testing.T) {
	rt := opstest.CPUOnly(t)
	g, other := NewGraph("feeds"), NewGraph("other")
	x, y := g.Input("x", tensor.Float32, 2, 3), g.Input("y", tensor.Float32, 3)
	stranger := other.Input("stranger", tensor.Float32, 1)
	sum := Add(x, y)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{sum}})
	require.NoError(t, err)
	good := func() Feeds { return Feeds{x: opstest.Vec(t, []int{2, 3}, 1), y: opstest.Vec(t, []int{3}, 1)} }
	for name, c := range map[string]struct {
		change func(f Feeds)
		want   []string
	}{
		"missing":     {func(f Feeds) { delete(f, y) }, []string{"y", "float32[3]", "missing", "feed_test.go:"}},
		"both":        {func(f Feeds) { delete(f, y); delete(f, x) }, []string{"input x", "input y"}},
		"nil":         {func(f Feeds) { f[x] = nil }, []string{"input x", "missing"}},
		"shape":       {func(f Feeds) { f[x] = opstest.Vec(t, []int{3, 2}) }, []string{"input x", "[2 3]", "[3 2]"}},
		"dtype":       {func(f Feeds) { f[y] = tensor.Must(tensor.New(tensor.Int32, 3)) }, []string{"input y", "float32", "int32"}},
		"not input":   {func(f Feeds) { f[sum] = opstest.Vec(t, []int{2, 3}) }, []string{"add", "not an input"}},
		"other graph": {func(f Feeds) { f[stranger] = opstest.Vec(t, []int{1}) }, []string{"stranger", `graph "other"`}},
	} {
		t.Run(name, func(t *testing.T) {
			f := good()
			c.change(f)
			_, err := exe.Run(t.Context(), f)
			require.ErrorIs(t, err, ErrFeed)
			for _, w := range c.want {
				require.ErrorContains(t, err, w)
			}
		})
	}
	_, err = exe.Run(t.Context(), good())
	require.NoError(t, err, "the next run works")
}

func TestAFeedNeedNotBeContiguous(t *testing.T) {
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		g := NewGraph("views")
		x := g.Input("x", tensor.Float32, 2, 3)
		exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{Outputs: []*Node{Neg(x)}}))
		require.NoError(t, err)
		view, err := opstest.Vec(t, []int{3, 2}, 1, 2, 3, 4, 5, 6).Transpose(1, 0)
		require.NoError(t, err)
		out, err := exe.Run(t.Context(), Feeds{x: view})
		require.NoError(t, err)
		require.Equal(t, []float32{-1, -3, -5, -2, -4, -6}, opstest.FloatsOf(t, out[0]))
	})
}

func TestAnInputThatTheTargetDoesNotNeedMayBeFedOrNot(t *testing.T) {
	g := NewGraph("unused")
	x, unused := g.Input("x", tensor.Float32, 2), g.Input("unused", tensor.Float32, 5)
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{Neg(x)}})
	require.NoError(t, err)
	for _, f := range []Feeds{{x: opstest.Vec(t, []int{2}, 1, 2)}, {x: opstest.Vec(t, []int{2}, 1, 2), unused: opstest.Vec(t, []int{5})}} {
		out, err := exe.Run(t.Context(), f)
		require.NoError(t, err)
		require.Equal(t, []float32{-1, -2}, opstest.FloatsOf(t, out[0]))
	}
}

func TestOutputsOfTheCallerMustFit(t *testing.T) {
	g := NewGraph("outs")
	x := g.Input("x", tensor.Float32, 2)
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{Neg(x)}})
	require.NoError(t, err)
	f := Feeds{x: opstest.Vec(t, []int{2}, 1, 2)}
	for _, outs := range [][]*tensor.Tensor{nil, {nil}, {opstest.Vec(t, []int{3})}, {tensor.Must(tensor.New(tensor.Float64, 2))}, {opstest.Vec(t, []int{2}), opstest.Vec(t, []int{2})}} {
		require.Error(t, exe.RunInto(t.Context(), f, outs))
	}
	require.NoError(t, exe.RunInto(t.Context(), f, []*tensor.Tensor{opstest.Vec(t, []int{2})}))
}
