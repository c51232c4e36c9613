// Waves lets a wave pass a lens: a wave equation whose Laplacian is taken by Fourier transforms, and so without error, beside the
// analytic solution.
//
//	go run ./examples/waves [-points 256] [-out waves.png]
//
// The field is a variable of the graph, and a run of it is many steps, each a transform there and back. The picture has three times: a pulse from the
// left meets a disc in which waves are slower, and is focused behind it.
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
type options struct{ points int }

func main() {
	var o options
	flag.IntVar(&o.points, "points", 256, "along each side of the square")
	gallery.Main("waves", func(ctx context.Context, p *gallery.Program) error {
		if o.points < 64 || o.points > 4096 {
			fmt.Fprintln(os.Stderr, "waves: -points is from 64 to 4096")
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
	if err := plane(ctx, p, rt, o); err != nil {
		return err
	}
	if err := lens(ctx, p, rt, o); err != nil {
		return err
	}
	return times(ctx, p, rt, o)
}

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

// lens draws a pulse before, in and behind the lens.
func lens(ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options) error {
	w := lensed(o.points)
	before, now := w.pulse(-w.dt), w.pulse(0)
	shown := [][]float32{now}
	steps := int(0.3 / w.dt)
	s, err := w.start(ctx, rt, ops.Auto, before, now, steps)
	if err != nil {
		return err
	}
	for range 2 {
		u, err := s.run(ctx)
		if err != nil {
			return err
		}
		shown = append(shown, u)
	}
	var most [3]float64
	for i, u := range shown {
		for _, v := range u {
			most[i] = max(most[i], math.Abs(float64(v)))
		}
	}
	skew := 0.0 // what is above the middle is what is below it
	for y := 1; y < w.n/2; y++ {
		for x := range w.n {
			skew = max(skew, math.Abs(float64(shown[2][y*w.n+x]-shown[2][(w.n-y)*w.n+x])))
		}
	}
	p.Printf("\nA pulse past a lens, %d x %d points, %d steps: its height is %.2f at first, then %.2f and %.2f\n", w.n, w.n, 2*steps, most[0], most[1], most[2])
	p.Check(skew < 1e-2, "the wave above the middle differs from that below it by at most %.1e", skew)
	p.Check(most[2] > 1.2*most[0], "the lens makes it %.2f times as high", most[2]/most[0])
	return p.WritePNG(w.picture(shown))
}

//go:embed peer.py
var scipy string

// times makes the same steps on both engines, and beside SciPy.
func times(ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options) error {
	p.Printf("\n")
	const steps = 50
	w := lensed(o.points)
	before, now := w.pulse(-w.dt), w.pulse(0)
	work := gallery.Work{Name: fmt.Sprintf("%d steps of %d x %d points", steps, w.n, w.n), Amount: float64(steps*w.n*w.n) / 1e6, Unit: "M points"}
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (func(context.Context) ([]float32, error), error) {
		s, err := w.start(ctx, rt, place, before, now, steps)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) ([]float32, error) { return s.again(ctx) }, nil
	})
	if err != nil {
		return err
	}
	last := results[len(results)-1].Value
	for _, r := range results[:len(results)-1] {
		p.Check(gallery.Farthest(r.Value, last) < 1e-3, "the engines' waves differ by at most %.1e", gallery.Farthest(r.Value, last))
	}
	var theirs []float32
	ok, err := p.Beside(ctx, gallery.Peer{Name: "SciPy", Python: scipy, Files: map[string]any{
		"before.f32": before, "now.f32": now, "factor.f32": w.factor()}, Args: []any{steps}}, &theirs)
	if ok {
		p.Check(gallery.Farthest(last, theirs) < 1e-3, "SciPy's waves differ by at most %.1e", gallery.Farthest(last, theirs))
	}
	return err
}
