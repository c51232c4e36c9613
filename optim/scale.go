package optim

import (
	"errors"
	"fmt"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// LossScale multiplies the loss before it is differentiated, and divides the gradients by the same number, so that small
// gradients are not lost in float16. A step whose gradients are not all finite is left out:
//
//	all finite:  step;          after Interval such steps in a row, scale ← scale · Growth
//	else:        no step;       scale ← scale · Backoff
//
// Nothing else changes in a step that is left out, neither parameters nor state nor the number of steps. The zero value has
// PyTorch's constants. Use a LossScale with one optimiser.
// Source: Micikevicius et al., Mixed Precision Training (2018), section 3.2; PyTorch, torch.cuda.amp.GradScaler.
type LossScale struct {
	Start    float64 // 0 means 65536
	Growth   float64 // 0 means 2
	Backoff  float64 // 0 means 0.5
	Interval int     // 0 means 2000
	Most     float64 // the scale does not grow beyond; 0 means 2¹²⁰

	scale, good *ops.Node
}

func (s *LossScale) check() error {
	err := errors.Join(notNegative("start", s.Start), notNegative("growth", s.Growth), within("backoff", s.Backoff, 0, below1),
		notNegative("most", s.Most))
	if s.Growth != 0 && s.Growth < 1 {
		err = errors.Join(err, fmt.Errorf("growth %v is below 1", s.Growth))
	}
	if s.Interval < 0 {
		err = errors.Join(err, fmt.Errorf("the interval is %d", s.Interval))
	}
	if err != nil {
		return fmt.Errorf("loss scale: %w", err)
	}
	return nil
}

func (s *LossScale) prepare(z *Optimizer) {
	if s == nil {
		return
	}
	s.scale = z.keepVariable("optim.scale", tensor.Scalar(float32(value(s.Start, 65536))))
	s.good = z.keepVariable("optim.scale.good", tensor.Scalar(int64(0)))
}

// Value is the variable that holds the scale, a float32 scalar; nil before the optimiser is made.
func (s *LossScale) Value() *ops.Node { return s.scale }

// build adapts the scale, and lets the rest of the step happen where the gradients are finite.
func (s *LossScale) build(b *building, finite *ops.Node) {
	interval := s.Interval
	if interval == 0 {
		interval = 2000
	}
	good := ops.Add(s.good, ops.ScalarLike(s.good, 1))
	grow := ops.GreaterEqual(good, ops.ScalarLike(good, float64(interval)))
	zero := ops.ScalarLike(good, 0)
	larger := ops.Minimum(ops.Mul(s.scale, ops.ScalarLike(s.scale, value(s.Growth, 2))), ops.ScalarLike(s.scale, value(s.Most, 0x1p120)))
	smaller := ops.Mul(s.scale, ops.ScalarLike(s.scale, value(s.Backoff, 0.5)))
	b.keep(s.scale, ops.Where(finite, ops.Where(grow, larger, s.scale), smaller))
	b.keep(s.good, ops.Where(ops.And(finite, ops.Not(grow)), good, zero))
	if b.when != nil {
		finite = ops.And(b.when, finite)
	}
	b.when = finite
}
