package opstest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Evaluate runs the graph of constants that y ends.
func Evaluate(t *testing.T, ys ...*ops.Node) [][]float64 {
	t.Helper()
	exe, err := ys[0].Graph().Compile(t.Context(), CPUOnly(t), ops.Target{Outputs: ys})
	require.NoError(t, err)
	results, err := exe.Run(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, exe.Close())
	out := make([][]float64, len(results))
	for i, r := range results {
		out[i] = make([]float64, r.Len())
		for k := range out[i] {
			out[i][k] = r.Float64At(k)
		}
	}
	return out
}

// Number is a constant of dtype dt.
func Number(t *testing.T, g *ops.Graph, dt tensor.DType, shape []int, v ...float64) *ops.Node {
	t.Helper()
	x := tensor.Must(tensor.FromSlice(v))
	x = tensor.Must(tensor.Cast(x, dt))
	return g.Const(tensor.Must(x.Reshape(shape...)))
}
