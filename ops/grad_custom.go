package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
)

// CustomGradient returns forward(in) with the derivative that backward gives, in place of that of the nodes of forward:
//
//	out = forward(in),  ∂L/∂in = backward(in, out, ∂L/∂out)
//
// for any scalar L. It is for derivatives that are known in a better form, that are to be clipped or scaled, or that stand in for one
// that is zero or does not exist, as the straight-through estimator of a rounding.
//
// forward is called once, while the graph is built. backward is called for each gradient that passes, with the operands, the
// results and their derivatives, zeros for results on which L does not depend, and returns a node for each operand: of
// the operand's dtype and of its shape or one that it stretches to, over which is summed; nil is a derivative of 0, and that
// of an operand that is not a float. It can be
// differentiated in its turn, so second derivatives are those of backward; through out they are backward's again.
//
// Derivatives go to in only: if forward reads beside it a node that depends on the variable of differentiation, the gradient is an error.
// Intermediate values of forward that backward needs are best returned as further results. Errors: no operands; forward
// returns nothing, or a node of another graph; backward returns another number of nodes, shapes or dtypes.
// Source: JAX, jax.custom_vjp; TensorFlow, tf.custom_gradient.
func CustomGradient(forward func(in []*Node) []*Node, backward func(in, out, grads []*Node) []*Node, in ...*Node) []*Node {
	const name = "custom_gradient"
	if forward == nil || backward == nil {
		return []*Node{graphOf(in...).fail(name, in, errors.New("the functions forward and backward must be given"))}
	}
	out, ok := called(name, forward, in)
	if !ok {
		return out
	}
	return picks(applyIn(graphOf(out...), name, customAttr{Operands: len(in), Backward: backward}, slices.Concat(in, out)...), len(out))
}

// called are the results of f for in. Where something is wrong they are as many failed nodes, at least one.
func called(name string, f func(in []*Node) []*Node, in []*Node) (out []*Node, ok bool) {
	g := graphOf(in...)
	var err error
	switch {
	case len(in) == 0:
		err = errors.New("there are no operands")
	case slices.Contains(in, nil):
		err = errNil
	default:
		err = g.checkValues(g.region, "operand", in)
	}
	if err != nil {
		bad := g.fail(name, in, err)
		return slices.Repeat([]*Node{bad}, max(1, len(f(slices.Repeat([]*Node{bad}, len(in)))))), false
	}
	out = slices.Clone(f(slices.Clone(in)))
	if len(out) == 0 {
		return []*Node{g.fail(name, in, errors.New("the function returns nothing"))}, false
	}
	if err := g.checkValues(g.region, "result", out); err != nil {
		return slices.Repeat([]*Node{g.fail(name, in, err)}, len(out)), false
	}
	return out, !anyBad(out)
}

// customAttr is the attribute of a call of CustomGradient. The operands of the op are those of the call and then the results of forward.
type customAttr struct {
	Operands int
	Backward func(in, out, grads []*Node) []*Node
}

var _ = define(Op{
	Name: "custom_gradient", Operands: operandsAny, Attributes: AttributesOf[customAttr](), hidden: true,
	Results:    func(c *Call) ([]Result, error) { return typesOf(c.In[c.Attr.(customAttr).Operands:]), nil },
	ComposeAll: func(c *Call) []*Node { return slices.Clone(c.In[c.Attr.(customAttr).Operands:]) },
	Grad: func(b *Back) {
		a := b.Attr().(customAttr)
		in, out := b.node.in[:a.Operands], b.node.in[a.Operands:]
		if x := b.tape.leafOf(out, in); x != nil {
			b.fail("what it is made of reads %v, which is not one of its operands, so there is no derivative for it", x)
			return
		}
		b.custom(a.Backward, in)
	},
})

// typesOf are the dtypes and shapes of nodes.
func typesOf(nodes []*Node) []Result {
	all := make([]Result, len(nodes))
	for i, n := range nodes {
		all[i] = Result{n.dtype, n.shape}
	}
	return all
}

// leafOf is a node whose derivative is wanted and from which out is computed by a path that avoids the nodes in; nil
// where there is none.
func (t *tape) leafOf(out, in []*Node) (leaf *Node) {
	seen := map[*Node]bool{}
	for _, x := range in {
		seen[x] = true
	}
	for _, n := range out {
		ir.Walk(n, seen, t.through, func(n *Node) {
			if t.leaf[n] {
				leaf = n
			}
		})
	}
	return leaf
}

// custom adds the derivatives that backward gives for the first operands, in.
func (b *Back) custom(backward func(in, out, grads []*Node) []*Node, in []*Node) {
	g := b.node.graph
	results := resultsOf(b.node)
	out, grads := make([]*Node, len(results)), make([]*Node, len(results))
	for i := range results {
		out[i], grads[i] = b.Result(i), b.GradOf(i)
	}
	ds := backward(slices.Clone(in), out, grads)
	if len(ds) != len(in) {
		b.fail("backward returns %d nodes for %d operands", len(ds), len(in))
		return
	}
	for i, d := range ds {
		switch {
		case d == nil:
			continue
		case d.graph != g && g.replays != nil && d.graph == g.replays.from: // a node that backward has kept
			d = g.replays.node(d)
		case d.graph.nowhere:
			g.adopt(d.graph)
			continue
		case d.graph != g:
			b.fail("derivative %d belongs to graph %q", i, d.graph.name)
			continue
		}
		if !d.bad && !g.sees(d) {
			g.fail(b.node.op.Name, b.node.in, fmt.Errorf("its gradient: derivative %d: %w", i, ended(d)))
			continue
		}
		b.Add(i, d)
	}
}
