package curves

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLinesAreDrawn(t *testing.T) {
	count := func(lines ...Line) (coloured int) {
		img, err := Draw(Axes{Title: "t", X: "x", Y: "y"}, false, lines...)
		require.NoError(t, err)
		b := img.Bounds()
		require.Greater(t, b.Dx(), 400)
		for y := range b.Dy() {
			for x := range b.Dx() {
				if r, g, b, _ := img.At(x, y).RGBA(); r != g || g != b {
					coloured++
				}
			}
		}
		return coloured
	}
	one := Line{Name: "a", X: []float64{0, 1}, Y: []float64{0, 1}}
	require.Zero(t, count())
	require.Greater(t, count(one), 500)
	require.Greater(t, 2*count(one, Line{Name: "b", X: []float64{0, 1}, Y: []float64{1, 0}}), 3*count(one))
	_, err := Draw(Axes{}, true, Line{X: []float64{1}, Y: []float64{math.NaN()}})
	require.Error(t, err)
}
