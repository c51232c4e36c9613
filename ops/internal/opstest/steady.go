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

// Allocations is how many allocations one call of f makes, rounded down: the least of a few measurements. Goroutines that prepare or
// rate something beside f allocate as well, and are counted; what f itself allocates is in every measurement.
func Allocations(runs int, f func()) float64 {
	least := testing.AllocsPerRun(runs, f)
	for try := 0; try < 20 && least > 0; try++ {
		least = min(least, testing.AllocsPerRun(runs, f))
	}
	return least
}
