package main

import (
	"context"
	"errors"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/sparse"
	"github.com/anycl/anycl/tensor"
)

// plate is a square of side 1 whose edges have the temperature 0, with n x n points inside.
type plate struct {
	n            int
	dt           float64 // of a step; copper takes about 1 to carry heat across
	conductivity func(x, y float64) float64
}

// ringed is a plate of copper with rings of wood.
func ringed(n int) *plate {
	return &plate{n: n, dt: 5e-4, conductivity: func(x, y float64) float64 {
		r := math.Hypot(x-0.5, y-0.5)
		if math.Mod(r, 0.11) > 0.085 && math.Abs(math.Sin(2*math.Atan2(y-0.5, x-0.5)+12*r)) > 0.25 {
			return 0.02
		}
		return 1
	}}
}

// points are the values of f at the points, row by row.
func (w *plate) points(f func(x, y float64) float64) []float32 {
	u, h := make([]float32, 0, w.n*w.n), 1/float64(w.n+1)
	for i := range w.n {
		for j := range w.n {
			u = append(u, float32(f(float64(j+1)*h, float64(i+1)*h)))
		}
	}
	return u
}

// matrix is 1 - part · dt · div(conductivity · grad), by finite volumes: what flows between two points passes one and then the other.
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
	s, _ := ops.Scan([]*ops.Node{u, g.Full(tensor.Int32, 0), g.Full(tensor.Bool, 1)}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
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

// cooling is a plate on its way: an executable whose runs are some steps each, from the same start.
type cooling struct{ exe *ops.Executable }

// start compiles runs of some steps from temperatures u.
func (w *plate) start(ctx context.Context, rt *ops.Runtime, place ops.Place, u []float32, count int) (*cooling, error) {
	g := ops.NewGraph("heat")
	last, iterations, converged := w.steps(g.Const(tensor.Must(tensor.FromSlice(u, len(u)))), count)
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{last, iterations, converged}, Place: place})
	return &cooling{exe}, err
}

// run makes the steps.
func (s *cooling) run(ctx context.Context) (u temperatures, err error) {
	out, err := s.exe.Run(ctx, nil)
	if err != nil {
		return u, err
	}
	t, err1 := tensor.ToSlice[float32](out[0])
	n, err2 := tensor.ToSlice[int32](out[1])
	c, err3 := tensor.ToSlice[bool](out[2])
	if err := errors.Join(err1, err2, err3); err != nil {
		return u, err
	}
	return temperatures{t, int(n[0]), c[0]}, nil
}
