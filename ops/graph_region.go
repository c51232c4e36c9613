package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// region is a part of a graph that its owner, a branch or a loop, runs as often as it
// finds. Its nodes may read all that stands around it; nothing outside may read them.
type region struct {
	parent *region // nil: around it is the graph itself
	op     string
	caller string
	loop   bool
	params []*Node // values that a loop carries, as an iteration finds them
	index  *Node   // one of params: the number of the iteration; nil while nobody wants it
	cond   *Node   // whether there is an iteration; nil where they are counted
	// results are the results of a branch, or the values for the next iteration of a loop.
	results []*Node
	writes  []write
	rows    []*Node // gathers that read one row of a value from outside
}

// write puts a value of each iteration into a row of a result.
type write struct {
	row, at *Node
	total   bool // every row is written
}

// control describes a branch or a loop, and is the attribute of its node.
type control struct {
	ir.ControlInfo
	regions []*region // both branches, or the body
}

// within runs f, so that the nodes that it builds belong to r.
func (g *Graph) within(r *region, f func()) {
	before := g.region
	g.region = r
	defer func() { g.region = before }()
	f()
}

// sees reports whether a node that is built now may read n.
func (g *Graph) sees(n *Node) bool {
	for r := g.region; r != n.region; r = r.parent {
		if r == nil {
			return false
		}
	}
	return true
}

// ended is the mistake of reading n outside of its region.
func ended(n *Node) error {
	return fmt.Errorf("%s ends with its region, of %s at %s: return it from there", n.label(), n.region.op, n.region.caller)
}

// param adds a value that r carries.
func (r *region) param(g *Graph, dt tensor.DType, shape []int) *Node {
	var p *Node
	g.within(r, func() { p = g.add(opNamed("param"), ir.ParamAttr{I: len(r.params)}, nil, shape, dt) })
	r.params = append(r.params, p)
	return p
}

var _ = define(Op{Name: "param", Traits: TraitDistinct, hidden: true, kind: ir.KindParam})

// number is the number of the iteration of r, a loop, from 0.
func (r *region) number(g *Graph) *Node {
	if r.index == nil {
		r.index = r.param(g, tensor.Int64, nil)
	}
	return r.index
}

// numbers are the iteration numbers of the loops around the node that is built now, the outermost first.
func (g *Graph) numbers() (all []*Node) {
	for r := g.region; r != nil; r = r.parent {
		if r.loop {
			all = append(all, r.number(g))
		}
	}
	slices.Reverse(all)
	return all
}

// count makes n, a loop, carry the number of its iterations, if anybody wants it.
func (n *Node) count() {
	c := n.attr.(*control)
	r := c.regions[0]
	if r.index == nil || len(r.results) == len(r.params) {
		return
	}
	g := n.graph
	var zero *Node
	g.within(r.parent, func() { zero = scalarConst(g, tensor.Int64, 0) })
	n.in = slices.Insert(n.in, c.Carried, zero)
	g.within(r, func() { r.results = append(r.results, Add(r.index, ScalarLike(r.index, 1))) })
	c.Carried++
}

// unfold writes out the compositions in r: random numbers in them need the numbers of the loops
// around while these are built.
func (r *region) unfold() {
	seen := map[*Node]bool{}
	for _, n := range r.roots() {
		ir.Walk(n, seen, func(n *Node) []*Node {
			if n.region != r || n.bad {
				return nil
			}
			return primitives(n)
		}, func(*Node) {})
	}
}

// roots are the nodes of r that its owner asks for.
func (r *region) roots() (all []*Node) {
	if r.cond != nil {
		all = append(all, r.cond)
	}
	all = append(all, r.results...)
	for _, w := range r.writes {
		all = append(all, w.row, w.at)
	}
	return all
}

