package main

import (
	"math"
	"slices"
)

// farthest is the square of the distance from a place to its k-th nearest star, from all of them.
func farthest(stars, place []float32, k int) float64 {
	best := make([]float64, k)
	for i := range best {
		best[i] = math.Inf(1)
	}
	for s := 0; s < len(stars); s += 3 {
		var d2 float64
		for i := range 3 {
			d := float64(stars[s+i]) - float64(place[i])
			d2 += d * d
		}
		if d2 < best[k-1] {
			best[k-1] = d2
			slices.Sort(best)
		}
	}
	return best[k-1]
}

// inertiaOf is the sum of the squares of the distances of stars to their closest means.
func inertiaOf(stars, means []float32) (sum float64) {
	for s := 0; s < len(stars); s += 3 {
		best := math.Inf(1)
		for m := 0; m < len(means); m += 3 {
			dx, dy, dz := float64(stars[s]-means[m]), float64(stars[s+1]-means[m+1]), float64(stars[s+2]-means[m+2])
			best = min(best, dx*dx+dy*dy+dz*dz)
		}
		sum += best
	}
	return sum
}
