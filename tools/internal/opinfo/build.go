package opinfo

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// built is a case as a part of a graph.
type built struct {
	c     *Case
	row   *Row
	call  *Call
	outs  []*ops.Node // with those that cuts count behind them
	count int         // of results
	cuts  map[int]cut
	grads []*ops.Node // one for each of PyTorch's, nil where it has none
	same  []string    // the rule of Row.Same for each derivative
}

// outputs are the nodes that have to be computed.
func (b *built) outputs() []*ops.Node {
	all := slices.Clone(b.outs)
	for _, g := range b.grads {
		if g != nil {
			all = append(all, g)
		}
	}
	return all
}

// build adds a case to a graph, with its derivatives or without. feeds get the values of its inputs.
func build(g *ops.Graph, row *Row, cs *Case, grads bool, prefix string, feeds ops.Feeds) (b *built, err error) {
	call := &Call{g: g, c: cs, prefix: prefix, feeds: feeds}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case unsupported:
			b, err = nil, errors.New(string(p))
		default:
			b, err = nil, fmt.Errorf("the row of the table fails: %v", p)
		}
	}()
	call.bind(row.Signature)
	outs := row.Build(call)
	call.refuseUnread()
	for _, n := range outs {
		if n == nil {
			return nil, errors.New("the row of the table gives no result")
		}
	}
	if err := g.Err(); err != nil {
		return nil, err
	}
	if len(outs) < len(cs.Outputs) {
		return nil, fmt.Errorf("%d results, not %d", len(outs), len(cs.Outputs))
	}
	outs = outs[:len(cs.Outputs)]
	if cs.NonUnique && row.Align != nil {
		var want []*ops.Node
		for _, t := range cs.Outputs {
			if t == nil {
				return nil, errors.New("a result is of complex numbers")
			}
			want = append(want, call.input(t))
		}
		outs = row.Align(call, outs, want)
	}
	b = &built{c: cs, row: row, call: call, outs: outs, count: len(outs), cuts: call.cuts}
	for i := range outs {
		if k, ok := call.cuts[i]; ok {
			b.outs = append(b.outs, k.count)
		}
	}
	if grads && cs.HasGrads {
		if err := b.differentiate(row); err != nil {
			return nil, err
		}
	}
	return b, g.Err()
}

// differentiate adds the derivatives of the sum of the outputs, each element times its cotangent.
func (b *built) differentiate(row *Row) error {
	c := b.call
	var loss *ops.Node
	for k, i := range b.c.Diff {
		if i >= b.count || k >= len(b.c.Cotangents) || b.c.Cotangents[k] == nil {
			return errors.New("there is no cotangent for an output")
		}
		out := b.outs[i]
		cot := c.input(b.c.Cotangents[k])
		if out.DType() != cot.DType() {
			cot = ops.Cast(cot, out.DType())
		}
		if k, ok := b.cuts[i]; ok && !tensor.EqualShapes(out.Shape(), cot.Shape()) {
			cot = widen(cot, out.Shape(), k.axis)
		}
		part := sumAll(ops.Mul(out, cot))
		if loss == nil {
			loss = part
			continue
		}
		loss = ops.Add(loss, part)
	}
	if loss == nil {
		return errors.New("no output has a derivative")
	}
	leaves, err := match(c.floatLeaves(row.Grads), b.c.Grads)
	if err != nil {
		return err
	}
	var xs []*ops.Node
	for i, l := range leaves {
		if b.c.Grads[i] != nil {
			xs = append(xs, c.node(l))
		}
	}
	b.grads, b.same = make([]*ops.Node, len(leaves)), make([]string, len(leaves))
	if row.Same != nil {
		for name, rule := range row.Same(c) {
			for i, l := range leaves {
				if c.values[name] == any(l) {
					b.same[i] = rule
				}
			}
		}
	}
	if len(xs) == 0 {
		return nil
	}
	gs := ops.Gradients(loss, xs...)
	for i := range leaves {
		if b.c.Grads[i] != nil {
			b.grads[i], gs = gs[0], gs[1:]
		}
	}
	return nil
}

// widen puts zeros behind a cotangent of a result of which only a part is real.
func widen(x *ops.Node, shape []int, axis int) *ops.Node {
	return ops.Pad(x, 0, ops.Padding{Axis: axis, After: shape[axis] - x.Shape()[axis]})
}

// match finds the tensor that each derivative is of: the cases do not say which arguments have any, but they keep their order and shapes.
func match(leaves []*leaf, grads []*tensor.Tensor) ([]*leaf, error) {
	if len(leaves) == len(grads) {
		return leaves, nil
	}
	var found []*leaf
	for _, g := range grads {
		i := slices.IndexFunc(leaves, func(l *leaf) bool { return g == nil || tensor.EqualShapes(l.t.Shape(), g.Shape()) })
		if i < 0 {
			return nil, fmt.Errorf("%d derivatives do not belong to %d arguments", len(grads), len(leaves))
		}
		found, leaves = append(found, leaves[i]), leaves[i+1:]
	}
	return found, nil
}

func sumAll(x *ops.Node) *ops.Node {
	if x.Rank() == 0 {
		return x
	}
	return ops.Sum(x)
}
