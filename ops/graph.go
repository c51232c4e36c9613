package ops

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/store"
	"github.com/anycl/anycl/tensor"
)

// Graph is a list of operations on named tensors, built by calling functions
// on its nodes. Building never fails and never panics: a mistake is recorded
// with the line that made it, and [Graph.Compile] returns all of them, joined.
//
// A Graph and its nodes are for one goroutine at a time; an executable
// is safe for many.
type Graph struct {
	name    string
	seed    uint64
	nodes   []*Node
	errs    []error
	streams uint32
	scope   []scope
	region  *region // that nodes built now belong to; nil: none
	placed  bool    // Put was called
	depth   int     // of compositions within each other that are being built
	// nowhere marks the graph of ops that were given nothing but nil: its
	// mistakes belong to whichever graph their results reach.
	nowhere bool
	open    *openSizes // nil: every extent is a number
	replays *replay    // the graph with open sizes that this one is built of with numbers; nil: none
	caller  string     // of nodes that stand for others
	// complex are the complex numbers that inputs, constants and variables of pairs are to the user.
	complex map[*Node]*Node
}

// scope is the composite op whose parts are being built.
type scope struct {
	name   string
	caller string
	made   int // of the composite whose composition is being built; 0 for none
}

// NewGraph returns an empty graph. The name appears in errors and reports.
func NewGraph(name string) *Graph { return &Graph{name: name} }

// Name is the name that NewGraph was given.
func (g *Graph) Name() string { return g.name }

// Seed sets the key of all random numbers of g: two graphs built alike with
// the same seed draw the same numbers on every engine. The default is 0.
func (g *Graph) Seed(seed uint64) { g.seed = seed }

// Err returns the errors of building so far, joined, or nil.
func (g *Graph) Err() error { return joinErrors(g.name, g.errs) }

// Nodes yields the nodes of g, in the order in which they were built: a node comes after its operands. Parts of
// compositions are among them once something has asked for them, as a gradient or a compilation.
func (g *Graph) Nodes() iter.Seq[*Node] { return slices.Values(g.nodes) }

// Node is one value of a graph: a tensor of known shape and dtype that will be
// computed when an [Executable] runs. Functions of this package take and
// return nodes.
type Node struct {
	graph     *Graph
	id        int
	op        *Op
	in        []*Node
	attr      any
	shape     []int
	dtype     tensor.DType
	caller    string
	scope     string // the composite op that built it, or its own op's name
	made      int    // its place, from 1, among the user's calls: parts of a composition have that of the whole
	bad       bool   // its op failed: shape and dtype are unknown
	state     *store.Variable
	region    *region // the branch or loop that it belongs to, or nil
	where     Place   // where it must run
	expansion []*Node // see compositions
	depth     int     // how many compositions it is a part of
}

// Shape is a copy of the extents of n, outermost first; empty for a scalar. Extents that are open are handles, see [Dim].
func (n *Node) Shape() []int { return slices.Clone(n.shape) }

// DType is the element type of n.
func (n *Node) DType() tensor.DType { return n.dtype }

// Rank is the number of axes of n.
func (n *Node) Rank() int { return len(n.shape) }

// Dim is the extent of axis, counted from the end when negative. An axis that
// does not exist has extent 0. That of an open one is a handle, see [Dim].
func (n *Node) Dim(axis int) int {
	if axis < 0 {
		axis += len(n.shape)
	}
	if axis < 0 || axis >= len(n.shape) {
		return 0
	}
	return n.shape[axis]
}

// Size is the number of elements of n, or [Dynamic] where an extent is open.
func (n *Node) Size() int {
	if slices.ContainsFunc(n.shape, isOpen) {
		return Dynamic
	}
	return ir.Product(n.shape)
}

// Op is the op that makes n. An op with several results makes one node for all, which only nodes of the op "pick" read.
func (n *Node) Op() *Op { return n.op }

// Operands are the operands of n, in a new slice.
func (n *Node) Operands() []*Node { return slices.Clone(n.in) }

// Attr are the attributes of n, for the Attributes of its op to encode. Do not change what they hold.
func (n *Node) Attr() any { return n.attr }

// Graph is the graph that n belongs to.
func (n *Node) Graph() *Graph { return n.graph }

