// Galaxy lets two galaxies of stars fly by each other. Every star attracts every other one.
//
//	go run ./examples/galaxy [-bodies 32768] [-steps 500] [-dt 0.03] [-out galaxy.png]
//
// The steps stay on the device, some dozen to a run. The picture has the stars at the start, half-way and at the end:
// tides draw bridges and tails out of the discs, as Toomre and Toomre showed (Galactic Bridges and Tails, 1972). Steps are those of the
// leap-frog, which keeps the energy; that, and the momentum, are checked.
package main

import (
	"cmp"
	"context"
	_ "embed" // for peer.py
	"errors"
	"flag"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

// turn is how many steps a run of the graph makes.
const turn = 25

// options are what the command line says.
type options struct {
	bodies, steps int
	dt            float64
}

func main() {
	var o options
	flag.IntVar(&o.bodies, "bodies", 0, "stars of both galaxies, a power of two (default 16384, and 2048 on the CPU path)")
	flag.IntVar(&o.steps, "steps", 150, "time steps, a multiple of the 25 of a run of the graph")
	flag.Float64Var(&o.dt, "dt", 0.03, "length of a time step; a star at the edge of a disc needs about 7 for a turn")
	gallery.Main("galaxy", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	if o.bodies&(o.bodies-1) != 0 {
		return errors.New("-bodies must be a power of two")
	}
	if err := errors.Join(
		gallery.Within("bodies", cmp.Or(o.bodies, 32), 32, 1<<18),
		gallery.Multiple("steps", o.steps, turn, 2*turn, 1e6),
		gallery.Within("dt", o.dt, 1e-4, 0.04),
	); err != nil {
		return err
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
		if n := o.steps / turn; i == n/2 || i == n-1 {
			scenes = append(scenes, b)
			if err := p.WritePNG(paint(scenes)); err != nil { // half of it can be seen while the rest is computed
				return err
			}
		}
	}
	limit := 2e-3
	if o.bodies < 256 || o.dt > 0.03 { // of few stars each is heavy, and bends the others; the error grows with the square of dt
		limit = 2e-2
	}
	_, momentum := scenes[len(scenes)-1].sums()
	p.Check(most < limit, "the energy stays the same to %.1e: less than %.0e", most, limit)
	p.Check(momentum < 1e-5, "so does the momentum, which is zero, to %.1e of all bodies': less than 1e-5", momentum)
	return times(ctx, p, rt, start)
}
