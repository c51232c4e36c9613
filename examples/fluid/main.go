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
	_ "embed"
	"errors"
	"fmt"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// options are the settings of the command line.
type options struct {
	reynolds, cells        int // of the cavity
	stream, diameter, time int // of the stream past the disc
	large                  int // cells along a side of the grid that is timed beside a copy
}

func main() {
	o := options{large: 1024}
	gallery.Int(&o.reynolds, "reynolds", 100, 100, 1000, "Reynolds number of the box: 100, 400 or 1000, which have published velocities")
	gallery.Int(&o.cells, "cells", 0, 48, 1024, "cells along each side of the cavity (default 128, and at least 64 on the CPU path)")
	gallery.Int(&o.diameter, "diameter", 0, 6, 128,
		"diameter of the disc, in cells; the channel is 24 x 8 diameters (default 16, and 10 on the CPU path)")
	gallery.Int(&o.stream, "stream", 0, 1, 12*128,
		"Reynolds number of the stream past the disc, at most 12 times -diameter (default 100, or that)")
	gallery.Int(&o.time, "time", 120, 1, 10000, "time for which the stream flows, in those that it needs for a diameter")
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
		gallery.Within("stream", o.stream, 1, 12*o.diameter), // vortices would be smaller than cells
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

// box lets the flow in the cavity become steady and compares it with published results.
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
	compare(p, o.reynolds, u, v)
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
	w.tellFrequency(p, across[total/2:], turn)
	fastest := w.fastest(f)
	p.Check(fastest < 3, "the stream stays stable: its fastest cell flows %.2f times as fast as the inflow, less than 3", fastest)
	return p.WritePNG(w.picture(f))
}

// flow is the simulated system: a grid of cells and the conditions at its walls.
type flow struct {
	width, height int
	kind          []uint8
	speed         float64 // of the lid or the inflow, in cells per step; the speed of sound is 0.577
	reynolds      float64 // speed * length / viscosity
	length        float64 // of the cavity or the disc, in cells
	product       float64 // exactWalls or stable
	vector        int     // cells of a work-item
}

//go:embed fluid.cl
var source string

// step adds a step, or a copy of as many bytes, which needs a device, to the graph of f, float32 [9, height, width], and kind.
func (w *flow) step(entry string, f, kind *ops.Node) *ops.Node {
	o := ops.KernelOptions{
		Source: source, Entry: entry,
		Results: []ops.Result{{DType: tensor.Float32, Shape: f.Shape()}},
		Global:  [3]int{w.width / w.vector, w.height},
		Options: fmt.Sprintf("-DV=%d", w.vector),
	}
	if w.bytes() > 16<<20 {
		o.Options += " -DSTREAM"
	}
	if entry == "copy" {
		o.Global[0] *= 9
		return ops.Kernel(f.Graph(), o, f)[0]
	}
	plus, minus := w.rates()
	o.Args, o.Host = []any{plus, minus, float32(w.speed)}, w.host
	return ops.Kernel(f.Graph(), o, f, kind)[0]
}

// steps adds an even number of them, which stay where they are computed. Two at a time alternate
// between two pieces of memory, so that nothing is copied.
func (w *flow) steps(entry string, f, kind *ops.Node, count int) *ops.Node {
	last, _ := ops.Scan([]*ops.Node{f}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
		return []*ops.Node{w.step(entry, w.step(entry, s[0], kind), kind)}, nil
	}, &ops.ScanOptions{Trips: count / 2})
	return last[0]
}

// state is a flow on its way: an executable whose runs are some steps each.
type state struct {
	exe *ops.Executable
	f   *ops.Node
}

// start compiles runs of an even number of steps, from a fluid that moves with the inflow where there is one, and else rests.
func (w *flow) start(ctx context.Context, rt *ops.Runtime, place ops.Place, entry string, count int) (*state, error) {
	g := ops.NewGraph("fluid")
	f := g.Variable("f", tensor.Must(tensor.FromSlice(w.still(), 9, w.height, w.width)))
	kind := g.Const(tensor.Must(tensor.FromSlice(w.kind, w.height, w.width)))
	exe, err := g.Compile(ctx, rt, ops.Target{Updates: []*ops.Node{ops.Assign(f, w.steps(entry, f, kind, count))}, Place: place})
	return &state{exe, f}, err
}
