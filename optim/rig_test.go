package optim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// cpu is a runtime of the CPU path alone.
func cpu(t *testing.T) *ops.Runtime {
	t.Helper()
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	return rt
}

// compile makes ready what updates do.
func compile(t *testing.T, rt *ops.Runtime, g *ops.Graph, updates []*ops.Node, outputs ...*ops.Node) *ops.Executable {
	t.Helper()
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: outputs, Updates: updates})
	require.NoError(t, err)
	return exe
}

// floats are the numbers of the variable v.
func floats(t *testing.T, v *ops.Node) []float64 {
	t.Helper()
	x, err := ops.Value(t.Context(), v)
	require.NoError(t, err)
	var all []float64
	for i := range x.Len() {
		all = append(all, x.Float64At(i))
	}
	return all
}

// vector is a float32 tensor.
func vector(v ...float32) *tensor.Tensor { return tensor.Must(tensor.FromSlice(v)) }
