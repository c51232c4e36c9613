package ops

import (
	"errors"
	"math"

	"github.com/anycl/anycl/tensor"
)

// AdamOptions configures [Adam].
type AdamOptions struct {
	LearningRate float64 // 0 means 0.001
	Schedule     *Node   // a scalar float that takes the place of LearningRate: feed it at every Run
	Beta1        float64 // in [0, 1); 0 means 0.9
	Beta2        float64 // in [0, 1); 0 means 0.999
	Epsilon      float64 // 0 means 1e-8
	WeightDecay  float64 // λ, 0 or more, decoupled from the derivative: AdamW
}

// Adam returns the updates of one step of Adam on the loss, for params, which
// are variables:
//
//	g ← ∂loss/∂p,  t ← t + 1
//	m ← β1·m + (1 - β1)·g
//	v ← β2·v + (1 - β2)·g²
//	p ← p - rate · (m/(1 - β1^t) / (√(v/(1 - β2^t)) + ε) + λ·p)
//
// m and v are kept in new variables beside each parameter, t in one for all.
// Parameters of 16 bits are updated in float32 and rounded. Errors: as [SGD].
// Source: Kingma and Ba, Adam (2015), algorithm 1; Loshchilov and Hutter,
// Decoupled Weight Decay Regularization (2019), algorithm 2.
func Adam(loss *Node, params []*Node, o AdamOptions) []*Node {
	o.Beta1, o.Beta2, o.Epsilon = orDefault(o.Beta1, 0.9), orDefault(o.Beta2, 0.999), orDefault(o.Epsilon, 1e-8)
	return train("adam", loss, params, orDefault(o.LearningRate, 0.001), o.Schedule, o.check(), func(t *training) []*Node {
		count := t.graph.Variable("adam.step", tensor.Scalar(int64(0)))
		now := Add(count, ScalarLike(count, 1))
		updates := []*Node{Assign(count, now)}
		for i, g := range t.grads {
			m, v := t.state(i, "m"), t.state(i, "v")
			mNew := average(m, g, o.Beta1)
			vNew := average(v, Square(g), o.Beta2)
			// What is the same for all elements is divided by once.
			mean := Mul(mNew, Reciprocal(unbias(now, g, o.Beta1)))
			size := Mul(Sqrt(vNew), Reciprocal(Sqrt(unbias(now, g, o.Beta2))))
			d := Div(mean, Add(size, ScalarLike(size, o.Epsilon)))
			if o.WeightDecay != 0 {
				p := widen(t.params[i])
				d = Add(d, Mul(ScalarLike(p, o.WeightDecay), p))
			}
			updates = append(updates, Assign(m, mNew), Assign(v, vNew), t.step(i, d))
		}
		return updates
	})
}

// average is beta·old + (1 - beta)·x.
func average(old, x *Node, beta float64) *Node {
	return Add(Mul(ScalarLike(old, beta), old), Mul(ScalarLike(x, 1-beta), x))
}

// unbias is 1 - beta^t in the dtype of like, without cancellation while t is
// small and beta close to 1.
func unbias(t, like *Node, beta float64) *Node {
	return Neg(Expm1(Mul(Cast(t, like.dtype), ScalarLike(like, math.Log(beta)))))
}

func (o AdamOptions) check() error {
	return errors.Join(
		within("beta1", o.Beta1, 0, below1),
		within("beta2", o.Beta2, 0, below1),
		within("epsilon", o.Epsilon, 0, math.MaxFloat64),
		within("weight decay", o.WeightDecay, 0, math.MaxFloat64),
	)
}
