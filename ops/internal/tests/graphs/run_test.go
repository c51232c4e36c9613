package graphs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

func TestASmallGraphRuns(t *testing.T) {
	rt := opstest.CPUOnly(t)
	g := NewGraph("small")
	x := g.Input("x", tensor.Float32, 2, 3)
	w := g.Variable("w", opstest.Vec(t, []int{3, 2}, 1, 2, 3, 4, 5, 6))
	y := ReLU(Sub(MatMul(x, w), ScalarLike(x, 10)))
	loss := Sum(y)
	dw := Gradients(loss, w)[0]
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y, dw, Transpose(y)}, Updates: []*Node{Assign(w, Sub(w, dw))}})
	require.NoError(t, err)
	defer exe.Close()
	out, err := exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{2, 3}, 1, 0, 0, 1, 1, 1)})
	require.NoError(t, err)
	require.Equal(t, []float32{0, 0, 0, 2}, opstest.FloatsOf(t, out[0]))
	require.Equal(t, []float32{0, 1, 0, 1, 0, 1}, opstest.FloatsOf(t, out[1]))
	require.Equal(t, []float32{0, 0, 0, 2}, opstest.FloatsOf(t, out[2]))
	v, err := Value(t.Context(), w)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 1, 3, 3, 5, 5}, opstest.FloatsOf(t, v))
}

func TestConvolutionAndPoolingGradientsRun(t *testing.T) {
	rt := opstest.CPUOnly(t)
	g := NewGraph("conv")
	x := g.Input("x", tensor.Float32, 1, 1, 4, 4)
	w := g.Variable("w", opstest.Vec(t, []int{1, 1, 3, 3}, 0, 0, 0, 0, 1, 0, 0, 0, 0))
	y := MaxPool2D(Conv2D(x, w, Conv2DOptions{Pad: [2]int{1, 1}}), PoolOptions{Size: [2]int{2, 2}})
	d := Gradients(Sum(y), x, w)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y, d[0], d[1]}})
	require.NoError(t, err)
	defer exe.Close()
	var in []float32
	for i := range 16 {
		in = append(in, float32(i))
	}
	out, err := exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{1, 1, 4, 4}, in...)})
	require.NoError(t, err)
	require.Equal(t, []float32{5, 7, 13, 15}, opstest.FloatsOf(t, out[0]))
	require.Equal(t, []float32{0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1}, opstest.FloatsOf(t, out[1]))
	require.Equal(t, []float32{20, 24, 12, 36, 40, 20, 18, 20, 10}, opstest.FloatsOf(t, out[2]))
}
