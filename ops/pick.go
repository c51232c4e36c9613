package ops

import (
	"fmt"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Ops with several results: a node stands for all of them, of the shape and
// dtype of the first, and nobody reads it but picks.

// pickOf is result i of n.
func pickOf(n *Node, i int) *Node { return applyIn(n.graph, "pick", ir.PickAttr{I: i}, n) }

// resultsOf are all results of a node that has several.
func resultsOf(n *Node) []Result { return n.op.results(&Call{Op: n.op, In: n.in, Attr: n.attr}) }

// firstResult is the rule of ops with several.
func firstResult(c *Call) ([]int, tensor.DType, error) {
	r := c.Op.results(c)[0]
	return r.Shape, r.DType, nil
}

var _ = define(Op{
	Name: "pick", Arity: 1, hidden: true, kind: ir.KindPick,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		r := resultsOf(c.In[0])[c.Attr.(ir.PickAttr).I]
		return r.Shape, r.DType, nil
	},
	Grad: func(b *Back) {
		of, what := b.node.in[0], "%s has no derivative"
		switch {
		case of.op.kind == ir.KindControl: // all at once, when it is come to
			b.tape.pick(of, b.node.attr.(ir.PickAttr).I, b.grad)
			return
		case of.op.Grad != nil:
			of.op.Grad(&Back{node: of, grad: b.grad, tape: b.tape})
			return
		case of.op.kind == ir.KindCustom:
			what = "a user's %s has no derivative"
		case of.op.kind == ir.KindAttention:
			what = "the gradient of %s has no derivative"
		}
		b.node.graph.fail(of.scope, of.in, fmt.Errorf(what+" (cut the path with ops.StopGradient)", of.op.Name))
	},
})
