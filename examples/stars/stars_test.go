package main

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
	"github.com/anycl/anycl/ops"
)

func TestTheProgramChecksItself(t *testing.T) {
	printed := gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		return run(ctx, p, options{width: 120, neighbours: 5, charts: 12, iterations: 4, bright: true})
	})
	require.Contains(t, printed, "5044 stars")
}

// Both engines find the same as a search of all points, also where cells are empty, in the corners of the grid, for points that
// are queries themselves, and for two at the same place.
func TestNearestIsExact(t *testing.T) {
	points := spread(700)[:900] // the north, with the south empty
	points = append(points, points[:6]...)
	points = append(points, 1, 0, 0, 0, 0, -1)
	queries := append(slices.Clone(points), spread(101)...)
	n, m := len(points)/3, len(queries)/3
	for _, device := range []string{"", "none"} {
		rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
		require.NoError(t, err)
		defer rt.Close()
		for _, k := range []int{1, 7, 32} {
			g := ops.NewGraph("test")
			place := ops.OnDevice
			if rt.Device() == nil {
				place = ops.OnCPU
			}
			radius2, other := nearest(vectors(g, "points", points), vectors(g, "queries", queries), k)
			outs := gallerytest.Compute(t, rt, place, nil, radius2, other)
			for q := range m {
				at := queries[3*q : 3*q+3]
				want := farthest(points, at, k)
				require.InDelta(t, want, outs[0].Float64At(q), 1e-6*(want+1e-6), "query %d of %d points, k = %d", q, n, k)
				nearest := math.Inf(1)
				for i := range n {
					if d := angle(at, points[3*i:3*i+3]); d > 0 {
						nearest = min(nearest, d)
					}
				}
				i := int(outs[1].Float64At(q))
				require.InDelta(t, nearest, angle(at, points[3*i:3*i+3]), 1e-4)
			}
		}
	}
}

func TestTheBrightStarsAreWhole(t *testing.T) {
	c, err := load(nil, true)
	require.NoError(t, err)
	require.Equal(t, 5044, c.len())
	require.InDelta(t, -1.44, slices.Min(c.magnitude), 0, "Sirius")
	for i := range c.len() {
		v := c.place[3*i : 3*i+3]
		require.InDelta(t, 1, v[0]*v[0]+v[1]*v[1]+v[2]*v[2], 1e-6)
		require.LessOrEqual(t, c.magnitude[i], 6.0)
	}
}

func TestTheChartShowsEachPlaceWhereItIs(t *testing.T) {
	c := newChart(200)
	for k := 0; k < len(c.pixels); k += 97 {
		x, y := c.at(c.place[3*k : 3*k+3])
		require.InDelta(t, float64(c.pixels[k]%200)+0.5, x, 0.05)
		require.InDelta(t, float64(c.pixels[k]/200)+0.5, y, 0.05)
	}
	centre := direction(266.405, -28.936) // Sagittarius A*
	x, y := c.at(centre[:])
	require.InDelta(t, 100, x, 0.2)
	require.InDelta(t, 50, y, 0.2)
	ra, dec := coordinates(centre[:])
	require.InDelta(t, 266.405, ra, 1e-4)
	require.InDelta(t, -28.936, dec, 1e-4)
}
