package ops

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/store"

	"github.com/anycl/anycl/tensor"
)

// simplifier rewrites a graph to one of primitive ops only, in which equal
// computations are one node. It makes new nodes where operands changed and
// leaves the graph as it is.
type simplifier struct {
	places map[*Node]Place // of those that must be somewhere
	done   map[*Node]*Node
	seen   map[*Node]bool
	known  map[string]*Node
	next   int
	// frontiers are what the regions of loops and branches read; see deps.
	frontiers map[*region][]*Node
}

func newSimplifier(places map[*Node]Place) *simplifier {
	return &simplifier{places: places, done: map[*Node]*Node{}, seen: map[*Node]bool{}, known: map[string]*Node{}, frontiers: map[*region][]*Node{}}
}

// primitives are the nodes that n is made of.
func primitives(n *Node) []*Node {
	if n.op.Compose != nil {
		return []*Node{n.composition()}
	}
	return n.in
}

func (s *simplifier) simplify(n *Node) *Node {
	walkDown(n, s.seen, s.deps, func(n *Node) { s.done[n] = s.visit(n) })
	return s.done[n]
}

// visit gives the primitive, unique and simplest node for n, whose operands
// are done.
func (s *simplifier) visit(n *Node) *Node {
	if n.op.Compose != nil {
		return s.done[n.composition()]
	}
	if n.op.lower == lowerControl {
		return s.control(n)
	}
	in := make([]*Node, len(n.in))
	for i, x := range n.in {
		in[i] = s.done[x]
	}
	c := *n
	c.in, c.expansion, c.origin = in, nil, n
	c.id, c.where = s.next, s.places[n]
	s.next++
	if r := identity(&c); r != nil {
		return r
	}
	return s.unique(&c)
}

// unique is the node that computes what n does. It bears the name and the line of what
// asked for it first: a gradient that computes a part of the forward pass again shares it.
func (s *simplifier) unique(n *Node) *Node {
	key := n.key()
	if prev := s.known[key]; prev != nil {
		if n.made < prev.made {
			prev.made, prev.scope, prev.caller, prev.origin = n.made, n.scope, n.caller, n.origin
		}
		return prev
	}
	s.known[key] = n
	return n
}

// key is equal for nodes that compute the same.
func (n *Node) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s|%v%v", n.op.Name, n.dtype, n.shape)
	switch a := n.attr.(type) {
	case inputAttr, *KernelOptions, paramAttr, leafAttr:
		fmt.Fprintf(&b, "|%d", n.id) // each its own
	case *store.Variable:
		fmt.Fprintf(&b, "|%p", a)
	case *tensor.Tensor:
		if a.Len() != 1 {
			fmt.Fprintf(&b, "|%p", a)
			break
		}
		c := constant(a).Value
		fmt.Fprintf(&b, "|%x,%d", c.Float, c.Int)
	default:
		fmt.Fprintf(&b, "|%#v", n.attr)
	}
	for _, x := range n.in {
		fmt.Fprintf(&b, "|%d", x.id)
	}
	if n.where != Auto {
		fmt.Fprintf(&b, "|%v", n.where)
	}
	return b.String()
}

// identity is the operand that n only repeats, or nil.
func identity(n *Node) *Node {
	sameAs := func(i int) *Node {
		if slices.Equal(n.in[i].shape, n.shape) && n.in[i].dtype == n.dtype {
			return n.in[i]
		}
		return nil
	}
	switch n.op.Name {
	case "stop_gradient", "stand_in":
		return n.in[0]
	case "reshape", "broadcast_to", "cast":
		return sameAs(0)
	case "transpose":
		if slices.IsSorted(n.attr.(permAttr).perm) {
			return n.in[0]
		}
	case "neg":
		if n.in[0].op.Name == "neg" {
			return n.in[0].in[0]
		}
	case "add":
		if isZero(n.in[1], true) {
			return sameAs(0)
		}
		if isZero(n.in[0], true) {
			return sameAs(1)
		}
	case "sub":
		if isZero(n.in[1], false) {
			return sameAs(0)
		}
	case "mul":
		if isValue(n.in[1], 1) {
			return sameAs(0)
		}
		if isValue(n.in[0], 1) {
			return sameAs(1)
		}
	case "div":
		if isValue(n.in[1], 1) {
			return sameAs(0)
		}
	}
	return nil
}

// uniform is the constant that fills n everywhere, seen through views that
// only repeat or rearrange.
func uniform(n *Node) (*tensor.Tensor, bool) {
	for n.op.lower == lowerNone && len(n.in) == 1 {
		switch n.op.Name {
		case "reshape", "broadcast_to", "transpose", "slice", "keep", "windows":
			n = n.in[0]
		default:
			return nil, false
		}
	}
	if t, ok := n.attr.(*tensor.Tensor); ok && t.Len() == 1 {
		return t, true
	}
	return nil, false
}

func isValue(n *Node, v float64) bool {
	t, ok := uniform(n)
	return ok && t.Float64At(0) == v
}

// isZero reports whether n is the integer 0, or the float zero of the given
// sign: what changes no zero when it is added (-0) or subtracted (+0).
func isZero(n *Node, negative bool) bool {
	t, ok := uniform(n)
	return ok && t.Float64At(0) == 0 && (!n.dtype.IsFloat() || math.Signbit(t.Float64At(0)) == negative)
}
