package main

import (
	"context"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/fft"
	"github.com/anycl/anycl/tensor"
)

// medium is a square of side 1 with n x n points, on which what leaves at one side comes in at the other.
type medium struct {
	n     int
	dt    float64 // of a step
	speed func(x, y float64) float64
}

// lensed is a medium with a disc in which waves have 0.6 of their speed.
func lensed(n int) *medium {
	return &medium{n: n, dt: 0.25 / float64(n), speed: func(x, y float64) float64 {
		return 1 - 0.4/(1+math.Exp((math.Hypot(x-0.5, y-0.5)-0.17)/0.01))
	}}
}

// points are the values of f at the points, row by row.
func (w *medium) points(f func(x, y float64) float64) []float32 {
	u := make([]float32, 0, w.n*w.n)
	for i := range w.n {
		for j := range w.n {
			u = append(u, float32(f(float64(j)/float64(w.n), float64(i)/float64(w.n))))
		}
	}
	return u
}

// pulse is one that goes to the right, at a time.
func (w *medium) pulse(t float64) []float32 {
	return w.points(func(x, y float64) float64 {
		d := (x - 0.2 - t) / 0.03
		return (1 - d*d) * math.Exp(-d*d/2)
	})
}

// factor is the square of the speed times that of the step.
func (w *medium) factor() []float32 {
	return w.points(func(x, y float64) float64 { return math.Pow(w.speed(x, y)*w.dt, 2) })
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

// again makes the steps from the beginning.
func (s *wave) again(ctx context.Context) ([]float32, error) {
	for i, v := range s.state {
		if err := ops.Set(ctx, v, s.origin[i]); err != nil {
			return nil, err
		}
	}
	return s.run(ctx)
}
