package numerics_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// A fold computes its random numbers itself, in vectors. They are those that a
// run which stores them gives, bit for bit: the largest, its place, and how many
// points lie in a circle tell. The runs are the second of each.
func TestFoldsSeeTheRandomNumbersThatAreStored(t *testing.T) {
	opstest.NumbersOnly(t)
	t.Parallel()
	rt := opstest.Device(t)
	const rows = 3
	second := func(t *testing.T, build func(g *Graph) []*Node) []*tensor.Tensor {
		g := NewGraph("random")
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: build(g), Place: OnDevice})
		require.NoError(t, err)
		_, err = exe.Run(t.Context(), nil)
		require.NoError(t, err)
		out, err := exe.Run(t.Context(), nil)
		require.NoError(t, err)
		require.NoError(t, exe.Close())
		return out
	}
	for _, cols := range []int{1, 31, 256, 300, 20011} {
		t.Run(fmt.Sprint(cols), func(t *testing.T) {
			t.Parallel()
			draw := func(g *Graph) (normal, x, y *Node) {
				return g.Normal(tensor.Float32, rows, cols), g.Uniform(tensor.Float32, rows, cols), g.Uniform(tensor.Float32, rows, cols)
			}
			stored := second(t, func(g *Graph) []*Node {
				n, x, y := draw(g)
				return []*Node{n, x, y}
			})
			folded := second(t, func(g *Graph) []*Node {
				n, x, y := draw(g)
				inside := Cast(Less(Add(Mul(x, x), Mul(y, y)), ScalarLike(x, 1)), tensor.Float32)
				return []*Node{Max(n, 1), ArgMax(n, 1), Sum(inside, 1)}
			})
			n, x, y := opstest.FloatsOf(t, stored[0]), opstest.FloatsOf(t, stored[1]), opstest.FloatsOf(t, stored[2])
			for r := range rows {
				row := n[r*cols : (r+1)*cols]
				most := slices.Max(row)
				require.Equal(t, float64(most), folded[0].Float64At(r))
				require.Equal(t, float64(slices.Index(row, most)), folded[1].Float64At(r))
				inside := 0
				for i := r * cols; i < (r+1)*cols; i++ {
					if float32(x[i]*x[i])+float32(y[i]*y[i]) < 1 {
						inside++
					}
				}
				require.Equal(t, float64(inside), folded[2].Float64At(r))
			}
		})
	}
}
