// Molecules melts a crystal of atoms that attract and repel each other (Lennard-Jones), as LAMMPS's benchmark does.
//
//	go run ./examples/molecules [-cells 30] [-steps 1000] [-out molecules.png]
//
// For each twenty steps, atoms are sorted by the cells that they are in, which ops do, and a kernel lists their neighbours; another
// one makes the steps. The table has what LAMMPS prints; the picture the radial distribution of the liquid: how many more atoms there
// are at a distance than if they were anywhere. Energies, pressure and temperature must be those that LAMMPS publishes for bench/in.lj, and
// the energy must stay the same.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"math"

	"github.com/anycl/anycl/examples/internal/curves"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

// options are what the command line says.
type options struct{ cells, steps int }

func main() {
	var o options
	flag.IntVar(&o.cells, "cells", 0, "unit cells of the crystal along a side, an even number; each has 4 atoms (default 20, and 10 on the CPU path)")
	flag.IntVar(&o.steps, "steps", 400, "time steps of 0.005, a multiple of the 20 for which neighbour lists hold")
	gallery.Main("molecules", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	if err := errors.Join(
		gallery.Multiple("cells", cmp.Or(o.cells, 20), 2, 6, 64),
		gallery.Multiple("steps", o.steps, turn, 200, 1e6),
	); err != nil {
		return err
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	o.cells = gallery.Default(rt, o.cells, 20, 10)
	place := ops.OnCPU
	if rt.Device() != nil {
		place = ops.OnDevice
	}
	l := lattice(rt, o.cells)
	look, err := l.melt(ctx, rt, place, 0)
	if err != nil {
		return err
	}
	next, err := l.melt(ctx, rt, place, turn)
	if err != nil {
		return err
	}
	s, err := look(ctx)
	if err != nil {
		return err
	}
	p.Printf("\n%d atoms at density %g\n  step  temperature  potential     energy  pressure\n", l.n, density)
	line := func(step int) {
		p.Printf("%6d %12.4f %10.5f %10.5f %9.4f\n", step, s.Temperature, s.Potential, s.Energy, s.Pressure)
	}
	line(0)
	begin := *s
	var at100 state
	for n := 1; n <= o.steps/turn; n++ {
		if s, err = next(ctx); err != nil {
			return err
		}
		if n%5 == 0 {
			line(n * turn)
		}
		if n*turn == 100 {
			at100 = *s
		}
	}
	// What LAMMPS prints for bench/in.lj: 0 1.44 -6.7733681 -4.6134356 -5.0197073; 100 0.7574531 -5.7585055 -4.6223613 0.20726105.
	p.Check(math.Abs(begin.Potential+6.7733681) < 2e-5 && math.Abs(begin.Pressure+5.0197073) < 1e-3*5,
		"the crystal has LAMMPS's published potential, -6.77337, and pressure, -5.0197: %.5f and %.4f", begin.Potential, begin.Pressure)
	spread := 0.01 * math.Sqrt(32000/float64(l.n))
	p.Check(math.Abs(at100.Temperature-0.7574531) < spread, "after 100 steps the temperature is LAMMPS's, 0.757, to %.4f: less than %.4f", math.Abs(at100.Temperature-0.7574531), spread)
	p.Check(math.Abs(s.Conserved-begin.Conserved) < 2e-3, "the energy, with a potential without a step at the cut, changed by %.5f an atom in %d steps: less than 0.002",
		math.Abs(s.Conserved-begin.Conserved), o.steps)
	g := l.radial(s.p)
	top, where := peak(g)
	p.Check(math.Abs(where-1.09) < 0.03 && math.Abs(top-2.9) < 0.25+10/math.Sqrt(float64(l.n)), "the radial distribution's first peak is %.2f at %.2f: that of the liquid, about 2.9 at 1.09", top, where)
	liquid, gas := curves.Line{Name: "the liquid", Y: g}, curves.Line{Name: "a gas", Dashed: true, X: []float64{0, far}, Y: []float64{1, 1}}
	for b := range g {
		liquid.X = append(liquid.X, far*(float64(b)+0.5)/bins)
	}
	if err := p.WriteCurves(curves.Axes{Title: "Radial distribution", X: "distance", Y: "atoms, of as many as anywhere"}, false, liquid, gas); err != nil {
		return err
	}
	return l.times(ctx, p, rt)
}
