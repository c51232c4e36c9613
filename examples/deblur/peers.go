package main

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed peer.py
var scipy string

// times sharpens on both engines and beside SciPy.
func times(ctx context.Context, p *gallery.Program, rt *ops.Runtime, l *lens, blurred *tensor.Tensor, weight float64) error {
	p.Printf("\n")
	work := gallery.Work{Name: fmt.Sprintf("%d x %d pixels of 3 colours", l.w, l.h), Amount: float64(3*l.w*l.h) / 1e6, Unit: "M values"}
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (gallery.Run[sharpened], error) {
		s, err := l.sharpener(ctx, rt, place)
		return func(ctx context.Context) (sharpened, error) { return s.run(ctx, blurred, weight) }, err
	})
	if err != nil {
		return err
	}
	values := func(k int) []float32 { return tensor.MustSlice[float32](results[k].Value.image) }
	last := len(results) - 1
	for k := range last {
		p.Check(gallery.Farthest(values(k), values(last)) < 1e-4, "the engines' photographs differ by at most %.0e",
			gallery.Farthest(values(k), values(last)))
	}
	var theirs []float32
	ok, err := p.Beside(ctx, gallery.Peer{Name: "SciPy", Python: scipy,
		Files: map[string]any{"blurred.f32": tensor.MustSlice[float32](blurred), "psf.f32": tensor.MustSlice[float32](l.spot)},
		Args:  []any{l.h, l.w, weight}}, &theirs)
	if ok {
		p.Check(gallery.Farthest(values(last), theirs) < 1e-4, "SciPy's photograph differs by at most %.0e",
			gallery.Farthest(values(last), theirs))
	}
	return err
}
