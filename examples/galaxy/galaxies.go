package main

import (
	"math"
	"math/rand/v2"
)

// galaxies are two discs of stars around heavy centres that fly by each other on parabolas, as those of Toomre and
// Toomre, Galactic Bridges and Tails (1972). The unit of mass is a centre's, that of length about a disc's radius.
func galaxies(n int) *bodies {
	const (
		disc       = 0.2 // the mass of a disc
		inner      = 0.3 // its radii
		outer      = 1.25
		apart      = 4.0 // the distance of the centres at the start
		pericentre = 1.0 // the least, if they were points
	)
	b := &bodies{n, make([]float32, 4*n), make([]float32, 4*n)}
	random := rand.New(rand.NewPCG(1, 2))
	total := 2 * (1 + disc)                         // of both galaxies
	across := math.Sqrt(2*total*pericentre) / apart // speeds of one past the other
	towards := math.Sqrt(2*total/apart - across*across)
	for i := range n {
		side := 1.0
		if i%2 == 1 {
			side = -1
		}
		var x, y, z, vx, vy, vz float64
		mass := 1.0
		if i >= 2 {
			mass = disc / float64(n/2-1)
			r := inner + (outer-inner)*random.Float64()
			within := 1 + disc*(r-inner)/(outer-inner)
			speed := r * math.Sqrt(within/math.Pow(r*r+softening*softening, 1.5))
			sin, cos := math.Sincos(2 * math.Pi * random.Float64())
			x, y, z = r*cos, r*sin, 0.02*random.NormFloat64()
			vx, vy = -speed*sin, speed*cos
			if i%2 == 1 { // the second disc lies at an angle to the orbit
				const tilt = math.Pi / 3
				y, z = y*math.Cos(tilt)-z*math.Sin(tilt), y*math.Sin(tilt)+z*math.Cos(tilt)
				vy, vz = vy*math.Cos(tilt), vy*math.Sin(tilt)
			}
		}
		for k, s := range [4]float64{x - side*apart/2, y, z, mass} {
			b.p[k*n+i] = float32(s)
		}
		for k, s := range [3]float64{vx + side*towards/2, vy - side*across/2, vz} {
			b.v[k*n+i] = float32(s)
		}
	}
	b.rest()
	return b
}

// rest takes the mean velocity away, so that the momentum is zero.
func (b *bodies) rest() {
	masses := b.p[3*b.n:]
	for k := range 3 {
		v := b.v[k*b.n:][:b.n]
		var momentum, mass float64
		for i, m := range masses {
			momentum += float64(m) * float64(v[i])
			mass += float64(m)
		}
		for i := range v {
			v[i] -= float32(momentum / mass)
		}
	}
}
