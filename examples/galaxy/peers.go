package main

import (
	"context"
	_ "embed"
	"fmt"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed peer.py
var numpy string

// times computes all attractions on both engines, and a part of them in NumPy.
func times(ctx context.Context, p *gallery.Program, rt *ops.Runtime, b *bodies) error {
	pairs := float64(b.n) * float64(b.n)
	work := gallery.Work{Name: fmt.Sprintf("a step of %d bodies", b.n), Amount: pairs / 1e6, Unit: "M pairs"}
	pull := b.attractions(rt)
	results, err := gallery.Graph(ctx, p, rt, work, nil, pull)
	if err != nil {
		return err
	}
	v := tensor.MustSlice[float32](results[0].Value[0])[:b.n]
	if len(results) == 2 {
		far := differ(v, tensor.MustSlice[float32](results[1].Value[0])[:b.n])
		p.Check(far < 1e-4, "the engines' attractions differ by at most %.1e of the largest", far)
	}
	some := min(b.n, 1024)
	var theirs []float32
	ok, err := p.Beside(ctx, gallery.Peer{Name: "NumPy", Python: numpy, Files: map[string]any{"p.f32": b.p},
		Args: []any{some, softening}, Amount: pairs / 1e6 * float64(some) / float64(b.n)}, &theirs)
	if err != nil {
		return err
	}
	if ok {
		p.Check(differ(v[:some], theirs) < 1e-4, "NumPy's attractions differ by at most %.1e of the largest", differ(v[:some], theirs))
	}
	if rt.Device() == nil {
		return nil
	}
	return b.besidePeak(ctx, p, rt, pull)
}

// attractions are the velocities after one step of a time of 1 from velocities of zero: float32 [4, n], of which the first
// three rows count.
func (b *bodies) attractions(rt *ops.Runtime) *ops.Node {
	g := ops.NewGraph("attractions")
	p := g.Const(tensor.Must(tensor.FromSlice(b.p, 4, b.n)))
	_, w := leap(rt.Device().Lanes(), p, g.Zeros(tensor.Float32, 4, b.n), 1, 0, false)
	return w
}

// besidePeak runs a step in turns with a kernel that multiplies and adds and does nothing else, and prints how far it is from that.
func (b *bodies) besidePeak(ctx context.Context, p *gallery.Program, rt *ops.Runtime, step *ops.Node) error {
	items, lanes, count := 1<<18, rt.Device().Lanes(), 400
	if lanes > 1 {
		items, count = 64, 400000
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
	operations, most := 20*float64(b.n)*float64(b.n), 16*float64(items*lanes*count)
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
