// Regress fits models to data: least squares beside values that NIST has certified, and a Gaussian process whose parameters maximise its
// likelihood, by the gradient of a Cholesky decomposition.
//
//	go run ./examples/regress [-steps 150] [-out regress.png]
//
// The first part is NIST's Statistical Reference Datasets for linear regression, of which Filip's polynomial of degree 10 is too ill-conditioned for
// many programs. The second is the Southern Oscillation: 168 months of differences of air pressure. The picture has what the process makes of three
// months in four, with two standard deviations on both sides.
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
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/tensor"
)

// options are what the command line says.
type options struct{ steps, copies int }

func main() {
	o := options{copies: 32}
	flag.IntVar(&o.steps, "steps", 150, "of Adam, which maximises the likelihood")
	gallery.Main("regress", func(ctx context.Context, p *gallery.Program) error {
		if o.steps < 1 {
			fmt.Fprintln(os.Stderr, "regress: -steps is positive")
			os.Exit(2)
		}
		return run(ctx, p, o)
	})
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	p.Printf("\nLeast squares beside NIST's certified values, digits that agree:\n%-10s %13s %10s %14s %9s\n", "", "equations", "parameters", "deviations", "residual")
	for _, c := range []struct {
		name   string
		digits float64 // at least, of parameters: fewer the worse the condition
	}{{"Norris", 12}, {"Pontius", 11}, {"Longley", 10}, {"Filip", 6}, {"Wampler1", 9}, {"Wampler2", 12}, {"Wampler3", 9}, {"Wampler4", 7.5}, {"Wampler5", 5.5}} {
		if err := certified(ctx, p, rt, c.name, c.digits); err != nil {
			return err
		}
	}
	return process(ctx, p, rt, o)
}

// fitted are the parameters of a linear model, their standard deviations and that of the residuals, by the QR decomposition of the design
// whose columns have the norm 1.
func fitted(x, y *ops.Node) (b, sd, residual *ops.Node) {
	m, n := x.Dim(0), x.Dim(1)
	norms := ops.VectorNorm(x, 2, 0)
	q, r := linalg.QR(ops.Div(x, norms), linalg.QRReduced)
	upper := &linalg.TriangularOptions{Upper: true}
	b = linalg.SolveTriangular(r, ops.MatMul(ops.Transpose(q), y), upper)
	off := ops.Sub(y, ops.MatMul(ops.Div(x, norms), b))
	b = ops.Add(b, linalg.SolveTriangular(r, ops.MatMul(ops.Transpose(q), off), upper)) // what rounding left over
	off = ops.Sub(y, ops.MatMul(ops.Div(x, norms), b))
	residual = ops.Sqrt(ops.Div(ops.Sum(ops.Square(off)), float64(m-n)))
	at := func(axis int) *ops.Node { return x.Graph().Iota(tensor.Int32, axis, n, n) }
	inverse := linalg.SolveTriangular(r, ops.Cast(ops.Equal(at(0), at(1)), tensor.Float64), upper)
	sd = ops.Div(ops.Mul(residual, ops.VectorNorm(inverse, 2, 1)), norms)
	return ops.Div(ops.Squeeze(b, 1), norms), sd, residual
}

// certified fits a dataset and counts digits.
func certified(ctx context.Context, p *gallery.Program, rt *ops.Runtime, name string, least float64) error {
	d, err := load(name)
	if err != nil {
		return err
	}
	g := ops.NewGraph(name)
	n := len(d.value)
	b, sd, residual := fitted(g.Const(tensor.Must(tensor.FromSlice(d.design(), len(d.y), n))), g.Const(tensor.Must(tensor.FromSlice(d.y, len(d.y), 1))))
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{b, sd, residual}})
	if err != nil {
		return err
	}
	defer exe.Close()
	out, err := exe.Run(ctx, nil)
	if err != nil {
		return err
	}
	parameters, deviations := 15.0, 15.0
	for i := range n {
		parameters = min(parameters, digits(out[0].Float64At(i), d.value[i]))
		deviations = min(deviations, digits(out[1].Float64At(i), d.sd[i]))
	}
	p.Printf("%-10s %4d x %3d %15.1f %14.1f %9.1f\n", name, len(d.y), n, parameters, deviations, digits(out[2].Float64At(0), d.residual))
	p.Check(parameters >= least, "the parameters of %s agree with the certified ones to %.1f digits", name, parameters)
	return nil
}

// digits is how many decimal digits of got are those of want, as NIST counts them: 15 at most. Of 0 they are those after the point.
func digits(got, want float64) float64 {
	err := math.Abs(got - want)
	if want != 0 {
		err /= math.Abs(want)
	}
	return min(max(-math.Log10(err), 0), 15)
}
