package opstest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/tensor"
)

// Overlapped compiles a graph whose sides are predicted to work at the same time.
func (r *overlapRig) Overlapped(t testing.TB, g *ops.Graph, outs ...*ops.Node) *ops.Executable {
	t.Helper()
	x, err := g.Compile(t.Context(), r.Runtime, ops.Target{Outputs: outs})
	require.NoError(t, err)
	require.NotNil(t, inside.Executor(x).Program().Placement.Order)
	return x
}

func Pair(a, b float32) *tensor.Tensor { return tensor.Must(tensor.FromSlice([]float32{a, b}, 2)) }

// Random runs a random graph with random places, or none, and returns all that it makes.
func (r *overlapRig) Random(t *testing.T, seed uint64, anywhere bool) (all []*tensor.Tensor) {
	rng := rand.New(rand.NewPCG(seed, 1))
	g := ops.NewGraph("random")
	x := g.Input("x", tensor.Float32, 2)
	v := g.Variable("v", Pair(1, 3))
	nodes := []*ops.Node{x, v}
	for i := range 4 + rng.IntN(12) {
		a, b := nodes[rng.IntN(len(nodes))], nodes[rng.IntN(len(nodes))]
		place := []ops.Place{ops.Auto, ops.OnDevice, ops.OnCPU}[rng.IntN(3)]
		if anywhere {
			place = ops.Auto
		}
		var y *ops.Node
		switch rng.IntN(3) {
		case 0:
			y = ops.Put(ops.Add(ops.ScalarLike(a, 0.5), ops.Mul(a, ops.ScalarLike(a, 0.25))), place)
		default:
			y = r.Kernel(g, fmt.Sprintf("k%d", i), place, nil, a, b)
		}
		nodes = append(nodes, ops.Mul(y, ops.ScalarLike(y, 0.5)))
	}
	exe, err := g.Compile(t.Context(), r.Runtime, ops.Target{
		Outputs: nodes[len(nodes)-3:], Updates: []*ops.Node{ops.Assign(v, ops.Mul(ops.Sin(nodes[len(nodes)-1]), v))},
	})
	require.NoError(t, err)
	for run := range 4 {
		outs, err := exe.Run(t.Context(), ops.Feeds{x: Pair(float32(run), 0.5)})
		require.NoError(t, err)
		value, err := ops.Value(t.Context(), v)
		require.NoError(t, err)
		all = append(append(all, outs...), value)
	}
	return all
}
