package ops

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
)

// Methods for packages that write graphs in another form, beside [Node.Op], [Node.Operands] and [Node.Attr].

// Parts are the nodes that compute the results of n from simpler ops, one for each result, as the composition of its op builds
// them; nil where it has none. They are added to the graph when they are first asked for.
func (n *Node) Parts() []*Node {
	if n == nil || n.bad || !n.op.composed() {
		return nil
	}
	return slices.Clone(n.compositions())
}

// Caller is the line of the program that made n: "train.go:41".
func (n *Node) Caller() string { return n.caller }

// Region is a branch or the body of a loop.
type Region struct {
	// Params stand for the values that a loop carries, as an iteration finds them.
	Params []*Node
	// Results are the results of a branch, or the values for the next iteration of a loop.
	Results []*Node
	// Cond says whether there is an iteration, computed from Params; nil where they are counted.
	Cond *Node
	// Rows are put into results of a loop, each row At the number of one.
	Rows []RegionRow
}

// RegionRow is the value Row that an iteration puts into row At of a result.
type RegionRow struct{ Row, At *Node }

// Control describes a branch or a loop. The operands of its node are the initial values, Carried of them, or the predicate of a
// branch, and then all nodes outside of the regions that these read.
type Control struct {
	Carried int
	// Trips is the number of iterations of a loop that is counted, else -1.
	Trips int
	// Limit bounds the iterations of another; 0: nothing does.
	Limit   int
	Regions []Region // both branches, or the body
	Results []ControlResult
}

// ControlResult is the value I of a branch or of those that a loop carries, or of its Rows.
type ControlResult struct {
	I   int
	Row bool
}

// Control describes n where its op is a branch or a loop.
func (n *Node) Control() (c Control, ok bool) {
	a, ok := n.attr.(*control)
	if !ok || n.bad || n.op.kind != ir.KindControl {
		return c, false
	}
	c = Control{Carried: a.Carried, Trips: a.Trips, Limit: a.Limit}
	for _, r := range a.regions {
		x := Region{Params: slices.Clone(r.params), Results: slices.Clone(r.results), Cond: r.cond}
		for _, w := range r.writes {
			x.Rows = append(x.Rows, RegionRow{w.row, w.at})
		}
		c.Regions = append(c.Regions, x)
	}
	for _, o := range a.Outs {
		c.Results = append(c.Results, ControlResult{o.I, o.Write})
	}
	return c, true
}

// With is the call that n is, with its attributes, of other operands, which may be of another graph. Errors are those of the op, recorded
// in that graph.
func (n *Node) With(in ...*Node) *Node { return apply(n.op.Name, n.attr, in...) }

// Sized returns nodes, which are of g, built with these sizes as open extents: nodes of another graph, which has numbers as extents and the
// same variables. Of a graph without open extents it returns nodes as they are. Errors: a size lacks, or is none of an extent that nodes
// need; a size that does not fit.
func (g *Graph) Sized(sizes Sizes, nodes ...*Node) ([]*Node, error) {
	if err := g.Err(); err != nil {
		return nil, err
	}
	if g.open == nil {
		if len(sizes) > 0 {
			return nil, fmt.Errorf("ops: sized %q: the graph has no open sizes", g.name)
		}
		return slices.Clone(nodes), nil
	}
	p, err := g.plansOf(nil, Target{Outputs: nodes})
	if err != nil {
		return nil, err
	}
	key, err := p.keyOf(sizes)
	if err != nil {
		return nil, err
	}
	known := map[int]int{}
	for i, d := range p.bases {
		known[d] = key[i]
	}
	r := newReplay(g, known)
	out := r.nodes(nodes)
	return out, r.to.Err()
}

// OpenExtent is an extent of inputs that is open.
type OpenExtent struct {
	Name string // as in [Sizes]
	Most int    // the bound that [DimUpTo] was given; 0: none
}

// OpenExtents are the open extents of the inputs that nodes, which are of g, need: those of which [Graph.Sized] wants the sizes.
func (g *Graph) OpenExtents(nodes ...*Node) []OpenExtent {
	if g.open == nil {
		return nil
	}
	p, err := g.plansOf(nil, Target{Outputs: nodes})
	if err != nil {
		return nil
	}
	all := make([]OpenExtent, len(p.bases))
	for i, h := range p.bases {
		d, _ := dims.of(h)
		all[i] = OpenExtent{d.name, d.most}
	}
	return all
}

// mark is the same for graphs that are built alike, in every process: of the ops, their operands, dtypes and shapes. Others may
// have it too, such as those whose attributes differ.
func (g *Graph) mark() string {
	h := sha256.New()
	var b []byte
	for _, n := range g.nodes {
		b = append(append(b[:0], n.op.Name...), 0, byte(n.dtype))
		for _, d := range n.shape {
			b = binary.AppendVarint(b, int64(d))
		}
		b = append(b, 0)
		for _, in := range n.in {
			b = binary.AppendVarint(b, int64(in.id))
		}
		h.Write(append(b, 0))
	}
	return hex.EncodeToString(h.Sum(nil))
}
