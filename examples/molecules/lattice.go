package main

import (
	"math"
	"math/rand/v2"

	"github.com/anycl/anycl/ops"
)

// lattice are 4 cells^3 atoms on a face-centred cubic lattice, with random velocities of the temperature and without momentum.
func lattice(rt *ops.Runtime, cells int) *liquid {
	n := 4 * cells * cells * cells
	l := &liquid{n: n, box: math.Cbrt(float64(n) / density), vector: 1, p: make([]float32, 4*n), v: make([]float32, 5*n)}
	if rt.Device().Lanes() > 1 {
		l.vector = 16
	}
	l.side = int(l.box / (cut + skin))
	random := rand.New(rand.NewPCG(5, 6))
	v, mean, square := make([]float64, 3*n), [3]float64{}, 0.0
	for i := range v {
		v[i] = random.NormFloat64()
		mean[i%3] += v[i] / float64(n)
	}
	for i := range v {
		v[i] -= mean[i%3]
		square += v[i] * v[i]
	}
	scale := math.Sqrt(temperature * 3 * float64(n-1) / square)
	for i := range n {
		c, k := i/4, i%4
		for d, at := range [3]int{2*(c%cells) + k&1, 2*(c/cells%cells) + k>>1, 2*(c/cells/cells) + (k&1 ^ k>>1)} {
			l.p[d*n+i] = float32(l.box * float64(at) / float64(2*cells))
			l.v[d*n+i] = float32(scale * v[3*i+d])
		}
	}
	return l
}
