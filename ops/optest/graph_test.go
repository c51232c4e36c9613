package optest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Found by random graphs: the product was handed to BLAS, which wants a leading
// dimension of 1 at least.
func TestProductOverNothingOfAComputedOperandIsZero(t *testing.T) {
	t.Parallel()
	g := ops.NewGraph("empty product")
	x, at := g.Input("x", tensor.Float32, 3, 6, 5, 0), g.Input("at", tensor.Int32, 3, 6, 5, 0)
	w := g.Input("w", tensor.Float32, 0, 4)
	y := ops.MatMul(ops.TakeAlong(x, 0, at), w)
	e := fallback.New(nil)
	defer e.Close()
	exe, err := g.Compile(t.Context(), ops.NewRuntime(e), ops.Target{Outputs: []*ops.Node{y}})
	require.NoError(t, err)
	defer exe.Close()
	zeros := func(dt tensor.DType, shape ...int) *tensor.Tensor { return tensor.Must(tensor.New(dt, shape...)) }
	out, err := exe.Run(t.Context(), ops.Feeds{
		x: zeros(tensor.Float32, 3, 6, 5, 0), at: zeros(tensor.Int32, 3, 6, 5, 0), w: zeros(tensor.Float32, 0, 4),
	})
	require.NoError(t, err)
	require.True(t, tensor.Equal(zeros(tensor.Float32, 3, 6, 5, 4), out[0]))
}
