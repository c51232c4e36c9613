package graphs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// Lines that an index finds in an image whose lines begin somewhere else, or repeat, are found in the stored image by vectors; a few of
// them are found element by element, where they are.
func TestLinesAreFoundInStoredImages(t *testing.T) {
	opstest.NumbersOnly(t)
	rt := opstest.Device(t)
	const channels, side = 16, 64
	moves := map[string]func(x *Node) *Node{
		"rolled": func(x *Node) *Node { return Roll(x, []int{3, 5}, 2, 3) },
		"tiled":  func(x *Node) *Node { return Tile(Narrow(x, 3, 0, side/2), 1, 1, 1, 2) },
	}
	for name, move := range moves {
		for rows, tasks := range map[int]int{side: 2, 3: 1} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				order := tensor.Must(tensor.New(tensor.Int64, rows))
				for i := range rows {
					order.SetFloat64(i, float64((i*7+3)%side))
				}
				graph := NewGraph("found")
				x := graph.Input("x", tensor.Float32, 4, channels, side, side)
				y := Gather(move(x), 2, graph.Const(order))
				feeds := Feeds{x: waves(4, channels, side, side)}
				var results [2][]float32
				for i, place := range []Place{Device(0), OnCPU} {
					exe, err := graph.Compile(t.Context(), rt, Target{Outputs: []*Node{y}, Place: place})
					require.NoError(t, err)
					defer exe.Close()
					out, err := exe.Run(t.Context(), feeds)
					require.NoError(t, err)
					results[i], err = tensor.ToSlice[float32](out[0])
					require.NoError(t, err)
					if i == 0 && rt.Device().Class == platform.CPU {
						require.Equal(t, tasks, len(exe.Report().Tasks), exe.Explain())
					}
				}
				require.Equal(t, results[1], results[0])
			})
		}
	}
}
