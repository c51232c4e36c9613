package main

import (
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
)

// check compares states with the output of LAMMPS for bench/in.lj:
//
//	0 1.44 -6.7733681 -4.6134356 -5.0197073
//	100 0.7574531 -5.7585055 -4.6223613 0.20726105
func (l *liquid) check(p *gallery.Program, all []*state, radial []float64) {
	begin, at100, end := all[0], all[100/turn], all[len(all)-1]
	p.Check(math.Abs(begin.Potential+6.7733681) < 2e-5 && math.Abs(begin.Pressure+5.0197073) < 1e-3*5,
		"the crystal has LAMMPS's published potential, -6.77337, and pressure, -5.0197: %.5f and %.4f", begin.Potential, begin.Pressure)
	spread := 0.01 * math.Sqrt(32000/float64(l.n))
	off := math.Abs(at100.Temperature - 0.7574531)
	p.Check(off < spread, "after 100 steps the temperature is LAMMPS's, 0.757, to %.4f: less than %.4f", off, spread)
	drift := math.Abs(end.Conserved - begin.Conserved)
	p.Check(drift < 2e-3, "the energy, with a potential without a step at the cut, changed by %.5f an atom in %d steps: less than 0.002",
		drift, (len(all)-1)*turn)
	top, where := peak(radial)
	p.Check(math.Abs(where-1.09) < 0.03 && math.Abs(top-2.9) < 0.25+10/math.Sqrt(float64(l.n)),
		"the radial distribution's first peak is %.2f at %.2f: that of the liquid, about 2.9 at 1.09", top, where)
}
