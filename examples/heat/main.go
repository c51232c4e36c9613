// Heat lets a plate cool whose edges are kept cold: implicit diffusion, a sparse system of equations solved by conjugate gradients at
// each step, beside the analytic solution.
//
//	go run ./examples/heat [-cells 255] [-steps 40] [-out heat.png]
//
// Temperatures are a variable of the graph, and a run of it is many steps, each of many iterations: they never leave the device.
// The picture has a plate of copper with rings of wood in it, which was hot in the middle, before and after.
package main

import (
	"context"
	"fmt"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/sparse"
	"github.com/anycl/anycl/tensor"
)

// options are the settings of the command line.
type options struct{ cells, steps int }

// plate is a square of side 1 whose edges have the temperature 0, with n x n points inside.
type plate struct {
	n            int
	dt           float64 // of a step; copper takes about 1 to carry heat across
	conductivity func(x, y float64) float64
}

func main() {
	var o options
	gallery.Int(&o.cells, "cells", 255, 31, 4095, "points along each side of the plate, an odd number")
	gallery.Int(&o.steps, "steps", 40, 1, 1e6, "steps of time")
	gallery.Main("heat", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	if o.cells%2 == 0 {
		return fmt.Errorf("-cells must be an odd number, not %d", o.cells)
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	if err := analytic(ctx, p, rt, o); err != nil {
		return err
	}
	if err := rings(ctx, p, rt, o); err != nil {
		return err
	}
	return times(ctx, p, rt, o)
}

// rings cools the plate of the picture.
func rings(ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options) error {
	w := ringed(o.cells)
	hot := w.points(func(x, y float64) float64 {
		return 1 / (1 + math.Exp((math.Hypot(x-0.5, y-0.5)-0.15)/0.01)) // without a jump, after which these steps swing
	})
	cool, err := w.start(ctx, rt, ops.Auto, hot, o.steps)
	if err != nil {
		return err
	}
	u, err := cool(ctx)
	if err != nil {
		return err
	}
	least, most, sum, before := math.Inf(1), 0.0, 0.0, 0.0
	for k, v := range u.t {
		least, most = min(least, float64(v)), max(most, float64(v))
		sum, before = sum+float64(v), before+float64(hot[k])
	}
	p.Printf("\nA plate of copper with rings of wood, %d steps of %.4f:\n", o.steps, w.dt)
	p.Check(u.converged && least > -1e-3 && most < 1,
		"temperatures lie between those of the edge and of the start: from %.0e to %.3f", least, most)
	p.Check(sum < before*(1+1e-4), "heat only leaves: %.5f of it is there", sum/before)
	return p.WritePNG(w.picture(hot, u.t))
}

// matrix is 1 - part · dt · div(conductivity · grad), by finite volumes: heat that flows between two points passes one and then the other.
func (w *plate) matrix(part float64) *sparse.CSR[float32] {
	n, h := w.n, 1/float64(w.n+1)
	at := func(i, j int) float64 { return w.conductivity(float64(j+1)*h, float64(i+1)*h) }
	a := &sparse.COO[float64]{Rows: n * n, Cols: n * n}
	for i := range n {
		for j := range n {
			r := i*n + j
			a.Add(r, r, 1)
			for _, d := range [][2]int{{-1, 0}, {0, -1}, {0, 1}, {1, 0}} {
				p, q := i+d[0], j+d[1]
				flow := part * w.dt / (h * h) * 2 / (1/at(i, j) + 1/at(p, q))
				a.Add(r, r, flow)
				if p >= 0 && p < n && q >= 0 && q < n {
					a.Add(r, p*n+q, -flow)
				}
			}
		}
	}
	return tensor.Must(a.CSR()).Float32() // its places are within the plate
}

const tolerance = 5e-6 // of the residual: float32 holds not much more

// steps adds steps of Crank and Nicolson to the graph: A u' = B u, solved by conjugate gradients from u on.
func (w *plate) steps(u *ops.Node, count int) (last, iterations, converged *ops.Node) {
	g := u.Graph()
	a, b := sparse.Const(g, w.matrix(0.5)), sparse.Const(g, w.matrix(-0.5))
	begin := []*ops.Node{u, g.Full(tensor.Int32, 0), g.Full(tensor.Bool, 1)}
	s, _ := ops.Scan(begin, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
		solved := sparse.CG(a.Apply, sparse.Mul(b, s[0]), &sparse.Options{Tolerance: tolerance, Start: s[0], Precondition: sparse.Jacobi(a)})
		return []*ops.Node{solved.X, ops.Add(s[1], solved.Iterations), ops.LogicalAnd(s[2], solved.Converged)}, nil
	}, &ops.ScanOptions{Trips: count})
	return s[0], s[1], s[2]
}

// temperatures are those after some steps.
type temperatures struct {
	t          []float32
	iterations int
	converged  bool
}

// start compiles runs of some steps from temperatures u.
func (w *plate) start(ctx context.Context, rt *ops.Runtime, place ops.Place, u []float32, count int) (gallery.Run[temperatures], error) {
	g := ops.NewGraph("heat")
	last, iterations, converged := w.steps(g.Const(tensor.Must(tensor.FromSlice(u, len(u)))), count)
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{last, iterations, converged}, Place: place})
	return func(ctx context.Context) (u temperatures, err error) {
		out, err := exe.Run(ctx, nil)
		if err != nil {
			return u, err
		}
		return temperatures{tensor.MustSlice[float32](out[0]), int(out[1].Float64At(0)), out[2].Float64At(0) != 0}, nil
	}, err
}
