package main

import (
	"context"
	_ "embed"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
)

//go:embed scipy.py
var peer string

// beside compares with the results of SciPy and NumPy for the same.
func beside(ctx context.Context, p *gallery.Program, v *volume, t tissues, sigma float64) error {
	var theirs struct {
		Limits []float64
		Counts []int
		Values []float64
	}
	ok, err := p.Beside(ctx, gallery.Peer{
		Name: "SciPy", Python: peer,
		Files: map[string]any{"scan.u8": v.values, "shape.i32": []int32{int32(v.nz), int32(v.ny), int32(v.nx)}, "sigma.f64": []float64{sigma}},
	}, &theirs)
	if !ok {
		return err
	}
	most := 0.0
	for i, value := range theirs.Values {
		most = max(most, math.Abs(value-float64(t.smooth[i*9973])))
	}
	counts := count(t.class)
	other := 0
	for k, n := range theirs.Counts {
		other = max(other, n-counts[k], counts[k]-n)
	}
	p.Check(most < tolerance && other <= len(v.values)/10000, "SciPy's values differ by at most %.2g, and its classes by %d points", most,
		other)
	return nil
}
