// Render draws spheres of glass, metal and matt colours below a soft light, by following paths of light (Kajiya, The Rendering Equation,
// 1986) with a kernel of its own.
//
//	go run ./examples/render [-width 640] [-samples 32] [-out render.png]
//
// All devices and the CPU path make the same picture, bit by bit, because all that the kernel calculates with is exactly
// rounded. Two checks are printed: that, and the white furnace, in which everything is white and must be seen as white.
package main

import (
	"context"
	"errors"
	"flag"
	"slices"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/term"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

type options struct{ width, samples int }

func (o options) height() int { return max(o.width*9/16, 1) }

// share of the paths are followed on the CPU path, where they take longer.
const share = 16

// pass is how many paths of a pixel are followed between two lines of progress.
const pass = 4

func main() {
	var o options
	flag.IntVar(&o.width, "width", 640, "width of the picture in pixels; the height is 9/16 of it")
	flag.IntVar(&o.samples, "samples", 32, "paths through each pixel, a multiple of 16")
	gallery.Main("render", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	if err := errors.Join(
		gallery.Within("width", o.width, 2, 4096),
		gallery.Multiple("samples", o.samples, share, share, 1<<16),
	); err != nil {
		return err
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	s := studio()
	paths := float64(o.width*o.height()*o.samples) / 1e6
	results, err := gallery.Both(ctx, p, rt, gallery.Work{Name: "picture", Amount: paths, Unit: "M paths", CPUShare: 1. / share},
		func(place ops.Place) (func(context.Context) ([]float32, error), error) {
			if place == ops.OnCPU {
				return s.draw(ctx, p, rt, place, o.width, o.height(), o.samples/share)
			}
			return s.draw(ctx, p, rt, place, o.width, o.height(), o.samples)
		})
	if err != nil {
		return err
	}
	if rt.Device() != nil { // as few paths as on the CPU path
		draw, err := s.draw(ctx, p, rt, ops.OnDevice, o.width, o.height(), o.samples/share)
		if err != nil {
			return err
		}
		few, err := draw(ctx)
		if err != nil {
			return err
		}
		p.Check(slices.Equal(few, results[1].Value), "pictures of %d paths a pixel are equal on %s and the CPU path", o.samples/share, results[0].Where)
	}
	for _, r := range results {
		if err := checkFurnace(ctx, p, rt, r.Where, r.Place); err != nil {
			return err
		}
	}
	return p.WritePNG(paint(results[0].Value, o.width, o.height()))
}

// draw compiles a pass. What it returns runs it as often as the picture needs, and gives the mean of the passes.
func (s *scene) draw(ctx context.Context, p *gallery.Program, rt *ops.Runtime, place ops.Place, width, height, samples int) (func(context.Context) ([]float32, error), error) {
	each := min(pass, samples)
	var passes []*ops.Executable
	for first := 0; first < samples; first += each {
		g := ops.NewGraph("render")
		exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{s.render(g, rt, width, height, first, each)}, Place: place})
		if err != nil {
			return nil, err
		}
		passes = append(passes, exe)
	}
	return func(ctx context.Context) ([]float32, error) {
		sum := make([]float32, width*height*3)
		progress := term.NewProgress(p.Stderr, len(passes), "passes")
		defer progress.Done()
		for _, exe := range passes {
			out, err := exe.Run(ctx, nil)
			if err != nil {
				return nil, err
			}
			for k, v := range tensor.MustSlice[float32](out[0]) {
				sum[k] += v / float32(len(passes))
			}
			progress.Step()
		}
		return sum, nil
	}, nil
}
