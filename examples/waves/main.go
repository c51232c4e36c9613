// Waves lets a wave pass a lens: a wave equation whose Laplacian is taken by Fourier transforms, and so without error, beside the
// analytic solution.
//
//	go run ./examples/waves [-points 256] [-out waves.png]
//
// The field is a variable of the graph, and a run of it is many steps, each a transform there and back. The picture has three
// times: a pulse from the left meets a disc in which waves are slower, and is focused behind it.
package main

import (
	"context"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/fft"
	"github.com/anycl/anycl/tensor"
)

// options are the settings of the command line.
type options struct{ points int }

func main() {
	var o options
	gallery.Int(&o.points, "points", 256, 64, 4096, "points along each side of the square")
	gallery.Main("waves", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
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

// lens draws a pulse before, in and behind the lens.
func lens(ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options) error {
	w := lensed(o.points)
	before, now := w.pulse(-w.dt), w.pulse(0)
	steps := int(0.3 / w.dt)
	s, err := w.start(ctx, rt, ops.Auto, before, now, steps)
	if err != nil {
		return err
	}
	shown := [][]float32{now}
	for range 2 {
		u, err := s.run(ctx)
		if err != nil {
			return err
		}
		shown = append(shown, u)
	}
	p.Printf("\nA pulse past a lens, %d x %d points, %d steps", w.n, w.n, 2*steps)
	checkLens(p, w, shown)
	return p.WritePNG(w.picture(shown))
}

// medium is a square of side 1 with n x n points, on which waves that leave at one side come in at the other.
type medium struct {
	n     int
	dt    float64 // of a step
	speed func(x, y float64) float64
}

// laplacian is that of u: each wave of it times -|2πk|².
func (w *medium) laplacian(u *ops.Node) *ops.Node {
	half := w.n/2 + 1
	k2 := make([]float32, 0, w.n*half)
	for i := range w.n {
		for j := range half {
			ky := float64(i)
			if i > w.n/2 {
				ky -= float64(w.n)
			}
			k2 = append(k2, float32(-4*math.Pi*math.Pi*(ky*ky+float64(j*j))))
		}
	}
	o := &fft.Options{Axes: []int{0, 1}}
	waves := fft.RFFT(u, o)
	o = &fft.Options{Axes: []int{0, 1}, Sizes: []int{w.n, w.n}}
	return fft.IRFFT(ops.Mul(waves, u.Graph().Const(tensor.Must(tensor.FromSlice(k2, w.n, half, 1)))), o)
}

// steps adds steps of a leapfrog to the graph: u(t+dt) = 2 u(t) - u(t-dt) + dt² c² ∇²u(t).
func (w *medium) steps(before, now *ops.Node, count int) []*ops.Node {
	factor := now.Graph().Const(tensor.Must(tensor.FromSlice(w.factor(), w.n, w.n)))
	last, _ := ops.Scan([]*ops.Node{before, now}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
		return []*ops.Node{s[1], ops.Add(ops.Sub(ops.Mul(2, s[1]), s[0]), ops.Mul(factor, w.laplacian(s[1])))}, nil
	}, &ops.ScanOptions{Trips: count})
	return last
}

// wave is one on its way: an executable whose runs are some steps each.
type wave struct {
	exe    *ops.Executable
	state  [2]*ops.Node
	origin [2]*tensor.Tensor
}

// start compiles runs of some steps.
func (w *medium) start(ctx context.Context, rt *ops.Runtime, place ops.Place, before, now []float32, count int) (*wave, error) {
	g := ops.NewGraph("waves")
	s := new(wave)
	for i, u := range [][]float32{before, now} {
		s.origin[i] = tensor.Must(tensor.FromSlice(u, w.n, w.n))
		s.state[i] = g.Variable([]string{"before", "now"}[i], s.origin[i])
	}
	last := w.steps(s.state[0], s.state[1], count)
	var err error
	s.exe, err = g.Compile(ctx, rt, ops.Target{
		Updates: []*ops.Node{ops.Assign(s.state[0], last[0]), ops.Assign(s.state[1], last[1])}, Place: place,
	})
	return s, err
}

// run makes the steps and returns the field.
func (s *wave) run(ctx context.Context) ([]float32, error) {
	if _, err := s.exe.Run(ctx, nil); err != nil {
		return nil, err
	}
	t, err := ops.Value(ctx, s.state[1])
	if err != nil {
		return nil, err
	}
	return tensor.ToSlice[float32](t)
}
