package ops

import (
	"slices"

	"github.com/anycl/anycl/engine"
)

// attentionAxes are the axes of an attention's task, by what they are to the
// shape: k and v have the batch axes, and the group axes repeat them.
type attentionAxes struct {
	dom                        engine.Domain
	groups                     []int
	at                         []*engine.Index // of each axis before M, for q and the result
	own                        []*engine.Index // the same for k and v
	queries, keys, head, value *engine.Index
	rows, keep                 []int // by axis before M: the task's axis that moves it by one, for rows and for k and v
}

// axes puts the axes in the order that a task has them. Neighbouring heads that
// share one of k and v come first in the group, so that heads stay neighbours.
func (s attentionShape) axes() *attentionAxes {
	x := &attentionAxes{rows: make([]int, len(s.batch)), keep: make([]int, len(s.batch))}
	x.at, x.own = make([]*engine.Index, len(s.batch)), make([]*engine.Index, len(s.batch))
	add := func(extent int) *engine.Index {
		x.dom = append(x.dom, extent)
		return engine.AxisIndex(len(x.dom) - 1)
	}
	group := func(from int) { x.groups = append(x.groups, len(x.dom)-from) }
	for i, n := range s.own {
		x.own[i] = engine.ConstIndex(0)
		if n != 1 {
			x.rows[i], x.keep[i] = len(x.dom), len(x.dom)
			x.own[i] = add(n)
			x.at[i] = x.own[i]
		}
	}
	group(0)
	from := len(x.dom)
	if h := len(s.batch) - 1; s.group > 1 {
		x.rows[h] = len(x.dom)
		x.at[h] = x.own[h].Mul(int64(s.group)).Add(add(s.group))
	}
	for i, n := range s.own {
		if n == 1 {
			x.rows[i] = len(x.dom)
			x.at[i] = add(s.batch[i])
		}
	}
	group(from)
	for _, a := range []struct {
		to     **engine.Index
		extent int
	}{{&x.queries, s.m}, {&x.keys, s.n}, {&x.head, s.d}, {&x.value, s.e}} {
		*a.to = add(a.extent)
		x.groups = append(x.groups, 1)
	}
	return x
}

// attention makes the task of one pass of an attention.
func (l *lowerer) attention(n *Node) {
	c := &Call{Op: n.op, In: n.in, Attr: n.attr}
	s, _ := c.attention() // checked where the user called it
	attr := n.attr.(attentionAttr)
	x := s.axes()
	b := l.builder(x.dom)
	expr := func(n *Node, batch []*engine.Index, rest ...*engine.Index) *engine.Expr {
		return b.expr(n, broadcastMap(n.shape, slices.Concat(batch, rest)), nil)
	}
	a := &engine.AttentionTask{
		Pass: attr.pass, Scale: attr.scaleOf(s.d),
		Q: expr(n.in[0], x.at, x.queries, x.head),
		K: expr(n.in[1], x.own, x.keys, x.head),
		V: expr(n.in[2], x.own, x.keys, x.value),
	}
	low, high := attr.band(s.m, s.n)
	a.Low, a.High = int64(low), int64(high)
	if attr.pass != engine.AttentionForward {
		a.DO = expr(n.in[3], x.at, x.queries, x.value)
		a.L, a.D = expr(n.in[4], x.at, x.queries), expr(n.in[5], x.at, x.queries)
	}
	if mask := c.mask(); mask != nil {
		a.Mask = expr(mask, x.at, x.queries, x.keys)
	}
	b.names = append(b.names, n.scope)
	t := &engine.Task{
		Kind: engine.Attention, Name: b.name(n), Caller: n.caller, FastMath: l.fast,
		Axes: x.dom, Groups: x.groups, Attention: a, Acc: engine.AccType(n.dtype),
		Ins: b.operands(),
	}
	u := &unit{task: t, ins: b.ins}
	for i, r := range resultsOf(n) {
		if attr.pass == engine.AttentionForward && i == 1 && !l.picked(n, i) {
			break
		}
		v := &value{node: n, dtype: r.DType, len: int64(product(r.Shape)), shape: r.Shape, maker: u}
		v.addr = x.address(t, i, r.Shape)
		v.dense = v.addr.Key() == denseAddr(r.Shape, nil).Key()
		u.outs = append(u.outs, v)
		t.Outs = append(t.Outs, engine.Operand{DType: v.dtype, Len: v.len})
	}
	l.units = append(l.units, u)
	l.picks[n] = u.outs
}

// picked reports whether result i of n is read.
func (l *lowerer) picked(n *Node, i int) bool {
	return slices.ContainsFunc(l.users[n], func(u *Node) bool { return u.attr == pickAttr{i} })
}

// address is where output number out of t has the elements of a tensor of the
// given shape, which has the axes before M and one or two more.
func (x *attentionAxes) address(t *engine.Task, out int, shape []int) *engine.Index {
	axes := t.OutAxes(out)
	stride := make([]int64, len(x.dom))
	size := int64(1)
	for _, a := range slices.Backward(axes) {
		stride[a] = size
		size *= int64(x.dom[a])
	}
	before := x.rows
	if t.Attention.Pass == engine.AttentionGradKV {
		before = x.keep
	}
	rest := len(shape) - len(before)
	addr := engine.ConstIndex(0)
	for i, axis := range append(slices.Clone(before), axes[len(axes)-rest:]...) {
		if shape[i] != 1 {
			addr = addr.Add(engine.AxisIndex(i).Mul(stride[axis]))
		}
	}
	return addr
}
