package main

import (
	"context"
	"math"
	"slices"

	"github.com/anycl/anycl/examples/internal/gallery"
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

// peer.py does the same with scikit-learn.
func besideScikit(ctx context.Context, p *gallery.Program, files map[string]any, args ...string) (result []float64, ok bool, err error) {
	ok, err = p.Beside(ctx, gallery.Peer{Name: "scikit-learn", Python: peer, Args: args, Files: files}, &result)
	return result, ok, err
}

// checkNear says whether a peer's numbers are those of ours.
func checkNear(p *gallery.Program, what string, ours func(i int) float64, theirs []float64, tolerance float64) {
	worst := 0.0
	for i, v := range theirs {
		worst = max(worst, math.Abs(ours(i)/v-1))
	}
	p.Check(len(theirs) > 0 && worst < tolerance, "%s by scikit-learn are the same: %.1e apart", what, worst)
}
