package gallery

import (
	"image/color"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPaintAsksForEachPixel(t *testing.T) {
	img := Paint(3, 2, func(x, y int) color.RGBA { return Grey(float64(x+3*y) / 5) })
	require.Equal(t, color.RGBA{255, 255, 255, 255}, img.RGBAAt(2, 1))
	require.Equal(t, color.RGBA{51, 51, 51, 255}, img.RGBAAt(1, 0))
	require.Equal(t, color.RGBA{255, 0, 128, 255}, RGB(2, -1, 0.5))
}

func TestFarthestIsInfiniteWhereListsCannotBeCompared(t *testing.T) {
	require.Equal(t, 2.0, Farthest([]float32{1, -1}, []float32{1, 1}))
	require.Equal(t, 0.0, Farthest[float64](nil, nil))
	require.True(t, math.IsInf(Farthest([]float64{1}, nil), 1))
	require.True(t, math.IsInf(Farthest([]float64{1, math.NaN()}, []float64{1, 1}), 1))
}
