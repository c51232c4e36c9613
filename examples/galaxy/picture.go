package main

import (
	"image"
	"image/color"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
)

// paint sets scenes side by side, seen along the z axis. Where there are more stars it is brighter; those of one galaxy are
// golden, of the other blue.
func paint(scenes []*bodies) image.Image {
	const side, scale = 400, 58                           // pixels, and how many for the unit of length
	light := make([][2][side * side]float64, len(scenes)) // of the stars of both galaxies
	for s, b := range scenes {
		for i := range b.n {
			x, y := side/2+scale*float64(b.p[i]), side/2-scale*float64(b.p[b.n+i])
			for k := range 9 { // a star is a spot
				px, py := int(x)+k%3-1, int(y)+k/3-1
				if x > 1 && y > 1 && px >= 0 && px < side && py >= 0 && py < side {
					dx, dy := float64(px)+0.5-x, float64(py)+0.5-y
					light[s][i%2][py*side+px] += math.Exp(-(dx*dx + dy*dy)) * 16384 / float64(b.n)
				}
			}
		}
	}
	return gallery.Paint(side*len(scenes), side, func(x, y int) color.RGBA {
		l := &light[x/side]
		gold, blue := 1-math.Exp(-l[0][y*side+x%side]/2), 1-math.Exp(-l[1][y*side+x%side]/2)
		return gallery.RGB(gold+0.35*blue, 0.75*gold+0.6*blue, 0.35*gold+blue)
	})
}
