package main

import (
	"context"
	_ "embed"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
)

//go:embed peer.py
var peer string

// beside lets SciPy do the same, and compares the cleaned signals.
func beside(ctx context.Context, p *gallery.Program, noisy, speech, cleaned []float32) error {
	var theirs struct {
		SNR    float64
		Sample []float64
	}
	ok, err := p.Beside(ctx, gallery.Peer{
		Name: "SciPy", Python: peer, Files: map[string]any{"noisy.f32": noisy, "speech.f32": speech},
	}, &theirs)
	if ok {
		worst := 0.0
		for i, v := range theirs.Sample {
			worst = max(worst, math.Abs(v-float64(cleaned[1009*i])))
		}
		p.Check(worst < 1e-4, "SciPy leaves the same: %.1e of full scale apart, %.1f dB", worst, theirs.SNR)
	}
	return err
}
