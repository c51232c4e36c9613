package main

import (
	"context"
	_ "embed"
	"math"

	"github.com/anycl/anycl/examples/internal/curves"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
)

//go:embed peer.py
var scipy string

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
	d, err := load("ENSO")
	if err != nil {
		return err
	}
	mean := 0.0
	for _, v := range d.y {
		mean += v / float64(len(d.y))
	}
	var known, other [2][]float64 // months, values
	for i, v := range d.y {
		to := &known
		if i%4 == 2 {
			to = &other
		}
		to[0], to[1] = append(to[0], d.x[i][0]), append(to[1], v-mean)
	}
	g := ops.NewGraph("process")
	vector := func(v []float64, shape ...int) *ops.Node { return g.Const(tensor.Must(tensor.FromSlice(v, shape...))) }
	theta := g.Variable("theta", tensor.Must(tensor.FromSlice(first)))
	t, y := vector(known[0], len(known[0])), vector(known[1], len(known[1]), 1)
	loss, factor := surprise(theta, t, y)
	step, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{loss}, Updates: optim.New(optim.Adam{LearningRate: 0.05}, []*ops.Node{theta}, optim.Options{}).Minimize(loss)})
	if err != nil {
		return err
	}
	// Every half month, and the months that were left out.
	var all []float64
	for i := range 2 * len(d.y) {
		all = append(all, 1+float64(i)/2)
	}
	cross := covariance(theta, t, vector(all, len(all)))
	v := linalg.SolveTriangular(factor, cross, nil)
	predicted := ops.Squeeze(ops.MatMul(ops.Transpose(cross), linalg.CholeskySolve(y, factor, false)), 1)
	spread := ops.Sub(ops.Add(ops.Exp(ops.Mul(2, ops.Narrow(theta, 0, 0, 1))), ops.Exp(ops.Mul(2, ops.Narrow(theta, 0, 2, 1)))), ops.Sum(ops.Square(v), 0))
	see, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{loss, ops.Gradients(loss, theta)[0], theta, predicted, spread}})
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
	ended := out[0].Float64At(0)
	p.Check(ended < began, "the logarithm of the likelihood has grown from %.1f to %.1f", -began, -ended)
	var off, usual float64
	for i, m := range other[0] {
		off += math.Pow(out[3].Float64At(int(2*m)-2)-other[1][i], 2) / float64(len(other[0]))
		usual += other[1][i] * other[1][i] / float64(len(other[0]))
	}
	p.Check(math.Sqrt(off) < 0.85*math.Sqrt(usual), "months that were left out are predicted to %.2f; their mean would err by %.2f, and NIST's fit with cycles of %s by 2.23",
		math.Sqrt(off), math.Sqrt(usual), "12, 44 and 27 months, which knew them,")
	if err := draw(p, d, all, mean, out[3], out[4]); err != nil {
		return err
	}
	return times(ctx, p, rt, o, known)
}

// slopes compares the gradient with differences of the loss, and gives the loss and by how much they differ.
func slopes(ctx context.Context, see *ops.Executable, theta *ops.Node) (loss, most float64, err error) {
	at := func(v []float64) []*tensor.Tensor {
		if err == nil {
			err = ops.Set(ctx, theta, tensor.Must(tensor.FromSlice(v)))
		}
		var out []*tensor.Tensor
		if err == nil {
			out, err = see.Run(ctx, nil)
		}
		if err != nil {
			return []*tensor.Tensor{tensor.Must(tensor.New(tensor.Float64)), tensor.Must(tensor.New(tensor.Float64, len(v)))}
		}
		return out
	}
	const h = 1e-4
	for i := range first {
		up, down := append([]float64(nil), first...), append([]float64(nil), first...)
		up[i], down[i] = up[i]+h, down[i]-h
		difference := (at(up)[0].Float64At(0) - at(down)[0].Float64At(0)) / (2 * h)
		here := at(first)
		loss = here[0].Float64At(0)
		most = max(most, math.Abs(here[1].Float64At(i)-difference)/(1+math.Abs(difference)))
	}
	return loss, most, err
}

func draw(p *gallery.Program, d *dataset, t []float64, mean float64, predicted, spread *tensor.Tensor) error {
	line := func(by float64) (y []float64) {
		for i := range t {
			y = append(y, mean+predicted.Float64At(i)+by*math.Sqrt(max(spread.Float64At(i), 0)))
		}
		return y
	}
	var months []float64
	for _, x := range d.x {
		months = append(months, x[0])
	}
	return p.WriteCurves(curves.Axes{Title: "Southern Oscillation", X: "month", Y: "difference of pressure"}, false,
		curves.Line{Name: "measured", X: months, Y: d.y, Dashed: true}, curves.Line{Name: "Gaussian process", X: t, Y: line(0)},
		curves.Line{Name: "two deviations above", X: t, Y: line(2), Dashed: true}, curves.Line{Name: "and below", X: t, Y: line(-2), Dashed: true})
}

// times computes the likelihood and its gradient for several parameters at once, on both engines and beside SciPy.
func times(ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options, known [2][]float64) error {
	g := ops.NewGraph("likelihoods")
	var many []float64
	for k := range o.copies {
		for _, v := range first {
			many = append(many, v+0.2*math.Sin(float64(k)))
		}
	}
	n := len(known[0])
	theta := g.Const(tensor.Must(tensor.FromSlice(many, o.copies, len(first))))
	loss, _ := surprise(theta, g.Const(tensor.Must(tensor.FromSlice(known[0]))), g.Const(tensor.Must(tensor.FromSlice(known[1], n, 1))))
	slope := ops.Gradients(ops.Sum(loss), theta)[0]
	p.Printf("\n")
	work := gallery.Work{Name: "likelihoods with gradients", Amount: float64(o.copies), Unit: "likelihoods"}
	results, err := gallery.Graph(ctx, p, rt, work, nil, loss, slope)
	if err != nil {
		return err
	}
	values := func(k int) []float64 { return tensor.MustSlice[float64](results[k].Value[1]) }
	last := len(results) - 1
	for k := range last {
		p.Check(gallery.Farthest(values(k), values(last)) < 1e-7, "the engines' gradients differ by at most %.0e", gallery.Farthest(values(k), values(last)))
	}
	var theirs []float64
	ok, err := p.Beside(ctx, gallery.Peer{Name: "SciPy", Python: scipy, Files: map[string]any{"t.f64": known[0], "y.f64": known[1], "theta.f64": many}}, &theirs)
	if ok {
		p.Check(gallery.Farthest(values(last), theirs) < 1e-7, "SciPy's gradients differ by at most %.0e", gallery.Farthest(values(last), theirs))
	}
	return err
}
