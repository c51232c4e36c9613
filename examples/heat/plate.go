package main

import (
	"math"
)

// ringed is a plate of copper with rings of wood.
func ringed(n int) *plate {
	return &plate{n: n, dt: 5e-4, conductivity: func(x, y float64) float64 {
		r := math.Hypot(x-0.5, y-0.5)
		if math.Mod(r, 0.11) > 0.085 && math.Abs(math.Sin(2*math.Atan2(y-0.5, x-0.5)+12*r)) > 0.25 {
			return 0.02
		}
		return 1
	}}
}

// points are the values of f at the points, row by row.
func (w *plate) points(f func(x, y float64) float64) []float32 {
	u, h := make([]float32, 0, w.n*w.n), 1/float64(w.n+1)
	for i := range w.n {
		for j := range w.n {
			u = append(u, float32(f(float64(j+1)*h, float64(i+1)*h)))
		}
	}
	return u
}
