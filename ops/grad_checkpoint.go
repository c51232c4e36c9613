package ops

import (
	"errors"
	"slices"

	"github.com/anycl/anycl/internal/ir"
)

// Checkpoint returns f(in), of which a gradient keeps only the nodes that f reads: in the backward pass the nodes inside f are computed
// again, when the derivatives of its results are there. Values and derivatives have the same bits as those of f(in) alone as long as both
// are computed by the same kernels.
//
//	h = ops.Checkpoint(block, h)[0]   // for each of n blocks
//
// needs the memory of n results and of the inside of one block instead of n, for about the time of one more forward
// pass; with √n blocks the memory for a chain of n layers grows like √n. f may read nodes
// outside of it, which are kept as in is, and checkpoints may be nested. Random numbers in f are the same the second time.
//
// f is called once, while the graph is built. Without a gradient a checkpoint costs nothing. Derivatives for a node inside of f are
// computed without it. Errors: no operands; f returns nothing, or nodes of another graph.
// Source: Chen et al., Training Deep Nets with Sublinear Memory Cost (2016); PyTorch, torch.utils.checkpoint.
func Checkpoint(f func(in []*Node) []*Node, in ...*Node) []*Node {
	const name = "checkpoint"
	g := graphOf(in...)
	if f == nil {
		return []*Node{g.fail(name, in, errors.New("the function is nil"))}
	}
	mark := 0
	if g != nil {
		mark = len(g.nodes)
	}
	out, ok := called(name, f, in)
	if !ok {
		return out
	}
	around := readAround(out, func(n *Node) bool { return n.id < mark || n.before() })
	return picks(applyIn(graphOf(out...), name, checkpointAttr{len(out)}, slices.Concat(out, around)...), len(out))
}

// readAround are the kept nodes among those that out is computed from, constants excepted.
func readAround(out []*Node, kept func(n *Node) bool) (all []*Node) {
	seen := map[*Node]bool{}
	for _, n := range out {
		ir.Walk(n, seen, func(n *Node) []*Node {
			if kept(n) {
				return nil
			}
			return n.in
		}, func(n *Node) {
			if kept(n) && n.op.kind != ir.KindConst {
				all = append(all, n)
			}
		})
	}
	return all
}

// checkpointAttr says how many of the operands of a checkpoint are its results. The other operands are the nodes that the results are
// computed from.
type checkpointAttr struct{ Results int }

var _ = define(Op{
	Name: "checkpoint", Operands: operandsAny, Attributes: AttributesOf[checkpointAttr](), hidden: true,
	Results:    func(c *Call) ([]Result, error) { return typesOf(c.In[:c.Attr.(checkpointAttr).Results]), nil },
	ComposeAll: func(c *Call) []*Node { return slices.Clone(c.In[:c.Attr.(checkpointAttr).Results]) },
	Grad:       gradCheckpoint,
})

// again is x as a second computation reads it, which begins after the other operands are computed.
var _ = define(Op{
	Name: "again", Traits: Traits(ir.TraitAfter), Operands: []Operand{{Name: "x", DTypes: every},
		{Name: "after", DTypes: every, Optional: true, Repeated: true}},
	hidden: true, placeholder: true, Result: same, View: identityView,
	Grad: func(b *Back) { b.Add(0, b.Grad()) },
})

// gradCheckpoint differentiates a copy of the nodes inside the checkpoint, which computes them again from the kept nodes.
func gradCheckpoint(b *Back) {
	n, t := b.node, b.tape
	k := n.attr.(checkpointAttr).Results
	out, kept := n.in[:k], n.in[k:]
	var outs, ds []*Node
	for i, x := range out {
		if d := t.picked[n][i]; d != nil {
			outs, ds = append(outs, x), append(ds, d)
		}
	}
	if t.leafOf(out, kept) != nil { // a derivative for a node inside is wanted
		for i, d := range ds {
			t.accumulate(outs[i], d)
		}
		return
	}
	cl := newCloner(n.graph, n.region)
	cl.part = true
	var leaves, like []*Node
	for _, x := range kept {
		y := gradientPlaceholder(x)
		if x.op.kind != ir.KindVariable { // nodes computed from variables alone, as a packed matrix, are the same for both passes
			y = apply("again", nil, slices.Concat([]*Node{x}, ds)...)
		}
		if cl.made[x] = y; t.wanted[x] && x.dtype.IsFloat() {
			leaves, like = append(leaves, y), append(like, x)
		}
	}
	if anyBad(leaves) {
		return // a derivative has failed, which was said
	}
	for i, x := range outs {
		outs[i] = cl.node(x)
	}
	inner := newTape(outs, leaves)
	for i, y := range outs {
		inner.accumulate(y, ds[i])
	}
	inner.run()
	for i, x := range like { // part by part, so that they are summed in the order in which they are without a checkpoint
		for _, d := range inner.parts[leaves[i]] {
			t.accumulate(x, d)
		}
	}
}
