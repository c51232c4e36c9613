package gallery

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Tensors are the results of a work that is a graph, one for each engine, with a tensor for each output.
type Tensors = []Result[[]*tensor.Tensor]

// Graph is Both for a work that is a run of a graph: it compiles the outputs, which are of one graph, for each place, and feeds them.
func Graph(ctx context.Context, p *Program, rt *ops.Runtime, w Work, feeds ops.Feeds, outputs ...*ops.Node) (Tensors, error) {
	return Both(ctx, p, rt, w, func(place ops.Place) (Run[[]*tensor.Tensor], error) {
		exe, err := outputs[0].Graph().Compile(ctx, rt, ops.Target{Outputs: outputs, Place: place})
		return func(ctx context.Context) ([]*tensor.Tensor, error) { return exe.Run(ctx, feeds) }, err
	})
}

// AtOnce runs a graph once without waiting for the device's kernels, which a driver compiles beside it: for the
// first picture that is shown.
func AtOnce(ctx context.Context, rt *ops.Runtime, feeds ops.Feeds, outputs ...*ops.Node) ([]*tensor.Tensor, error) {
	exe, err := outputs[0].Graph().Compile(ctx, rt, ops.Target{Outputs: outputs, Start: ops.AtOnce})
	if err != nil {
		return nil, err
	}
	out, err := exe.Run(ctx, feeds)
	return out, errors.Join(err, exe.Close()) // the compiled kernels stay cached for other graphs
}

// InTurns runs a and b one after the other, several times, and returns the median of how many times as fast a is, and the median times of
// both. Other load on the machine thus slows both down.
func InTurns(ctx context.Context, p *Program, a, b func(context.Context) error) (ratio float64, ta, tb time.Duration, err error) {
	const turns, most = 21, 2 * time.Second
	var as, bs []time.Duration
	var ratios []float64
	for start := time.Now(); len(as) < 3 || len(as) < turns && time.Since(start) < most; {
		began := time.Now()
		if err := a(ctx); err != nil {
			return 0, 0, 0, err
		}
		middle := time.Now()
		if err := b(ctx); err != nil {
			return 0, 0, 0, err
		}
		as, bs = append(as, middle.Sub(began)), append(bs, time.Since(middle))
		ratios = append(ratios, bs[len(bs)-1].Seconds()/as[len(as)-1].Seconds())
		if p.Quick {
			break
		}
	}
	slices.Sort(ratios)
	return ratios[(len(ratios)-1)/2], median(as), median(bs), nil
}