// String names the node for people: op, dtype, shape and caller's line.
func (n *Node) String() string {
	if n == nil {
		return "<nil node>"
	}
	if n.bad {
		return fmt.Sprintf("%s (failed) at %s", n.op.Name, n.caller)
	}
	return fmt.Sprintf("%s %v%s at %s", n.label(), n.dtype, shapeText(n.shape), n.caller)
}

// label is the name that reports use.
func (n *Node) label() string {
	if leaf := n.leaf(); leaf != n {
		return leaf.label()
	}
	switch a := n.attr.(type) {
	case inputAttr:
		return a.name
	case *store.Variable:
		return a.Name
	}
	return n.op.Name
}

// add appends a node; caller and scope come from the composite that is being
// built, if any.
func (g *Graph) add(op *Op, attr any, in []*Node, shape []int, dt tensor.DType) *Node {
	n := &Node{graph: g, id: len(g.nodes), op: op, in: slices.Clone(in), attr: attr, shape: slices.Clone(shape), dtype: dt, scope: op.Name,
		depth: g.depth}
	switch op.kind {
	case ir.KindInput, ir.KindConst, ir.KindVariable: // they are there before anything runs
	default:
		n.region = g.region
	}
	if k := len(g.scope); k > 0 {
		n.caller, n.scope = g.scope[k-1].caller, g.scopeName()
		n.made = g.scope[0].made
	} else if n.caller = g.caller; n.caller == "" {
		n.caller = callerLine()
	}
	g.nodes = append(g.nodes, n)
	if n.made == 0 {
		n.made = len(g.nodes)
	}
	return n
}

// scopeName is the name of the outermost composite that is being built; of a
// gradient, that of the op whose gradient it is, whatever asked for it.
func (g *Graph) scopeName() string {
	for _, s := range slices.Backward(g.scope) {
		if strings.HasPrefix(s.name, "d(") {
			return s.name
		}
	}
	return g.scope[0].name
}

// fail records err for op and returns a node on which everything else is silent.
func (g *Graph) fail(name string, in []*Node, err error) *Node {
	if g == nil {
		g = detached()
	}
	n := g.add(failed, nil, in, nil, tensor.Invalid)
	n.bad = true
	if len(g.scope) > 0 {
		name = g.scopeName()
	}
	if g.open != nil {
		err = named(err, func(d int) (string, bool) { return DimName(d), isOpen(d) })
	}
	g.errs = append(g.errs, &OpError{Op: name, Caller: n.caller, Operands: describe(in), Err: err})
	return n
}

// failedNode is a node that has failed, which was said elsewhere.
func (g *Graph) failedNode() *Node {
	n := g.add(failed, nil, nil, nil, tensor.Invalid)
	n.bad = true
	return n
}

// failed is the op of nodes that could not be made.
var failed = &Op{Name: "failed", Operands: operandsAny, hidden: true}

// detached is the graph of ops that were given nothing but nil.
func detached() *Graph { return &Graph{name: "detached", nowhere: true} }

// adopt takes over the mistakes of a detached graph.
func (g *Graph) adopt(from *Graph) {
	for _, err := range from.errs {
		if !slices.Contains(g.errs, err) {
			g.errs = append(g.errs, err)
		}
	}
}

// checkSize reports extents that no tensor can have. Below 2^62 bytes no
// address overflows.
func checkSize(shape []int, dt tensor.DType) error {
	n, err := tensor.NumElems(shape)
	if err == nil && n > 1<<62/max(dt.Size(), 1) {
		err = fmt.Errorf("%v%v takes too many bytes", dt, shape)
	}
	return err
}

// plus is the sum of extents, none negative; it saturates, for checkSize to
// find.
func plus(extents ...int) int {
	n := 0
	for _, d := range extents {
		n += min(d, math.MaxInt-n)
	}
	return n
}

// String is one line: the name, and how much was built.
func (g *Graph) String() string {
	if g == nil {
		return "<nil graph>"
	}
	return fmt.Sprintf("graph %q: %s", g.name, quantity(len(g.nodes), "node")+mistakes(len(g.errs)))
}

func mistakes(n int) string {
	if n == 0 {
		return ""
	}
	return ", " + quantity(n, "mistake")
}

// quantity is a number of things.
func quantity(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}
