package graphs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// Depthwise windows over shuffled channels slide over rows in memory, be the channels made by a convolution of groups or by one of all.
func TestWindowsOverShuffledChannelsSlide(t *testing.T) {
	opstest.NumbersOnly(t)
	rt := opstest.Device(t)
	const groups, channels, size = 3, 24, 18
	for _, g := range []int{1, groups} {
		graph := NewGraph("shuffled")
		x, w, d := graph.Input("x", tensor.Float32, 2, channels, size, size), graph.Input("w", tensor.Float32, channels, channels/g, 1, 1), graph.Input("d", tensor.Float32, channels, 1, 3, 3)
		feeds := Feeds{x: waves(2, channels, size, size), w: waves(channels, channels/g, 1, 1), d: waves(channels, 1, 3, 3)}
		y := ReLU(Conv2D(x, w, Conv2DOptions{Groups: g}))
		y = Reshape(Transpose(Reshape(y, 2, groups, channels/groups, size, size), 0, 2, 1, 3, 4), 2, channels, size, size)
		y = Conv2D(y, d, Conv2DOptions{Pad: [2]int{1, 1}, Groups: channels})
		var results [][]*tensor.Tensor
		for _, place := range []Place{Device(0), OnCPU} {
			exe, err := graph.Compile(t.Context(), rt, Target{Outputs: []*Node{y}, Place: place})
			require.NoError(t, err)
			defer exe.Close()
			out, err := exe.Run(t.Context(), feeds)
			require.NoError(t, err)
			results = append(results, out)
			if place == OnCPU || rt.Device().Class != platform.CPU {
				continue
			}
			tasks := exe.Report().Tasks
			require.True(t, strings.HasPrefix(tasks[len(tasks)-1].Plan.Variant, "window"), exe.Explain())
		}
		for i := range results[0][0].Len() {
			require.InDelta(t, results[1][0].Float64At(i), results[0][0].Float64At(i), 1e-3)
		}
	}
}
