package gradients_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// The last sum has none after it, and e to the power of it overflows.
func TestLogCumSumExpOfLargeValuesHasAGradient(t *testing.T) {
	t.Parallel()
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	for _, reverse := range []bool{false, true} {
		g := ops.NewGraph("sums")
		x := g.Input("x", tensor.Float64, 3)
		y := ops.LogCumSumExp(x, 0, &ops.CumSumOptions{Reverse: reverse})
		exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{ops.Gradients(ops.Sum(y), x)[0]}})
		require.NoError(t, err)
		out, err := exe.Run(t.Context(), ops.Feeds{x: tensor.Must(tensor.FromSlice([]float64{1e4, 1e4, 1e4}))})
		require.NoError(t, err)
		want := []float64{1 + 1./2 + 1./3, 1./2 + 1./3, 1. / 3}
		if reverse {
			want[0], want[2] = want[2], want[0]
		}
		got, err := tensor.ToSlice[float64](out[0])
		require.NoError(t, err)
		require.InDeltaSlice(t, want, got, 1e-10) // a sum of 1e4 and log 2 has fewer digits
		require.NoError(t, exe.Close())
	}
}
