package opstest

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Momentum returns the updates of a step of gradient descent at rate, with the momentum mu, v ← mu·v + g and p ← p - rate·v.
func Momentum(loss *ops.Node, params []*ops.Node, rate, mu float64) []*ops.Node {
	var updates []*ops.Node
	loss.Graph().Named("sgd", func() {
		for i, g := range ops.Gradients(loss, params...) {
			if p := params[i]; mu != 0 {
				v := p.Graph().Variable("momentum."+p.Name(), tensor.Must(tensor.New(p.DType(), p.Shape()...)))
				g = ops.Add(ops.Mul(v, mu), g)
				updates = append(updates, ops.Assign(v, g))
			}
			updates = append(updates, ops.Assign(params[i], ops.Sub(params[i], ops.Mul(g, rate))))
		}
	})
	return updates
}

// Adam returns the updates of a step of Adam at rate: three for every parameter, and that of the number of steps.
func Adam(loss *ops.Node, params []*ops.Node, rate float64) []*ops.Node {
	var updates []*ops.Node
	loss.Graph().Named("adam", func() { updates = adamParts(loss, params, rate) })
	return updates
}

func adamParts(loss *ops.Node, params []*ops.Node, rate float64) []*ops.Node {
	t := loss.Graph().Variable("adam.step", tensor.Scalar(int64(0)))
	now := ops.Add(t, 1)
	updates := []*ops.Node{ops.Assign(t, now)}
	unbias := func(beta float64) *ops.Node { return ops.Sub(1, ops.Pow(beta, ops.Cast(now, loss.DType()))) }
	for i, g := range ops.Gradients(loss, params...) {
		p := params[i]
		state := func(name string) *ops.Node {
			return p.Graph().Variable(name+"."+p.Name(), tensor.Must(tensor.New(p.DType(), p.Shape()...)))
		}
		m, v := state("adam.m"), state("adam.v")
		mNew, vNew := ops.Add(ops.Mul(m, 0.9), ops.Mul(g, 0.1)), ops.Add(ops.Mul(v, 0.999), ops.Mul(ops.Square(g), 0.001))
		size := ops.Mul(ops.Sqrt(vNew), ops.Rsqrt(unbias(0.999)))
		d := ops.Mul(ops.Div(mNew, ops.Add(size, 1e-8)), ops.Mul(ops.Reciprocal(unbias(0.9)), rate))
		updates = append(updates, ops.Assign(m, mNew), ops.Assign(v, vNew), ops.Assign(p, ops.Sub(p, d)))
	}
	return updates
}
