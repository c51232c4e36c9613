package main

import (
	"math"
	"math/rand/v2"

	"github.com/anycl/anycl/examples/internal/gallery"
)

// tolerance bounds rounding: each of three axes adds up some ten products of at most 255, with 2^-24 of error each.
const tolerance = 3 * 10 * 255 * 0x1p-24 * 4

// compare computes some points in float64, with the whole Gaussian function in three dimensions at once. It returns how many are
// wrong, in value or in class, and the largest difference.
func (v *volume) compare(t tissues, sigma float64) (wrong int, most float64) {
	w := gallery.Gauss(sigma)
	r := len(w) / 2
	random := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		x, y, z := random.IntN(v.nx), random.IntN(v.ny), random.IntN(v.nz)
		want := 0.0
		for c := -r; c <= r; c++ {
			for b := -r; b <= r; b++ {
				for a := -r; a <= r; a++ {
					i, j, k := min(max(x+a, 0), v.nx-1), min(max(y+b, 0), v.ny-1), min(max(z+c, 0), v.nz-1)
					want += w[a+r] * w[b+r] * w[c+r] * float64(v.values[(k*v.ny+j)*v.nx+i])
				}
			}
		}
		at := (z*v.ny+y)*v.nx + x
		difference := math.Abs(want - float64(t.smooth[at]))
		class, near := 0, false
		for _, limit := range t.limits {
			near = near || math.Abs(want-float64(limit)) < tolerance
			if want > float64(limit) {
				class++
			}
		}
		if most = max(most, difference); difference > tolerance || !near && class != int(t.class[at]) {
			wrong++
		}
	}
	return wrong, most
}

// alike is whether pictures are equal but for one pixel in a thousand: where a division is rounded otherwise, a ray may just miss.
func alike(a, b []float32, tolerance float64) bool {
	n := 0
	for i := range a {
		if math.Abs(float64(a[i]-b[i])) > tolerance {
			n++
		}
	}
	return len(a) == len(b) && n <= len(a)/1000
}
