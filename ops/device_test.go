package ops

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/tensor"
)

// device is a runtime on the best OpenCL device, or the test is skipped.
func device(t testing.TB) *Runtime {
	t.Helper()
	rt, err := Open(t.Context(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	if rt.Device() == nil {
		t.Skip("no OpenCL device: " + rt.Why())
	}
	return rt
}

// numbersOnly begins tests that compile kernels by the dozen, or take times, and start no goroutines:
// there the race detector finds nothing, for minutes.
func numbersOnly(t *testing.T) {
	t.Helper()
	if RaceEnabled && testing.Short() {
		t.Skip("results, without goroutines")
	}
}

// unoptimized has the programs of a test compiled without optimization: see testdevices.Unoptimized.
func unoptimized(t *testing.T) {
	t.Helper()
	if v := testdevices.Unoptimized(); v != "" {
		t.Setenv(variant.EnvVariant, strings.TrimPrefix(variant.ForcedByEnv()+","+v, ","))
	}
}

func TestASmallGraphRunsOnTheDevice(t *testing.T) {
	rt := device(t)
	g := NewGraph("small")
	x := g.Input("x", tensor.Float32, 2, 3)
	w := g.Variable("w", vec(t, []int{3, 2}, 1, 2, 3, 4, 5, 6))
	y := ReLU(Sub(MatMul(x, w), ScalarLike(x, 10)))
	dw := Gradients(Sum(y), w)[0]
	exe, err := g.Compile(t.Context(), rt, Target{
		Outputs: []*Node{y, dw, Transpose(y)}, Updates: []*Node{Assign(w, Sub(w, dw))}, Place: OnDevice,
	})
	require.NoError(t, err)
	out, err := exe.Run(t.Context(), Feeds{x: vec(t, []int{2, 3}, 1, 0, 0, 1, 1, 1)})
	require.NoError(t, err)
	require.Equal(t, []float32{0, 0, 0, 2}, floatsOf(t, out[0]))
	require.Equal(t, []float32{0, 1, 0, 1, 0, 1}, floatsOf(t, out[1]))
	require.Equal(t, []float32{0, 0, 0, 2}, floatsOf(t, out[2]))
	require.NoError(t, errors.Join(exe.Close()))
	v, err := Value(t.Context(), w)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 1, 3, 3, 5, 5}, floatsOf(t, v))
}
