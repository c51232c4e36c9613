package linalg_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/tensor"
)

// A system that float32 can decompose is solved to float64; one that it cannot by a decomposition in float64, and the result says which.
func TestRefinedSolutions(t *testing.T) {
	for _, device := range []string{"none", ""} {
		rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
		require.NoError(t, err)
		const n = 40
		r := rand.New(rand.NewPCG(1, 2))
		g := ops.NewGraph("refined")
		a, b := g.Input("a", tensor.Float64, 2, n, n), g.Input("b", tensor.Float64, 2, n, 3)
		s := linalg.SolveRefined(a, b)
		exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{s.X, s.Error, s.Condition, s.Iterations, s.Converged}})
		require.NoError(t, err)
		for name, c := range map[string]struct {
			scale     float64
			power     float64 // of the smallest diagonal element
			converged bool
		}{"regular": {1, 0, true}, "large": {1e200, -2, true}, "small": {1e-200, -1, true}, "ill-conditioned": {1, 0, false}} {
			as, bs := tensor.Must(tensor.New(tensor.Float64, 2, n, n)), tensor.Must(tensor.New(tensor.Float64, 2, n, 3))
			for i := range 2 * n {
				for j := range n {
					v := r.NormFloat64() * 0.01
					if i%n == j {
						v++
					}
					as.SetFloat64(i*n+j, v*c.scale*math.Pow(10, c.power*float64(j)/n)) // columns get smaller
				}
				if !c.converged { // two columns are nearly the same
					as.SetFloat64(i*n+1, as.Float64At(i*n)+1e-11*r.NormFloat64())
				}
			}
			for i := range bs.Len() {
				bs.SetFloat64(i, r.NormFloat64())
			}
			out, err := exe.Run(t.Context(), ops.Feeds{a: as, b: bs})
			require.NoError(t, err)
			require.Equal(t, c.converged, out[4].Float64At(0) != 0, "%s: %d iterations", name, int(out[3].Float64At(0)))
			for m := range 2 {
				require.Less(t, out[1].Float64At(m), 1e-14, name)
				condition := out[2].Float64At(m)
				if c.converged {
					require.Greater(t, condition, math.Pow(10, -c.power)/10, name)
					require.Less(t, condition, 1e5, name)
				} else {
					require.Greater(t, condition, 1e6, name)
				}
			}
		}
		require.NoError(t, exe.Close())
		require.NoError(t, rt.Close())
	}
	g := ops.NewGraph("wrong")
	require.Equal(t, tensor.Invalid, linalg.SolveRefined(g.Input("a", tensor.Float32, 2, 2), g.Input("b", tensor.Float32, 2, 1)).X.DType())
	require.ErrorContains(t, g.Err(), "float64")
}
