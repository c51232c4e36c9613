package main

import (
	"context"
	"math"
	"slices"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// days and draws are those of the futures that are put together of random days of the past.
const days, draws = 10, 100_000

// risk is of changes of a day and of ten days: the loss that one in a hundred, and one in twenty, exceeds (value at risk), each with the
// mean loss of those that exceed it (expected shortfall), as logarithms; and the mean change of ten days: float32 [9].
func risk(changes []float32) *ops.Node {
	g := ops.NewGraph("risk")
	g.Seed(1)
	day := g.Const(tensor.Must(tensor.FromSlice(changes)))
	picks := g.RandomInts(tensor.Int32, 0, int64(len(changes)), draws, days)
	future := ops.Sum(ops.Gather(day, 0, picks), 1)
	var out []*ops.Node
	for _, x := range []*ops.Node{day, future} {
		for _, q := range []float64{0.01, 0.05} {
			least := ops.Quantile(x, q, nil)
			worse := ops.Cast(ops.LessEqual(x, least), tensor.Float32)
			out = append(out, ops.Neg(least), ops.Neg(ops.Div(ops.Sum(ops.Mul(x, worse)), ops.Sum(worse))))
		}
	}
	out = append(out, ops.Mean(future))
	return ops.Stack(0, out...)
}

// valueAtRisk prints what a position may lose, and checks it against sorting the days in Go. It returns its graph, and the result.
func valueAtRisk(ctx context.Context, p *gallery.Program, rt *ops.Runtime) (*ops.Node, []float32, error) {
	changes, what, err := returns()
	if err != nil {
		return nil, nil, err
	}
	losses := risk(changes)
	out, err := gallery.AtOnce(ctx, rt, nil, losses)
	if err != nil {
		return nil, nil, err
	}
	value := out[0].Float64At
	p.Printf("\nValue at risk of 1,000,000 in %s (%d days)\n", what, len(changes))
	p.Printf("%-44s %10s %10s %12s\n", "", "1 in 100", "1 in 20", "worse, mean")
	for i, name := range []string{"in a day, as in the past", "in ten days, 100,000 times of random past days"} {
		loss := func(k int) float64 { return 1e6 * -math.Expm1(-value(4*i+k)) }
		p.Printf("%-44s %10.0f %10.0f %12.0f\n", name, loss(0), loss(2), loss(1))
	}
	sorted := slices.Sorted(slices.Values(changes))
	place := 0.01 * float64(len(sorted)-1)
	low, high := float64(sorted[int(place)]), float64(sorted[int(place)+1])
	want := -(low + (high-low)*(place-math.Floor(place)))
	p.Check(math.Abs(value(0)-want) < 1e-6*want, "the day's value at risk is that of sorting in Go to %.0e", math.Abs(value(0)/want-1))
	var mean, square float64
	for _, c := range changes {
		mean += float64(c) / float64(len(changes))
		square += float64(c) * float64(c) / float64(len(changes))
	}
	deviation := math.Sqrt((square - mean*mean) * days / draws)
	p.Check(math.Abs(value(8)-days*mean) < 4*deviation, "the drawn futures' mean is ten times a day's to %.1f standard errors: less than 4",
		math.Abs(value(8)-days*mean)/deviation)
	return losses, tensor.MustSlice[float32](out[0]), nil
}
