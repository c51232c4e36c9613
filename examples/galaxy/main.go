// Galaxy lets two galaxies of stars fly by each other. Every star attracts every other one.
//
//	go run ./examples/galaxy [-bodies 32768] [-steps 500] [-dt 0.03] [-out galaxy.png]
//
// The steps stay on the device, some dozen to a run. The picture has the stars at the start, half-way and at the end:
// tides draw bridges and tails out of the discs, as Toomre and Toomre showed (Galactic Bridges and Tails, 1972). Steps are those of the
// leap-frog, which keeps the energy; that, and the momentum, are checked.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// turn is how many steps a run of the graph makes.
const turn = 25

// options are the settings of the command line.
type options struct {
	bodies, steps int
	dt            float64
}

func main() {
	var o options
	gallery.Int(&o.bodies, "bodies", 0, 32, 1<<18, "stars of both galaxies, a power of two (default 16384, and 2048 on the CPU path)")
	gallery.Multiple(&o.steps, "steps", turn, 150, 2*turn, 1e6, "time steps, of which a run of the graph makes 25")
	gallery.Float(&o.dt, "dt", 0.03, 1e-4, 0.04, "length of a time step; a star at the edge of a disc needs about 7 for a turn")
	gallery.Main("galaxy", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	if o.bodies&(o.bodies-1) != 0 {
		return errors.New("-bodies must be a power of two")
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	o.bodies = gallery.Default(rt, o.bodies, 16384, 2048)
	start := galaxies(o.bodies)
	fly, err := start.flight(ctx, rt, ops.Auto, turn, o.dt)
	if err != nil {
		return err
	}
	p.Printf("%d bodies, %.3g pairs a step\n", o.bodies, float64(o.bodies)*float64(o.bodies))
	scenes := []*bodies{start}
	var first, most float64
	for i := range o.steps / turn {
		b, err := fly(ctx)
		if err != nil {
			return err
		}
		energy, momentum := b.sums()
		if i == 0 {
			first = energy
		}
		most = max(most, math.Abs(energy/first-1))
		p.Printf("time %5.2f: energy %.6f, changed by %+.1e; momentum %.1e of all bodies'\n",
			float64((i+1)*turn)*o.dt, energy, energy/first-1, momentum)
		if n := o.steps / turn; i == (n-1)/2 || i == n-1 {
			scenes = append(scenes, b)
			if err := p.WritePNG(paint(scenes)); err != nil { // half of it can be seen while the rest is computed
				return err
			}
		}
	}
	scenes[len(scenes)-1].check(p, o, most)
	return times(ctx, p, rt, start)
}

//go:embed galaxy.cl
var source string

// softening is the distance below which bodies attract each other less than they would as points.
const softening = 0.15

// bodies are positions with masses, and velocities: float32 [4, n].
type bodies struct {
	n    int
	p, v []float32
}

// leap adds a step to the graph: velocities change by kick times the acceleration, then places by drift times the velocity. With potential,
// the last row of the velocities becomes the potential of each body. Work-items have as many bodies as a CPU's vectors have lanes, or
// one on a GPU.
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
func (b *bodies) flight(ctx context.Context, rt *ops.Runtime, place ops.Place, steps int, dt float64) (gallery.Run[*bodies], error) {
	g, lanes := ops.NewGraph("galaxy"), rt.Device().Lanes()
	p := g.Variable("p", tensor.Must(tensor.FromSlice(b.p, 4, b.n)))
	v := g.Variable("v", tensor.Must(tensor.FromSlice(b.v, 4, b.n)))
	q, w := leap(lanes, p, v, dt/2, dt, false) // half a kick, so that velocities are between the places; the last step takes it back
	between, _ := ops.Scan([]*ops.Node{q, w}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
		q, w := leap(lanes, s[0], s[1], dt, dt, false)
		return []*ops.Node{q, w}, nil
	}, &ops.ScanOptions{Trips: steps - 1})
	q, w = leap(lanes, between[0], between[1], dt/2, 0, true)
	exe, err := g.Compile(ctx, rt, ops.Target{
		Outputs: []*ops.Node{q, w}, Updates: []*ops.Node{ops.Assign(p, q), ops.Assign(v, w)}, Place: place,
	})
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
