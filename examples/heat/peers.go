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

// times solves the same steps on both engines, and beside SciPy.
func times(ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options) error {
	p.Printf("\n")
	const steps = 10
	w := ringed(o.cells)
	first := w.points(waves(0))
	work := gallery.Work{Name: fmt.Sprintf("%d steps of %d x %d points", steps, w.n, w.n), Amount: float64(steps*w.n*w.n) / 1e6,
		Unit: "M points"}
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (gallery.Run[temperatures], error) {
		return w.start(ctx, rt, place, first, steps)
	})
	if err != nil {
		return err
	}
	last := results[len(results)-1].Value
	for _, r := range results[:len(results)-1] {
		p.Check(gallery.Farthest(r.Value.t, last.t) < 1e-4, "the engines' temperatures differ by at most %.1e, after %d and %d iterations",
			gallery.Farthest(r.Value.t, last.t), r.Value.iterations, last.iterations)
	}
	var theirs []float32
	a := w.matrix(0.5)
	b := w.matrix(-0.5)
	ok, err := p.Beside(ctx, gallery.Peer{Name: "SciPy", Python: scipy, Files: map[string]any{
		"ptr.i32": a.Ptr, "col.i32": a.Col, "a.f32": a.Value, "b.f32": b.Value, "u.f32": first},
		Args: []any{steps, tolerance}}, &theirs)
	if ok {
		p.Check(gallery.Farthest(last.t, theirs) < 1e-4, "SciPy's temperatures differ by at most %.1e", gallery.Farthest(last.t, theirs))
	}
	return err
}
