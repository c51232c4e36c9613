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
var numpy string

// times prices a batch on both engines, and beside NumPy.
func (o options) times(ctx context.Context, p *gallery.Program, rt *ops.Runtime) error {
	amount := float64(o.paths*o.steps) / 1e6
	work := gallery.Work{Name: "4 prices, 16 Greeks", Amount: amount, Unit: "M steps of paths"}
	_, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (gallery.Run[*table], error) {
		return o.batch(ctx, rt, place, o.market)
	})
	if err != nil {
		return err
	}
	var theirs struct{ Price, Error float64 }
	ok, err := p.Beside(ctx, gallery.Peer{Name: "NumPy, prices alone,", Python: numpy, Args: []any{
		o.paths, o.steps, o.strike, o.barrier, o.market[spot], o.market[volatility], o.market[rate], o.market[years]}}, &theirs)
	if err != nil {
		return err
	}
	if ok {
		want := o.exact(o.market)[2][0]
		p.Check(math.Abs(theirs.Price-want) < 4*theirs.Error, "NumPy's down-and-out call is %.4f, %.1f standard errors from %.4f: less than 4",
			theirs.Price, math.Abs(theirs.Price-want)/theirs.Error, want)
	}
	return nil
}

// timesOfRisk lets both engines compute the losses, and compares them with those that were found before.
func timesOfRisk(ctx context.Context, p *gallery.Program, rt *ops.Runtime, losses *ops.Node, found []float32) error {
	results, err := gallery.Graph(ctx, p, rt, gallery.Work{Name: "value at risk", Amount: draws * days / 1e6, Unit: "M draws"}, nil, losses)
	if err != nil {
		return err
	}
	for _, r := range results {
		apart := gallery.Farthest(tensor.MustSlice[float32](r.Value[0])[:4], found[:4]) // the others are of days that are drawn anew
		p.Check(apart < 1e-6, "what %s has of a day differs from that by at most %.1e", r.Where, apart)
	}
	return nil
}
