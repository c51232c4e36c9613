// Route plans many trips through a town at once: the shortest ways to all their ends from everywhere, by waves that run out
// from the ends on the device; then each trip's way is followed, which branches at every cell and runs on the CPU path.
//
//	go run ./examples/route [-side 512] [-trips 64] [-out route.png]
//
// The loop that runs until no way becomes shorter is ops.While; where each part ran is printed. Lengths are integers, and those of
// Dijkstra's algorithm. The town is made by a rule (terrain.go).
package main

import (
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// options are the settings of the command line.
type options struct{ side, trips, proofs int }

func main() {
	o := options{proofs: 4}
	gallery.Multiple(&o.side, "side", tile, 256, 64, 2048, "cells along a side of the map")
	gallery.Multiple(&o.trips, "trips", goals, 32, goals, 1024, "trips to plan together")
	gallery.Main("route", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	m := town(o.side)
	t := m.trips(o.trips)
	var exes []*ops.Executable
	work := gallery.Work{Name: fmt.Sprintf("%d trips on %d x %d cells", o.trips, o.side, o.side), Amount: float64(o.trips), Unit: "trips"}
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (gallery.Run[*answer], error) {
		if place == ops.OnDevice {
			place = ops.Auto // the device for the tasks that it can run
		}
		plan, exe, err := m.planner(ctx, rt, place, t)
		exes = append(exes, exe)
		return plan, err
	})
	if err != nil {
		return err
	}
	tellPlaces(p, exes[0])
	a := results[0].Value
	ways := tellWays(p, a, o.trips)
	if len(results) == 2 {
		b := results[1].Value
		p.Check(slices.Equal(a.lengths, b.lengths) && slices.Equal(a.ways, b.ways), "both engines find the same lengths and ways")
	}
	if err := m.prove(p, t, a, ways, o.proofs); err != nil {
		return err
	}
	if err := m.beside(ctx, p, t, a); err != nil {
		return err
	}
	return p.WritePNG(m.paint(ways))
}

//go:embed route.cl
var source string

const (
	tile    = 16      // cells along a side of one
	goals   = 16      // that are searched for together on a CPU; there are a multiple of them
	far     = 1 << 28 // the length of no way
	longest = 4096    // cells of a way that is kept
	step    = 500     // that the limit grows by in a round: about the cost of crossing a tile
)

// search adds to the graph of starts and ends, int32 [n] both, the lengths of the shortest ways to each end from every cell of the map,
// int32 [height, width, n], and the ways from the starts, int32 [n, longest]: their cells, then -1.
func (m *terrain) search(lanes int, starts, ends *ops.Node) (lengths, ways *ops.Node) {
	g, n := starts.Graph(), starts.Dim(0)
	vector := 1
	if lanes > 1 {
		vector = goals
	}
	cells, tiles := m.side*m.side, m.side/tile*(m.side/tile)
	cost := g.Const(tensor.Must(tensor.FromSlice(m.cost, m.side, m.side)))
	// The state of the loop: begin, the lengths; waiting, the least length that a tile has yet to tell the tiles around it, or far; and
	// limit, up to which lengths are told in a round. When no tile waits, no way can become shorter.
	elsewhere := ops.NotEqual(ops.Reshape(g.Iota(tensor.Int32, 0, cells), cells, 1), ops.Reshape(ends, 1, n))
	begin := ops.Reshape(ops.Mul(ops.Cast(elsewhere, tensor.Int32), far), m.side, m.side, n)              // 0 at the ends
	waiting := ops.BroadcastTo(g.Const(tensor.Must(tensor.FromSlice([]int32{0}, 1, 1))), tiles, n/vector) // all, to be told of the ends
	limit := g.Const(tensor.Must(tensor.FromSlice([]int32{1})))
	found := ops.While([]*ops.Node{begin, waiting, limit}, func(s []*ops.Node) *ops.Node {
		return ops.Less(ops.Min(s[1]), far)
	}, func(s []*ops.Node) []*ops.Node {
		r := ops.Kernel(g, ops.KernelOptions{
			Source: source, Entry: "spread", Global: [3]int{n / vector, tiles},
			Options: fmt.Sprintf("-DV=%d -DT=%d -DW=%d -DH=%d -DQ=%d -DFAR=%d", vector, tile, m.side, m.side, n, far),
			Results: []ops.Result{{DType: tensor.Int32, Shape: s[0].Shape()}, {DType: tensor.Int32, Shape: s[1].Shape()}},
			Host:    func(outs, ins []*tensor.Tensor) error { return m.spread(outs, ins, n, vector) },
		}, s[0], s[1], s[2], cost)
		return []*ops.Node{r[0], r[1], ops.Add(ops.Maximum(s[2], ops.Min(r[1])), step)}
	}, &ops.LoopOptions{Expect: 4 * m.side / tile})
	ways = ops.Kernel(g, ops.KernelOptions{
		Name: "follow", HostOnly: "it follows each way cell by cell",
		Results: []ops.Result{{DType: tensor.Int32, Shape: []int{n, longest}}}, Host: m.follow,
	}, found[0], starts)[0]
	return found[0], ways
}

// around are the cells around a cell, and how far they are.
func (m *terrain) around() [8][2]int {
	w := m.side
	return [8][2]int{{-w - 1, 7}, {-w, 5}, {-w + 1, 7}, {-1, 5}, {1, 5}, {w - 1, 7}, {w, 5}, {w + 1, 7}}
}

// trips are pairs of cells.
type trips struct{ starts, ends []int32 }

// answer has the lengths of all ways to the ends, and the ways from the starts.
type answer struct{ lengths, ways []int32 }

// planner compiles a search for as many trips.
func (m *terrain) planner(ctx context.Context, rt *ops.Runtime, place ops.Place, t trips) (gallery.Run[*answer], *ops.Executable, error) {
	g := ops.NewGraph("route")
	starts, ends := g.Input("starts", tensor.Int32, len(t.starts)), g.Input("ends", tensor.Int32, len(t.ends))
	lengths, ways := m.search(rt.Device().Lanes(), starts, ends)
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{lengths, ways}, Place: place, Fixed: true})
	return func(ctx context.Context) (*answer, error) {
		out, err := exe.Run(ctx, ops.Feeds{starts: tensor.Must(tensor.FromSlice(t.starts)), ends: tensor.Must(tensor.FromSlice(t.ends))})
		if err != nil {
			return nil, err
		}
		return &answer{tensor.MustSlice[int32](out[0]), tensor.MustSlice[int32](out[1])}, nil
	}, exe, err
}
