package main

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// attractions are what one step does to velocities of zero in a time of 1: float32 [4, n], of which the first three rows count.
func (b *bodies) attractions(rt *ops.Runtime) *ops.Node {
	g := ops.NewGraph("attractions")
	p := g.Const(tensor.Must(tensor.FromSlice(b.p, 4, b.n)))
	_, w := leap(rt.Device().Lanes(), p, g.Zeros(tensor.Float32, 4, b.n), 1, 0, false)
	return w
}

// besidePeak runs a step in turns with a kernel that multiplies and adds and does nothing else, and prints how far it is from that.
func (b *bodies) besidePeak(ctx context.Context, p *gallery.Program, rt *ops.Runtime, step *ops.Node) error {
	items, lanes, count := 1<<18, 1, 400
	if rt.Device().Lanes() > 1 {
		items, lanes, count = 64, 16, 40000
	}
	if p.Quick {
		count /= 100
	}
	g := ops.NewGraph("peak")
	peak := ops.Kernel(g, ops.KernelOptions{
		Source: source, Entry: "peak", Options: fmt.Sprintf("-DV=%d -DGROUP=1", lanes), Global: [3]int{items},
		Results: []ops.Result{{DType: tensor.Float32, Shape: []int{items * lanes}}},
		Args:    []any{float32(0.5), float32(1), int32(count)},
	})[0]
	var runs []func(context.Context) error
	for _, y := range []*ops.Node{step, ops.Sum(peak)} {
		exe, err := y.Graph().Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{y}, Place: ops.OnDevice})
		if err != nil {
			return err
		}
		runs = append(runs, func(ctx context.Context) error {
			_, err := exe.Run(ctx, nil)
			return err
		})
	}
	ratio, took, _, err := gallery.InTurns(ctx, p, runs[0], runs[1])
	operations, most := 20*float64(b.n)*float64(b.n), 24*float64(items*lanes*count)
	p.Printf("a step makes %.0f G operations/s on %s, 20 a pair: %.2f of what it makes of multiplications with additions alone\n",
		operations/took.Seconds()/1e9, rt.Device().ID, ratio*operations/most)
	return err
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
	const side, scale = 400, 58                           // pixels, and how many for the unit of length
	light := make([][2][side * side]float64, len(scenes)) // of the stars of both galaxies
	for s, b := range scenes {
		for i := range b.n {
			x, y := side/2+scale*float64(b.p[i]), side/2-scale*float64(b.p[b.n+i])
			for k := range 9 { // a star is a spot
				px, py := int(x)+k%3-1, int(y)+k/3-1
				if x > 1 && y > 1 && px >= 0 && px < side && py >= 0 && py < side {
					dx, dy := float64(px)+0.5-x, float64(py)+0.5-y
					light[s][i%2][py*side+px] += math.Exp(-(dx*dx + dy*dy)) * 16384 / float64(b.n)
				}
			}
		}
	}
	return gallery.Paint(side*len(scenes), side, func(x, y int) color.RGBA {
		l := &light[x/side]
		gold, blue := 1-math.Exp(-l[0][y*side+x%side]/2), 1-math.Exp(-l[1][y*side+x%side]/2)
		return gallery.RGB(gold+0.35*blue, 0.75*gold+0.6*blue, 0.35*gold+blue)
	})
}
