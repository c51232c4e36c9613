package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/tensor"
)

// Compile leaves nothing for the driver to compile in the first run, and variables as they were, also those
// that another executable has on the device.
func TestCompileLeavesNothingToCompile(t *testing.T) {
	for _, thread := range []string{"caller", "pool", "workers"} {
		t.Run(thread, func(t *testing.T) {
			r := newRig(t)
			rt := r.onThread(t, thread)
			g := ops.NewGraph("warm")
			x := g.Input("x", tensor.Float32, 5, 7)
			w := g.Variable("w", tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6, 7})))
			grown := ops.Assign(w, ops.Add(w, ops.Sum(ops.Exp(x), 0)))
			first, err := g.Compile(t.Context(), rt, ops.Target{Updates: []*ops.Node{grown}, Place: ops.OnDevice})
			require.NoError(t, err)
			require.False(t, inside.Executor(first).Cold())
			feeds := ops.Feeds{x: tensor.Must(tensor.New(tensor.Float32, 5, 7))}
			_, err = first.Run(t.Context(), feeds)
			require.NoError(t, err)
			ranked, _ := ops.Sort(ops.Mul(x, w), 1, nil)
			second, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{ops.Softmax(ranked, 1)}, Updates: []*ops.Node{ops.Assign(w, ops.Mul(w, ops.Mean(x, 0)))}, Place: ops.OnDevice})
			require.NoError(t, err)
			require.False(t, inside.Executor(second).Cold())
			v, err := ops.Value(t.Context(), w)
			require.NoError(t, err)
			for i := range 7 {
				require.EqualValues(t, 6+i, v.Float64At(i), "the value is that of the run")
			}
			_, err = first.Run(t.Context(), feeds)
			require.NoError(t, err)
			v, err = ops.Value(t.Context(), w)
			require.NoError(t, err)
			require.EqualValues(t, 11, v.Float64At(0))
		})
	}
}
