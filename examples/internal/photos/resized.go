package photos

import (
	"image"

	"golang.org/x/image/draw"
)

// Resized is a part of a picture at another size, by a triangle that covers at least what one of its pixels does.
func Resized(img image.Image, part image.Rectangle, width, height int) *image.RGBA {
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.BiLinear.Scale(to, to.Bounds(), img, part, draw.Src, nil)
	return to
}

// Scaled are the colours of a picture, c·scale + offset for c from 0 to 1 of red, green and blue each: [height, width, 3], or [3,
// height, width].
func Scaled(img *image.RGBA, planes bool, scale, offset [3]float32) []float32 {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	values := make([]float32, 3*w*h)
	for y := range h {
		for x := range w {
			for c := range 3 {
				at := 3*(y*w+x) + c
				if planes {
					at = (c*h+y)*w + x
				}
				values[at] = float32(img.Pix[y*img.Stride+4*x+c])/255*scale[c] + offset[c]
			}
		}
	}
	return values
}
