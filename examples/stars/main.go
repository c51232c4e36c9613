// Stars maps the sky from a catalogue of 118,216 real stars: how dense they stand everywhere, which star is nearest to
// each, and a division of the sky into the charts of an atlas.
//
//	go run ./examples/fetch stars           # 10.5 MB; without it there are the 5,044 stars that an eye can see
//	go run ./examples/stars [-device gpu] [-width 1440] [-charts 48] [-bright] [-out stars.png] [-peer]
//
// The density of a place is that of the circle that reaches to its 16th nearest star, found exactly by a kernel of its own
// (nearest.cl) over a grid that ops have sorted the stars into. The charts are the clusters of k-means, which is an op.
// It prints the densest places, among which well-known clusters must be, the closest pairs, and how long it took.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/cluster"
	"github.com/anycl/anycl/tensor"
)

// options are the settings of the command line.
type options struct {
	width      int // of the map, in pixels
	neighbours int // the circle of a density reaches to this one
	charts     int // that k-means divides the sky into
	iterations int
	bright     bool // only the stars that an eye can see
}

func main() {
	var o options
	gallery.Int(&o.width, "width", 1440, 32, 8192, "width of the map in pixels")
	gallery.Int(&o.neighbours, "k", 16, 2, 32, "a density is that of the circle that reaches to the k-th nearest star")
	gallery.Int(&o.charts, "charts", 48, 1, 1024, "parts of the sky that k-means makes")
	gallery.Int(&o.iterations, "iterations", 50, 1, 10000, "iterations of k-means, unless fewer are enough")
	flag.BoolVar(&o.bright, "bright", false, "only the 5,044 stars that an eye can see")
	gallery.Main("stars", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
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
	peer := scikit{p, map[string]any{"stars.f32": stars.place, "sky.f32": sky.place, "first.f32": spread(o.charts)}}
	g := ops.NewGraph("stars")
	all := vectors(g, "stars", stars.place)

	// The density around each pixel of the map.
	// A chord of length r cuts a cap of area pi r^2 from the unit sphere; with the k-th star on its rim, the
	// unbiased estimate counts k-1 stars (Casertano and Hut, Core Radius and Density Measurements, 1985).
	within := float64(o.neighbours-1) / math.Pi * perSquareDegree
	radius2, _ := nearest(all, vectors(g, "sky", sky.place), o.neighbours)
	work := gallery.Work{Name: fmt.Sprintf("density, %d nearest", o.neighbours), Amount: float64(len(sky.pixels)) / 1e6, Unit: "M places"}
	maps, err := gallery.Graph(ctx, p, rt, work, nil, ops.Div(within, radius2))
	if err != nil {
		return err
	}
	density := tensor.MustSlice[float32](maps[0].Value[0])
	if err := p.WritePNG(sky.paint(density, nil, stars)); err != nil { // the charts are drawn when they are found
		return err
	}
	if err := peer.beside(ctx, "density", func(i int) float64 { return within / float64(density[1009*i]) }, 1e-5, o.neighbours); err != nil {
		return err
	}

	// The nearest star of each star.
	_, other := nearest(all, all, 1)
	work = gallery.Work{Name: "nearest star", Amount: float64(stars.len()) / 1e6, Unit: "M stars"}
	pairs, err := gallery.Graph(ctx, p, rt, work, nil, ops.VectorNorm(ops.Sub(all, ops.Gather(all, 0, other)), 2, 1), other)
	if err != nil {
		return err
	}
	apart := tensor.MustSlice[float32](pairs[0].Value[0])
	if err := peer.beside(ctx, "nearest", func(i int) float64 { return float64(apart[101*i]) }, 1e-3); err != nil {
		return err
	}

	// The charts: k-means from points spread evenly.
	c := cluster.KMeans(all, vectors(g, "first", spread(o.charts)), o.iterations)
	work = gallery.Work{Name: fmt.Sprintf("k-means, at most %d iterations", o.iterations)}
	charts, err := gallery.Graph(ctx, p, rt, work, nil, c.Centres, c.Inertia, ops.BinCount(c.Labels, o.charts, nil), c.Iterations)
	if err != nil {
		return err
	}
	if err := peer.beside(ctx, "kmeans", func(int) float64 { return charts[0].Value[1].Float64At(0) }, 1e-4, o.iterations); err != nil {
		return err
	}
	return report(ctx, p, rt, o, stars, sky, maps, pairs, charts)
}

const perSquareDegree = math.Pi * math.Pi / 180 / 180

// vectors are n places, a variable [n, 3] that stays on the device.
func vectors(g *ops.Graph, name string, place []float32) *ops.Node {
	return g.Variable(name, tensor.Must(tensor.FromSlice(place, len(place)/3, 3)))
}

//go:embed nearest.cl
var source string

// nearest adds the search to the graph: for each of queries [m, 3], the squared distance of the k-th nearest of points [n, 3], and
// which of them is the nearest that is not at the same place, int32. The points are sorted into a grid by ops, and
// searched by a kernel; see nearest.cl.
func nearest(points, queries *ops.Node, k int) (radius2, other *ops.Node) {
	g := points.Graph()
	n, m := points.Shape()[0], queries.Shape()[0]
	cells := max(1, int(math.Sqrt(float64(n)/16))) // in each direction: a cell at the sphere has about fifteen points
	// Which cell of the grid a point is in, along each axis, and as one number; and where in the sorted points each cell starts.
	number := ops.Cast(ops.Clip(ops.Floor(ops.Mul(ops.Add(points, 1), float64(cells)/2)), 0, float64(cells-1)), tensor.Int32)
	weights := g.Const(tensor.Must(tensor.FromSlice([]int32{1, int32(cells), int32(cells * cells)})))
	cell, order := ops.Sort(ops.Sum(ops.Mul(number, weights), 1), 0, nil)
	starts := ops.Cast(ops.SearchSorted(cell, g.Iota(tensor.Int32, 0, cells*cells*cells+1), nil), tensor.Int32)
	found := ops.Kernel(g, ops.KernelOptions{
		Source: source, Entry: "nearest", Options: fmt.Sprintf("-DK=%d -DG=%d", k, cells),
		Results: []ops.Result{{DType: tensor.Float32, Shape: []int{m}}, {DType: tensor.Int32, Shape: []int{m}}},
		Host:    func(outs, ins []*tensor.Tensor) error { return search(outs, ins, k, cells) },
	}, ops.Gather(points, 0, order), starts, queries)
	return found[0], ops.Gather(ops.Cast(order, tensor.Int32), 0, found[1])
}
