// Modes finds how a square plate with free edges vibrates: the lowest eigenpairs of a sparse matrix by Lanczos's method, beside published
// frequencies, and draws Chladni's figures, where sand comes to rest.
//
//	go run ./examples/modes [-points 61] [-figures 12] [-out modes.png]
//
// Lanczos's method finds the far end of a spectrum. So it works with the inverse of the matrix: two triangular systems, solved on
// the device, with a factor that the host computes once.
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
type options struct{ points, figures int }

func main() {
	var o options
	gallery.Int(&o.points, "points", 61, 21, 301, "points along each side of the plate")
	gallery.Int(&o.figures, "figures", 12, 6, 40, "figures to be drawn")
	gallery.Main("modes", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	w := plate{o.points}
	a := w.matrix()
	factor, err := w.factor(a)
	if err != nil {
		return err
	}
	k := rigid + o.figures
	p.Printf("\nA plate of %d x %d points: %d elements in its matrix, %d in its factor\n", o.points, o.points, len(a.Value), len(factor.Value))
	work := gallery.Work{Name: fmt.Sprintf("%d modes of %d x %d points", k, o.points, o.points), Amount: float64(k), Unit: "modes"}
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (gallery.Run[*sparse.Eigen], error) {
		return func(ctx context.Context) (*sparse.Eigen, error) { return w.modes(ctx, rt, factor, k, place) }, nil
	})
	if err != nil {
		return err
	}
	e := results[0].Value
	if err := check(p, o, a, results); err != nil {
		return err
	}
	if err := beside(ctx, p, a, e, k); err != nil {
		return err
	}
	picture, err := w.picture(e, o.figures)
	if err != nil {
		return err
	}
	return p.WritePNG(picture)
}

// rigid is how many motions bend nothing: one up, and two turns.
const rigid = 3

// plate is a thin square plate of side 1 with n x n points, those of its edges among them.
type plate struct{ n int }

const (
	poisson = 0.3
	shift   = 100 // makes the matrix regular, which has the eigenvalue 0
)

// modes are the k lowest of them: the highest eigenvalues of the inverse, those of the matrix again.
func (w plate) modes(ctx context.Context, rt *ops.Runtime, factor *sparse.CSR[float64], k int, place ops.Place) (*sparse.Eigen, error) {
	e, err := sparse.Eigs(ctx, rt, w.n*w.n, tensor.Float64, func(g *ops.Graph) sparse.Operator {
		return sparse.Operator(sparse.LowerLower(g, factor))
	}, k, &sparse.EigenOptions{Place: place, Space: 2 * k}) // a small space: a few products more are enough after each restart
	if err != nil {
		return nil, err
	}
	for i, v := range e.Values {
		e.Values[i] = 1/v - shift
	}
	return e, nil
}

// frequencies are the roots of eigenvalues without those of motions that bend nothing.
func frequencies(values []float64) (f []float64) {
	for _, v := range values[min(rigid, len(values)):] {
		f = append(f, math.Sqrt(max(v, 0)))
	}
	return f
}
