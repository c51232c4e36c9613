package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Ops with several results: a node stands for all of them, of the shape and
// dtype of the first, and nobody reads it but picks.

// pickOf is result i of n.
func pickOf(n *Node, i int) *Node { return applyIn(n.graph, "pick", ir.PickAttr{I: i}, n) }

// picks are all results of n, count of them; where it failed, each of them is n.
func picks(n *Node, count int) []*Node {
	all := slices.Repeat([]*Node{n}, count)
	if n.bad || n.op.Results == nil {
		return all
	}
	for i := range all {
		all[i] = pickOf(n, i)
	}
	return all
}

// resultsOf are the dtypes and shapes of all results of a node that has several; the rule has passed already.
func resultsOf(n *Node) []Result {
	all, _ := n.op.Results(n.call())
	return all
}

// picked is the node of which n is a result, if its op has a composition.
func (n *Node) picked() (of *Node, i int, ok bool) {
	of, i, ok = n.result()
	if !ok || of.op.ComposeAll == nil {
		return nil, 0, false
	}
	return of, i, true
}

// result reports whether n is result i of the op of, which has several.
func (n *Node) result() (of *Node, i int, ok bool) {
	if n.op.kind != ir.KindPick || n.bad {
		return nil, 0, false
	}
	return n.in[0], n.attr.(ir.PickAttr).I, true
}

var _ = define(Op{
	Name: "pick", Operands: operandX, Attributes: AttributesOf[ir.PickAttr](), hidden: true, kind: ir.KindPick,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		r := resultsOf(c.In[0])[c.Attr.(ir.PickAttr).I]
		return r.Shape, r.DType, nil
	},
	Grad: func(b *Back) {
		of, i, what := b.node.in[0], b.Attr().(ir.PickAttr).I, "%s has no derivative"
		switch {
		case of.op.Grad != nil: // with the derivatives of the other results, when the tape comes to it
			b.tape.pick(of, i, b.grad)
			return
		case of.op.ComposeAll != nil:
			b.tape.accumulate(of.compositions()[i], b.grad)
			return
		case of.op.NoGrad != "":
			what = "%s has no derivative: " + of.op.NoGrad
		}
		b.node.graph.fail(of.scope, of.in, fmt.Errorf(what+" (cut the path with ops.StopGradient)", of.op.Name))
	},
})
