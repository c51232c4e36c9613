package optim

import (
	"context"
	"fmt"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Average keeps an average of every parameter over the steps, which often generalises better than the last
// values. With a Decay it is exponential:
//
//	a ← Decay·a + (1 - Decay)·p
//
// of which the first is the parameter after the first step; without one, it is the mean of the parameters as they are after step
// Start + 1 and every Every steps from there on: stochastic weight averaging. Use an Average with one optimiser.
// Source: Polyak and Juditsky (1992); Izmailov et al., Averaging Weights Leads to Wider Optima and Better Generalization (2018).
type Average struct {
	Decay float64 // in [0, 1); 0: all count the same
	Start int     // steps that are made before
	Every int     // 0 means 1

	count  *ops.Node
	values []*ops.Node
	params []*ops.Node
	take   *ops.Node
	weight *ops.Node
}

func (a *Average) check() error {
	if a.Start < 0 || a.Every < 0 {
		return fmt.Errorf("an average from step %d, each %d", a.Start, a.Every)
	}
	return within("Decay", a.Decay, 0, below1)
}

func (a *Average) prepare(z *Optimizer) {
	if a == nil {
		return
	}
	a.params, a.values = z.params, nil
	a.count = z.keepVariable("average.count", tensor.Scalar(int64(0)))
	for _, p := range z.params {
		a.values = append(a.values, z.variable("average."+p.Name(), wide(p).DType(), 0, p.Shape()...))
	}
}

// build lets the average follow parameter i, which becomes next.
func (a *Average) build(b *building, i int, next *ops.Node) {
	if a == nil {
		return
	}
	if i == 0 {
		step := b.z.count // from 0
		every := int64(max(a.Every, 1))
		since := ops.Sub(step, ops.ScalarLike(step, float64(a.Start)))
		a.take = ops.And(ops.GreaterEqual(since, ops.ScalarLike(since, 0)),
			ops.Equal(ops.Mod(since, ops.ScalarLike(since, float64(every))), ops.ScalarLike(since, 0)))
		now := ops.Add(a.count, ops.ScalarLike(a.count, 1))
		n := ops.Cast(now, tensor.Float32)
		one := ops.ScalarLike(n, 1)
		w := ops.Div(one, n)
		if a.Decay > 0 {
			w = ops.Where(ops.Equal(now, ops.ScalarLike(now, 1)), one, ops.ScalarLike(n, 1-a.Decay))
		}
		// What is not taken has no weight.
		a.weight = ops.Where(a.take, w, ops.ScalarLike(w, 0))
		b.keep(a.count, ops.Where(a.take, now, a.count))
	}
	v := a.values[i]
	b.keep(v, ops.Add(v, ops.Mul(ops.Sub(wide(next), v), ops.Cast(a.weight, v.DType()))))
}

// Values are the variables of the averages, one for each parameter of the optimiser. nil before the optimiser is made.
func (a *Average) Values() []*ops.Node { return a.values }

// Swap exchanges parameters and averages, for a validation with the averages; a second one puts them back. Runs that use
// them are waited for. Where ctx ends, nothing is exchanged. Errors: as [ops.Value] and [ops.Set].
func (a *Average) Swap(ctx context.Context) error {
	type setting struct {
		variable *ops.Node
		value    *tensor.Tensor
	}
	var settings []setting
	give := func(to, from *ops.Node) error {
		x, err := ops.Value(ctx, from)
		if err == nil {
			x, err = tensor.Cast(x, to.DType())
		}
		settings = append(settings, setting{to, x})
		return err
	}
	for i, v := range a.values {
		if err := give(a.params[i], v); err != nil {
			return err
		}
		if err := give(v, a.params[i]); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, s := range settings {
		if err := ops.Set(context.WithoutCancel(ctx), s.variable, s.value); err != nil {
			return err
		}
	}
	return nil
}
