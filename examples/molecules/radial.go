package main

import "math"

// bins of the radial distribution, up to the distance far.
const bins, far = 150, 3.0

// radial counts pairs of atoms by distance, and divides by what there would be if atoms were anywhere. It takes some thousand atoms.
func (l *liquid) radial(p []float32) []float64 {
	var counts [bins]float64
	some := min(l.n, 2048)
	for i := range some {
		for j := range l.n {
			var r2 float64
			for d := range 3 {
				s := math.Abs(float64(p[d*l.n+i]-p[d*l.n+j])) / l.box
				s = math.Abs(s - math.Round(s))
				r2 += s * s * l.box * l.box
			}
			if r2 < far*far && r2 > 0 {
				counts[int(math.Sqrt(r2)/far*bins)]++
			}
		}
	}
	g := make([]float64, bins)
	for b := range g {
		inner, outer := far*float64(b)/bins, far*float64(b+1)/bins
		g[b] = counts[b] / (float64(some) * density * 4 / 3 * math.Pi * (outer*outer*outer - inner*inner*inner))
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
