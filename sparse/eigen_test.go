package sparse_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/sparse"
	"github.com/anycl/anycl/tensor"
)

// chain is the second difference of n points, whose eigenvalues are 2 - 2 cos(π i/(n + 1)).
func chain[T sparse.Number](t testing.TB, n int) *sparse.CSR[T] {
	a := &sparse.COO[T]{Rows: n, Cols: n}
	for i := range n {
		a.Add(i, i, 2)
		if i > 0 {
			a.Add(i, i-1, -1)
			a.Add(i-1, i, -1)
		}
	}
	c, err := a.CSR()
	require.NoError(t, err)
	return c
}

func chainValue(i, n int) float64 { return 2 - 2*math.Cos(math.Pi*float64(i)/float64(n+1)) }

func TestEigenvaluesOfAChain(t *testing.T) {
	everywhere(t, func(t *testing.T, e engine) {
		const n, k = 100, 4
		a := chain[float64](t, n)
		matrix := func(g *ops.Graph) sparse.Operator { return sparse.Const(g, a).Apply }
		for _, smallest := range []bool{false, true} {
			r, err := sparse.Eigs(t.Context(), e.rt, n, tensor.Float64, matrix, k, &sparse.EigenOptions{Smallest: smallest, Place: e.place})
			require.NoError(t, err)
			assert.True(t, r.Converged)
			for i, v := range r.Values {
				want := chainValue(n-i, n)
				if smallest {
					want = chainValue(i+1, n)
				}
				assert.InDelta(t, want, v, 1e-9)
			}
			vectors, err := tensor.ToSlice[float64](r.Vectors)
			require.NoError(t, err)
			for i := range k {
				x := vectors[i*n : (i+1)*n]
				y, err := a.Mul(x)
				require.NoError(t, err)
				var residual float64
				for c := range y {
					residual += (y[c] - r.Values[i]*x[c]) * (y[c] - r.Values[i]*x[c])
				}
				assert.InDelta(t, r.Residuals[i], math.Sqrt(residual), 1e-10)
				assert.Less(t, math.Sqrt(residual), 4e-10)
				for j := range i + 1 {
					var d float64
					for c := range x {
						d += x[c] * vectors[j*n+c]
					}
					want := 0.0
					if i == j {
						want = 1
					}
					assert.InDelta(t, want, d, 1e-12)
				}
			}
		}
		// The inverse of A finds the low end in few restarts.
		inverse := func(g *ops.Graph) sparse.Operator {
			m := sparse.Const(g, a)
			return func(x *ops.Node) *ops.Node { return sparse.CG(m.Apply, x, &sparse.Options{Tolerance: 1e-13}).X }
		}
		r, err := sparse.Eigs(t.Context(), e.rt, n, tensor.Float64, inverse, k, &sparse.EigenOptions{Place: e.place})
		require.NoError(t, err)
		assert.True(t, r.Converged)
		assert.LessOrEqual(t, r.Restarts, 3)
		for i, v := range r.Values {
			assert.InDelta(t, chainValue(i+1, n), 1/v, 1e-9)
		}
	})
}

// A space of eigenvectors is left by another direction; where there are no others the eigenvalues are all found.
func TestEigenvaluesOfSmallAndDegenerateMatrices(t *testing.T) {
	testdevices.UnoptimizeTest(t) // the same graphs are optimized for a chain
	everywhere(t, func(t *testing.T, e engine) {
		for i, c := range []struct {
			diagonal []float64
			k        int
			want     []float64
		}{
			{[]float64{3, 1, 2}, 2, []float64{3, 2}},
			{[]float64{5, 5, 5, 1}, 2, []float64{5, 5}},
			{[]float64{0, 0, 0}, 1, []float64{0}},
			{[]float64{2, -7}, 1, []float64{2}},
			{slices.Concat([]float64{9, 8, 9}, seq(57)), 3, []float64{9, 9, 8}}, // two vectors of 9
		} {
			if e.place == ops.OnDevice && i < 4 { // each is other kernels
				continue
			}
			a := &sparse.COO[float32]{Rows: len(c.diagonal), Cols: len(c.diagonal)}
			for i, v := range c.diagonal {
				a.Add(i, i, float32(v))
			}
			m, err := a.CSR()
			require.NoError(t, err)
			build := func(g *ops.Graph) sparse.Operator { return sparse.Const(g, m).Apply }
			r, err := sparse.Eigs(t.Context(), e.rt, len(c.diagonal), tensor.Float32, build, c.k, &sparse.EigenOptions{Place: e.place})
			require.NoError(t, err)
			assert.InDeltaSlice(t, c.want, r.Values, 1e-5, "%v", c.diagonal)
			assert.True(t, r.Converged)
		}
	})
}

// seq is n numbers from 0 to 1.
func seq(n int) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = float64(i) / float64(n)
	}
	return s
}

func TestEigenproblemsThatAreNone(t *testing.T) {
	t.Parallel()
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	a := chain[float32](t, 30)
	matrix := func(g *ops.Graph) sparse.Operator { return sparse.Const(g, a).Apply }
	for what, run := range map[string]func() (*sparse.Eigen, error){
		"0 eigenvalues":  func() (*sparse.Eigen, error) { return sparse.Eigs(t.Context(), rt, 30, a32, matrix, 0, nil) },
		"30 eigenvalues": func() (*sparse.Eigen, error) { return sparse.Eigs(t.Context(), rt, 30, a32, matrix, 30, nil) },
		"space of 31": func() (*sparse.Eigen, error) {
			return sparse.Eigs(t.Context(), rt, 30, a32, matrix, 2, &sparse.EigenOptions{Space: 31})
		},
		"int32":        func() (*sparse.Eigen, error) { return sparse.Eigs(t.Context(), rt, 30, i32, matrix, 1, nil) },
		"nil":          func() (*sparse.Eigen, error) { return sparse.Eigs(t.Context(), rt, 30, a32, nil, 1, nil) },
		"times x [29]": func() (*sparse.Eigen, error) { return sparse.Eigs(t.Context(), rt, 29, a32, matrix, 1, nil) },
		"not finite": func() (*sparse.Eigen, error) {
			return sparse.Eigs(t.Context(), rt, 30, a32, func(g *ops.Graph) sparse.Operator {
				return func(x *ops.Node) *ops.Node { return ops.Mul(x, math.NaN()) }
			}, 1, nil)
		},
		"canceled": func() (*sparse.Eigen, error) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return sparse.Eigs(ctx, rt, 30, a32, matrix, 1, nil)
		},
	} {
		_, err := run()
		assert.ErrorContains(t, err, what)
	}
	r, err := sparse.Eigs(t.Context(), rt, 30, a32, matrix, 1, &sparse.EigenOptions{Limit: 1, Space: 3, Smallest: true})
	require.NoError(t, err)
	assert.False(t, r.Converged)
	assert.Len(t, r.Values, 1)
}
