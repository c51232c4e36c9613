package ops

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/lower"
	"github.com/anycl/anycl/tensor"
)

func TestImagesOfFewChannelsOrOutputsStayInPlanes(t *testing.T) {
	planes := func(channels, outputs, groups int) bool {
		g := NewGraph("conv")
		x, w := g.Input("x", tensor.Float32, 2, channels*groups, 9, 9), g.Input("w", tensor.Float32, outputs*groups, channels, 3, 3)
		y := Conv2D(x, w, Conv2DOptions{Pad: [2]int{1, 1}, Groups: groups})
		require.NoError(t, g.Err())
		windows := y.op.Compose(&Call{In: []*Node{x, w}, Attr: y.attr})
		for windows.op.Name != "windows" {
			windows = windows.in[0]
		}
		return lower.AlongLines(newSimplifier(nil).simplify(windows))
	}
	require.True(t, planes(8, 64, 1))
	require.True(t, planes(64, 15, 1))
	require.True(t, planes(64, 15, 2), "of a group")
	require.False(t, planes(9, 16, 1))
	require.False(t, planes(9, 16, 2))
}
