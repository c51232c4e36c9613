package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// named is a work of a single op that users call by its name, beside PyTorch's function for the same, and beside its
// composition of other ops.
type named struct {
	name  string
	bytes float64 // that a run must move, for the rate; 0: those of the operands
	// torch is the expression for PyTorch, with {0}, {1} for operands; "": it has none.
	torch  string
	leaves []leaf
	ours   func(x []*ops.Node) *ops.Node
	// composed is the same without the op; nil: the op is that composition, and the compiler fuses it.
	composed  func(x []*ops.Node) *ops.Node
	tolerance float64
	grad      []int // the shape of the result, where the work is the derivatives too
}

// leaf is an operand of a named work: normal numbers times scale plus shift, or integers below a bound.
type leaf struct {
	dims         []int
	scale, shift float64
	below        int
	dt           tensor.DType
}

func floats(dims ...int) leaf { return leaf{dims: dims, dt: tensor.Float32} }

func (l leaf) drawn(scale, shift float64) leaf {
	l.scale, l.shift = scale, shift
	return l
}

func integers(below int, dims ...int) leaf { return leaf{dims: dims, below: below, dt: tensor.Int64} }

// work is n as a row of the tables.
func (n *named) work() *Work {
	p := &Program{}
	var in []Ref
	bytes := 0.0
	for _, l := range n.leaves {
		in = append(in, p.Leaf(Operand, l.dt, Fill{Scale: l.scale, Shift: l.shift, Below: l.below}, l.dims...))
		count, _ := tensor.NumElems(l.dims)
		bytes += float64(count * l.dt.Size())
	}
	y := p.add(Node{Op: "call", In: in, Attr: Attr{Torch: n.torch}, Ours: n.ours})
	if n.grad != nil {
		p.Backward(y, n.grad, in[0])
	} else {
		p.Return(y)
	}
	w := &Work{Name: n.name, Program: p, Rate: GBps, Bytes: bytes, Composed: n.composed, Tolerance: n.tolerance}
	if n.bytes > 0 {
		w.Bytes = n.bytes
	}
	if n.torch != "" {
		w.Goals = append(w.Goals, atLeast(1, PyTorch))
	}
	if n.composed != nil {
		w.Goals = append(w.Goals, atLeast(1, NameComposed))
	}
	return w
}

// NameComposed is ours without the op that a work is about.
const NameComposed = "anycl-composed"

// Composed is ours with the composition of other ops in place of a work's op.
type Composed struct{ *Ours }

// Name is the contender's name.
func (Composed) Name() string { return NameComposed }

// Load accepts works that have a composition.
func (o Composed) Load(ctx context.Context, w *Work, operands []*tensor.Tensor) (Job, error) {
	if w.Composed == nil {
		return nil, fmt.Errorf("%w: nothing is composed", ErrCannot)
	}
	p, spelled := *w.Program, *w
	p.Nodes = slices.Clone(p.Nodes)
	spelled.Program = &p
	for i := range p.Nodes {
		if n := &p.Nodes[i]; n.Op == "call" {
			n.Ours = w.Composed
		}
	}
	return o.Ours.Load(ctx, &spelled, operands)
}

// Start refuses: a process is the same.
func (Composed) Start(context.Context, *Process) (Job, error) {
	return nil, fmt.Errorf("%w: nothing is composed", ErrCannot)
}
