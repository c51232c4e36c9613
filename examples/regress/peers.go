package main

import (
	"context"
	_ "embed"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed peer.py
var scipy string

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
		p.Check(gallery.Farthest(values(k), values(last)) < 1e-7, "the engines' gradients differ by at most %.0e",
			gallery.Farthest(values(k), values(last)))
	}
	var theirs []float64
	ok, err := p.Beside(ctx, gallery.Peer{Name: "SciPy", Python: scipy,
		Files: map[string]any{"t.f64": known[0], "y.f64": known[1], "theta.f64": many}}, &theirs)
	if ok {
		p.Check(gallery.Farthest(values(last), theirs) < 1e-7, "SciPy's gradients differ by at most %.0e", gallery.Farthest(values(last), theirs))
	}
	return err
}
