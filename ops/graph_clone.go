package ops

import (
	"github.com/anycl/anycl/internal/ir"
)

// cloner copies the nodes of a region into the one that is being built.
type cloner struct {
	graph   *Graph
	from    *region
	part    bool            // only a part of the region is copied: other nodes that it reads stay
	made    map[*Node]*Node // those that are to be put in place of others, and the copies
	regions map[*region]*region
}

func newCloner(g *Graph, from *region) *cloner {
	return &cloner{graph: g, from: from, made: map[*Node]*Node{}, regions: map[*region]*region{from: g.region}}
}

// inside reports whether n is in the region that is copied, or in one in it.
func (c *cloner) inside(n *Node) bool {
	if c.part && (n.before() || n.op.kind == ir.KindParam && n.region == c.from) {
		return false
	}
	for r := n.region; r != c.from; r = r.parent {
		if r == nil {
			return false
		}
	}
	return true
}

// before reports whether n is there before anything runs.
func (n *Node) before() bool {
	return n.op.kind == ir.KindInput || n.op.kind == ir.KindConst || n.op.kind == ir.KindVariable
}

// region is the copy of r.
func (c *cloner) region(r *region) *region {
	if to, ok := c.regions[r]; ok {
		return to
	}
	to := &region{parent: c.region(r.parent), op: r.op, caller: r.caller, loop: r.loop}
	c.regions[r] = to
	return to
}

// node is the copy of n; n itself where it stands outside.
func (c *cloner) node(n *Node) *Node {
	seen := map[*Node]bool{}
	for x := range c.made {
		seen[x] = true
	}
	ir.Walk(n, seen, c.deps, func(n *Node) {
		if c.made[n] == nil && c.inside(n) {
			c.made[n] = c.copy(n)
		}
	})
	return c.of(n)
}

func (c *cloner) of(n *Node) *Node {
	if to := c.made[n]; to != nil {
		return to
	}
	return n
}

func (c *cloner) all(nodes []*Node) (out []*Node) {
	for _, n := range nodes {
		out = append(out, c.of(n))
	}
	return out
}

// deps are the nodes that must be copied before n.
func (c *cloner) deps(n *Node) []*Node {
	if !c.inside(n) {
		return nil
	}
	deps := append([]*Node(nil), n.in...)
	if !n.bad && n.isComposed() { // random numbers in it are to be the same
		deps = append(deps, n.compositions()...)
	}
	if n.op.kind == ir.KindControl && !n.bad {
		for _, r := range n.attr.(*control).regions {
			deps = append(append(deps, r.params...), r.roots()...)
		}
	}
	return deps
}

func (c *cloner) copy(n *Node) *Node {
	to := *n
	to.in, to.region, to.id = c.all(n.in), c.region(n.region), len(c.graph.nodes)
	if n.expansion != nil {
		to.expansion = c.all(n.expansion)
	}
	switch a := n.attr.(type) {
	case *control:
		if n.op.kind == ir.KindControl {
			to.attr = c.control(a)
		}
	case ir.RandomAttr:
		if c.part { // a buffer of numbers is not kept either
			a.Again = to.id
			to.attr = a
		}
	}
	c.graph.nodes = append(c.graph.nodes, &to)
	return &to
}

func (c *cloner) control(a *control) *control {
	to := *a
	to.regions = nil
	to.Outs = append([]ir.Outcome(nil), a.Outs...)
	for _, r := range a.regions {
		own := c.region(r)
		own.params, own.results, own.rows = c.all(r.params), c.all(r.results), c.all(r.rows)
		if r.index != nil {
			own.index = c.of(r.index)
		}
		if r.cond != nil {
			own.cond = c.of(r.cond)
		}
		for _, w := range r.writes {
			own.writes = append(own.writes, write{c.of(w.row), c.of(w.at), w.total})
		}
		to.regions = append(to.regions, own)
	}
	return &to
}
