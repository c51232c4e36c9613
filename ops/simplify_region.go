package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
)

// deps are the nodes of the enclosing graph that n, a control, reads: its operands, and
// nodes of an iteration that are the same in each.
func (s *simplifier) deps(n *Node) []*Node {
	if n.op.kind != ir.KindControl || n.bad {
		return primitives(n)
	}
	all := slices.Clone(n.in)
	for _, r := range n.attr.(*control).regions {
		f := r.frontier()
		s.frontiers[r] = f
		all = append(all, f...)
	}
	return all
}

// unchanged reports whether value k of r is handed on as it is.
func (r *region) unchanged(k int) bool { return r.loop && r.results[k] == r.params[k] }

// frontier are the nodes that r reads and the enclosing graph is to compute: its own nodes,
// and in a loop the nodes of r that depend on nothing else. Views cost nothing and are left to
// the region, which then reads no more than it needs.
func (r *region) frontier() (all []*Node) {
	constant := r.constants()
	met := map[*Node]bool{}
	for _, n := range r.roots() {
		ir.Walk(n, met, func(n *Node) []*Node {
			if r.ends(n) || constant(n) && n.moves() {
				return nil
			}
			return r.own(n)
		}, func(n *Node) {
			if n.region != r || constant(n) && n.moves() {
				all = append(all, n)
			}
		})
	}
	return all
}

// constants returns a function that reports whether a node is the same in all iterations of r, or stands outside.
func (r *region) constants() func(n *Node) bool {
	same := map[*Node]bool{}
	seen := map[*Node]bool{}
	return func(n *Node) bool {
		ir.Walk(n, seen, r.own, func(n *Node) {
			same[n] = n.region != r
			if n.region != r || !r.loop || n.op.kind == ir.KindControl || n.op.kind == ir.KindParam {
				return
			}
			same[n] = !slices.ContainsFunc(r.own(n), func(x *Node) bool { return !same[x] })
		})
		return same[n]
	}
}

// own are the nodes that n, of r, is computed from; none where n is not of r.
func (r *region) own(n *Node) []*Node {
	if n.region != r {
		return nil
	}
	return primitives(n)
}

// ends reports whether r is left at n.
func (r *region) ends(n *Node) bool { return n.region != r || n.op.kind == ir.KindParam }

// moves reports whether n, which is the same in each iteration, is better computed before
// the loop: any node but those that cost nothing.
func (n *Node) moves() bool {
	return (n.op.View == nil || n.op.Traits&TraitMaterialize != 0) && n.op.kind != ir.KindIota
}

// control translates the regions of n, whose operands are translated.
func (s *simplifier) control(n *Node) *ir.Node {
	c := n.attr.(*control)
	a := &ir.Control{ControlInfo: &c.ControlInfo, Loop: c.regions[0].loop}
	out := s.translate(n)
	out.Attr = a
	for _, x := range n.in[:c.Carried] {
		out.In = append(out.In, s.done[x])
	}
	for _, r := range c.regions {
		a.Regions = append(a.Regions, s.region(out, r))
	}
	return out
}

// region translates r. Nodes of the enclosing graph that r reads become operands of owner.
func (s *simplifier) region(owner *ir.Node, r *region) *ir.Region {
	in := newSimplifier(s.places)
	leaf := func(x *ir.Node) *ir.Node {
		if !slices.Contains(owner.In[owner.Attr.(*ir.Control).Carried:], x) {
			owner.In = append(owner.In, x)
		}
		return in.leaf(x)
	}
	enter := func(x *Node, as *ir.Node) { in.seen[x], in.done[x] = true, as }
	out := &ir.Region{Params: make([]*ir.Node, len(r.params))}
	for k, p := range r.params {
		if r.unchanged(k) {
			enter(p, in.imported(owner.In[k], leaf))
			continue
		}
		out.Params[k] = in.translate(p)
		enter(p, out.Params[k])
	}
	for _, x := range s.frontiers[r] {
		enter(x, in.imported(s.done[x], leaf))
	}
	if r.cond != nil {
		out.Cond = in.simplify(r.cond)
	}
	for _, x := range r.results {
		out.Results = append(out.Results, in.simplify(x))
	}
	for _, w := range r.writes {
		out.Writes = append(out.Writes, ir.Write{Row: in.simplify(w.row), At: in.simplify(w.at), Total: w.total})
	}
	return out
}

// imported is x, a node of the enclosing graph, within a region: scalars and views are built anew, every
// other node is a leaf.
func (s *simplifier) imported(x *ir.Node, leaf func(*ir.Node) *ir.Node) *ir.Node {
	free := x.FreeView() && x.Where == ir.Anywhere
	if !free && x.Op.Kind != ir.KindIota && (x.Op.Kind != ir.KindConst || x.InBuffer()) {
		return leaf(x)
	}
	c := *x
	c.In = make([]*ir.Node, len(x.Reads()))
	for i, y := range x.Reads() { // what x is to come after does, as all around the region
		c.In[i] = s.imported(y, leaf)
	}
	c.ID = s.next
	s.next++
	return s.unique(&c)
}

// leaf stands for x, a node of the enclosing graph.
func (s *simplifier) leaf(x *ir.Node) *ir.Node {
	key := fmt.Sprintf("leaf|%p", x)
	if n := s.known[key]; n != nil {
		return n
	}
	n := &ir.Node{
		ID: s.next, Op: opNamed("param").lower(), Attr: ir.LeafAttr{Outer: x}, Shape: x.Shape, DType: x.DType,
		Caller: x.Caller, Scope: x.Scope, Label: x.Label, Origin: x.Origin,
	}
	s.next++
	s.known[key] = n
	return n
}
