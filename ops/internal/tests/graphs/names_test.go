package graphs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// Compositions are built when somebody needs their parts: a gradient, an optimiser, or Compile. Whoever
// that is, tasks are called after what the user asked for, and show its line.
func TestTasksBearTheNamesOfWhatTheyCompute(t *testing.T) {
	t.Parallel()
	g := NewGraph("names")
	ones := func(shape ...int) *tensor.Tensor {
		v := tensor.Must(tensor.New(tensor.Float32, shape...))
		for i := range v.Len() {
			v.SetFloat64(i, 1)
		}
		return v
	}
	x := g.Input("x", tensor.Float32, 16, 8)
	w, s, b := g.Variable("w", ones(8, 8)), g.Variable("s", ones(8)), g.Variable("b", ones(8))
	y := GELU(LayerNorm(MatMul(x, w), s, b, 1e-5))
	loss := Mean(Square(Softmax(y, 1)))
	for name, updates := range map[string][]*Node{
		"adam": opstest.Adam(loss, []*Node{w, s, b}, 0.001),
		"sgd":  opstest.Momentum(loss, []*Node{w, s, b}, 0.01, 0.5),
		"none": nil,
	} {
		exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{loss}, Updates: updates})
		require.NoError(t, err)
		named := map[string]bool{}
		for _, task := range exe.Report().Tasks {
			parts := strings.Split(task.Name, "+")
			for _, part := range parts {
				named[part] = true
				op := strings.TrimSuffix(strings.TrimPrefix(part, "d("), ")")
				require.Contains(t, []string{"matmul", "gelu", "layer_norm", "softmax", "mean", "square", "...", name}, op, "%s", task.Name)
				require.NotEqual(t, "d("+name+")", part)
			}
		}
		require.True(t, named["layer_norm"], "%v", named)
		require.True(t, named["softmax"], "%v", named)
		require.Equal(t, name != "none", named["d(layer_norm)"], "%v", named)
	}
}

// What a gradient computes again belongs to the op that computed it first, also where the gradient comes first in the target.
func TestSharedComputationsBearTheFirstName(t *testing.T) {
	t.Parallel()
	g := NewGraph("shared")
	x := g.Input("x", tensor.Float32, 6, 5)
	y := Exp(x)
	d := Gradients(Sum(y), x)[0] // d(exp) is exp(x), times 1
	z := Tanh(Exp(x))
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{Add(d, ScalarLike(x, 1)), z, y}})
	require.NoError(t, err)
	for _, task := range exe.Report().Tasks {
		require.NotContains(t, task.Name, "d(", "%v", task)
	}
	require.Contains(t, y.String(), " at "+inside.Executor(exe).Program().Results[2].Node.Caller, "the line of the first that asked for it")
}
