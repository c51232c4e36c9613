package main

import (
	"context"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

// plane sends a plane wave askew over the square, which comes back to where it was, on two grids of time: half the step divides
// the error by four, for it is that of time alone.
func plane(ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options) error {
	const kx, ky = 2, 3 // waves across
	n := min(o.points, 64)
	period := 1 / math.Hypot(kx, ky)
	var errs [2]float64
	p.Printf("\nA plane wave on %d x %d points, for a period\n", n, n)
	for i := range errs {
		steps := 100 * (i + 1)
		w := &medium{n: n, dt: period / float64(steps), speed: func(x, y float64) float64 { return 1 }}
		at := func(t float64) []float32 {
			return w.points(func(x, y float64) float64 { return math.Cos(2 * math.Pi * (kx*x + ky*y - t/period)) })
		}
		s, err := w.start(ctx, rt, ops.Auto, at(-w.dt), at(0), steps)
		if err != nil {
			return err
		}
		u, err := s.run(ctx)
		if err != nil {
			return err
		}
		errs[i] = gallery.Farthest(u, at(period))
		p.Printf("%4d steps: differs by at most %.2e\n", steps, errs[i])
	}
	p.Check(errs[1] < 1e-3, "the wave is the analytic one to %.1e", errs[1])
	p.Check(errs[0]/errs[1] > 3 && errs[0]/errs[1] < 5, "half the step divides the error by %.2f: about 4", errs[0]/errs[1])
	return nil
}

// checkLens says whether a pulse is focused, and as it is above the middle, so below it.
func checkLens(p *gallery.Program, w *medium, shown [][]float32) {
	var most [3]float64
	for i, u := range shown {
		for _, v := range u {
			most[i] = max(most[i], math.Abs(float64(v)))
		}
	}
	skew := 0.0
	for y := 1; y < w.n/2; y++ {
		for x := range w.n {
			skew = max(skew, math.Abs(float64(shown[2][y*w.n+x]-shown[2][(w.n-y)*w.n+x])))
		}
	}
	p.Printf(": its height is %.2f at first, then %.2f and %.2f\n", most[0], most[1], most[2])
	p.Check(skew < 1e-2, "the wave above the middle differs from that below it by at most %.1e", skew)
	p.Check(most[2] > 1.2*most[0], "the lens makes it %.2f times as high", most[2]/most[0])
}
