package nn_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Running statistics of instances are means over the parts of a batch, with the variance of a sample, and inference uses them.
func TestRunningStatisticsOfInstances(t *testing.T) {
	const parts, channels, inner, momentum = 3, 2, 4, 0.25
	onEngines(t, func(t *testing.T, rt *ops.Runtime) {
		g := ops.NewGraph("instances")
		layer := &nn.InstanceNorm{Channels: channels, Running: true, Momentum: momentum}
		m := nn.New(g, layer, nn.Options{})
		x := g.Input("x", tensor.Float32, parts, channels, inner)
		pass := m.Train()
		train := ops.Target{Outputs: []*ops.Node{layer.Apply(pass, x)}, Updates: pass.Updates()}
		step, err := g.Compile(t.Context(), rt, train)
		require.NoError(t, err)
		means, variances := make([]float64, channels), []float64{1, 1}
		for k := range 2 {
			in := numbers(130+k, 2, parts, channels, inner)
			out, err := step.Run(t.Context(), ops.Feeds{x: in})
			require.NoError(t, err)
			for c := range channels {
				mean, variance := 0.0, 0.0
				for n := range parts {
					at, sum, squares := (n*channels+c)*inner, 0.0, 0.0
					for i := range inner {
						sum += in.Float64At(at + i)
					}
					for i := range inner {
						d := in.Float64At(at+i) - sum/inner
						squares += d * d
					}
					for i := range inner {
						want := (in.Float64At(at+i) - sum/inner) / math.Sqrt(squares/inner+1e-5)
						require.InDelta(t, want, out[0].Float64At(at+i), 1e-4)
					}
					mean += sum / inner / parts
					variance += squares / (inner - 1) / parts
				}
				means[c] += momentum * (mean - means[c])
				variances[c] += momentum * (variance - variances[c])
			}
		}
		require.NoError(t, step.Close())
		in := numbers(140, 2, parts, channels, inner)
		eval := m.Eval()
		got := run(t, rt, ops.Feeds{x: in}, ops.Target{Outputs: []*ops.Node{layer.Apply(eval, x)}})[0]
		require.Empty(t, eval.Updates())
		for i := range in.Len() {
			c := i / inner % channels
			require.InDelta(t, (in.Float64At(i)-means[c])/math.Sqrt(variances[c]+1e-5), got.Float64At(i), 1e-4)
		}
		names := map[string]bool{}
		for name := range m.Named() {
			names[name] = true
		}
		require.Equal(t, map[string]bool{"running_mean": true, "running_var": true}, names)
	})
}
