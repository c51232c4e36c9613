package ops

import (
	"fmt"
	"slices"
)

// simpleControl is a control in a simplified graph: its regions have nodes of their own,
// and read what is around through leaves.
type simpleControl struct {
	*control
	regions []*simpleRegion
}

type simpleRegion struct {
	params  []*Node // leaves; nil for a value that no iteration changes
	cond    *Node
	results []*Node
	writes  []write
}

// leafAttr is the attribute of a leaf that reads a node of the graph around.
type leafAttr struct{ outer *Node }

// deps are the nodes of the graph around that n, a control, reads: what it was given, and
// what an iteration computes that is the same in each.
func (s *simplifier) deps(n *Node) []*Node {
	if n.op.lower != lowerControl || n.bad {
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

// frontier are the nodes that r reads and the graph around is to compute: those that stand
// there, and in a loop those that read nothing else. Views cost nothing and are left to
// the region, which then reads no more than it needs.
func (r *region) frontier() (all []*Node) {
	same := map[*Node]bool{}
	seen := map[*Node]bool{}
	constant := func(n *Node) bool {
		walkDown(n, seen, r.own, func(n *Node) {
			same[n] = n.region != r
			if n.region != r || !r.loop || n.op.lower == lowerControl || n.op.lower == lowerParam {
				return
			}
			same[n] = !slices.ContainsFunc(r.own(n), func(x *Node) bool { return !same[x] })
		})
		return same[n]
	}
	met := map[*Node]bool{}
	for _, n := range r.roots() {
		walkDown(n, met, func(n *Node) []*Node {
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

// own are the nodes that n, of r, is made of; none where n is not of r.
func (r *region) own(n *Node) []*Node {
	if n.region != r {
		return nil
	}
	return primitives(n)
}

// ends reports whether r is left at n.
func (r *region) ends(n *Node) bool { return n.region != r || n.op.lower == lowerParam }

// moves reports whether n, which is the same in each iteration, is better computed before
// the loop: anything but what costs nothing.
func (n *Node) moves() bool { return n.op.view == nil && n.op.lower != lowerIota }

// control simplifies the regions of n, whose operands are simplified.
func (s *simplifier) control(n *Node) *Node {
	c := n.attr.(*control)
	a := &simpleControl{control: c}
	out := *n
	out.in, out.origin, out.attr = nil, n, a
	out.id, out.where = s.next, s.places[n]
	s.next++
	for _, x := range n.in[:c.carried] {
		out.in = append(out.in, s.done[x])
	}
	for _, r := range c.regions {
		a.regions = append(a.regions, s.region(&out, n, r))
	}
	return &out
}

// region simplifies r. What it reads of the graph around becomes an operand of owner.
func (s *simplifier) region(owner, n *Node, r *region) *simpleRegion {
	in := newSimplifier(s.places)
	leaf := func(x *Node) *Node {
		if !slices.Contains(owner.in[n.attr.(*control).carried:], x) {
			owner.in = append(owner.in, x)
		}
		return in.leaf(x)
	}
	enter := func(x *Node, as *Node) { in.seen[x], in.done[x] = true, as }
	out := &simpleRegion{params: make([]*Node, len(r.params))}
	for k, p := range r.params {
		if r.unchanged(k) {
			enter(p, in.imported(owner.in[k], leaf))
			continue
		}
		q := *p
		q.id, q.origin = in.next, p
		in.next++
		out.params[k] = &q
		enter(p, &q)
	}
	for _, x := range s.frontiers[r] {
		enter(x, in.imported(s.done[x], leaf))
	}
	if r.cond != nil {
		out.cond = in.simplify(r.cond)
	}
	for _, x := range r.results {
		out.results = append(out.results, in.simplify(x))
	}
	for _, w := range r.writes {
		out.writes = append(out.writes, write{in.simplify(w.row), in.simplify(w.at), w.total})
	}
	return out
}

// imported is x, of the graph around, within a region: scalars and views are made anew, all
// else is a leaf.
func (s *simplifier) imported(x *Node, leaf func(*Node) *Node) *Node {
	free := x.op.view != nil && x.op.Name != "keep" && x.op.Name != "alike" && x.where == Auto
	if !free && x.op.lower != lowerIota && (x.op.lower != lowerConst || x.inBuffer()) {
		return leaf(x)
	}
	c := *x
	c.in = make([]*Node, len(x.in))
	for i, y := range x.in {
		c.in[i] = s.imported(y, leaf)
	}
	c.id = s.next
	s.next++
	return s.unique(&c)
}

// leaf stands for x of the graph around.
func (s *simplifier) leaf(x *Node) *Node {
	key := fmt.Sprintf("leaf|%p", x)
	if n := s.known[key]; n != nil {
		return n
	}
	n := &Node{
		graph: x.graph, id: s.next, op: table["param"], attr: leafAttr{x}, shape: x.shape, dtype: x.dtype,
		caller: x.caller, scope: x.scope, origin: x.origin,
	}
	s.next++
	s.known[key] = n
	return n
}
