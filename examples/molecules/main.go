// Molecules melts a crystal of atoms that attract and repel each other (Lennard-Jones), as LAMMPS's benchmark does.
//
//	go run ./examples/molecules [-cells 30] [-steps 1000] [-out molecules.png]
//
// For each twenty steps, atoms are sorted by the cells that they are in, which ops do, and a kernel lists their neighbours; another one
// makes the steps. The table has the columns of LAMMPS; the picture the radial distribution of the liquid: how many more atoms there are at
// a distance than if they were anywhere. Energies, pressure and temperature must be those that LAMMPS publishes for bench/in.lj, and the
// energy must stay the same.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// options are the settings of the command line.
type options struct{ cells, steps int }

func main() {
	var o options
	gallery.Multiple(&o.cells, "cells", 2, 0, 6, 64,
		"unit cells of the crystal along a side; each has 4 atoms (default 20, and 10 on the CPU path)")
	gallery.Multiple(&o.steps, "steps", turn, 400, 200, 1e6, "time steps of 0.005; neighbour lists hold for 20")
	gallery.Main("molecules", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

// The melt of LAMMPS's benchmark in.lj, in units of the Lennard-Jones potential.
const (
	density     = 0.8442
	temperature = 1.44
	cut         = 2.5 // distance beyond which atoms do not act on each other
	skin        = 0.3 // the extra radius of lists
	dt          = 0.005
	turn        = 20  // steps for which a list is used, as in LAMMPS's benchmark; few of the fastest atoms cross the skin in less
	capacity    = 128 // of a list, of 78 atoms in the mean
)

// liquid is a box of atoms and how it is computed.
type liquid struct {
	n, side int // atoms, and cells along a side
	box     float64
	vector  int // atoms of a work-item
	// p has rows of x, y, z and half the virial of each atom, [4, n]; v of its velocity, half its potential, and half the number of atoms
	// within the cut, [5, n].
	p, v []float32
}

func run(ctx context.Context, p *gallery.Program, o options) error {
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
	all := []*state{s} // after each turn
	s.line(p, 0)
	for n := 1; n <= o.steps/turn; n++ {
		if s, err = next(ctx); err != nil {
			return err
		}
		if all = append(all, s); n%5 == 0 {
			s.line(p, n*turn)
		}
	}
	g := l.radial(s.p)
	l.check(p, all, g)
	if err := l.draw(p, g); err != nil {
		return err
	}
	return l.times(ctx, p, rt)
}

//go:embed molecules.cl
var source string

// shift is the potential at the cut.
var shift = 4 * (math.Pow(cut, -12) - math.Pow(cut, -6))

// kernel adds one of molecules.cl to the graph, whose work-items have as many atoms as vector says; more are options of the compiler.
func (l *liquid) kernel(entry, more string, vector int, results []ops.Result, args []any,
	host func(outs, ins []*tensor.Tensor) error, ins ...*ops.Node) []*ops.Node {
	return ops.Kernel(ins[0].Graph(), ops.KernelOptions{
		Source: source, Entry: entry, Results: results, Args: args, Global: [3]int{l.n / vector}, Host: host,
		Options: fmt.Sprintf("-DN=%d -DV=%d -DSIDE=%d -DBOX=%.8ff -DCUT=%gf -DREACH=%gf -DU0=%.9ff -DCAPACITY=%d%s",
			l.n, l.vector, l.side, l.box, cut, cut+skin, shift, capacity, more),
	}, ins...)
}

// sorted puts atoms back into the box and sorts them by cells; starts are the first of each cell.
func (l *liquid) sorted(p, v *ops.Node) (q, w, starts *ops.Node) {
	g := p.Graph()
	box := float64(float32(l.box))
	inside := ops.Sub(p, ops.Mul(ops.Floor(ops.Mul(p, 1/box)), box))
	cells := ops.Minimum(ops.Cast(ops.Mul(inside, float64(l.side)/box), tensor.Int32), l.side-1)
	at := func(d int) *ops.Node { return ops.Reshape(ops.Slice(cells, ops.Between(0, d, d+1)), l.n) }
	key := ops.Add(ops.Mul(ops.Add(ops.Mul(at(2), l.side), at(1)), l.side), at(0))
	keys, order := ops.Sort(key, 0, nil)
	starts = ops.SearchSorted(keys, g.Iota(tensor.Int32, 0, l.side*l.side*l.side+1), nil)
	return ops.Gather(inside, 1, order), ops.Gather(v, 1, order), starts
}

// leap adds a step to the graph.
func (l *liquid) leap(p, v, near, count *ops.Node, kick, drift float64, more string) (q, w *ops.Node) {
	r := l.kernel("leap", more, l.vector,
		[]ops.Result{{DType: tensor.Float32, Shape: p.Shape()}, {DType: tensor.Float32, Shape: v.Shape()}},
		[]any{float32(kick), float32(drift)},
		func(outs, ins []*tensor.Tensor) error { return l.leapHost(outs, ins, float32(kick), float32(drift)) }, p, v, near, count)
	return r[0], r[1]
}

// state is the state after a turn; energies are those of an atom in the mean.
type state struct {
	Temperature, Potential, Energy, Pressure float64
	Conserved                                float64 // the energy with the potential that ends at the cut without a step
	p                                        []float32
}

// melt compiles runs of a number of steps, for which the lists hold; 0 takes the state as it is.
func (l *liquid) melt(ctx context.Context, rt *ops.Runtime, place ops.Place, steps int) (gallery.Run[*state], error) {
	g := ops.NewGraph("molecules")
	p := g.Variable("p", tensor.Must(tensor.FromSlice(l.p, 4, l.n)))
	v := g.Variable("v", tensor.Must(tensor.FromSlice(l.v, 5, l.n)))
	q, w, starts := l.sorted(p, v)
	list := l.kernel("lists", "", 1,
		[]ops.Result{{DType: tensor.Int32, Shape: []int{capacity, l.n}}, {DType: tensor.Int32, Shape: []int{l.n}}}, nil, l.listsHost, q, starts)
	near, count := list[0], list[1]
	half := 0.0
	if steps > 0 {
		half = dt / 2
		q, w = l.leap(q, w, near, count, half, dt, "")
		between, _ := ops.Scan([]*ops.Node{q, w}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
			q, w := l.leap(s[0], s[1], near, count, dt, dt, "")
			return []*ops.Node{q, w}, nil
		}, &ops.ScanOptions{Trips: steps - 1})
		q, w = between[0], between[1]
	}
	q, w = l.leap(q, w, near, count, half, 0, " -DSUMS")
	squares := ops.Sum(ops.Square(w), 1)
	exe, err := g.Compile(ctx, rt, ops.Target{Fixed: true, Place: place,
		Outputs: []*ops.Node{squares, ops.Sum(w, 1), ops.Sum(q, 1), ops.Max(count), q}, Updates: []*ops.Node{ops.Assign(p, q), ops.Assign(v, w)}})
	return func(ctx context.Context) (*state, error) {
		out, err := exe.Run(ctx, nil)
		if err != nil {
			return nil, err
		}
		if most := out[3].Float64At(0); most > capacity {
			return nil, fmt.Errorf("an atom has %.0f others near it, and a list room for %d", most, capacity)
		}
		n := float64(l.n)
		kinetic := (out[0].Float64At(0) + out[0].Float64At(1) + out[0].Float64At(2)) / 2
		shifted, pairs, virial := out[1].Float64At(3), out[1].Float64At(4), out[2].Float64At(3)
		s := &state{Temperature: 2 * kinetic / (3 * (n - 1)), Potential: (shifted + pairs*shift) / n, Conserved: (kinetic + shifted) / n}
		s.Energy, s.Pressure = s.Potential+kinetic/n, density/n*(2*kinetic/3+virial/3)
		s.p, err = tensor.ToSlice[float32](out[4])
		return s, err
	}, err
}