// around are the nodes outside of r that it reads, in the order in which they are met.
func (r *region) around() (all []*Node) {
	seen := map[*Node]bool{}
	for _, n := range r.roots() {
		ir.Walk(n, seen, func(n *Node) []*Node {
			if n.region != r {
				return nil
			}
			return n.in
		}, func(n *Node) {
			if n.region != r {
				all = append(all, n)
			}
		})
	}
	return all
}

// ownerOf is owner for regions whose compositions are not written out yet.
func (g *Graph) ownerOf(name string, c *control, in []*Node) *Node {
	for _, r := range c.regions {
		if g.open == nil { // else when sizes are known
			r.unfold()
		}
		if r.index != nil && len(r.results) < len(r.params) { // the number counts as a carried value
			g.within(r, func() { r.results = append(r.results, Add(r.index, 1)) })
			in = append(slices.Clone(in), scalarConst(g, tensor.Int64, 0))
		}
	}
	return g.owner(name, c, in)
}

// owner adds the node of c. Its operands are those given, and the nodes that its regions read.
func (g *Graph) owner(name string, c *control, in []*Node) *Node {
	c.Stats = new(ir.FlowStats)
	c.Carried = len(in)
	in = slices.Clone(in)
	for _, r := range c.regions {
		for _, n := range r.around() {
			if !slices.Contains(in[c.Carried:], n) {
				in = append(in, n)
			}
		}
	}
	return applyIn(g, name, c, in...)
}

// outcome is the result of n, a control, that o names.
func (n *Node) outcome(o ir.Outcome) *Node {
	if n.bad {
		return n
	}
	c := n.attr.(*control)
	i := slices.Index(c.Outs, o)
	if i < 0 {
		i = len(c.Outs)
		c.Outs = append(c.Outs, o)
	}
	var p *Node
	n.graph.within(n.region, func() { p = pickOf(n, i) })
	return p
}

// controlResults are the shapes and dtypes of all outcomes that were asked for.
func controlResults(call *Call) ([]Result, error) {
	c := call.Attr.(*control)
	r := c.regions[0]
	out := make([]Result, len(c.Outs))
	for i, o := range c.Outs {
		if !o.Write {
			out[i] = Result{r.results[o.I].dtype, r.results[o.I].shape}
			continue
		}
		row := r.writes[o.I].row
		out[i] = Result{row.dtype, slices.Concat([]int{c.Rows()}, row.shape)}
	}
	return out, nil
}

// checkValues reports mistakes in values that a function of the caller's returned.
func (g *Graph) checkValues(r *region, what string, values []*Node) error {
	for i, n := range values {
		switch {
		case n == nil:
			return fmt.Errorf("%s %d is nil", what, i)
		case n.graph != g:
			if n.graph.nowhere {
				g.adopt(n.graph)
			}
			return fmt.Errorf("%s %d, %v, belongs to graph %q", what, i, n, n.graph.name)
		}
		var seen bool
		g.within(r, func() { seen = g.sees(n) })
		if !seen {
			return ended(n)
		}
	}
	return nil
}

// isPredicate checks that n can be a predicate.
func isPredicate(n *Node) error {
	switch {
	case n == nil:
		return errors.New("the predicate is nil")
	case !n.bad && (n.dtype != tensor.Bool || len(n.shape) != 0):
		return fmt.Errorf("the predicate is %v%v, not a bool scalar", n.dtype, n.shape)
	}
	return nil
}

// anyBad reports whether one of nodes has failed, which was reported where it happened.
func anyBad(nodes []*Node) bool {
	return slices.ContainsFunc(nodes, func(n *Node) bool { return n.bad })
}

// graphOf is the graph of the first of nodes that has one.
func graphOf(nodes ...*Node) (g *Graph) {
	for _, n := range nodes {
		// A function that is called again for a replay may have kept nodes of the original graph: the graph of the replay takes precedence.
		if n != nil && (g == nil || g.nowhere || n.graph.replays != nil && n.graph.replays.from == g) {
			g = n.graph
		}
	}
	return g
}
