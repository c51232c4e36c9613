package main

import (
	"context"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// The kinds of cells.
const (
	fluid = iota
	wall
	lid    // a wall that moves with the speed of the flow
	inflow // fluid that comes with the speed of the flow
)

// The products of (1/plus - 1/2) and (1/minus - 1/2), of the rates of the two relaxations: one that keeps walls half-way between
// cells whatever the viscosity, and one with which streams of little viscosity stay stable, where walls are stairs anyway.
const exactWalls, stable = 3. / 16, 1. / 50

// bytes is the number of bytes that a step moves: nine populations in and out.
func (w *flow) bytes() float64 { return float64(w.width*w.height) * 9 * 4 * 2 }

// still are the populations of a fluid that moves with the inflow, or rests if there is none.
func (w *flow) still() []float32 {
	f, n, u := make([]float32, 9*w.width*w.height), w.width*w.height, float32(w.speed)
	if !slices.Contains(w.kind, inflow) {
		return f
	}
	for q, cx := range [9]float32{0, 1, 0, -1, 0, 1, -1, -1, 1} {
		weight := [9]float32{4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36}[q]
		for i := range n {
			f[q*n+i] = weight * (3*cx*u + 4.5*cx*cx*u*u - 1.5*u*u)
		}
	}
	return f
}

// newFlow is a grid of cells of fluid. Rows are padded to a multiple of the elements of a CPU's vectors.
func newFlow(rt *ops.Runtime, width, height int, reynolds, length float64) *flow {
	w := &flow{width: (width + 15) / 16 * 16, height: height, speed: 0.1, reynolds: reynolds, length: length, product: exactWalls, vector: 1}
	if rt.Device().Lanes() > 1 {
		w.vector = 16
	}
	w.kind = make([]uint8, w.width*w.height)
	return w
}

// cavity is a box of n x n cells whose lid moves: the walls stand half a cell outside of the fluid.
func cavity(rt *ops.Runtime, n int, reynolds float64) *flow {
	w := newFlow(rt, n+2, n+2, reynolds, float64(n))
	for i := range w.kind {
		switch x, y := i%w.width, i/w.width; {
		case y == n+1:
			w.kind[i] = lid
		case x == 0 || x > n || y == 0:
			w.kind[i] = wall
		}
	}
	return w
}

// disc is a stream past a disc of diameter d, a quarter of the way down a channel whose sides move with it.
func disc(rt *ops.Runtime, d int, reynolds float64) *flow {
	w := newFlow(rt, 24*d, 8*d+2, reynolds, float64(d))
	w.product = stable
	for i := range w.kind {
		x, y := i%w.width, i/w.width
		dx, dy := float64(x)-6*w.length, float64(y)-float64(w.height)/2
		switch {
		case y == 0 || y == w.height-1:
			w.kind[i] = lid
		case x == 0:
			w.kind[i] = inflow
		case dx*dx+dy*dy < w.length*w.length/4:
			w.kind[i] = wall
		}
	}
	return w
}

// rates are those of the two relaxations, plus and minus.
func (w *flow) rates() (plus, minus float32) {
	a := 3 * w.speed * w.length / w.reynolds
	return float32(1 / (a + 0.5)), float32(1 / (w.product/a + 0.5))
}

// run makes the steps.
func (s *state) run(ctx context.Context) error {
	_, err := s.exe.Run(ctx, nil)
	return err
}

// after makes the steps and returns the populations of all cells after them.
func (s *state) after(ctx context.Context) ([]float32, error) {
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	t, err := ops.Value(ctx, s.f)
	if err != nil {
		return nil, err
	}
	return tensor.ToSlice[float32](t)
}
