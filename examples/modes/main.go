// Modes finds how a square plate with free edges vibrates: the lowest eigenpairs of a sparse matrix by Lanczos's method, beside published
// frequencies, and draws Chladni's figures, where sand comes to rest.
//
//	go run ./examples/modes [-points 61] [-figures 12] [-out modes.png]
//
// Lanczos's method finds the far end of a spectrum. So it works with the inverse of the matrix: two triangular systems, solved on the device, with a
// factor that the host computes once.
package main

import (
	"context"
	_ "embed" // for peer.py
	"flag"
	"fmt"
	"math"
	"os"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/sparse"
)

// options are what the command line says.
type options struct{ points, figures int }

func main() {
	var o options
	flag.IntVar(&o.points, "points", 61, "along each side of the plate")
	flag.IntVar(&o.figures, "figures", 12, "to be drawn")
	gallery.Main("modes", func(ctx context.Context, p *gallery.Program) error {
		if o.points < 21 || o.points > 301 || o.figures < 6 || o.figures > 40 {
			fmt.Fprintln(os.Stderr, "modes: -points is from 21 to 301, -figures from 6 to 40")
			os.Exit(2)
		}
		return run(ctx, p, o)
	})
}

// published are the lowest frequencies of a free square plate of side 1 with Poisson's ratio 0.3, ω √(ρh/D).
// Source: Leissa, The free vibration of rectangular plates, Journal of Sound and Vibration 31 (1973); the digits are those of Ritz's method with more
// functions (Liew, Xiang and Kitipornchai, Transverse vibration of thick rectangular plates, Computers and Structures 49, 1993).
var published = []float64{13.468, 19.596, 24.270, 34.801, 34.801, 61.093}

// rigid is how many motions bend nothing: one up, and two turns.
const rigid = 3

//go:embed peer.py
var scipy string

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
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (func(context.Context) (*sparse.Eigen, error), error) {
		return func(ctx context.Context) (*sparse.Eigen, error) { return w.modes(ctx, rt, factor, k, place) }, nil
	})
	if err != nil {
		return err
	}
	e := results[0].Value
	f := frequencies(e.Values)
	p.Printf("%d products with the inverse; frequencies, without the %d motions that bend nothing:\n", e.Products, rigid)
	worst := 0.0
	for i, v := range f {
		p.Printf("%9.3f", v)
		if i < len(published) {
			worst = max(worst, math.Abs(v/published[i]-1))
			p.Printf("  published %9.3f", published[i])
		}
		p.Printf("\n")
	}
	largest, err := residual(a, e)
	if err != nil {
		return err
	}
	p.Check(e.Converged && largest < 1e-3, "all pairs have converged: A v - λ v is at most %.1e of λ", largest)
	bound := 12 / math.Pow(float64(o.points-1), 2) // the error falls with the square of the distance of points
	p.Check(worst < bound, "frequencies are the published ones to %.2f %%, less than %.2f", 100*worst, 100*bound)
	for _, r := range results[1:] {
		p.Check(apart(frequencies(r.Value.Values), f) < 1e-6, "the engines' frequencies differ by at most %.1e of each", apart(frequencies(r.Value.Values), f))
	}
	var theirs []float64
	ok, err := p.Beside(ctx, gallery.Peer{Name: "SciPy", Python: scipy, Files: map[string]any{
		"ptr.i32": a.Ptr, "col.i32": a.Col, "a.f64": a.Value}, Args: []any{k, shift}}, &theirs)
	if err != nil {
		return err
	}
	if ok {
		d := apart(frequencies(theirs), f)
		p.Check(d < 1e-6, "SciPy's frequencies differ by at most %.1e of each", d)
	}
	picture, err := w.picture(e, o.figures)
	if err != nil {
		return err
	}
	return p.WritePNG(picture)
}
