package ops

import "github.com/anycl/anycl/tensor"

// Steps of training for tests of this package, which package optim is built on.

// momentum returns the updates of a step of gradient descent at rate, with the momentum mu, v ← mu·v + g and p ← p - rate·v.
func momentum(loss *Node, params []*Node, rate, mu float64) []*Node {
	var updates []*Node
	loss.graph.Named("sgd", func() {
		for i, g := range Gradients(loss, params...) {
			if p := params[i]; mu != 0 {
				v := p.graph.Variable("momentum."+p.Name(), tensor.Must(tensor.New(p.dtype, p.shape...)))
				g = Add(Mul(v, mu), g)
				updates = append(updates, Assign(v, g))
			}
			updates = append(updates, Assign(params[i], Sub(params[i], Mul(g, rate))))
		}
	})
	return updates
}

// adam returns the updates of a step of Adam at rate: three for every parameter, and that of the number of steps.
func adam(loss *Node, params []*Node, rate float64) []*Node {
	var updates []*Node
	loss.graph.Named("adam", func() { updates = adamParts(loss, params, rate) })
	return updates
}

func adamParts(loss *Node, params []*Node, rate float64) []*Node {
	t := loss.graph.Variable("adam.step", tensor.Scalar(int64(0)))
	now := Add(t, 1)
	updates := []*Node{Assign(t, now)}
	unbias := func(beta float64) *Node { return Sub(1, Pow(beta, Cast(now, loss.dtype))) }
	for i, g := range Gradients(loss, params...) {
		p := params[i]
		state := func(name string) *Node {
			return p.graph.Variable(name+"."+p.Name(), tensor.Must(tensor.New(p.dtype, p.shape...)))
		}
		m, v := state("adam.m"), state("adam.v")
		mNew, vNew := Add(Mul(m, 0.9), Mul(g, 0.1)), Add(Mul(v, 0.999), Mul(Square(g), 0.001))
		size := Mul(Sqrt(vNew), Rsqrt(unbias(0.999)))
		d := Mul(Div(mNew, Add(size, 1e-8)), Mul(Reciprocal(unbias(0.9)), rate))
		updates = append(updates, Assign(m, mNew), Assign(v, vNew), Assign(p, Sub(p, d)))
	}
	return updates
}
