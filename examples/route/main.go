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
	_ "embed" // for peer.py
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

// options are what the command line says.
type options struct{ side, trips, proofs int }

func main() {
	o := options{proofs: 4}
	flag.IntVar(&o.side, "side", 256, "cells along a side of the map, a multiple of 16")
	flag.IntVar(&o.trips, "trips", 32, "trips to plan together, a multiple of 16")
	gallery.Main("route", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

//go:embed peer.py
var scipy string

func run(ctx context.Context, p *gallery.Program, o options) error {
	if err := errors.Join(
		gallery.Multiple("side", o.side, tile, 64, 2048),
		gallery.Multiple("trips", o.trips, goals, goals, 1024),
	); err != nil {
		return err
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	m := town(o.side)
	t := m.trips(o.trips)
	var exes []*ops.Executable
	work := gallery.Work{Name: fmt.Sprintf("%d trips on %d x %d cells", o.trips, o.side, o.side), Amount: float64(o.trips), Unit: "trips"}
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (func(context.Context) (*answer, error), error) {
		if place == ops.OnDevice {
			place = ops.Auto // the device for what it can do
		}
		plan, exe, err := m.planner(ctx, rt, place, t)
		exes = append(exes, exe)
		return plan, err
	})
	if err != nil {
		return err
	}
	for line := range strings.Lines(exes[0].Explain()) {
		if f := strings.Fields(line); len(f) > 0 && slices.Contains([]string{"task", "spread", "follow"}, f[0]) {
			p.Printf("%s", line)
		}
	}
	a := results[0].Value
	var ways [][]int32
	reached, cells := 0, 0
	for q := range o.trips {
		way := a.ways[q*longest : (q+1)*longest]
		if n := slices.Index(way, -1); n >= 0 {
			way = way[:n]
		}
		ways = append(ways, way)
		if cells += len(way); len(way) > 0 {
			reached++
		}
	}
	p.Printf("%d of %d trips are possible, over %d cells in the mean\n", reached, o.trips, cells/max(reached, 1))
	if len(results) == 2 {
		p.Check(slices.Equal(a.lengths, results[1].Value.lengths) && slices.Equal(a.ways, results[1].Value.ways), "both engines find the same lengths and ways")
	}
	if err := m.prove(p, t, a, ways, o.proofs); err != nil {
		return err
	}
	var theirs []int32
	some := min(8, o.trips)
	ok, err := p.Beside(ctx, gallery.Peer{Name: "SciPy", Python: scipy, Amount: float64(some), Args: []any{o.side, some},
		Files: map[string]any{"cost.i32": m.cost, "starts.i32": t.starts, "ends.i32": t.ends}}, &theirs)
	if err != nil {
		return err
	}
	if ok {
		same := true
		for q, length := range theirs {
			same = same && a.lengths[int(t.starts[q])*o.trips+q] == length
		}
		p.Check(same, "the lengths of %d trips are SciPy's", some)
	}
	return p.WritePNG(m.paint(ways))
}
