package main

import (
	"image"
	"image/color"
)

// picture has the field at some times side by side, red where it is high and blue where it is low; the lens is lighter.
func (w *medium) picture(fields [][]float32) image.Image {
	const gap = 8
	im := image.NewRGBA(image.Rect(0, 0, len(fields)*(w.n+gap)-gap, w.n))
	for side, u := range fields {
		for k, v := range u {
			x, y := k%w.n, k/w.n
			ground := 20.0
			if w.speed(float64(x)/float64(w.n), float64(y)/float64(w.n)) < 0.8 {
				ground = 60
			}
			part := func(v float32) uint8 { return uint8(min(255, ground+200*float64(max(v, 0)))) }
			im.SetRGBA(side*(w.n+gap)+x, y, color.RGBA{part(v), uint8(ground), part(-2 * v), 255})
		}
	}
	return im
}
