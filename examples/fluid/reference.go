package main

import (
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
)

// The velocities that Ghia, Ghia and Shin computed in a cavity of 129 x 129 points, in units of the lid's: u to the right
// along the vertical line through its centre, v upwards along the horizontal one. Source: High-Re Solutions for
// Incompressible Flow Using the Navier-Stokes Equations and a Multigrid Method, Journal of Computational Physics 48
// (1982), tables I and II.
var (
	ghiaY = [...]float64{0.9766, 0.9688, 0.9609, 0.9531, 0.8516, 0.7344, 0.6172, 0.5, 0.4531, 0.2813, 0.1719, 0.1016, 0.0703, 0.0625, 0.0547}
	ghiaU = map[int][len(ghiaY)]float64{
		100: {0.84123, 0.78871, 0.73722, 0.68717, 0.23151, 0.00332, -0.13641, -0.20581, -0.21090, -0.15662, -0.10150, -0.06434, -0.04775,
			-0.04192, -0.03717},
		400: {0.75837, 0.68439, 0.61756, 0.55892, 0.29093, 0.16256, 0.02135, -0.11477, -0.17119, -0.32726, -0.24299, -0.14612, -0.10338,
			-0.09266, -0.08186},
		1000: {0.65928, 0.57492, 0.51117, 0.46604, 0.33304, 0.18719, 0.05702, -0.06080, -0.10648, -0.27805, -0.38289, -0.29730, -0.22220,
			-0.20196, -0.18109},
	}
	ghiaX = [...]float64{0.9688, 0.9609, 0.9531, 0.9453, 0.9063, 0.8594, 0.8047, 0.5, 0.2344, 0.2266, 0.1563, 0.0938, 0.0781, 0.0703, 0.0625}
	ghiaV = map[int][len(ghiaX)]float64{ // NaN: a misprint, -0.23827 between -0.22847 and -0.44993
		100: {-0.05906, -0.07391, -0.08864, -0.10313, -0.16914, -0.22445, -0.24533, 0.05454, 0.17527, 0.17507, 0.16077, 0.12317, 0.10890,
			0.10091, 0.09233},
		400: {-0.12146, -0.15663, -0.19254, -0.22847, math.NaN(), -0.44993, -0.38598, 0.05186, 0.30174, 0.30203, 0.28124, 0.22965, 0.20920,
			0.19713, 0.18360},
		1000: {-0.21388, -0.27669, -0.33714, -0.39188, -0.51550, -0.42665, -0.31966, 0.02526, 0.32235, 0.33075, 0.37095, 0.32627, 0.30353,
			0.29012, 0.27485},
	}
)

// leastCells are enough along a side of the cavity for velocities as good as those, by Reynolds number.
var leastCells = map[int]int{100: 48, 400: 96, 1000: 128}

// profile interpolates values, which are in the middles of cells, at s, from 0 at the first wall to 1 at the other.
func profile(values []float64, s float64) float64 {
	at := s*float64(len(values)) - 0.5
	i := min(max(int(at), 0), len(values)-2)
	return values[i] + (at-float64(i))*(values[i+1]-values[i])
}

// differences is the largest difference between published values, at places from 0 to 1, and a computed profile.
func differences(at []float64, published [15]float64, values []float64) (most float64) {
	for i, s := range at {
		if want := published[i]; !math.IsNaN(want) {
			most = max(most, math.Abs(profile(values, s)-want))
		}
	}
	return most
}

// compare prints profiles beside the published ones, and checks them.
func compare(p *gallery.Program, reynolds int, u, v []float64) {
	wantU, wantV := ghiaU[reynolds], ghiaV[reynolds]
	p.Printf("   y  u published  computed      x  v published  computed\n")
	for i := 0; i < len(ghiaY); i += 3 {
		p.Printf("%.3f %10.4f %10.4f  %.3f %11.4f %10.4f\n", ghiaY[i], wantU[i], profile(u, ghiaY[i]), ghiaX[i], wantV[i], profile(v, ghiaX[i]))
	}
	off := max(differences(ghiaY[:], wantU, u), differences(ghiaX[:], wantV, v))
	limit := map[int]float64{100: 0.01, 400: 0.01, 1000: 0.02}[reynolds]
	p.Check(off < limit, "velocities of the box are those of Ghia, Ghia and Shin to %.4f of the lid's: less than %g", off, limit)
}
