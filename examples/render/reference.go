package main

import (
	"context"
	"math"
	"slices"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

// checkFurnace draws the furnace, small. Paths that glass keeps for 64 reflections are lost, and roots are good to 1e-6.
func checkFurnace(ctx context.Context, p *gallery.Program, rt *ops.Runtime, where string, place ops.Place) error {
	const width, height = 96, 54
	draw, err := furnace().draw(ctx, p, rt, place, width, height, 16)
	if err != nil {
		return err
	}
	light, err := draw(ctx)
	sum, most := 0.0, 0.0
	for _, v := range light {
		sum, most = sum+float64(v), math.Max(most, float64(v))
	}
	mean := sum / float64(len(light))
	p.Check(math.Abs(mean-1) < 1e-3 && most < 1+1e-4, "a white furnace is white on %s: mean %.6f, brightest %.6f", where, mean, most)
	return err
}

// checkSame draws as few paths on the device as on the CPU path, and compares the pictures.
func checkSame(ctx context.Context, p *gallery.Program, rt *ops.Runtime, s *scene, o options, results []gallery.Result[[]float32]) error {
	if rt.Device() == nil {
		return nil
	}
	draw, err := s.draw(ctx, p, rt, ops.OnDevice, o.width, o.height(), o.samples/share)
	if err != nil {
		return err
	}
	few, err := draw(ctx)
	p.Check(slices.Equal(few, results[1].Value), "pictures of %d paths a pixel are equal on %s and the CPU path", o.samples/share,
		results[0].Where)
	return err
}
