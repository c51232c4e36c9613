package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Where complex numbers enter a graph, leave it, or are carried by loops, there are pairs of floats underneath.

// complexLeaf is an input, a constant or a variable of pairs as the complex numbers that the user declared.
func (g *Graph) complexLeaf(pairs *Node) *Node {
	z := ViewAsComplex(pairs)
	if z.bad || g == nil {
		return z
	}
	if g.complex == nil {
		g.complex = map[*Node]*Node{}
	}
	g.complex[pairs] = z
	z.state = pairs.state
	return z
}

// leaf is the input, constant or variable of pairs that n is the complex numbers of, or n.
func (n *Node) leaf() *Node {
	if n != nil && !n.bad && n.is(roleViewAsComplex) && n.graph.complex[n.in[0]] == n {
		return n.in[0]
	}
	return n
}

// declared is the dtype and the shape of an input as the user declared it. shape is that of its pairs of real numbers if it is complex.
func (n *Node) declared(shape []int) string {
	if n.graph.complex[n] != nil && len(shape) > 0 {
		return fmt.Sprintf("%v%v", n.dtype.Complex(), shape[:len(shape)-1])
	}
	return fmt.Sprintf("%v%v", n.dtype, shape)
}

// asReal is n, or the pairs of complex numbers.
func asReal(n *Node) *Node {
	if n.bad || !n.dtype.IsComplex() {
		return n
	}
	return ViewAsReal(n)
}

// asComplex is n, or the complex numbers of which it has the pairs.
func asComplex(n *Node, dt tensor.DType) *Node {
	if n.bad || !dt.IsComplex() {
		return n
	}
	return ViewAsComplex(n)
}

// pairing tells which of some values are complex.
type pairing []bool

func pairsOf(nodes []*Node) pairing {
	p := make(pairing, len(nodes))
	for i, n := range nodes {
		p[i] = n != nil && !n.bad && n.dtype.IsComplex()
	}
	return p
}

func (p pairing) any() bool { return slices.Contains(p, true) }

// real are nodes as the engines have them.
func (p pairing) real(nodes []*Node) []*Node {
	out := slices.Clone(nodes)
	for i, n := range out {
		switch {
		case n == nil || n.bad || !n.dtype.IsComplex():
		case n.is(roleTrim):
			out[i] = Trim(ViewAsReal(n.in[0]), n.attr.(axisAttr).Axis, n.in[1])
		default:
			out[i] = ViewAsReal(n)
		}
	}
	return out
}

// complex are nodes as the user has them.
func (p pairing) complex(nodes []*Node) []*Node {
	out := slices.Clone(nodes)
	for i, n := range out {
		if i < len(p) && p[i] && n != nil && !n.bad {
			out[i] = ViewAsComplex(n)
		}
	}
	return out
}

// results is f with complex results as pairs; p then says which results are pairs.
func (p *pairing) results(f func() []*Node) func() []*Node {
	return func() []*Node {
		out := f()
		*p = pairsOf(out)
		return p.real(out)
	}
}

// complexTensors are the outputs of a run as the user has them.
func (p pairing) complexTensors(outs []*tensor.Tensor) (all []*tensor.Tensor, err error) {
	all = slices.Clone(outs)
	for i, t := range all {
		if i < len(p) && p[i] {
			if all[i], err = t.AsComplex(); err != nil {
				return nil, fmt.Errorf("ops: output %d: %w", i, err)
			}
		}
	}
	return all, nil
}

// realTensors are tensors for the outputs of a run as the executor has them; others than complex ones are refused there.
func (p pairing) realTensors(outs []*tensor.Tensor) []*tensor.Tensor {
	all := slices.Clone(outs)
	for i, t := range all {
		if t != nil && i < len(p) && p[i] {
			if r, err := t.AsReal(); err == nil {
				all[i] = r
			}
		}
	}
	return all
}

// realFeeds are feeds as the executor has them. Errors: a complex input is fed with a tensor that is not complex.
func (x *Executable) realFeeds(feeds Feeds) (Feeds, error) {
	if len(x.graph.complex) == 0 {
		return feeds, nil
	}
	all := make(Feeds, len(feeds))
	for n, t := range feeds {
		leaf := n.leaf()
		if leaf == n || leaf.op.kind != ir.KindInput || t == nil {
			all[n] = t
			continue
		}
		r, err := t.AsReal()
		if err != nil || t.DType() != n.dtype {
			return nil, fmt.Errorf("%w: run %q: input %s is %v%s, not %v%v",
				ErrFeed, x.graph.name, leaf.label(), n.dtype, shapeText(n.shape), t.DType(), t.Shape())
		}
		all[leaf] = r
	}
	return all, nil
}
