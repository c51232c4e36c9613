package main

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

//go:embed peer.py
var numpy string

// times lets the box run on both engines, and beside NumPy; then a grid that is larger than caches, in turns with a copy.
func times(ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options) error {
	p.Printf("\n")
	const count = 500
	w := cavity(rt, o.cells, float64(o.reynolds))
	work := gallery.Work{
		Name:   fmt.Sprintf("flow, %d steps of %d x %d cells", count, w.width, w.height),
		Amount: float64(w.width*w.height*count) / 1e6, Unit: "M cells",
	}
	if _, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (gallery.Run[*state], error) {
		s, err := w.start(ctx, rt, place, "flow", count)
		return func(ctx context.Context) (*state, error) { return s, s.run(ctx) }, err
	}); err != nil {
		return err
	}
	var u []float64 // after as many steps from rest
	for _, place := range []ops.Place{ops.OnCPU, ops.Auto} {
		s, err := w.start(ctx, rt, place, "flow", count)
		if err != nil {
			return err
		}
		f, err := s.after(ctx)
		if err != nil {
			return err
		}
		before := u
		if u, _ = w.profiles(f); before != nil {
			p.Check(gallery.Farthest(u, before) < 1e-4, "the engines' velocities differ by at most %.1e of the lid's", gallery.Farthest(u, before))
		}
	}
	plus, minus := w.rates()
	var theirs []float64
	ok, err := p.Beside(ctx, gallery.Peer{Name: "NumPy", Python: numpy, Files: map[string]any{"kind.u8": w.kind},
		Args: []any{w.width, o.cells, plus, minus, w.speed, count}}, &theirs)
	if err != nil {
		return err
	}
	if ok {
		p.Check(gallery.Farthest(u, theirs) < 1e-4, "NumPy's velocities differ by at most %.1e of the lid's", gallery.Farthest(u, theirs))
	}
	if rt.Device() == nil {
		return nil
	}
	const few = 4
	large := cavity(rt, o.large, float64(o.reynolds))
	flow, err := large.start(ctx, rt, ops.OnDevice, "flow", few)
	if err != nil {
		return err
	}
	copies, err := large.start(ctx, rt, ops.OnDevice, "copy", few)
	if err != nil {
		return err
	}
	ratio, took, _, err := gallery.InTurns(ctx, p, flow.run, copies.run)
	p.Printf("a step of %d x %d cells moves %.1f GB/s on %s: %.2f of a copy of as many bytes\n", large.width, large.height,
		few*large.bytes()/took.Seconds()/1e9, rt.Device().ID, ratio)
	return err
}
