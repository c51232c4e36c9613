package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Gradients adds to the graph the derivative of the scalar y with respect to
// each x, by reverse-mode differentiation:
//
//	dx[i] = ∂y / ∂x[i]
//
// Every dx has the shape and dtype of its x. An x on which y does not depend
// gets zeros. Errors: y is not a scalar float; an x is not a float; an op on
// the way from an x to y is not differentiable.
// Source: Griewank and Walther, Evaluating Derivatives (2008), chapter 3.
func Gradients(y *Node, xs ...*Node) []*Node {
	if y == nil {
		return slices.Repeat([]*Node{apply("gradients", nil, y)}, len(xs))
	}
	g := y.graph
	fail := func(x *Node, err error) []*Node {
		return slices.Repeat([]*Node{g.fail("gradients", []*Node{x}, err)}, len(xs))
	}
	if y.bad {
		return slices.Repeat([]*Node{applyIn(g, "gradients", nil, y)}, len(xs))
	}
	if !y.dtype.IsFloat() || len(y.shape) != 0 {
		return fail(y, fmt.Errorf("y must be a scalar float, not %v%v (sum it first)", y.dtype, y.shape))
	}
	for _, x := range xs {
		switch {
		case x == nil:
			return fail(x, errNil)
		case x.graph != g:
			return fail(x, errors.New("x belongs to another graph"))
		case !x.bad && !hasDerivative(x.dtype):
			return fail(x, fmt.Errorf("x is %v, and only floats have derivatives", x.dtype))
		}
	}
	if g.open != nil && !anyBad(xs) {
		return g.open.gradients(y, xs)
	}
	t := newTape([]*Node{y}, xs)
	if t.wanted[y] {
		t.grads[y] = scalarConst(g, y.dtype, 1)
	}
	t.run()
	out := make([]*Node, len(xs))
	for i, x := range xs {
		if out[i] = t.joinedParts(x, t.grads[x]); out[i] == nil {
			out[i] = zerosLike(x)
		}
	}
	return out
}

var _ = define(Op{Name: "gradients", Operands: operandsAny, Result: same, hidden: true})

// Back is the argument of the gradient rule of an op: one call of the op, and
// the derivative of the final scalar with respect to its result.
type Back struct {
	node *Node
	grad *Node
	tape *tape
}

// Operands is how many operands the call has, of which some may be left out or repeated.
func (b *Back) Operands() int { return len(b.node.in) }

// In is operand i of the call.
func (b *Back) In(i int) *Node {
	if i < 0 || i >= len(b.node.in) {
		return b.fail("there is no operand %d", i)
	}
	return b.node.in[i]
}

// Out is the result of the call, of an op with several results, the first of them.
func (b *Back) Out() *Node { return b.Result(0) }

// fail records a mistake of the gradient rule.
func (b *Back) fail(format string, args ...any) *Node {
	return b.node.graph.fail(b.node.op.Name, b.node.in, fmt.Errorf("its gradient: "+format, args...))
}

// Attr are the attributes of the call.
func (b *Back) Attr() any { return b.node.attr }

// Grad is the derivative of the final scalar with respect to Out, of an op with several results, the first of them.
func (b *Back) Grad() *Node {
	return b.GradOf(0)
}

// Result is result i of the call.
func (b *Back) Result(i int) *Node {
	switch several := b.node.op.Results != nil; {
	case i == 0 && !several:
		return b.node
	case i < 0 || !several || i >= len(resultsOf(b.node)):
		return b.fail("there is no result %d", i)
	}
	return pickOf(b.node, i)
}

// GradOf is the derivative of the final scalar with respect to result i: zeros where the scalar does not depend on it.
func (b *Back) GradOf(i int) *Node {
	if i == 0 && b.node.op.Results == nil {
		return b.grad
	}
	if d := b.tape.picked[b.node][i]; d != nil {
		return d
	}
	return zerosLike(b.Result(i))
}

// Wants reports whether the derivative of operand i is of use.
func (b *Back) Wants(i int) bool {
	return i >= 0 && i < len(b.node.in) && b.tape.wanted[b.node.in[i]]
}

// Add adds d to the derivative of operand i. Where the op had broadcast the
// operand, d is summed back to its shape first.
func (b *Back) Add(i int, d *Node) {
	switch x := b.In(i); {
	case x.bad || !b.Wants(i):
	case d == nil:
		b.fail("the derivative of operand %d is nil", i)
	case d.bad:
		b.tape.accumulate(x, d)
	case d.dtype != x.dtype:
		b.fail("the derivative of operand %d is %v, and the operand %v (cast with ops.Cast)", i, d.dtype, x.dtype)
	default:
		if s, err := tensor.Broadcast(d.shape, x.shape); err != nil || !slices.Equal(s, d.shape) {
			b.fail("the derivative of operand %d is %v, to which the operand %v does not stretch", i, d.shape, x.shape)
			return
		}
		b.tape.accumulate(x, sumTo(d, x.shape))
	}
}

// tape is one reverse sweep.
type tape struct {
	order  []*Node // operands before users
	wanted map[*Node]bool
	leaf   map[*Node]bool
	grads  map[*Node]*Node
	parts  map[*Node][]*Node       // that grads are the sums of
	picked map[*Node]map[int]*Node // of ops with several results: their derivatives
}

