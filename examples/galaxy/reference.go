package main

import (
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
)

// sums are the energy, and the momentum as a part of its value if all flew the same way.
func (b *bodies) sums() (energy, momentum float64) {
	var total [3]float64
	var all float64
	for i := range b.n {
		mass := float64(b.p[3*b.n+i])
		var square float64
		for k := range total {
			v := float64(b.v[k*b.n+i])
			square += v * v
			total[k] += mass * v
		}
		all += mass * math.Sqrt(square)
		// The kernel counts each pair twice, and every body as one that attracts itself.
		energy += mass * (square + float64(b.v[3*b.n+i]) + mass/softening) / 2
	}
	return energy, math.Sqrt(total[0]*total[0]+total[1]*total[1]+total[2]*total[2]) / all
}

// check checks the conserved quantities: the energy, which changed by drift, and the momentum.
func (b *bodies) check(p *gallery.Program, o options, drift float64) {
	limit := 2e-3
	if o.bodies < 256 || o.dt > 0.03 { // of few stars each is heavy, and bends the others; the error grows with the square of dt
		limit = 2e-2
	}
	_, momentum := b.sums()
	p.Check(drift < limit, "the energy stays the same to %.1e: less than %.0e", drift, limit)
	p.Check(momentum < 1e-5, "so does the momentum, which is zero, to %.1e of all bodies': less than 1e-5", momentum)
}
