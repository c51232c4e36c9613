package main

import (
	"context"
	"image"
	"image/color"
	"math"
	"slices"
	"time"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// once compiles what one step does to velocities of zero, in a time of 1: the attractions, of which the first row is returned.
func (b *bodies) once(ctx context.Context, rt *ops.Runtime) func(ops.Place) (func(context.Context) ([]float32, error), error) {
	return func(place ops.Place) (func(context.Context) ([]float32, error), error) {
		g := ops.NewGraph("attractions")
		p := g.Const(tensor.Must(tensor.FromSlice(b.p, 4, b.n)))
		v := g.Const(tensor.Must(tensor.New(tensor.Float32, 4, b.n)))
		q, w := leap(classOf(rt), p, v, 1, 0, false)
		exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{w, q}, Place: place})
		return func(ctx context.Context) ([]float32, error) {
			out, err := exe.Run(ctx, nil)
			if err != nil {
				return nil, err
			}
			s, err := tensor.ToSlice[float32](out[0])
			return s[:b.n], err
		}, err
	}
}

// peak is how many billions of operations the device makes in a second of multiplications with additions: the best of some runs.
func (b *bodies) peak(ctx context.Context, p *gallery.Program, rt *ops.Runtime) (float64, error) {
	o := ops.KernelOptions{Source: source, Entry: "peak", Options: "-DV=1 -DGROUP=1", Global: [3]int{1 << 18}}
	vector, count := 1, 4000
	if classOf(rt) == platform.CPU {
		o.Options, o.Global, vector, count = "-DV=16 -DGROUP=1", [3]int{64}, 16, 100000
	}
	if p.Quick {
		count /= 100
	}
	o.Results = []ops.Result{{DType: tensor.Float32, Shape: []int{o.Global[0] * vector}}}
	o.Args = []any{float32(0.5), float32(1), int32(count)}
	g := ops.NewGraph("peak")
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{ops.Sum(ops.Kernel(g, o)[0])}, Place: ops.OnDevice})
	if err != nil {
		return 0, err
	}
	var times [9]float64
	for i := range times {
		start := time.Now()
		if _, err := exe.Run(ctx, nil); err != nil {
			return 0, err
		}
		times[i] = time.Since(start).Seconds()
	}
	slices.Sort(times[:])
	return 24 * float64(vector*count*o.Global[0]) / times[len(times)/2] / 1e9, nil
}

// differ is the largest difference as a part of the largest number.
func differ(a, b []float32) float64 {
	var most, largest float64
	for i := range a {
		most = max(most, math.Abs(float64(a[i]-b[i])))
		largest = max(largest, math.Abs(float64(a[i])))
	}
	return most / largest
}

// paint sets scenes side by side, seen along the z axis. Where there are more stars it is brighter; those of one galaxy are
// golden, of the other blue.
func paint(scenes []*bodies) image.Image {
	const side, scale = 400, 58 // pixels, and how many for the unit of length
	img := image.NewRGBA(image.Rect(0, 0, side*len(scenes), side))
	for s, b := range scenes {
		var light [2][side * side]float64
		for i := range b.n {
			x, y := side/2+scale*float64(b.p[i]), side/2-scale*float64(b.p[b.n+i])
			for k := range 9 { // a star is a spot
				px, py := int(x)+k%3-1, int(y)+k/3-1
				if x > 1 && y > 1 && px >= 0 && px < side && py >= 0 && py < side {
					dx, dy := float64(px)+0.5-x, float64(py)+0.5-y
					light[i%2][py*side+px] += math.Exp(-(dx*dx + dy*dy)) * 16384 / float64(b.n)
				}
			}
		}
		for i := range side * side {
			gold, blue := 1-math.Exp(-light[0][i]/2), 1-math.Exp(-light[1][i]/2)
			c := func(g, b float64) uint8 { return uint8(255 * min(1, g*gold+b*blue)) }
			img.SetRGBA(s*side+i%side, i/side, color.RGBA{c(1, 0.35), c(0.75, 0.6), c(0.35, 1), 255})
		}
	}
	return img
}
