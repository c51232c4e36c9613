package main

import (
	"context"
	_ "embed"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
)

// beside compares with SciPy's and NumPy's pictures.
func beside(ctx context.Context, p *gallery.Program, photo planes, f filtered) error {
	var theirs map[string][]float64
	ok, err := p.Beside(ctx, gallery.Peer{
		Name: "SciPy", Python: peer,
		Files: map[string]any{
			"photo.f32": photo.values, "shape.i32": []int32{3, int32(photo.h), int32(photo.w)},
			"parameters.f64": []float64{sigma, radius, deviation, colours, rounds},
		},
	}, &theirs)
	if !ok {
		return err
	}
	for k, name := range filters[:4] { // SciPy's spline is another cubic filter
		most := 0.0
		for i, v := range theirs[name] {
			most = max(most, math.Abs(v-float64(f.pictures[k].values[i*997])))
		}
		limit := tolerance
		if name == "equalised" {
			limit = 2 // a luma between two levels may go to either
		}
		p.Check(most < limit && len(theirs[name]) > 0, "SciPy's %s differs by at most %.2g", name, most)
	}
	return nil
}

//go:embed scipy.py
var peer string
