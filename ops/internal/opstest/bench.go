package opstest

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

func Random(t testing.TB, shape ...int) *tensor.Tensor {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	x, err := tensor.New(tensor.Float32, shape...)
	require.NoError(t, err)
	for i := range x.Len() {
		x.SetFloat64(i, r.Float64()*2-1)
	}
	return x
}
