package factor_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// pivotsOf are the pivots of a of n x n, from 1: of the largest the first of several.
func pivotsOf(a []float64, n int) []float64 {
	pivots := make([]float64, n)
	for c := range n {
		at := c
		for i := c; i < n; i++ {
			if math.Abs(a[i*n+c]) > math.Abs(a[at*n+c]) {
				at = i
			}
		}
		pivots[c] = float64(at + 1)
		for j := range n {
			a[at*n+j], a[c*n+j] = a[c*n+j], a[at*n+j]
		}
		for i := c + 1; i < n && a[c*n+c] != 0; i++ {
			l := a[i*n+c] / a[c*n+c]
			for j := c; j < n; j++ {
				a[i*n+j] -= l * a[c*n+j]
			}
		}
	}
	return pivots
}

func TestOfLikePivotsTheFirstIsTaken(t *testing.T) {
	onBothClasses(t, func(t *testing.T, e *ocl.Engine, dt tensor.DType) {
		const n = 128 // two panels of a Hadamard matrix with rows in another order: all elements are alike, and arithmetic is exact
		a := make([]float64, n*n)
		for i := range n {
			for j := range n {
				a[i*n+j] = 1 - 2*float64(bits.OnesCount(uint(i*37%n&j))%2)
			}
		}
		got, plan := ocltest.Execute(t, e, sample.LU(dt, 1, n, n), [][]byte{sample.BytesOf(dt, a)}, 0)
		require.Equal(t, pivotsOf(a, n), wideOfBytes(tensor.Int32, got[1]), "%v", plan.Launch)
	})
}

func TestAColumnOfZerosIsNoPivotAndNaNIsNeitherWhereNumbersAre(t *testing.T) {
	onBothClasses(t, func(t *testing.T, e *ocl.Engine, dt tensor.DType) {
		const n = 20
		a := make([]float64, 2*n*n)
		for i := range n {
			a[i*n+i], a[n*n+i*n+i] = 1, 1
		}
		a[3*n+3] = 0
		a[n*n] = math.NaN()
		a[n*n+5*n] = 2
		got, plan := ocltest.Execute(t, e, sample.LU(dt, 2, n, n), [][]byte{sample.BytesOf(dt, a)}, 0)
		// The row of NaN goes to where the 2 was, whose own column then has nothing but zeros below.
		require.Equal(t, []float64{4, 6}, wideOfBytes(tensor.Int32, got[3]), "%v", plan.Launch)
		pivots := wideOfBytes(tensor.Int32, got[1])
		require.EqualValues(t, 4, pivots[3])
		require.EqualValues(t, 6, pivots[n], "2, not NaN above it")
	})
}
