package main

import (
	"image"
	"image/color"
	"math"
)

// picture has two plates side by side, before and after, from black over red and yellow to white; wood is lighter than copper.
func (w *plate) picture(before, after []float32) image.Image {
	const gap = 8
	im := image.NewRGBA(image.Rect(0, 0, 2*w.n+gap, w.n))
	h := 1 / float64(w.n+1)
	for side, u := range [][]float32{before, after} {
		for k, v := range u {
			x, y := k%w.n, k/w.n
			ground := 0.0
			if w.conductivity(float64(x+1)*h, float64(y+1)*h) < 1 {
				ground = 0.12
			}
			im.SetRGBA(side*(w.n+gap)+x, y, glow(math.Sqrt(max(float64(v), 0)), ground))
		}
	}
	return im
}

// glow is the colour of a heat from 0 to 1 before a grey ground.
func glow(v, ground float64) color.RGBA {
	part := func(from, to float64) uint8 {
		return uint8(255 * min(1, max(ground, (v-from)/(to-from))))
	}
	return color.RGBA{part(0, 0.4), part(0.3, 0.8), part(0.7, 1), 255}
}
