package main

import (
	"context"
	_ "embed" // for galaxy.cl
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed galaxy.cl
var source string

// softening is the distance below which bodies attract each other less than they would as points.
const softening = 0.15

// bodies are positions with masses, and velocities: float32 [4, n].
type bodies struct {
	n    int
	p, v []float32
}

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

// leap adds a step to the graph, or a half of one, whose work-items have as many bodies as a CPU's vectors have lanes, or one on a GPU.
func leap(lanes int, p, v *ops.Node, kick, drift float64, potential bool) (q, w *ops.Node) {
	n := p.Dim(1)
	group := min(n, 256)
	if lanes > 1 {
		group = min(n/lanes, 16)
	}
	o := ops.KernelOptions{
		Source: source, Entry: "leap", Options: fmt.Sprintf("-DV=%d -DGROUP=%d", lanes, group),
		Results: []ops.Result{{DType: tensor.Float32, Shape: p.Shape()}, {DType: tensor.Float32, Shape: p.Shape()}},
		Args:    []any{int32(n), float32(softening * softening), float32(kick), float32(drift)},
		Global:  [3]int{n / lanes}, Local: [3]int{group},
		Host: func(outs, ins []*tensor.Tensor) error {
			host(outs, ins, float32(kick), float32(drift))
			return nil
		},
	}
	if potential {
		o.Options += " -DPOTENTIAL"
	}
	r := ops.Kernel(p.Graph(), o, p, v)
	return r[0], r[1]
}

// flight is an executable whose runs are steps steps each. It returns positions, and velocities with potentials.
func (b *bodies) flight(ctx context.Context, rt *ops.Runtime, place ops.Place, steps int, dt float64) (func(context.Context) (*bodies, error), error) {
	g, lanes := ops.NewGraph("galaxy"), rt.Device().Lanes()
	p := g.Variable("p", tensor.Must(tensor.FromSlice(b.p, 4, b.n)))
	v := g.Variable("v", tensor.Must(tensor.FromSlice(b.v, 4, b.n)))
	q, w := leap(lanes, p, v, dt/2, dt, false)
	between, _ := ops.Scan([]*ops.Node{q, w}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
		q, w := leap(lanes, s[0], s[1], dt, dt, false)
		return []*ops.Node{q, w}, nil
	}, &ops.ScanOptions{Trips: steps - 1})
	q, w = leap(lanes, between[0], between[1], dt/2, 0, true)
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{q, w}, Updates: []*ops.Node{ops.Assign(p, q), ops.Assign(v, w)}, Place: place})
	return func(ctx context.Context) (*bodies, error) {
		out, err := exe.Run(ctx, nil)
		if err != nil {
			return nil, err
		}
		now := &bodies{n: b.n}
		if now.p, err = tensor.ToSlice[float32](out[0]); err != nil {
			return nil, err
		}
		now.v, err = tensor.ToSlice[float32](out[1])
		return now, err
	}, err
}

// sums are the energy, and the momentum as a part of what it would be if all flew the same way.
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
