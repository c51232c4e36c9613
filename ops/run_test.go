package ops

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// cpuOnly is a runtime on the CPU path alone.
func cpuOnly(t testing.TB) *Runtime {
	t.Helper()
	e := fallback.New(nil)
	rt := NewRuntime(e)
	t.Cleanup(func() {
		require.NoError(t, rt.Close())
		require.NoError(t, e.Close())
		require.Zero(t, e.Stats().Memories)
	})
	return rt
}

func vec(t testing.TB, shape []int, v ...float32) *tensor.Tensor {
	t.Helper()
	x, err := tensor.New(tensor.Float32, shape...)
	require.NoError(t, err)
	for i := range v {
		x.SetFloat64(i, float64(v[i]))
	}
	return x
}

func floatsOf(t testing.TB, x *tensor.Tensor) []float32 {
	t.Helper()
	v, err := tensor.ToSlice[float32](x)
	require.NoError(t, err)
	return v
}

func TestASmallGraphRuns(t *testing.T) {
	rt := cpuOnly(t)
	g := NewGraph("small")
	x := g.Input("x", tensor.Float32, 2, 3)
	w := g.Variable("w", vec(t, []int{3, 2}, 1, 2, 3, 4, 5, 6))
	y := ReLU(Sub(MatMul(x, w), ScalarLike(x, 10)))
	loss := Sum(y)
	dw := Gradients(loss, w)[0]
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y, dw, Transpose(y)}, Updates: []*Node{Assign(w, Sub(w, dw))}})
	require.NoError(t, err)
	defer exe.Close()
	out, err := exe.Run(t.Context(), Feeds{x: vec(t, []int{2, 3}, 1, 0, 0, 1, 1, 1)})
	require.NoError(t, err)
	require.Equal(t, []float32{0, 0, 0, 2}, floatsOf(t, out[0]))
	require.Equal(t, []float32{0, 1, 0, 1, 0, 1}, floatsOf(t, out[1]))
	require.Equal(t, []float32{0, 0, 0, 2}, floatsOf(t, out[2]))
	v, err := Value(t.Context(), w)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 1, 3, 3, 5, 5}, floatsOf(t, v))
}

func TestConvolutionAndPoolingGradientsRun(t *testing.T) {
	rt := cpuOnly(t)
	g := NewGraph("conv")
	x := g.Input("x", tensor.Float32, 1, 1, 4, 4)
	w := g.Variable("w", vec(t, []int{1, 1, 3, 3}, 0, 0, 0, 0, 1, 0, 0, 0, 0))
	y := MaxPool2D(Conv2D(x, w, Conv2DOptions{Pad: [2]int{1, 1}}), PoolOptions{Size: [2]int{2, 2}})
	d := Gradients(Sum(y), x, w)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y, d[0], d[1]}})
	require.NoError(t, err)
	defer exe.Close()
	var in []float32
	for i := range 16 {
		in = append(in, float32(i))
	}
	out, err := exe.Run(t.Context(), Feeds{x: vec(t, []int{1, 1, 4, 4}, in...)})
	require.NoError(t, err)
	require.Equal(t, []float32{5, 7, 13, 15}, floatsOf(t, out[0]))
	require.Equal(t, []float32{0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1}, floatsOf(t, out[1]))
	require.Equal(t, []float32{20, 24, 12, 36, 40, 20, 18, 20, 10}, floatsOf(t, out[2]))
}
