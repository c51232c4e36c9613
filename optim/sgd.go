package optim

import (
	"errors"

	"github.com/anycl/anycl/ops"
)

// SGD is gradient descent:
//
//	g ← g + λ·p
//	v ← μ·v + (1 - τ)·g            (at first v = g)
//	p ← p - rate · v               (Nesterov: rate · (g + μ·v))
//
// with momentum μ and dampening τ. State: "sgd.momentum", if there is a momentum. Source: Sutskever, Martens, Dahl and Hinton, On the
// importance of initialization and momentum (2013), section 2, with the rate applied last, as in PyTorch.
type SGD struct {
	LearningRate float64 // 0 means 0.01
	Momentum     float64 // μ in [0, 1)
	Dampening    float64 // τ in [0, 1]
	Nesterov     bool    // look ahead along the momentum
	WeightDecay  float64 // λ, 0 or more
}

// Name is sgd.
func (SGD) Name() string { return "sgd" }

// Rate is the learning rate.
func (r SGD) Rate() float64 { return value(r.LearningRate, 0.01) }

// Check finds options that are out of range.
func (r SGD) Check() error {
	err := errors.Join(within("momentum", r.Momentum, 0, below1), notNegative("weight decay", r.WeightDecay))
	if !(r.Dampening >= 0 && r.Dampening <= 1) {
		err = errors.Join(err, errors.New("dampening is outside [0, 1]"))
	}
	if r.Nesterov && (value(r.Momentum, 0) == 0 || r.Dampening != 0) {
		err = errors.Join(err, errors.New("it looks ahead along a momentum without dampening, as Nesterov has it"))
	}
	return err
}

// Step is one step.
func (r SGD) Step(s *Slot) *ops.Node {
	g := s.Decay(value(r.WeightDecay, 0))
	mu := value(r.Momentum, 0)
	if mu == 0 {
		return ops.Mul(s.Rate, g)
	}
	old := s.State("momentum", 0)
	share := s.Scalar(1 - r.Dampening)
	if r.Dampening != 0 {
		one := s.Scalar(1)
		share = ops.Where(ops.Equal(s.T(), one), one, share)
	}
	v := ops.Add(ops.Mul(old, s.Scalar(mu)), ops.Mul(share, g))
	s.Keep(old, v)
	if r.Nesterov {
		v = ops.Add(g, ops.Mul(v, s.Scalar(mu)))
	}
	return ops.Mul(s.Rate, v)
}
