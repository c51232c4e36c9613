package main

import (
	"context"
	_ "embed"

	"github.com/anycl/anycl/examples/internal/gallery"
)

//go:embed peer.py
var peer string

// beside lets LightGBM grow the trees, or scikit-learn find the line, and adds the area under their curve to theirs.
func beside(ctx context.Context, p *gallery.Program, name, what string, t *table, o options, theirs map[string]float64) error {
	_, err := p.Beside(ctx, gallery.Peer{
		Name: name, Python: peer, Args: []any{what, t.features, t.learned, o.trees, o.depth, o.rate},
		Files: map[string]any{"x.f32": t.x, "y.f32": t.y},
	}, &theirs)
	return err
}
