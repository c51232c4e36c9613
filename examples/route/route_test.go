package main

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
	"github.com/anycl/anycl/internal/corpus"
	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Hold)) }

func TestTheWholeProgramHoldsItsChecksOnEveryEngine(t *testing.T) {
	gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		err := run(ctx, p, options{side: 64, trips: 16, proofs: 16})
		assert.GreaterOrEqual(t, len(p.Checks()), 2)
		assert.FileExists(t, p.Out)
		return err
	})
}

// lengths are those of the shortest ways to ends, by the kernel in the form for so many lanes.
func (m *terrain) lengthsTo(t *testing.T, rt *ops.Runtime, place ops.Place, lanes int, ends []int32) []int32 {
	g := ops.NewGraph("lengths")
	node := g.Const(tensor.Must(tensor.FromSlice(ends)))
	lengths, _ := m.search(lanes, node, node)
	return tensor.MustSlice[int32](gallerytest.Compute(t, rt, place, nil, lengths)[0])
}

func TestBothFormsFindDijkstrasLengthsAroundWalls(t *testing.T) {
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer rt.Close()
	// A snake of walls through all tiles, with a room that nobody can enter.
	const side = 48
	m := &terrain{side, make([]int32, side*side)}
	for i := range m.cost {
		x, y := i%side, i/side
		inside := x > 0 && y > 0 && x < side-1 && y < side-1
		wall := y%4 == 0 && x != 1+(y/4%2)*(side-3)
		if room := x >= 20 && x <= 24 && y >= 21 && y <= 23; inside && (!wall || room) {
			m.cost[i] = 1 + int32(x*y%7)
		}
		if y >= 21 && y <= 23 && (x == 19 || x == 25) {
			m.cost[i] = 0
		}
	}
	ends := make([]int32, goals)
	for i := range ends {
		ends[i] = int32(side + 1 + 2*i)
	}
	places := []ops.Place{ops.OnCPU}
	if rt.Device() != nil {
		places = append(places, ops.OnDevice)
	}
	for _, place := range places {
		for _, lanes := range []int{16, 1} {
			got := m.lengthsTo(t, rt, place, lanes, ends)
			for q, end := range ends {
				for cell, want := range m.dijkstra(end) {
					require.Equal(t, want, got[cell*goals+q], "%d lanes, end %d, cell %d", lanes, end, cell)
				}
			}
			assert.EqualValues(t, far, got[(22*side+22)*goals], "the room cannot be entered")
		}
	}
}

func TestATownCanBeTravelled(t *testing.T) {
	m := town(256)
	require.Equal(t, m, town(256), "it is the same each time")
	d := m.dijkstra(m.trips(1).ends[0])
	reached, free := 0, 0
	for i, c := range m.cost {
		if c > 0 {
			free++
			if d[i] < far {
				reached++
			}
		}
	}
	assert.Greater(t, reached, free*9/10)
}

// The programs that other devices would compile for this example are planned, and kept where ANYCL_CORPUS says.
func TestCorpusOfTheExample(t *testing.T) {
	m := town(64)
	corpora, err := corpus.Graphs("route", func(rt *ops.Runtime) error {
		_, _, err := m.planner(t.Context(), rt, ops.Auto, m.trips(goals))
		return err
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.NotZero(t, c.Len(), class)
	}
}
