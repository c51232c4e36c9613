package main

import (
	"image"
	"image/color"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/tensor"
)

// planes are red, green and blue of a part of a picture, 0 to 1.
func planes(img image.Image, part image.Rectangle) *tensor.Tensor {
	w, h := part.Dx(), part.Dy()
	v := make([]float32, 3*w*h)
	for y := range h {
		for x := range w {
			r, g, b, _ := img.At(part.Min.X+x, part.Min.Y+y).RGBA()
			for c, level := range []uint32{r, g, b} {
				v[(c*h+y)*w+x] = float32(level) / 0xffff
			}
		}
	}
	return tensor.Must(tensor.FromSlice(v, 3, h, w))
}

// picture has photographs beside each other.
func (l *lens) picture(all ...*tensor.Tensor) image.Image {
	const gap = 8
	return gallery.Paint(len(all)*(l.w+gap)-gap, l.h, func(x, y int) color.RGBA {
		k, column := x/(l.w+gap), x%(l.w+gap)
		if column >= l.w {
			return gallery.Grey(1)
		}
		v := tensor.MustSlice[float32](all[k])
		at := func(c int) float64 { return float64(v[l.index(c, y, column)]) }
		return gallery.RGB(at(0), at(1), at(2))
	})
}
