// Mri smooths a magnetic resonance image of a head, tells its tissues apart, and draws it: as slices, as a surface with light on
// it and a corner cut away, and as the largest value on each ray.
//
//	go run ./examples/mri [-sigma 1] [-size 320] [-peer] [-out mri.png]
//
// Smoothing and tissues are ops (pipeline.go), and are checked by plain loops; the views have a kernel of their own, and are checked by
// the same in Go. With -peer it compares with SciPy's ndimage. Without the file of the scan, see go run ./examples/fetch mri, it takes a
// phantom of ellipsoids.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"

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
	flag.Float64Var(&o.sigma, "sigma", 1, "standard deviation of the Gaussian filter, in voxels (of 1 mm here)")
	flag.IntVar(&o.size, "size", 320, "pixels along a side of each of the eight views")
	gallery.Main("mri", func(ctx context.Context, p *gallery.Program) error {
		v, err := head(p)
		if err != nil {
			return err
		}
		return run(ctx, p, v, o)
	})
}

// tissues is what is known of the points of a volume.
type tissues struct {
	smooth []float32
	class  []uint8
	limits []float32
}

func run(ctx context.Context, p *gallery.Program, v *volume, o options) error {
	if err := errors.Join(
		gallery.Within("sigma", o.sigma, 0.1, 10),
		gallery.Within("size", o.size, 8, 2048),
	); err != nil {
		return err
	}
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

func tissuesIn(t []*tensor.Tensor) tissues {
	return tissues{tensor.MustSlice[float32](t[0]), tensor.MustSlice[uint8](t[1]), tensor.MustSlice[float32](t[2])}
}

func picturesIn(t []*tensor.Tensor) [2][]float32 {
	return [2][]float32{tensor.MustSlice[float32](t[0]), tensor.MustSlice[float32](t[1])}
}
