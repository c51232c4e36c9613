package lower

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
)

// attentionAxes are the axes of an attention's task, by their role: k and v have the batch axes,
// and the group axes repeat k and v.
type attentionAxes struct {
	dom                        engine.Domain
	groups                     []int
	at                         []*engine.Index // of each axis before M, for q and the result
	own                        []*engine.Index // the same for k and v
	queries, keys, head, value *engine.Index
	rows, keep                 []int // by axis before M: the task's axis that moves it by one, for rows and for k and v
}

// attentionAxesOf puts the axes in the order that a task has them. Neighbouring heads that
// share one of k and v come first in the group, so that heads stay neighbours.
func attentionAxesOf(s ir.AttentionShape) *attentionAxes {
	x := &attentionAxes{rows: make([]int, len(s.Batch)), keep: make([]int, len(s.Batch))}
	x.at, x.own = make([]*engine.Index, len(s.Batch)), make([]*engine.Index, len(s.Batch))
	add := func(extent int) *engine.Index {
		x.dom = append(x.dom, extent)
		return engine.AxisIndex(len(x.dom) - 1)
	}
	group := func(from int) { x.groups = append(x.groups, len(x.dom)-from) }
	for i, n := range s.Own {
		x.own[i] = engine.ConstIndex(0)
		if n != 1 {
			x.rows[i], x.keep[i] = len(x.dom), len(x.dom)
			x.own[i] = add(n)
			x.at[i] = x.own[i]
		}
	}
	group(0)
	from := len(x.dom)
	if h := len(s.Batch) - 1; s.Group > 1 {
		x.rows[h] = len(x.dom)
		x.at[h] = x.own[h].Mul(int64(s.Group)).Add(add(s.Group))
	}
	for i, n := range s.Own {
		if n == 1 {
			x.rows[i] = len(x.dom)
			x.at[i] = add(s.Batch[i])
		}
	}
	group(from)
	for _, a := range []struct {
		to     **engine.Index
		extent int
	}{{&x.queries, s.M}, {&x.keys, s.N}, {&x.head, s.D}, {&x.value, s.E}} {
		*a.to = add(a.extent)
		x.groups = append(x.groups, 1)
	}
	return x
}

// attention makes the task of one pass of an attention.
func (l *lowerer) attention(n *ir.Node) {
	attr := n.Attr.(ir.AttentionAttr)
	s, _ := ir.NewAttentionShape(n.In[0].Shape, n.In[1].Shape, n.In[2].Shape) // checked where the user called it
	x := attentionAxesOf(s)
	b := l.builder(x.dom)
	expr := func(n *ir.Node, batch []*engine.Index, rest ...*engine.Index) *engine.Expr {
		return b.expr(n, ir.BroadcastIndex(n.Shape, slices.Concat(batch, rest)), nil)
	}
	a := &engine.AttentionTask{
		Pass: attr.Pass, Scale: attr.ScaleOf(s.D),
		Q: expr(n.In[0], x.at, x.queries, x.head),
		K: expr(n.In[1], x.own, x.keys, x.head),
		V: expr(n.In[2], x.own, x.keys, x.value),
	}
	low, high := attr.Band(s.M, s.N)
	a.Low, a.High = int64(low), int64(high)
	if attr.Pass != engine.AttentionForward {
		a.DO = expr(n.In[3], x.at, x.queries, x.value)
		a.Top, a.Share, a.D = expr(n.In[4], x.at, x.queries), expr(n.In[5], x.at, x.queries), expr(n.In[6], x.at, x.queries)
	}
	if i := attr.Operands(); i < len(n.In) {
		a.Mask = expr(n.In[i], x.at, x.queries, x.keys)
	}
	b.names = append(b.names, n.Scope)
	t := &engine.Task{
		Kind: engine.Attention, Name: b.name(n), Caller: n.Caller, FastMath: l.FastMath,
		Axes: x.dom, Groups: x.groups, Attention: a, Acc: engine.AccType(n.DType),
		Ins: b.operands(),
	}
	u := &ir.Instruction{Task: t, Ins: b.ins}
	for i, r := range n.Outs {
		if attr.Pass == engine.AttentionForward && i > 0 && !l.picked(n, 1) && !l.picked(n, 2) {
			break
		}
		v := &ir.Value{Node: n, DType: r.DType, Len: int64(ir.Product(r.Shape)), Shape: r.Shape, Maker: u}
		v.Addr = x.address(t, i, r.Shape)
		v.Dense = v.Addr.Key() == ir.RowMajor(r.Shape, nil).Key()
		u.Outs = append(u.Outs, v)
		t.Outs = append(t.Outs, engine.Operand{DType: v.DType, Len: v.Len})
	}
	l.instructions = append(l.instructions, u)
	l.picks[n] = u.Outs
}

// picked reports whether result i of n is read.
func (l *lowerer) picked(n *ir.Node, i int) bool {
	return ir.Picked(l.users[n], i)
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
