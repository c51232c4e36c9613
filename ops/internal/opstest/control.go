package opstest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

// TensorOf is a tensor of dtype dt with values v.
func TensorOf(t testing.TB, dt tensor.DType, shape []int, v ...float64) *tensor.Tensor {
	t.Helper()
	x, err := tensor.New(dt, shape...)
	require.NoError(t, err)
	require.Equal(t, x.Len(), len(v))
	for i := range v {
		x.SetFloat64(i, v[i])
	}
	return x
}

func NumbersOf(x *tensor.Tensor) []float64 {
	out := make([]float64, x.Len())
	for i := range out {
		out[i] = x.Float64At(i)
	}
	return out
}
