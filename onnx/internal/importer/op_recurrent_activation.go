package importer

import (
	"strings"

	"github.com/anycl/anycl/ops"
)

// activation is a function of a recurrent operator, with its numbers.
type activation struct {
	name        string
	alpha, beta float64
}

// activationKind says which numbers a function takes, and what they are where the model gives none.
type activationKind struct {
	alpha, beta       bool
	defAlpha, defBeta float64
	unset             bool // there are no defaults
	build             func(x *ops.Node, alpha, beta float64) *ops.Node
}

// plainKind takes no numbers.
func plainKind(f func(*ops.Node) *ops.Node) activationKind {
	return activationKind{build: func(x *ops.Node, _, _ float64) *ops.Node { return f(x) }}
}

// alphaKind takes one.
func alphaKind(def float64, f func(*ops.Node, float64) *ops.Node) activationKind {
	return activationKind{alpha: true, defAlpha: def, build: func(x *ops.Node, alpha, _ float64) *ops.Node { return f(x, alpha) }}
}

var activationKinds = map[string]activationKind{
	"tanh": plainKind(ops.Tanh), "sigmoid": plainKind(ops.Sigmoid), "relu": plainKind(ops.ReLU), "softsign": plainKind(ops.SoftSign),
	"softplus": plainKind(ops.Softplus),
	"elu":      alphaKind(1, ops.ELU), "leakyrelu": alphaKind(0.01, ops.LeakyReLU), "thresholdedrelu": alphaKind(1, ops.ThresholdedReLU),
	"hardsigmoid": {alpha: true, beta: true, defAlpha: 0.2, defBeta: 0.5, build: hardSigmoid},
	"affine": {alpha: true, beta: true, unset: true, build: func(x *ops.Node, alpha, beta float64) *ops.Node {
		return ops.Add(ops.Mul(x, ops.ScalarLike(x, alpha)), ops.ScalarLike(x, beta))
	}},
	"scaledtanh": {alpha: true, beta: true, unset: true, build: func(x *ops.Node, alpha, beta float64) *ops.Node {
		return ops.Mul(ops.Tanh(ops.Mul(x, ops.ScalarLike(x, beta))), ops.ScalarLike(x, alpha))
	}},
}

func (a activation) of(x *ops.Node) *ops.Node {
	return activationKinds[a.name].build(x, a.alpha, a.beta)
}

// activations are functions of all directions. Those that take numbers take them from the lists in turn, as far as these go; which are
// meant by a list of more numbers than they take, the operator does not say.
func (c *call) activations(names []string) (all []activation) {
	alphas, betas := c.floatList("activation_alpha"), c.floatList("activation_beta")
	next := func(list *[]float64, def float64) float64 {
		if len(*list) > 0 {
			def, *list = (*list)[0], (*list)[1:]
		}
		return def
	}
	for _, name := range names {
		a := activation{name: strings.ToLower(name)}
		k, ok := activationKinds[a.name]
		switch {
		case !ok:
			c.refuse("activation %q is not known", name)
		case k.unset && (len(alphas) == 0 || len(betas) == 0):
			c.refuse("activation %q has no defaults for the numbers that activation_alpha and activation_beta do not give", name)
		}
		if k.alpha {
			a.alpha = next(&alphas, k.defAlpha)
		}
		if k.beta {
			a.beta = next(&betas, k.defBeta)
		}
		all = append(all, a)
	}
	if len(alphas)+len(betas) > 0 {
		c.refuse("activation_alpha and activation_beta have %d and %d numbers more than the activations %q take: it would have to say which is whose", len(alphas), len(betas), names)
	}
	return all
}
