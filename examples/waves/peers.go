package main

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

//go:embed peer.py
var scipy string

// times makes the same steps on both engines, and beside SciPy.
func times(ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options) error {
	p.Printf("\n")
	const steps = 50
	w := lensed(o.points)
	before, now := w.pulse(-w.dt), w.pulse(0)
	work := gallery.Work{Name: fmt.Sprintf("%d steps of %d x %d points", steps, w.n, w.n), Amount: float64(steps*w.n*w.n) / 1e6,
		Unit: "M points"}
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (gallery.Run[[]float32], error) {
		s, err := w.start(ctx, rt, place, before, now, steps)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) ([]float32, error) { return s.again(ctx) }, nil
	})
	if err != nil {
		return err
	}
	last := results[len(results)-1].Value
	for _, r := range results[:len(results)-1] {
		p.Check(gallery.Farthest(r.Value, last) < 1e-3, "the engines' waves differ by at most %.1e", gallery.Farthest(r.Value, last))
	}
	var theirs []float32
	ok, err := p.Beside(ctx, gallery.Peer{Name: "SciPy", Python: scipy, Files: map[string]any{
		"before.f32": before, "now.f32": now, "factor.f32": w.factor()}, Args: []any{steps}}, &theirs)
	if ok {
		p.Check(gallery.Farthest(last, theirs) < 1e-3, "SciPy's waves differ by at most %.1e", gallery.Farthest(last, theirs))
	}
	return err
}
