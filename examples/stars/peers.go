package main

import (
	"context"
	_ "embed"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
)

//go:embed peer.py
var peer string

// scikit is scikit-learn, which does the same in peer.py, and its files.
type scikit struct {
	p     *gallery.Program
	files map[string]any
}

// beside puts scikit-learn beside the work before, and says whether its numbers are ours.
func (s scikit) beside(ctx context.Context, what string, ours func(i int) float64, tolerance float64, args ...any) error {
	var theirs []float64
	ok, err := s.p.Beside(ctx, gallery.Peer{Name: "scikit-learn", Python: peer, Args: append([]any{what}, args...), Files: s.files}, &theirs)
	if !ok {
		return err
	}
	worst := 0.0
	for i, v := range theirs {
		worst = max(worst, math.Abs(ours(i)/v-1))
	}
	s.p.Check(len(theirs) > 0 && worst < tolerance, "%s by scikit-learn is the same: %.1e apart", what, worst)
	return nil
}
