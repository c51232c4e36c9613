package main

import (
	"image"
	"image/color"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
)

// velocity is that of the fluid in a cell, in cells per step.
func (w *flow) velocity(f []float32, x, y int) (ux, uy float64) {
	var q [9]float64
	rho := 1.0
	for i := range q {
		q[i] = float64(f[i*w.width*w.height+y*w.width+x])
		rho += q[i]
	}
	return (q[1] - q[3] + q[5] - q[6] - q[7] + q[8]) / rho, (q[2] - q[4] + q[5] + q[6] - q[7] - q[8]) / rho
}

// fastest is the largest speed of the fluid, in units of that of the lid or the inflow; not a number where one is not.
func (w *flow) fastest(f []float32) (most float64) {
	for i, k := range w.kind {
		if k == fluid {
			most = max(most, math.Hypot(w.velocity(f, i%w.width, i/w.width)))
		}
	}
	return most / w.speed
}

// profiles are the velocities along the lines through the centre of the cavity, in units of the lid's: to the
// right from bottom to top, and upwards from left to right. With an even number of cells the lines are between two.
func (w *flow) profiles(f []float32) (u, v []float64) {
	n := int(w.length)
	u, v = make([]float64, n), make([]float64, n)
	for i := range n {
		for _, c := range []int{(n + 1) / 2, n/2 + 1} {
			ux, _ := w.velocity(f, c, i+1)
			_, uy := w.velocity(f, i+1, c)
			u[i] += ux / w.speed / 2
			v[i] += uy / w.speed / 2
		}
	}
	return u, v
}

// frequency is the number of periods in a step of a list that swings about zero, from its first rise through zero to its
// last; 0 without two of them.
func frequency(list []float64) float64 {
	var rises []float64
	for i := 1; i < len(list); i++ {
		if a, b := list[i-1], list[i]; a < 0 && b >= 0 {
			rises = append(rises, float64(i)-b/(b-a))
		}
	}
	if len(rises) < 2 {
		return 0
	}
	return float64(len(rises)-1) / (rises[len(rises)-1] - rises[0])
}

// picture paints the vorticity, dv/dx - du/dy, in units of the speed over an eighth of the length: red where the fluid turns
// left, blue where it turns right.
func (w *flow) picture(f []float32) image.Image {
	const zoom = 2
	return gallery.Paint(zoom*w.width, zoom*(w.height-2), func(px, py int) color.RGBA {
		x, y := px/zoom, w.height-2-py/zoom
		if w.kind[y*w.width+x] != fluid || x == 0 || x == w.width-1 {
			return gallery.Grey(0.27)
		}
		_, right := w.velocity(f, x+1, y)
		_, left := w.velocity(f, x-1, y)
		above, _ := w.velocity(f, x, y+1)
		below, _ := w.velocity(f, x, y-1)
		t := math.Tanh((right - left - above + below) / 2 * w.length / w.speed / 2)
		return gallery.RGB(1+min(t, 0), 1-math.Abs(t), 1-max(t, 0))
	})
}

// tellFrequency prints how often a velocity, which was looked at after every turn of steps, swings.
func (w *flow) tellFrequency(p *gallery.Program, across []float64, turn float64) {
	if f := frequency(across); f > 0 {
		p.Printf("the disc sheds %.3f pairs of vortices while the stream flows by its diameter (Strouhal number;\n"+
			"0.164 at Reynolds number 100 without walls, Williamson 1989; the walls of the channel make it more)\n", f/turn*w.length/w.speed)
	}
}
