// Heat lets a plate cool whose edges are kept cold: implicit diffusion, a sparse system of equations solved by conjugate gradients at
// each step, beside the analytic solution.
//
//	go run ./examples/heat [-cells 255] [-steps 40] [-out heat.png]
//
// Temperatures are a variable of the graph, and a run of it is many steps, each of many iterations: they never leave the device. The picture has
// a plate of copper with rings of wood in it, which was hot in the middle, before and after.
package main

import (
	"context"
	_ "embed" // for peer.py
	"flag"
	"fmt"
	"math"
	"os"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

// options are what the command line says.
type options struct{ cells, steps int }

func main() {
	var o options
	flag.IntVar(&o.cells, "cells", 255, "points along each side of the plate, an odd number")
	flag.IntVar(&o.steps, "steps", 40, "of time")
	gallery.Main("heat", func(ctx context.Context, p *gallery.Program) error {
		if o.cells < 31 || o.cells%2 == 0 || o.cells > 4095 || o.steps < 1 {
			fmt.Fprintln(os.Stderr, "heat: -cells is an odd number from 31 to 4095, -steps is positive")
			os.Exit(2)
		}
		return run(ctx, p, o)
	})
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	if err := analytic(ctx, p, rt, o); err != nil {
		return err
	}
	if err := rings(ctx, p, rt, o); err != nil {
		return err
	}
	return times(ctx, p, rt, o)
}

// analytic cools a plate whose temperature is a sum of waves, each of which decays by a law of its own, on two grids: halving
// distances of points and of time divides the error by four.
func analytic(ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options) error {
	const end = 0.02
	p.Printf("\nWaves on a plate, cooled for %g of the time that heat takes across\n", end)
	var errs [2]float64
	n := min(o.cells, 95) // so that the error is far above what float32 and the solver leave
	for i, n := range []int{n / 2, n} {
		steps := 5 * (i + 1)
		w := &plate{n: n, dt: end / float64(steps), conductivity: func(x, y float64) float64 { return 1 }}
		s, err := w.start(ctx, rt, ops.Auto, w.points(waves(0)), steps)
		if err != nil {
			return err
		}
		u, err := s.run(ctx)
		if err != nil {
			return err
		}
		for k, v := range w.points(waves(end)) {
			errs[i] = max(errs[i], math.Abs(float64(u.t[k]-v)))
		}
		p.Printf("%4d x %d points, %3d steps, %5d iterations: differs by at most %.2e\n", n, n, steps, u.iterations, errs[i])
		p.Check(u.converged, "all systems of equations are solved")
	}
	p.Check(errs[1] < 2e-3, "temperatures are the analytic ones to %.1e", errs[1])
	p.Check(errs[0]/errs[1] > 3 && errs[0]/errs[1] < 5, "half the distance divides the error by %.2f: about 4", errs[0]/errs[1])
	return nil
}

// waves is the temperature at a time, where it was sin πx sin πy + sin 2πx sin 3πy / 2 at first.
func waves(time float64) func(x, y float64) float64 {
	wave := func(x, y, i, j float64) float64 {
		return math.Sin(i*math.Pi*x) * math.Sin(j*math.Pi*y) * math.Exp(-(i*i+j*j)*math.Pi*math.Pi*time)
	}
	return func(x, y float64) float64 { return wave(x, y, 1, 1) + wave(x, y, 2, 3)/2 }
}

// rings cools the plate of the picture.
func rings(ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options) error {
	w := ringed(o.cells)
	hot := w.points(func(x, y float64) float64 {
		return 1 / (1 + math.Exp((math.Hypot(x-0.5, y-0.5)-0.15)/0.01)) // without a jump, after which these steps swing
	})
	s, err := w.start(ctx, rt, ops.Auto, hot, o.steps)
	if err != nil {
		return err
	}
	u, err := s.run(ctx)
	if err != nil {
		return err
	}
	least, most, sum, before := math.Inf(1), 0.0, 0.0, 0.0
	for k, v := range u.t {
		least, most = min(least, float64(v)), max(most, float64(v))
		sum, before = sum+float64(v), before+float64(hot[k])
	}
	p.Printf("\nA plate of copper with rings of wood, %d steps of %.4f:\n", o.steps, w.dt)
	p.Check(u.converged && least > -1e-3 && most < 1, "temperatures lie between those of the edge and of the start: from %.0e to %.3f", least, most)
	p.Check(sum < before*(1+1e-4), "heat only leaves: %.5f of it is there", sum/before)
	return p.WritePNG(w.picture(hot, u.t))
}

//go:embed peer.py
var scipy string

// times solves the same steps on both engines, and beside SciPy.
func times(ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options) error {
	p.Printf("\n")
	const steps = 10
	w := ringed(o.cells)
	first := w.points(waves(0))
	work := gallery.Work{Name: fmt.Sprintf("%d steps of %d x %d points", steps, w.n, w.n), Amount: float64(steps*w.n*w.n) / 1e6, Unit: "M points"}
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (func(context.Context) (temperatures, error), error) {
		s, err := w.start(ctx, rt, place, first, steps)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (temperatures, error) { return s.run(ctx) }, nil
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
