package ops

import (
	"errors"
	"math"
)

// SGDOptions configures [SGD].
type SGDOptions struct {
	LearningRate float64 // 0 means 0.01
	Schedule     *Node   // a scalar float that takes the place of LearningRate: feed it at every Run
	Momentum     float64 // in [0, 1)
	Nesterov     bool    // look ahead along the momentum
	WeightDecay  float64 // λ, 0 or more
}

// SGD returns the updates of one step of gradient descent on the loss, for
// params, which are variables:
//
//	g ← ∂loss/∂p + λ·p
//	v ← μ·v + g
//	p ← p - rate · v           (Nesterov: rate · (g + μ·v))
//
// with momentum μ. v is kept in a new variable beside each parameter, unless μ
// is 0. Parameters of 16 bits are updated in float32 and rounded. Errors: the
// loss is not a scalar float; a parameter is not a float variable, or is given
// twice; an option is out of range.
// Source: Sutskever, Martens, Dahl and Hinton, On the importance of
// initialization and momentum (2013), section 2, with the rate applied last.
func SGD(loss *Node, params []*Node, o SGDOptions) []*Node {
	return train("sgd", loss, params, orDefault(o.LearningRate, 0.01), o.Schedule, o.check(), func(t *training) []*Node {
		var updates []*Node
		for i, g := range t.grads {
			if o.WeightDecay != 0 {
				p := widen(t.params[i])
				g = Add(g, Mul(ScalarLike(p, o.WeightDecay), p))
			}
			if o.Momentum != 0 {
				v := t.state(i, "momentum")
				moved := Add(Mul(ScalarLike(v, o.Momentum), v), g)
				updates = append(updates, Assign(v, moved))
				if o.Nesterov {
					moved = Add(g, Mul(ScalarLike(v, o.Momentum), moved))
				}
				g = moved
			}
			updates = append(updates, t.step(i, g))
		}
		return updates
	})
}

func (o SGDOptions) check() error {
	err := errors.Join(
		within("momentum", o.Momentum, 0, below1),
		within("weight decay", o.WeightDecay, 0, math.MaxFloat64),
	)
	if o.Nesterov && o.Momentum == 0 {
		err = errors.Join(err, errors.New("momentum is 0, and Nesterov looks ahead along it"))
	}
	return err
}