func newTape(ys, xs []*Node) *tape {
	t := &tape{wanted: map[*Node]bool{}, leaf: map[*Node]bool{}, grads: map[*Node]*Node{}, parts: map[*Node][]*Node{},
		picked: map[*Node]map[int]*Node{}}
	for _, x := range xs {
		t.wanted[x], t.leaf[x] = true, true
	}
	seen := map[*Node]bool{}
	for _, y := range ys {
		ir.Walk(y, seen, t.through, func(n *Node) {
			for _, in := range t.through(n) {
				t.wanted[n] = t.wanted[n] || t.wanted[in]
			}
			t.order = append(t.order, n)
		})
	}
	return t
}

// through gives the nodes that the derivative of n flows to: its operands, or
// the composition that stands for it.
func (t *tape) through(n *Node) []*Node {
	switch {
	case t.leaf[n] && n.op.placeholder:
		return nil
	case n.op.Results != nil && n.op.Grad != nil && !n.bad: // whatever the first result is
		return n.in
	case t.leaf[n] && t.wanted[n] && len(n.in) == 0, n.isFlat(), n.bad, !hasDerivative(n.dtype):
		return nil
	case n.compose() != nil && (n.op.Grad == nil || n.withComplex()):
		return []*Node{n.composition()}
	case n.op.Traits&Traits(ir.TraitAfter) != 0:
		return n.in[:1]
	}
	if of, i, ok := n.picked(); ok && of.op.Grad == nil {
		return []*Node{of.compositions()[i]}
	}
	return n.in
}

// compositions are the nodes that compute the results of n from simpler ops, built once.
func (n *Node) compositions() []*Node {
	if n.expansion == nil {
		n.expansion = expand(n)
	}
	return n.expansion
}

// composition is the only element of compositions for a node with one result.
func (n *Node) composition() *Node { return n.compositions()[0] }

// standsFor is the node that computes n from simpler ops, or nil for a primitive.
func (n *Node) standsFor() *Node {
	if n.bad {
		return nil
	}
	if n.compose() != nil {
		return n.composition()
	}
	if of, i, ok := n.picked(); ok {
		return of.compositions()[i]
	}
	return nil
}

func (t *tape) accumulate(n, d *Node) {
	t.parts[n] = append(t.parts[n], d)
	if prev := t.grads[n]; prev != nil {
		d = Add(prev, d)
	}
	t.grads[n] = d
}

// run goes back from the nodes whose derivatives are set.
func (t *tape) run() {
	for _, n := range slices.Backward(t.order) {
		d := t.joinedParts(n, t.grads[n])
		if d == nil || !t.wanted[n] || len(t.through(n)) == 0 {
			continue
		}
		if !t.flows(n) {
			continue
		}
		g := n.graph
		g.scope = append(g.scope, scope{name: "d(" + n.scope + ")", caller: n.caller})
		switch {
		case n.op.Grad != nil && !(n.withComplex() && n.compose() != nil):
			n.op.Grad(&Back{node: n, grad: d, tape: t})
		case n.compose() != nil:
			t.accumulate(n.composition(), d)
		default:
			because := ""
			if n.op.NoGrad != "" {
				because = ": " + n.op.NoGrad
			}
			g.fail(n.op.Name, n.in, fmt.Errorf("the op is not differentiable%s (cut the path with ops.StopGradient)", because))
		}
		g.scope = g.scope[:len(g.scope)-1]
	}
}

// pick adds d to the derivative of result i of n, an op with several.
func (t *tape) pick(n *Node, i int, d *Node) {
	all := t.picked[n]
	if all == nil {
		all = map[int]*Node{}
		t.picked[n] = all
	}
	if prev := all[i]; prev != nil {
		d = Add(prev, d)
	}
	all[i], t.grads[n] = d, d
}

// flows reports whether any operand of n leads to a wanted x.
func (t *tape) flows(n *Node) bool {
	return slices.ContainsFunc(t.through(n), func(in *Node) bool { return t.wanted[in] })
}

// sumTo undoes a broadcast: it sums d over the axes along which shape was
// stretched.
func sumTo(d *Node, shape []int) *Node {
	if d.bad || slices.Equal(d.shape, shape) {
		return d
	}
	lead := len(d.shape) - len(shape)
	var axes []int
	for a, n := range d.shape {
		if a < lead || shape[a-lead] != n {
			axes = append(axes, a)
		}
	}
	return Reshape(Sum(d, axes...), shape...)
}

// limited is x within [-bound, bound], for rules in which an infinite x would
// meet a factor 0. The derivative beyond is 0.
func limited(x *Node, bound float64) *Node {
	return Minimum(Maximum(x, ScalarLike(x, -bound)), ScalarLike(x, bound))
}

func zerosLike(x *Node) *Node {
	if x.bad {
		return x
	}
	return zerosIn(x.graph, x.dtype, x.shape)
}

// ScalarLike is the constant v as a scalar of x's dtype, to be combined with x
// by broadcasting:
//
//	y := ops.Mul(x, ops.ScalarLike(x, 0.5))
//
// For integer dtypes v is truncated and saturated; for bool it is v != 0.
func ScalarLike(x *Node, v float64) *Node {
	if x == nil || x.bad {
		return apply("scalar_like", nil, x)
	}
	return scalarConst(x.graph, x.dtype, v)
}

var _ = define(Op{Name: "scalar_like", Operands: operandsAny, Result: same, hidden: true})

func scalarConst(g *Graph, dt tensor.DType, v float64) *Node {
	if d, open := g.openNumber(v); open {
		return g.sizeNode(dt, d)
	}
	t, err := tensor.Cast(tensor.Scalar(v), dt)
	if err != nil {
		return g.fail("const", nil, err)
	}
	return g.Const(t)
}
