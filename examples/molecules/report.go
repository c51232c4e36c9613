package main

import (
	"math"
	"sync/atomic"

	"github.com/anycl/anycl/examples/internal/curves"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/fallback"
)

// line prints a line of the table.
func (s *state) line(p *gallery.Program, step int) {
	p.Printf("%6d %12.4f %10.5f %10.5f %9.4f\n", step, s.Temperature, s.Potential, s.Energy, s.Pressure)
}

// bins of the radial distribution, up to the distance far.
const bins, far = 150, 3.0

// radial counts pairs of atoms by distance, and divides by the number for atoms at random places. It takes some thousand atoms.
func (l *liquid) radial(p []float32) []float64 {
	var counts [bins]atomic.Int64
	some, box := min(l.n, 2048), float32(l.box)
	fallback.Parallel(some, func(from, to int) {
		for i := from; i < to; i++ {
			for j := range l.n {
				var r2 float32
				for d := range 3 {
					s := p[d*l.n+i] - p[d*l.n+j]
					s = max(s, -s)
					s = min(s, box-s) // across the border
					r2 += s * s
				}
				if r2 < far*far && r2 > 0 {
					counts[int(math.Sqrt(float64(r2))/far*bins)].Add(1)
				}
			}
		}
	})
	g := make([]float64, bins)
	for b := range g {
		inner, outer := far*float64(b)/bins, far*float64(b+1)/bins
		g[b] = float64(counts[b].Load()) / (float64(some) * density * 4 / 3 * math.Pi * (outer*outer*outer - inner*inner*inner))
	}
	return g
}

// peak is the largest value of a distribution, and where it is.
func peak(g []float64) (top, where float64) {
	for b, v := range g {
		if v > top {
			top, where = v, far*(float64(b)+0.5)/bins
		}
	}
	return top, where
}

// draw draws the radial distribution beside that of a gas.
func (l *liquid) draw(p *gallery.Program, g []float64) error {
	liquid, gas := curves.Line{Name: "the liquid", Y: g}, curves.Line{Name: "a gas", Dashed: true, X: []float64{0, far}, Y: []float64{1, 1}}
	for b := range g {
		liquid.X = append(liquid.X, far*(float64(b)+0.5)/bins)
	}
	return p.WriteCurves(curves.Axes{Title: "Radial distribution", X: "distance", Y: "atoms, of as many as anywhere"}, false, liquid, gas)
}
