// Stars maps the sky from a catalogue of 118,216 real stars: how dense they stand everywhere, which star is nearest to
// each, and a division of the sky into the charts of an atlas.
//
//	go run ./examples/fetch stars           # 10.5 MB; without it there are the 5,044 stars that an eye can see
//	go run ./examples/stars [-device gpu] [-width 1440] [-charts 48] [-bright] [-out stars.png] [-peer]
//
// The density of a place is that of the circle that reaches to its 16th nearest star, found exactly by a kernel of its own
// (nearest.cl) over a grid that ops have sorted the stars into. The charts are the means of k-means, made of ops alone.
// It prints the densest places, among which well-known clusters must be, the closest pairs, and how long it took.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// options are what the command line says.
type options struct {
	width      int // of the map, in pixels
	neighbours int // the circle of a density reaches to this one
	charts     int // that k-means divides the sky into
	iterations int
	bright     bool // only the stars that an eye can see
}

func main() {
	o := options{}
	flag.IntVar(&o.width, "width", 1440, "width of the map in pixels")
	flag.IntVar(&o.neighbours, "k", 16, "a density is that of the circle that reaches to the k-th nearest star")
	flag.IntVar(&o.charts, "charts", 48, "parts of the sky that k-means makes")
	flag.IntVar(&o.iterations, "iterations", 50, "iterations of k-means")
	flag.BoolVar(&o.bright, "bright", false, "only the 5,044 stars that an eye can see")
	gallery.Main("stars", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	if err := errors.Join(
		gallery.Within("width", o.width, 32, 8192),
		gallery.Within("k", o.neighbours, 2, 32),
		gallery.Within("charts", o.charts, 1, 1024),
		gallery.Within("iterations", o.iterations, 1, 10000),
	); err != nil {
		return err
	}
	stars, err := load(p, o.bright)
	if err != nil {
		return err
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	sky := newChart(o.width)
	p.Printf("%d stars, a map of %d pixels, %d charts\n", stars.len(), len(sky.pixels), o.charts)

	// The density around each pixel of the map.
	// A chord of length r cuts a cap of area pi r^2 from the unit sphere; with the k-th star on its rim, the
	// unbiased estimate counts k-1 stars (Casertano and Hut, Core Radius and Density Measurements, 1985).
	g := ops.NewGraph("stars")
	all := vectors(g, "stars", stars.place)
	radius2, _ := nearest(all, vectors(g, "sky", sky.place), o.neighbours)
	maps, err := gallery.Graph(ctx, p, rt, gallery.Work{
		Name: fmt.Sprintf("density, %d nearest", o.neighbours), Amount: float64(len(sky.pixels)) / 1e6, Unit: "M places",
	}, nil, ops.Div(float64(o.neighbours-1)/math.Pi*perSquareDegree, radius2))
	if err != nil {
		return err
	}
	files := map[string]any{"stars.f32": stars.place, "sky.f32": sky.place, "first.f32": spread(o.charts)}
	radii, ok, err := besideScikit(ctx, p, files, "density", o.neighbours)
	if err != nil {
		return err
	}
	if ok {
		density := tensor.MustSlice[float32](maps[0].Value[0])
		checkNear(p, "densities", func(i int) float64 {
			return float64(o.neighbours-1) / math.Pi * perSquareDegree / float64(density[1009*i])
		}, radii, 1e-5)
	}

	// The nearest star of each star.
	_, other := nearest(all, all, 1)
	pairs, err := gallery.Graph(ctx, p, rt, gallery.Work{Name: "nearest star", Amount: float64(stars.len()) / 1e6, Unit: "M stars"},
		nil, ops.VectorNorm(ops.Sub(all, ops.Gather(all, 0, other)), 2, 1), other)
	if err != nil {
		return err
	}

	distances, ok, err := besideScikit(ctx, p, files, "nearest")
	if err != nil {
		return err
	}
	if ok {
		apart := tensor.MustSlice[float32](pairs[0].Value[0])
		checkNear(p, "distances", func(i int) float64 { return float64(apart[101*i]) }, distances, 1e-3)
	}

	// The charts: k-means from points spread evenly.
	means := kmeans(all, vectors(g, "first", spread(o.charts)), o.iterations)
	part, distance2 := closest(all, means)
	charts, err := gallery.Graph(ctx, p, rt, gallery.Work{
		Name: fmt.Sprintf("k-means, %d iterations", o.iterations), Amount: float64(stars.len()*o.charts*o.iterations) / 1e6, Unit: "M distances",
	}, nil, means, ops.Sum(distance2), ops.BinCount(part, o.charts, nil))
	if err != nil {
		return err
	}
	inertia, ok, err := besideScikit(ctx, p, files, "kmeans", o.iterations)
	if err != nil {
		return err
	}
	if ok {
		checkNear(p, "k-means", func(int) float64 { return charts[0].Value[1].Float64At(0) }, inertia, 1e-4)
	}
	return report(ctx, p, rt, o, stars, sky, maps, pairs, charts)
}

const perSquareDegree = math.Pi * math.Pi / 180 / 180

// vectors are n places, a variable [n, 3] that stays on the device.
func vectors(g *ops.Graph, name string, place []float32) *ops.Node {
	return g.Variable(name, tensor.Must(tensor.FromSlice(place, len(place)/3, 3)))
}
