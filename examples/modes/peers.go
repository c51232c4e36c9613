package main

import (
	"context"
	_ "embed"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/sparse"
)

//go:embed peer.py
var scipy string

// beside lets SciPy find the same pairs.
func beside(ctx context.Context, p *gallery.Program, a *sparse.CSR[float64], e *sparse.Eigen, k int) error {
	var theirs []float64
	ok, err := p.Beside(ctx, gallery.Peer{Name: "SciPy", Python: scipy, Files: map[string]any{
		"ptr.i32": a.Ptr, "col.i32": a.Col, "a.f64": a.Value}, Args: []any{k, shift}}, &theirs)
	if ok {
		d := apart(frequencies(theirs), frequencies(e.Values))
		p.Check(d < 1e-6, "SciPy's frequencies differ by at most %.1e of each", d)
	}
	return err
}
