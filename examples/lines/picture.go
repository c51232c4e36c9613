package main

import (
	"image"
	"image/color"
	"math"

	"github.com/anycl/anycl/tensor"
)

// seen is a picture as the network sees it: [1, side, side, 4], red, green and blue from 0 to 255, and 1. Each of its pixels is the
// mean of the area that it covers.
func seen(photo image.Image) *tensor.Tensor {
	b := photo.Bounds()
	values := make([]float32, 0, side*side*4)
	for y := range side {
		for x := range side {
			x0, x1 := b.Min.X+x*b.Dx()/side, b.Min.X+max((x+1)*b.Dx()/side, x*b.Dx()/side+1)
			y0, y1 := b.Min.Y+y*b.Dy()/side, b.Min.Y+max((y+1)*b.Dy()/side, y*b.Dy()/side+1)
			var sum [3]float64
			n := 0.0
			for v := y0; v < y1; v++ {
				for u := x0; u < x1; u++ {
					r, g, b, _ := photo.At(u, v).RGBA()
					sum[0], sum[1], sum[2] = sum[0]+float64(r), sum[1]+float64(g), sum[2]+float64(b)
					n++
				}
			}
			for _, s := range sum {
				values = append(values, float32(s/n/257))
			}
			values = append(values, 1)
		}
	}
	return tensor.Must(tensor.FromSlice(values, 1, side, side, 4))
}

// drawn is the picture in grey, with the lines in red: the better, the stronger.
func drawn(photo image.Image, lines []line) image.Image {
	b := photo.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			g := color.GrayModel.Convert(photo.At(b.Min.X+x, b.Min.Y+y)).(color.Gray).Y
			out.Set(x, y, color.Gray{Y: 96 + g/2})
		}
	}
	sx, sy := float64(b.Dx())/side, float64(b.Dy())/side
	for _, l := range lines {
		n := int(2*math.Hypot((l.x1-l.x0)*sx, (l.y1-l.y0)*sy)) + 1
		for i := range n + 1 {
			t := float64(i) / float64(n)
			x, y := int(sx*(l.x0+t*(l.x1-l.x0))), int(sy*(l.y0+t*(l.y1-l.y0)))
			for d := range 2 {
				if p := image.Pt(x, y+d); p.In(out.Bounds()) {
					out.SetRGBA(p.X, p.Y, color.RGBA{R: 220, G: uint8(120 * (1 - l.score)), A: 255})
				}
			}
		}
	}
	return out
}
