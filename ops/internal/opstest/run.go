package opstest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// CPUOnly is a runtime on the CPU path alone.
func CPUOnly(t testing.TB) *ops.Runtime {
	t.Helper()
	e := fallback.New(nil)
	rt := ops.NewRuntime(e)
	t.Cleanup(func() {
		require.NoError(t, rt.Close())
		require.NoError(t, e.Close())
		require.Zero(t, e.Stats().Memories)
	})
	return rt
}

func Vec(t testing.TB, shape []int, v ...float32) *tensor.Tensor {
	t.Helper()
	x, err := tensor.New(tensor.Float32, shape...)
	require.NoError(t, err)
	for i := range v {
		x.SetFloat64(i, float64(v[i]))
	}
	return x
}

func FloatsOf(t testing.TB, x *tensor.Tensor) []float32 {
	t.Helper()
	v, err := tensor.ToSlice[float32](x)
	require.NoError(t, err)
	return v
}
