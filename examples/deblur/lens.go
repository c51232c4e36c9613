package main

import (
	"math"

	"github.com/anycl/anycl/tensor"
)

// disc is the image of a point out of focus, with an edge of a pixel.
func disc(radius float64) func(dx, dy float64) float64 {
	return func(dx, dy float64) float64 { return min(max(radius+0.5-math.Hypot(dx, dy), 0), 1) }
}

func newLens(sharp *tensor.Tensor, at func(dx, dy float64) float64) *lens {
	l := &lens{h: sharp.Shape()[1], w: sharp.Shape()[2], sharp: sharp}
	v, sum := make([]float64, l.h*l.w), 0.0
	around := func(i, n int) float64 { return float64((i+n/2)%n - n/2) }
	for y := range l.h {
		for x := range l.w {
			v[y*l.w+x] = at(around(x, l.w), around(y, l.h))
			sum += v[y*l.w+x]
		}
	}
	l.spot = tensor.Must(tensor.New(tensor.Float32, l.h, l.w))
	for i, x := range v {
		l.spot.SetFloat64(i, x/sum)
	}
	return l
}

func (l *lens) index(c, y, x int) int { return (c*l.h+y)*l.w + x }
