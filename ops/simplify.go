package ops

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/lower"
	"github.com/anycl/anycl/internal/schema"
	"github.com/anycl/anycl/tensor"
)

// simplifier translates a graph to the compiler's representation: primitive ops only, in which equal
// computations are one node. The graph stays as it is.
type simplifier struct {
	places map[*Node]Place // of those that must be somewhere
	done   map[*Node]*ir.Node
	seen   map[*Node]bool
	known  map[string]*ir.Node
	next   int
	// frontiers are the nodes of the enclosing graph that regions of loops and branches read; see deps.
	frontiers map[*region][]*Node
}

func newSimplifier(places map[*Node]Place) *simplifier {
	return &simplifier{
		places: places, done: map[*Node]*ir.Node{}, seen: map[*Node]bool{}, known: map[string]*ir.Node{}, frontiers: map[*region][]*Node{},
	}
}

// primitives are the nodes that n is computed from.
func primitives(n *Node) []*Node {
	if x := n.standsFor(); x != nil {
		return []*Node{x}
	}
	return n.in
}

func (s *simplifier) simplify(n *Node) *ir.Node {
	ir.Walk(n, s.seen, s.deps, func(n *Node) { s.done[n] = s.visit(n) })
	return s.done[n]
}

// visit gives the primitive, unique and simplest node for n, whose operands
// are done.
func (s *simplifier) visit(n *Node) *ir.Node {
	if x := n.standsFor(); x != nil {
		return s.done[x]
	}
	if n.op.kind == ir.KindControl {
		return s.control(n)
	}
	c := s.translate(n)
	if n.bad { // the graph will not compile, and says why
		return c
	}
	for _, x := range n.in {
		c.In = append(c.In, s.done[x])
	}
	switch {
	case c.Is(ir.TraitIdentity):
		return c.In[0]
	case n.op.simplify != nil:
		if r := n.op.simplify(c); r != nil {
			return r
		}
	}
	if n.op.Kernel != nil {
		return s.kernel(n, c)
	}
	return s.unique(c)
}

// kernel is c, of an op that is a kernel. Equal calls are one launch, as of any op.
func (s *simplifier) kernel(n *Node, c *ir.Node) *ir.Node {
	u := s.unique(c)
	if u == c {
		k, _ := n.call().kernel(frontEnd(c.Outs)) // checked when it was called
		u.Attr = &ir.CustomAttr{Name: k.Name, Kernel: k.task(n.in)}
	}
	if n.op.Results != nil {
		return u
	}
	// The compiler knows kernels by their results.
	one := *c
	one.ID, one.Op, one.Attr, one.In, one.Outs = s.next, opNamed("pick").lower(), ir.PickAttr{}, []*ir.Node{u}, nil
	s.next++
	return s.unique(&one)
}

// frontEnd are results as definitions have them.
func frontEnd(all []ir.Result) (out []Result) {
	for _, r := range all {
		out = append(out, Result(r))
	}
	return out
}

// translate is n, of a primitive op, without its operands.
func (s *simplifier) translate(n *Node) *ir.Node {
	c := &ir.Node{
		ID: s.next, Op: n.op.lower(), Attr: n.attr, Shape: n.shape, DType: n.dtype, Caller: n.caller, Scope: n.scope, Label: n.label(),
		Made: n.made, Where: ir.Place(s.places[n]), State: n.state, Origin: n,
	}
	s.next++
	if n.bad || n.op.kind == ir.KindControl || n.op.Results == nil && n.op.Kernel == nil {
		return c
	}
	results := []Result{{n.dtype, n.shape}}
	if n.op.Results != nil {
		results = resultsOf(n)
	}
	for _, r := range results {
		c.Outs = append(c.Outs, ir.Result(r))
	}
	return c
}

// unique is the node that computes the same as n. It bears the name and the line of the node
// that asked for it first: a gradient that computes a part of the forward pass again shares it.
func (s *simplifier) unique(n *ir.Node) *ir.Node {
	key := keyOf(n)
	if prev := s.known[key]; prev != nil {
		if n.Made < prev.Made {
			prev.Made, prev.Scope, prev.Caller, prev.Origin = n.Made, n.Scope, n.Caller, n.Origin
		}
		return prev
	}
	s.known[key] = n
	return n
}

// keyOf is equal for nodes that compute the same.
func keyOf(n *ir.Node) string {
	b := append(make([]byte, 0, 128), n.Op.Name...)
	b = append(b, '|', byte(n.DType))
	b = schema.AppendKey(b, n.Shape)
	b = schema.AppendKey(b, int64(n.Where))
	for _, x := range n.In {
		b = binary.AppendUvarint(b, uint64(x.ID))
	}
	b = append(b, '|')
	if t, ok := oneElement(n.Attr); ok {
		c := lower.Constant(t).Value
		return string(schema.AppendKey(b, c))
	}
	if _, leaf := n.Attr.(ir.LeafAttr); leaf || n.Op.Traits&ir.TraitDistinct != 0 { // each its own
		return string(binary.AppendUvarint(b, uint64(n.ID)))
	}
	return string(schema.AppendKey(b, n.Attr))
}

// repeats is operand i of n if it has the shape and dtype of n, or nil.
func repeats(n *ir.Node, i int) *ir.Node {
	if slices.Equal(n.In[i].Shape, n.Shape) && n.In[i].DType == n.DType {
		return n.In[i]
	}
	return nil
}

// unchanged is the rule of ops that give another shape or dtype.
func unchanged(n *ir.Node) *ir.Node { return repeats(n, 0) }

// uniform is the constant that fills n everywhere, seen through views that
// only repeat or rearrange.
func uniform(n *ir.Node) (*tensor.Tensor, bool) {
	for n.Is(ir.TraitRepeats) {
		n = n.In[0]
	}
	return oneElement(n.Attr)
}

// oneElement is the tensor of a constant, if it has one element.
func oneElement(attr any) (*tensor.Tensor, bool) {
	t, ok := attr.(*tensor.Tensor)
	return t, ok && t.Len() == 1
}

// isFilledWith reports whether every element of n, which is not translated yet, is v.
func isFilledWith(n *Node, v float64) bool {
	for n.op.Traits&TraitRepeats != 0 {
		n = n.in[0]
	}
	t, ok := oneElement(n.attr)
	return ok && t.Float64At(0) == v
}

func isValue(n *ir.Node, v float64) bool {
	t, ok := uniform(n)
	return ok && t.Float64At(0) == v
}

// isZero reports whether n is the integer 0, or the float zero of the given
// sign: the zero that changes no zero when it is added (-0) or subtracted (+0).
func isZero(n *ir.Node, negative bool) bool {
	t, ok := uniform(n)
	return ok && t.Float64At(0) == 0 && (!n.DType.IsFloat() || math.Signbit(t.Float64At(0)) == negative)
}
