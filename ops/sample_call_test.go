package ops

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

func TestASampleOfAnOpOfSeveralResultsNeedsABuild(t *testing.T) {
	rt, several := cpuOnly(t), 0
	for op := range All() {
		if op.results == nil {
			continue
		}
		several++
		for _, s := range op.Samples {
			require.NotNil(t, s.Build, "%s/%s", op.Name, s.Label)
		}
		g := NewGraph("sample")
		x := g.Input("x", tensor.Float32, 4)
		_, out := Sample{Label: "bare"}.Call(op, g, tensor.Float32, []*Node{x})
		_, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{out}})
		require.ErrorContains(t, err, op.Name)
		require.ErrorContains(t, err, "the sample has no Build")
	}
	require.Positive(t, several)
}
