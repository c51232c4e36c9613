// Fluid computes flows by the lattice Boltzmann method: a box whose lid moves, beside published velocities, and a
// stream past a disc, which sheds a street of vortices.
//
//	go run ./examples/fluid [-reynolds 400] [-cells 192] [-diameter 40] [-out fluid.png]
//
// The populations are a variable of the graph, and a run of it is many steps: they never leave the device. The picture
// has the vorticity of the stream, red where it turns left and blue where it turns right.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

// options are what the command line says.
type options struct {
	reynolds, cells        int // of the cavity
	stream, diameter, time int // of the stream past the disc
	large                  int // cells along a side of the grid that is timed beside a copy
}

func main() {
	var o options
	flag.IntVar(&o.reynolds, "reynolds", 100, "Reynolds number of the cavity: 100, 400 or 1000, for which there are published velocities")
	flag.IntVar(&o.cells, "cells", 0, "cells along each side of the cavity (default 128, and at least 64 on the CPU path)")
	flag.IntVar(&o.stream, "stream", 0, "Reynolds number of the stream past the disc, at most 12 times -diameter (default 100, or that)")
	flag.IntVar(&o.diameter, "diameter", 0, "diameter of the disc, in cells; the channel is 24 x 8 diameters (default 16, and 10 on the CPU path)")
	flag.IntVar(&o.time, "time", 120, "time for which the stream flows, in those that it needs for a diameter")
	flag.IntVar(&o.large, "large", 1024, "cells along each side of the grid that is timed beside a copy")
	gallery.Main("fluid", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	least, ok := leastCells[o.reynolds]
	if !ok {
		return fmt.Errorf("-reynolds must be 100, 400 or 1000, not %d", o.reynolds)
	}
	o.cells, o.diameter = gallery.Default(rt, o.cells, 128, max(64, least)), gallery.Default(rt, o.diameter, 16, 10)
	o.stream = cmp.Or(o.stream, min(100, 12*o.diameter))
	if err := errors.Join(
		gallery.Within("cells", o.cells, least, 1024),
		gallery.Within("diameter", o.diameter, 6, 128),
		gallery.Within("stream", o.stream, 1, 12*o.diameter), // vortices would be smaller than cells
		gallery.Within("time", o.time, 1, 10000),
		gallery.Within("large", o.large, 16, 8192),
	); err != nil {
		return err
	}
	if err := box(ctx, p, rt, o); err != nil {
		return err
	}
	if err := street(ctx, p, rt, o); err != nil {
		return err
	}
	return times(ctx, p, rt, o)
}

// box lets the flow in the cavity become steady and compares it with what was published.
func box(ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options) error {
	w := cavity(rt, o.cells, float64(o.reynolds))
	turn := int(w.length/w.speed) * 2 // steps in which the lid passes over the box twice
	s, err := w.start(ctx, rt, ops.Auto, "flow", turn)
	if err != nil {
		return err
	}
	p.Printf("\nBox of %d x %d cells with a moving lid, Reynolds number %d\n", o.cells, o.cells, o.reynolds)
	var u, v []float64
	for n, change := 1, 1.0; change > 1e-4 && n <= 60; n++ {
		f, err := s.after(ctx)
		if err != nil {
			return err
		}
		before := append(u, v...)
		u, v = w.profiles(f)
		if change = gallery.Farthest(append(u, v...), before); n%3 == 0 || change <= 1e-4 {
			p.Printf("%7d steps: since %d of them velocities changed by at most %.5f of the lid's\n", n*turn, turn, change)
		}
	}
	du, dv := differences(ghiaY[:], ghiaU[o.reynolds], u), differences(ghiaX[:], ghiaV[o.reynolds], v)
	p.Printf("   y  u published  computed      x  v published  computed\n")
	for i := 0; i < len(ghiaY); i += 3 {
		p.Printf("%.3f %10.4f %10.4f  %.3f %11.4f %10.4f\n", ghiaY[i], ghiaU[o.reynolds][i], profile(u, ghiaY[i]),
			ghiaX[i], ghiaV[o.reynolds][i], profile(v, ghiaX[i]))
	}
	limit := map[int]float64{100: 0.01, 400: 0.01, 1000: 0.02}[o.reynolds]
	p.Check(max(du, dv) < limit, "velocities of the box are those of Ghia, Ghia and Shin to %.4f of the lid's: less than %g", max(du, dv), limit)
	return nil
}

// street lets a stream flow past a disc, counts its vortices and draws them.
func street(ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options) error {
	const turn = 40
	w := disc(rt, o.diameter, float64(o.stream))
	s, err := w.start(ctx, rt, ops.Auto, "flow", turn)
	if err != nil {
		return err
	}
	p.Printf("\nStream past a disc of %d cells in a channel of %d x %d, Reynolds number %d\n", o.diameter, w.width, w.height, o.stream)
	total := int(float64(o.time)*w.length/w.speed) / turn
	var f []float32
	var across []float64 // the velocity across the stream, two diameters behind the disc
	for n := range total {
		if f, err = s.after(ctx); err != nil {
			return err
		}
		_, v := w.velocity(f, 8*o.diameter, w.height/2)
		across = append(across, v)
		if n%(total/6+1) == total/6 {
			p.Printf("%7d steps: %.2f of the stream's velocity across it, behind the disc\n", (n+1)*turn, v/w.speed)
		}
	}
	if f := frequency(across[total/2:]); f > 0 {
		p.Printf("the disc sheds %.3f pairs of vortices while the stream flows by its diameter (Strouhal number;\n"+
			"0.164 at Reynolds number 100 without walls, Williamson 1989; the walls of the channel make it more)\n", f/turn*w.length/w.speed)
	}
	fastest := w.fastest(f)
	p.Check(fastest < 3, "the stream stays stable: its fastest cell flows %.2f times as fast as the inflow, less than 3", fastest)
	return p.WritePNG(w.picture(f))
}
