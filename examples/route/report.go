package main

import (
	"slices"
	"strings"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

// tellPlaces prints where the parts of the search ran.
func tellPlaces(p *gallery.Program, exe *ops.Executable) {
	for line := range strings.Lines(exe.Explain()) {
		if f := strings.Fields(line); len(f) > 0 && slices.Contains([]string{"task", "spread", "follow"}, f[0]) {
			p.Printf("%s", line)
		}
	}
}

// tellWays prints how long ways are, and returns the cells of each.
func tellWays(p *gallery.Program, a *answer, trips int) (ways [][]int32) {
	reached, cells := 0, 0
	for q := range trips {
		way := a.ways[q*longest : (q+1)*longest]
		if n := slices.Index(way, -1); n >= 0 {
			way = way[:n]
		}
		ways = append(ways, way)
		if cells += len(way); len(way) > 0 {
			reached++
		}
	}
	p.Printf("%d of %d trips are possible, over %d cells in the mean\n", reached, trips, cells/max(reached, 1))
	return ways
}
