package main

import (
	"context"
	_ "embed" // for fluid.cl
	"fmt"
	"slices"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed fluid.cl
var source string

// The kinds of cells.
const (
	fluid = iota
	wall
	lid    // a wall that moves with the speed of the flow
	inflow // fluid that comes with the speed of the flow
)

// flow is what is computed: a grid of cells and what goes on at its walls.
type flow struct {
	width, height int
	kind          []uint8
	speed         float64 // of the lid or the inflow, in cells per step; the speed of sound is 0.577
	reynolds      float64 // speed * length / viscosity
	length        float64 // of the cavity or the disc, in cells
	product       float64 // exactWalls or stable
	vector        int     // cells of a work-item
}

// The products of (1/plus - 1/2) and (1/minus - 1/2), of the rates of the two relaxations: one that keeps walls half-way between
// cells whatever the viscosity, and one with which streams of little viscosity stay stable, where walls are stairs anyway.
const exactWalls, stable = 3. / 16, 1. / 50

// rates are those of the two relaxations, plus and minus.
func (w *flow) rates() (plus, minus float32) {
	a := 3 * w.speed * w.length / w.reynolds
	return float32(1 / (a + 0.5)), float32(1 / (w.product/a + 0.5))
}

// step adds a step, or a copy of as many bytes, which needs a device, to the graph of f, float32 [9, height, width], and kind.
func (w *flow) step(entry string, f, kind *ops.Node) *ops.Node {
	plus, minus := w.rates()
	o := ops.KernelOptions{
		Source: source, Entry: entry,
		Results: []ops.Result{{DType: tensor.Float32, Shape: f.Shape()}},
		Global:  [3]int{w.width / w.vector, w.height},
		Options: fmt.Sprintf("-DV=%d", w.vector),
	}
	if w.bytes() > 16<<20 {
		o.Options += " -DSTREAM"
	}
	if entry == "copy" {
		o.Global[0] *= 9
		return ops.Kernel(f.Graph(), o, f)[0]
	}
	o.Args = []any{plus, minus, float32(w.speed)}
	o.Host = func(outs, ins []*tensor.Tensor) error {
		g, f := tensor.MustSlice[float32](outs[0]), tensor.MustSlice[float32](ins[0])
		fallback.Parallel(w.height, func(from, to int) {
			for y := from; y < to; y++ {
				w.row(g, f, y)
			}
		})
		return nil
	}
	return ops.Kernel(f.Graph(), o, f, kind)[0]
}

// bytes is what a step moves: nine populations in and out.
func (w *flow) bytes() float64 { return float64(w.width*w.height) * 9 * 4 * 2 }

// steps adds an even number of them, which stay where they are computed. Two at a time alternate
// between two pieces of memory, so that nothing is copied.
func (w *flow) steps(entry string, f, kind *ops.Node, count int) *ops.Node {
	last, _ := ops.Scan([]*ops.Node{f}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
		return []*ops.Node{w.step(entry, w.step(entry, s[0], kind), kind)}, nil
	}, &ops.ScanOptions{Trips: count / 2})
	return last[0]
}

// still are the populations of a fluid that moves with the inflow, or rests if there is none.
func (w *flow) still() []float32 {
	f, n, u := make([]float32, 9*w.width*w.height), w.width*w.height, float32(w.speed)
	if !slices.Contains(w.kind, inflow) {
		return f
	}
	for q, cx := range [9]float32{0, 1, 0, -1, 0, 1, -1, -1, 1} {
		weight := [9]float32{4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36}[q]
		for i := range n {
			f[q*n+i] = weight * (3*cx*u + 4.5*cx*cx*u*u - 1.5*u*u)
		}
	}
	return f
}

// state is a flow on its way: an executable whose runs are some steps each.
type state struct {
	exe *ops.Executable
	f   *ops.Node
}

// start compiles runs of an even number of steps, from a fluid that moves with the inflow where there is one, and else rests.
func (w *flow) start(ctx context.Context, rt *ops.Runtime, place ops.Place, entry string, count int) (*state, error) {
	g := ops.NewGraph("fluid")
	f := g.Variable("f", tensor.Must(tensor.FromSlice(w.still(), 9, w.height, w.width)))
	kind := g.Const(tensor.Must(tensor.FromSlice(w.kind, w.height, w.width)))
	exe, err := g.Compile(ctx, rt, ops.Target{Updates: []*ops.Node{ops.Assign(f, w.steps(entry, f, kind, count))}, Place: place})
	return &state{exe, f}, err
}

// run makes the steps.
func (s *state) run(ctx context.Context) error {
	_, err := s.exe.Run(ctx, nil)
	return err
}

// after makes the steps and returns the populations of all cells after them.
func (s *state) after(ctx context.Context) ([]float32, error) {
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	t, err := ops.Value(ctx, s.f)
	if err != nil {
		return nil, err
	}
	return tensor.ToSlice[float32](t)
}

// newFlow is a grid of cells of fluid. Rows are made longer to be a multiple of what a CPU's vectors hold.
func newFlow(rt *ops.Runtime, width, height int, reynolds, length float64) *flow {
	w := &flow{width: (width + 15) / 16 * 16, height: height, speed: 0.1, reynolds: reynolds, length: length, product: exactWalls, vector: 1}
	if rt.Device().Lanes() > 1 {
		w.vector = 16
	}
	w.kind = make([]uint8, w.width*w.height)
	return w
}

// cavity is a box of n x n cells whose lid moves: the walls stand half a cell outside of the fluid.
func cavity(rt *ops.Runtime, n int, reynolds float64) *flow {
	w := newFlow(rt, n+2, n+2, reynolds, float64(n))
	for i := range w.kind {
		switch x, y := i%w.width, i/w.width; {
		case y == n+1:
			w.kind[i] = lid
		case x == 0 || x > n || y == 0:
			w.kind[i] = wall
		}
	}
	return w
}

// disc is a stream past a disc of diameter d, a quarter of the way down a channel whose sides move with it.
func disc(rt *ops.Runtime, d int, reynolds float64) *flow {
	w := newFlow(rt, 24*d, 8*d+2, reynolds, float64(d))
	w.product = stable
	for i := range w.kind {
		x, y := i%w.width, i/w.width
		dx, dy := float64(x)-6*w.length, float64(y)-float64(w.height)/2
		switch {
		case y == 0 || y == w.height-1:
			w.kind[i] = lid
		case x == 0:
			w.kind[i] = inflow
		case dx*dx+dy*dy < w.length*w.length/4:
			w.kind[i] = wall
		}
	}
	return w
}
