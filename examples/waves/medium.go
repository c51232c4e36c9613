package main

import (
	"context"
	"math"

	"github.com/anycl/anycl/ops"
)

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

// again makes the steps from the beginning.
func (s *wave) again(ctx context.Context) ([]float32, error) {
	for i, v := range s.state {
		if err := ops.Set(ctx, v, s.origin[i]); err != nil {
			return nil, err
		}
	}
	return s.run(ctx)
}
