package opstest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

func Filled(t testing.TB, v float64, shape ...int) *tensor.Tensor {
	t.Helper()
	x, err := tensor.New(tensor.Float32, shape...)
	require.NoError(t, err)
	for i := range x.Len() {
		x.SetFloat64(i, v)
	}
	return x
}
