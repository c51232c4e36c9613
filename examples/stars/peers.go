package main

import (
	"context"
	_ "embed"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
)

// peer.py does the same with scikit-learn.
func besideScikit(ctx context.Context, p *gallery.Program, files map[string]any, args ...any) (result []float64, ok bool, err error) {
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

//go:embed peer.py
var peer string
