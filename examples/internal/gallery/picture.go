package gallery

import (
	"image"
	"image/color"
	"math"

	"github.com/anycl/anycl/examples/internal/curves"
)

// Paint makes a picture whose pixels at gives, x to the right and y down.
func Paint(width, height int, at func(x, y int) color.RGBA) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetRGBA(x, y, at(x, y))
		}
	}
	return img
}

// Grey is the grey of a brightness from 0 to 1, or the nearest to it.
func Grey(brightness float64) color.RGBA { return RGB(brightness, brightness, brightness) }

// RGB is the colour of red, green and blue from 0 to 1, or the nearest to it.
func RGB(red, green, blue float64) color.RGBA {
	level := func(v float64) uint8 { return uint8(255*min(max(v, 0), 1) + 0.5) }
	return color.RGBA{level(red), level(green), level(blue), 255}
}

// Farthest is the largest difference of two lists, element by element; infinite if they are not as long, or if something is not a number.
func Farthest[T float32 | float64](a, b []T) (most float64) {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for i := range a {
		d := math.Abs(float64(a[i]) - float64(b[i]))
		if math.IsNaN(d) {
			return math.Inf(1)
		}
		most = max(most, d)
	}
	return most
}

// WriteCurves draws curves and writes them where -out says.
func (p *Program) WriteCurves(a curves.Axes, lowerLeft bool, lines ...curves.Line) error {
	if p.Out == "" {
		return nil
	}
	img, err := curves.Draw(a, lowerLeft, lines...)
	if err != nil {
		return err
	}
	return p.WritePNG(img)
}
