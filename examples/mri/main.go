// Mri smooths a magnetic resonance image of a head, tells its tissues apart, and draws it: as slices, as a surface with light on
// it and a corner cut away, and as the largest value on each ray.
//
//	go run ./examples/mri [-sigma 1] [-size 320] [-peer] [-out mri.png]
//
// Smoothing and tissues are ops, and are checked by plain loops; the views have a kernel of their own (mri.cl), and are checked by
// the same in Go. With -peer it compares with SciPy's ndimage. Without the file of the scan, see go run ./examples/fetch mri, it takes a
// phantom of ellipsoids.
package main

import (
	"context"
	_ "embed"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

type options struct {
	sigma float64
	size  int
}

func main() {
	var o options
	gallery.Float(&o.sigma, "sigma", 1, 0.1, 10, "standard deviation of the Gaussian filter, in voxels (of 1 mm here)")
	gallery.Int(&o.size, "size", 320, 8, 2048, "pixels along a side of each of the eight views")
	gallery.Main("mri", func(ctx context.Context, p *gallery.Program) error {
		v, err := head(p)
		if err != nil {
			return err
		}
		return run(ctx, p, v, o)
	})
}

func run(ctx context.Context, p *gallery.Program, v *volume, o options) error {
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	scan := tensor.Must(tensor.FromSlice(v.values, v.nz, v.ny, v.nx))
	points := float64(len(v.values)) / 1e6
	g := ops.NewGraph("mri")
	x := g.Input("scan", tensor.Uint8, scan.Shape()...)
	y := smooth(ops.Cast(x, tensor.Float32), o.sigma)
	between := limits(y)
	found, err := gallery.Graph(ctx, p, rt, gallery.Work{Name: "smooth and segment", Amount: points, Unit: "M points"},
		ops.Feeds{x: scan}, y, classify(y, between), between)
	if err != nil {
		return err
	}
	for _, r := range found {
		wrong, most := v.compare(tissuesIn(r.Value), o.sigma)
		p.Check(wrong == 0, "%s is as a plain loop has it at 500 points: values differ by at most %.2g, %d classes", r.Where, most, wrong)
	}
	best := tissuesIn(found[0].Value)
	if err := beside(ctx, p, v, best, o.sigma); err != nil {
		return err
	}
	report(p, best)

	const sides = 4
	rays := float64(sides*o.size*o.size) / 1e6
	smoothed, levels := g.Input("smooth", tensor.Float32, scan.Shape()...), g.Input("limits", tensor.Float32, classes-1)
	shaded, projected := view(smoothed, levels, sides, o.size)
	views, err := gallery.Graph(ctx, p, rt, gallery.Work{Name: "views", Amount: rays, Unit: "M rays"},
		ops.Feeds{smoothed: found[0].Value[0], levels: found[0].Value[2]}, shaded, projected)
	if err != nil {
		return err
	}
	ours, last := picturesIn(views[0].Value), picturesIn(views[len(views)-1].Value) // the last are Go's
	p.Check(alike(ours[0], last[0], 0.01) && alike(ours[1], last[1], 0.05), "the views of %s are those of Go", views[0].Where)
	return p.WritePNG(v.paint(best, ours, sides, o.size))
}

//go:embed mri.cl
var source string

// smooth takes the mean of the points around, weighted by a Gaussian function: along one axis after the other, as the function
// is a product. Outside are the values of the border.
func smooth(x *ops.Node, sigma float64) *ops.Node {
	w := gallery.Gauss(sigma)
	for axis := range x.Shape() {
		x = ops.Stencil(x, ops.StencilOptions{Axes: []int{axis}, Size: []int{len(w)}, Weights: w})
	}
	return x
}

// classes is how many kinds of tissue are told apart: air, fluid and bone, grey matter and muscle, white matter, fat.
const classes = 5

// limits finds values between which a class lies, [classes-1], by k-means (Lloyd's algorithm) of the histogram of x.
func limits(x *ops.Node) *ops.Node {
	const bins, rounds = 256, 30
	g := x.Graph()
	counts := ops.Cast(ops.HistC(x, bins, 0, 256), tensor.Float32)
	middles := ops.Add(g.Iota(tensor.Float32, 0, bins), 0.5)
	begin := make([]float32, classes)
	for k := range begin {
		begin[k] = 256 * (float32(k) + 0.5) / classes
	}
	between := func(centres *ops.Node) *ops.Node {
		return ops.Mul(ops.Add(ops.Narrow(centres, 0, 0, classes-1), ops.Narrow(centres, 0, 1, classes-1)), 0.5)
	}
	first := g.Const(tensor.Must(tensor.FromSlice(begin)))
	last, _ := ops.Scan([]*ops.Node{first}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
		in := ops.OneHot(classify(middles, between(s[0])), classes, tensor.Float32) // [bins, classes]
		weights := ops.Mul(in, ops.Unsqueeze(counts, 1))
		n := ops.Sum(weights, 0)
		means := ops.Div(ops.Sum(ops.Mul(weights, ops.Unsqueeze(middles, 1)), 0), ops.Maximum(n, 1))
		return []*ops.Node{ops.Where(ops.Greater(n, 0), means, s[0])}, nil
	}, &ops.ScanOptions{Trips: rounds})
	return between(last[0])
}

// classify counts the limits that each value exceeds: uint8.
func classify(x, limits *ops.Node) *ops.Node {
	class := ops.Cast(ops.Greater(x, ops.Narrow(limits, 0, 0, 1)), tensor.Uint8)
	for k := 1; k < classes-1; k++ {
		class = ops.Add(class, ops.Cast(ops.Greater(x, ops.Narrow(limits, 0, k, 1)), tensor.Uint8))
	}
	return class
}

// view adds pictures of x to the graph, shaded and projected, from n sides: float32 [n, size, size, 3] and [n, size, size].
func view(x, limits *ops.Node, n, size int) (shaded, projected *ops.Node) {
	nz, ny, nx := x.Shape()[0], x.Shape()[1], x.Shape()[2]
	scale := 1.2 * float32(max(nx, ny, nz)) / float32(size)
	views := x.Graph().Const(tensor.Must(tensor.FromSlice(directions(n), n, 9)))
	out := ops.Kernel(x.Graph(), ops.KernelOptions{
		Source: source, Entry: "view",
		Results: []ops.Result{{DType: tensor.Float32, Shape: []int{n, size, size, 3}}, {DType: tensor.Float32, Shape: []int{n, size, size}}},
		Args:    []any{int32(nx), int32(ny), int32(nz), scale},
		Global:  [3]int{size, size, n},
		CPU:     &ops.KernelForm{Local: [3]int{1, 1, 1}}, // the variables of a work-item alone stay in registers
		Host:    func(outs, ins []*tensor.Tensor) error { return viewHost(outs, ins, scale) },
	}, x, limits, views)
	return out[0], out[1]
}
