// Regress fits models to data: least squares beside values that NIST has certified, and a Gaussian process whose parameters maximise its
// likelihood, by the gradient of a Cholesky decomposition.
//
//	go run ./examples/regress [-steps 150] [-out regress.png]
//
// The first part is NIST's Statistical Reference Datasets for linear regression, of which Filip's polynomial of degree 10 is too
// ill-conditioned for many programs. The second is the Southern Oscillation: 168 months of differences of air pressure. The picture
// has the predictions of the process from three months in four, with two standard deviations on both sides.
package main

import (
	"context"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
)

// options are the settings of the command line.
type options struct{ steps, copies int }

func main() {
	o := options{copies: 32}
	gallery.Int(&o.steps, "steps", 150, 1, 1e6, "steps of Adam, which maximises the likelihood")
	gallery.Main("regress", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	if err := certified(ctx, p, rt); err != nil {
		return err
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
	b = ops.Add(b, linalg.SolveTriangular(r, ops.MatMul(ops.Transpose(q), off), upper)) // the residual left by rounding
	off = ops.Sub(y, ops.MatMul(ops.Div(x, norms), b))
	residual = ops.Sqrt(ops.Div(ops.Sum(ops.Square(off)), float64(m-n)))
	at := func(axis int) *ops.Node { return x.Graph().Iota(tensor.Int32, axis, n, n) }
	inverse := linalg.SolveTriangular(r, ops.Cast(ops.Equal(at(0), at(1)), tensor.Float64), upper)
	sd = ops.Div(ops.Mul(residual, ops.VectorNorm(inverse, 2, 1)), norms)
	return ops.Div(ops.Squeeze(b, 1), norms), sd, residual
}

// first are the logarithms of the parameters to begin with: sizes and lengths, in months, of slow changes and of those that come
// back each year, and the size of noise.
var first = []float64{math.Log(2), math.Log(6), math.Log(3), math.Log(1), math.Log(2)}

// covariance is that of all months in s with all in t, vectors:
//
//	k(s, t) = a² exp(-d²/2b²) + c² exp(-2 sin²(πd/12)/e²),  d = s - t
//
// for log of a, b, c, e and noise along the last axis of theta; axes before it are a batch.
func covariance(theta, s, t *ops.Node) *ops.Node {
	d := ops.Sub(ops.ExpandDims(s, 1), ops.ExpandDims(t, 0))
	at := func(i int) *ops.Node { return ops.ExpandDims(ops.Exp(ops.Narrow(theta, -1, i, 1)), -1) }
	slow := ops.Mul(ops.Square(at(0)), ops.Exp(ops.Mul(-0.5, ops.Square(ops.Div(d, at(1))))))
	yearly := ops.Mul(ops.Square(at(2)), ops.Exp(ops.Mul(-2, ops.Square(ops.Div(ops.Sin(ops.Mul(math.Pi/12, d)), at(3))))))
	return ops.Add(slow, yearly)
}

// noisy is the covariance of months with themselves, with the noise of each.
func noisy(theta, t *ops.Node) *ops.Node {
	n := t.Size()
	at := func(axis int) *ops.Node { return t.Graph().Iota(tensor.Int32, axis, n, n) }
	noise := ops.ExpandDims(ops.Exp(ops.Mul(2, ops.Narrow(theta, -1, 4, 1))), -1)
	return ops.Add(covariance(theta, t, t), ops.Mul(noise, ops.Cast(ops.Equal(at(0), at(1)), theta.DType())))
}

// surprise is minus the logarithm of the likelihood of y at months t, [n, 1], and the factor of the covariance:
//
//	yᵀ K⁻¹ y / 2 + log det K / 2 + n/2 log 2π
//
// Source: Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), algorithm 2.1.
func surprise(theta, t, y *ops.Node) (loss, factor *ops.Node) {
	factor = linalg.Cholesky(noisy(theta, t), false)
	batch := theta.Shape()[:theta.Rank()-1]
	z := linalg.SolveTriangular(factor, ops.BroadcastTo(y, append(batch, y.Shape()...)...), nil)
	logs := ops.Sum(ops.Log(ops.Diagonal(factor, 0, -2, -1)), -1)
	loss = ops.Add(ops.Mul(0.5, ops.Sum(ops.Square(z), -2, -1)), logs)
	return ops.Add(loss, float64(t.Size())/2*math.Log(2*math.Pi)), factor
}

// process fits the Gaussian process to three months in four and predicts the fourth ones.
func process(ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options) error {
	d, known, other, mean, err := southern()
	if err != nil {
		return err
	}
	g := ops.NewGraph("process")
	vector := func(v []float64, shape ...int) *ops.Node { return g.Const(tensor.Must(tensor.FromSlice(v, shape...))) }
	theta := g.Variable("theta", tensor.Must(tensor.FromSlice(first)))
	t, y := vector(known[0], len(known[0])), vector(known[1], len(known[1]), 1)
	loss, factor := surprise(theta, t, y)
	adam := optim.New(optim.Adam{LearningRate: 0.05}, []*ops.Node{theta}, optim.Options{})
	// The picture does not wait for the device's kernels.
	step, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{loss}, Updates: adam.Minimize(loss), Start: ops.AtOnce})
	if err != nil {
		return err
	}
	// The expected value of every half month, and its tolerance.
	var all []float64
	for i := range 2 * len(d.y) {
		all = append(all, 1+float64(i)/2)
	}
	cross := covariance(theta, t, vector(all, len(all)))
	v := linalg.SolveTriangular(factor, cross, nil)
	predicted := ops.Squeeze(ops.MatMul(ops.Transpose(cross), linalg.CholeskySolve(y, factor, false)), 1)
	size := func(i int) *ops.Node { return ops.Exp(ops.Mul(2, ops.Narrow(theta, 0, i, 1))) }
	spread := ops.Sub(ops.Add(size(0), size(2)), ops.Sum(ops.Square(v), 0))
	seen := []*ops.Node{loss, ops.Gradients(loss, theta)[0], theta, predicted, spread}
	see, err := g.Compile(ctx, rt, ops.Target{Outputs: seen, Start: ops.AtOnce})
	if err != nil {
		return err
	}
	began, slope, err := slopes(ctx, see, theta)
	if err != nil {
		return err
	}
	p.Printf("\nA Gaussian process for %d of %d months of the Southern Oscillation:\n", len(known[0]), len(d.y))
	p.Check(slope < 1e-6, "the gradient of the likelihood is that of differences, to %.0e", slope)
	for range o.steps {
		if _, err := step.Run(ctx, nil); err != nil {
			return err
		}
	}
	out, err := see.Run(ctx, nil)
	if err != nil {
		return err
	}
	checkProcess(p, began, out, other)
	if err := draw(p, d, all, mean, out[3], out[4]); err != nil {
		return err
	}
	return times(ctx, p, rt, o, known)
}
