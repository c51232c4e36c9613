package graphs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// A view whose elements take long to find is stored for readers that go through it several times, and is found where it is by one that
// reads it once.
func TestViewsAreStoredForReadersThatGoThroughThemAgain(t *testing.T) {
	opstest.NumbersOnly(t)
	rt := opstest.Device(t)
	const channels, side = 16, 48
	roll := func(x *Node) *Node { return Roll(x, []int{3, 5}, 2, 3) }
	pad := func(x *Node) *Node {
		return Pad(x, 0.5, Padding{Axis: 2, Before: 1, After: 1}, Padding{Axis: 3, Before: 1, After: 1})
	}
	second := func(x *Node) *Node { return Slice(x, Range{Axis: 3, Step: 2}) }
	largest := func(x *Node) *Node {
		return MaxPool2D(x, PoolOptions{Size: [2]int{3, 3}, Stride: [2]int{1, 1}, Pad: [2]int{1, 1}})
	}
	tile := func(x *Node, of int) *Node { return Tile(Narrow(x, 3, 0, of), 1, 1, 1, side/of) }
	apart := PoolOptions{Size: [2]int{2, 2}} // windows that do not overlap
	order := tensor.Must(tensor.FromSlice([]int32{3, 0, 15, 7}, 4))
	cross := func(x *Node, border string) *Node {
		o := StencilOptions{Axes: []int{2, 3}, Size: []int{3, 3}, Weights: []float64{0, 1, 0, 1, -4, 1, 0, 1, 0}, Border: border}
		return Stencil(x, o)
	}
	cases := map[string]struct {
		read  func(x *Node) *Node
		tasks int
	}{
		"rolled, summed":               {func(x *Node) *Node { return Sum(roll(x), 3) }, 1},
		"rolled, with its exponential": {func(x *Node) *Node { r := roll(x); return Mul(r, Exp(r)) }, 1},
		"rolled, and backwards":        {func(x *Node) *Node { r := roll(x); return Add(Exp(r), Flip(r, 3)) }, 2},
		"rolled, softmax":              {func(x *Node) *Node { return Softmax(roll(x), 3) }, 2},
		"rolled, divided by its norm":  {func(x *Node) *Node { return Normalize(roll(x), 2, 3, 1e-5) }, 2},
		"rolled, variance of all":      {func(x *Node) *Node { return Variance(roll(x)) }, 3},
		"padded, variance of rows":     {func(x *Node) *Node { return Variance(pad(x), 3) }, 2},
		"padded twice, pooled":         {func(x *Node) *Node { return largest(pad(x)) }, 2},
		"pooled":                       {largest, 1},
		"every second, pooled":         {func(x *Node) *Node { return largest(second(x)) }, 2},
		"every second, softmax":        {func(x *Node) *Node { return Softmax(second(x), 3) }, 2},
		"channels last, normalized": {func(x *Node) *Node {
			return LayerNorm(Transpose(x, 0, 2, 3, 1), Tile(Narrow(Reshape(x, -1), 0, 0, 1), channels), nil, 1e-5)
		}, 1},
		"every second, summed": {func(x *Node) *Node { return Sum(second(x), 3) }, 1},
		"channels last, pooled": {func(x *Node) *Node {
			return AvgPool2D(Transpose(x, 0, 2, 3, 1), PoolOptions{Size: [2]int{2, 2}})
		}, 2},
		"mirrored, pooled apart": {func(x *Node) *Node {
			return AvgPool2D(PadWith(x, "reflect", Padding{Axis: 2, Before: 2, After: 2}, Padding{Axis: 3, Before: 2, After: 2}), apart)
		}, 2},
		"chosen channels, pooled apart": {func(x *Node) *Node { return AvgPool2D(Gather(x, 1, x.Graph().Const(order)), apart) }, 2},
		"padded, resized": {func(x *Node) *Node {
			return Interpolate(pad(x), InterpolateOptions{Mode: "linear", Size: []int{side / 2, side / 2}})
		}, 3},
		"channels last, stencil": {func(x *Node) *Node {
			return Stencil(Transpose(x, 0, 2, 3, 1), StencilOptions{Axes: []int{2, 3}, Size: []int{3, 3}, Weights: []float64{0, 1, 0, 1, -4, 1, 0, 1, 0}})
		}, 2},
		"stencil":                {func(x *Node) *Node { return cross(x, "zero") }, 1},
		"stencil of edges":       {func(x *Node) *Node { return cross(x, "edge") }, 1},
		"stencil on a torus":     {func(x *Node) *Node { return cross(x, "wrap") }, 1},
		"of short tiles, summed": {func(x *Node) *Node { return Sum(tile(x, side/3), 2, 3) }, 2},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			graph := NewGraph("stored")
			x := graph.Input("x", tensor.Float32, 2, channels, side, side)
			y := c.read(x)
			var results []*tensor.Tensor
			for _, place := range []Place{Device(0), OnCPU} {
				exe, err := graph.Compile(t.Context(), rt, Target{Outputs: []*Node{y}, Place: place})
				require.NoError(t, err)
				defer exe.Close()
				out, err := exe.Run(t.Context(), Feeds{x: waves(2, channels, side, side)})
				require.NoError(t, err)
				results = append(results, out[0])
				if place != OnCPU && rt.Device().Class == platform.CPU {
					require.Len(t, exe.Report().Tasks, c.tasks, exe.Explain())
				}
			}
			for i := range results[0].Len() {
				require.InDelta(t, results[1].Float64At(i), results[0].Float64At(i), 1e-4)
			}
		})
	}
}
