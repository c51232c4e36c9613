package main

import (
	"context"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

// analytic cools a plate whose temperature is a sum of waves, each of which decays by a law of its own, on two grids: halving
// distances of points and of time divides the error by four.
func analytic(ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options) error {
	const end = 0.02
	p.Printf("\nWaves on a plate, cooled for %g of the time that heat takes across\n", end)
	var errs [2]float64
	n := min(o.cells, 95) // so that the error is far above those of float32 and the solver
	for i, n := range []int{n / 2, n} {
		steps := 5 * (i + 1)
		w := &plate{n: n, dt: end / float64(steps), conductivity: func(x, y float64) float64 { return 1 }}
		cool, err := w.start(ctx, rt, ops.Auto, w.points(waves(0)), steps)
		if err != nil {
			return err
		}
		u, err := cool(ctx)
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
