package optim

import (
	"context"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Plateau reduces the learning rate when a metric, such as the loss of a validation, has stopped falling. The host decides it, between
// steps:
//
//	plateau := optim.NewPlateau(g, optim.PlateauOptions{})
//	opt := optim.New(rule, params, optim.Options{Factor: plateau.Factor()})
//	...
//	reduced, err := plateau.Observe(ctx, validationLoss)
//
// PyTorch: ReduceLROnPlateau.
type Plateau struct {
	o      PlateauOptions
	factor *ops.Node
	s      PlateauState
}

// PlateauState is the state of a [Plateau], for a checkpoint.
type PlateauState struct {
	Seen   bool    // whether there was a value at all
	Best   float64 // the best value
	Bad    int     // how many values there were without improvement
	Rest   int     // how many values do not count yet
	Factor float64 // of the rate
}

// PlateauOptions say when a rate is reduced. The zero value has PyTorch's constants.
type PlateauOptions struct {
	By        float64 // the rate is multiplied by it; 0 means 0.1
	Patience  int     // how many values without improvement are borne; 0 means 10, below 0 none
	Threshold float64 // a value is an improvement if it is below best - Threshold·|best|; 0 means 1e-4
	Rise      bool    // the metric should rise
	Cooldown  int     // values that do not count after a reduction
	Least     float64 // the factor does not fall below
}

// NewPlateau makes the variable "optim.plateau" in g.
func NewPlateau(g *ops.Graph, o PlateauOptions) *Plateau {
	o.By, o.Threshold = value(o.By, 0.1), value(o.Threshold, 1e-4)
	if o.Patience == 0 {
		o.Patience = 10
	}
	p := &Plateau{o: o, s: PlateauState{Factor: 1}}
	p.factor = g.Variable("optim.plateau", tensor.Scalar(float32(1)))
	return p
}

// Factor is the variable that multiplies the rate, for [Options].Factor.
func (p *Plateau) Factor() *ops.Node { return p.factor }

// Observe takes a value of the metric, and reports whether the rate was reduced. A NaN is no improvement. Errors: those of [ops.Set].
func (p *Plateau) Observe(ctx context.Context, metric float64) (bool, error) {
	st := &p.s
	better := metric < st.Best-p.o.Threshold*math.Abs(st.Best)
	if p.o.Rise {
		better = metric > st.Best+p.o.Threshold*math.Abs(st.Best)
	}
	if !st.Seen {
		better = !math.IsNaN(metric)
	}
	if st.Bad++; better {
		st.Seen, st.Best, st.Bad = true, metric, 0
	}
	if st.Rest > 0 {
		st.Rest--
		st.Bad = 0
	}
	if st.Bad <= max(p.o.Patience, 0) {
		return false, nil
	}
	st.Rest, st.Bad = p.o.Cooldown, 0
	next := max(st.Factor*p.o.By, p.o.Least)
	if next >= st.Factor {
		return false, nil
	}
	if err := ops.Set(ctx, p.factor, tensor.Scalar(float32(next))); err != nil {
		return false, err
	}
	st.Factor = next
	return true, nil
}

// State returns the state of the plateau.
func (p *Plateau) State() PlateauState { return p.s }

// Restore goes on with what State has returned. Errors: those of [ops.Set].
func (p *Plateau) Restore(ctx context.Context, s PlateauState) error {
	if err := ops.Set(ctx, p.factor, tensor.Scalar(float32(s.Factor))); err != nil {
		return err
	}
	p.s = s
	return nil
}
