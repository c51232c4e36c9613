package optim

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Rule is how a step moves a parameter, given its gradient. Programs may have rules of their own.
type Rule interface {
	// Name begins the names of the state, and stands in mistakes.
	Name() string
	// Rate is the learning rate at the beginning.
	Rate() float64
	// Check finds what is wrong with the rule's options.
	Check() error
	// Step returns what is subtracted from the parameter.
	Step(s *Slot) *ops.Node
}

// Zero stands for 0 in fields whose zero value is a default that is not 0.
const Zero = math.SmallestNonzeroFloat64

// value is the value of a field v: otherwise where v is 0, and 0 where it is Zero.
func value(v, otherwise float64) float64 {
	switch v {
	case 0:
		return otherwise
	case Zero:
		return 0
	}
	return v
}

// Slot is one parameter of a step, for a [Rule].
type Slot struct {
	// P is the parameter and G its gradient, both at least float32.
	P, G *ops.Node
	// Rate is the learning rate of this step, a scalar of P's dtype.
	Rate *ops.Node

	o      *Optimizer
	step   *building
	param  int
	group  int
	prefix string
}

// Scalar is v as a scalar of P's dtype.
func (s *Slot) Scalar(v float64) *ops.Node { return ops.ScalarLike(s.P, v) }

// T is the number of this step, from 1, as a scalar of P's dtype.
func (s *Slot) T() *ops.Node { return ops.Cast(s.step.now, s.P.DType()) }

// State is the value that the step before has kept under that name, in the shape of P: at first, numbers that are all start.
func (s *Slot) State(name string, start float64) *ops.Node {
	return s.StateOf(name, start, s.P.Shape()...)
}

// StateOf is State of another shape.
func (s *Slot) StateOf(name string, start float64, shape ...int) *ops.Node {
	key := stateKey{s.param, s.prefix + name}
	v, ok := s.o.state[key]
	if !ok {
		v = s.o.variable(s.prefix+name+"."+s.o.params[s.param].Name(), s.P.DType(), start, shape...)
		s.o.state[key] = v
	}
	return v
}

// Shared is a scalar that was kept under that name for all parameters that are moved by this rule: at first, start.
func (s *Slot) Shared(name string, start float64) *ops.Node {
	full := s.prefix + name
	if s.group > 0 {
		full += fmt.Sprint(".group", s.group)
	}
	key := stateKey{-1 - s.group, full}
	v, ok := s.o.state[key]
	if !ok {
		v = s.o.variable(full, s.P.DType(), start)
		s.o.state[key] = v
	}
	return v
}

// Keep makes x the state v, which is of State or of Shared, after this step.
func (s *Slot) Keep(v, x *ops.Node) { s.step.keep(v, x) }

// Decay is the gradient with the derivative of λ/2·|p|² added: weight decay that is no different from a penalty.
func (s *Slot) Decay(lambda float64) *ops.Node {
	if lambda == 0 {
		return s.G
	}
	return ops.Add(s.G, ops.Mul(s.P, s.Scalar(lambda)))
}

// DecayApart adds rate·λ·p to what is subtracted from the parameter: weight decay that is apart from the gradient.
// Source: Loshchilov and Hutter, Decoupled Weight Decay Regularization (2019).
func (s *Slot) DecayApart(d *ops.Node, lambda float64) *ops.Node {
	if lambda == 0 {
		return d
	}
	return ops.Add(d, ops.Mul(s.P, ops.Mul(s.Rate, s.Scalar(lambda))))
}

// Average is beta·old + (1 - beta)·x.
func (s *Slot) Average(old, x *ops.Node, beta float64) *ops.Node {
	return ops.Add(ops.Mul(old, s.Scalar(beta)), ops.Mul(x, s.Scalar(1-beta)))
}

// Unbias is 1 - beta^t at step t, without cancellation while t is small and beta close to 1.
func (s *Slot) Unbias(beta float64) *ops.Node {
	if beta == 0 {
		return s.Scalar(1)
	}
	return ops.Neg(ops.Expm1(ops.Mul(s.T(), s.Scalar(math.Log(beta)))))
}

// within reports a v outside [lo, hi], or NaN.
func within(what string, v, lo, hi float64) error {
	switch {
	case v >= lo && v <= hi:
		return nil
	case hi == math.MaxFloat64:
		return fmt.Errorf("%s %v is negative or not finite", what, v)
	}
	return fmt.Errorf("%s %v is outside [%v, %v)", what, v, lo, math.Nextafter(hi, 2))
}

// below1 is the largest float64 under 1.
var below1 = math.Nextafter(1, 0)

func notNegative(what string, v float64) error { return within(what, v, 0, math.MaxFloat64) }

func betas(b1, b2 float64) error {
	return errors.Join(within("beta1", b1, 0, below1), within("beta2", b2, 0, below1))
}

// wide is x in at least float32.
func wide(x *ops.Node) *ops.Node {
	if dt := x.DType(); dt == tensor.Float16 || dt == tensor.BFloat16 {
		return ops.Cast(x, tensor.Float32)
	}
	return x
}
