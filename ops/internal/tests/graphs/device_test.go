package graphs_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

func TestASmallGraphRunsOnTheDevice(t *testing.T) {
	rt := opstest.Device(t)
	g := NewGraph("small")
	x := g.Input("x", tensor.Float32, 2, 3)
	w := g.Variable("w", opstest.Vec(t, []int{3, 2}, 1, 2, 3, 4, 5, 6))
	y := ReLU(Sub(MatMul(x, w), ScalarLike(x, 10)))
	dw := Gradients(Sum(y), w)[0]
	exe, err := g.Compile(t.Context(), rt, Target{
		Outputs: []*Node{y, dw, Transpose(y)}, Updates: []*Node{Assign(w, Sub(w, dw))}, Place: OnDevice,
	})
	require.NoError(t, err)
	out, err := exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{2, 3}, 1, 0, 0, 1, 1, 1)})
	require.NoError(t, err)
	require.Equal(t, []float32{0, 0, 0, 2}, opstest.FloatsOf(t, out[0]))
	require.Equal(t, []float32{0, 1, 0, 1, 0, 1}, opstest.FloatsOf(t, out[1]))
	require.Equal(t, []float32{0, 0, 0, 2}, opstest.FloatsOf(t, out[2]))
	require.NoError(t, errors.Join(exe.Close()))
	v, err := Value(t.Context(), w)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 1, 3, 3, 5, 5}, opstest.FloatsOf(t, v))
}
