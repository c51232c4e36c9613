package lower

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// lowerer turns a fused graph into tasks.
type lowerer struct {
	*grouping
	Options
	values       map[*ir.Node]*ir.Value
	picks        map[*ir.Node][]*ir.Value // results of a user's kernel
	copies       map[*ir.Node]*ir.Value   // row-major copies of values in another order
	instructions []*ir.Instruction
	err          error // groups that wait for each other
}

func newLowerer(targets []*ir.Node, o Options, loop bool) *lowerer {
	return &lowerer{grouping: fuse(targets, o.Buffers).groups(loop), Options: o, values: map[*ir.Node]*ir.Value{}, picks: map[*ir.Node][]*ir.Value{}, copies: map[*ir.Node]*ir.Value{}}
}

// lower makes the tasks of all groups.
func (l *lowerer) lower() {
	for _, n := range l.order {
		if n.InBuffer() && l.values[n] == nil {
			l.values[n] = l.rowMajor(n)
		}
	}
	done := map[*fusionGroup]bool{}
	for _, end := range l.order {
		if l.head[end] != nil && l.root[end] {
			l.lowerGroup(l.of[end], done)
		}
	}
}

// lowerGroup makes the task of to after those of the groups that it reads.
func (l *lowerer) lowerGroup(to *fusionGroup, done map[*fusionGroup]bool) {
	if over, begun := done[to]; over {
		return
	} else if begun { // a mistake of grouping, of which a wrong result would come
		at := to.ends[0]
		l.err = fmt.Errorf("ir: the task that %s at %s is in waits for itself", at.Op.Name, at.Caller)
		return
	}
	done[to] = false
	for _, end := range to.ends {
		for _, x := range l.reads[end] {
			if from := l.of[x]; from != nil && from != to {
				l.lowerGroup(from, done)
			}
		}
	}
	done[to] = true
	for _, end := range l.fuseOutputs(to) {
		done[l.of[end]] = true
		l.lowerAlone(end)
	}
}

// lowerAlone makes the task that ends in end.
func (l *lowerer) lowerAlone(end *ir.Node) {
	switch head := l.head[end]; head.Op.Kind {
	case ir.KindReduce:
		if heavy(head) {
			l.reduce(head, end)
		} else {
			l.mapTask(end, nil)
		}
	case ir.KindContract:
		l.contract(head, end)
	case ir.KindScatter:
		l.scatter(end)
	case ir.KindCustom:
		l.kernel(end)
	case ir.KindAttention:
		l.attention(end)
	case ir.KindRoutine:
		l.routine(end)
	case ir.KindControl:
		l.control(end)
	case ir.KindPick:
		l.values[end] = l.picks[end.In[0]][end.Attr.(ir.PickAttr).I]
	default:
		l.mapTask(end, nil)
	}
}

// rowMajor is a value of n in row-major order.
func (l *lowerer) rowMajor(n *ir.Node) *ir.Value {
	return &ir.Value{Node: n, DType: n.DType, Len: int64(n.Size()), Addr: ir.RowMajor(n.Shape, nil), Dense: true}
}

// asDense is n's value in row-major order, copied if it has another.
func (l *lowerer) asDense(n *ir.Node) *ir.Value {
	if n.Op.Kind == ir.KindAssign {
		return l.asDense(n.In[1])
	}
	if v := l.values[n]; v != nil && v.Dense {
		return v
	}
	if v := l.copies[n]; v != nil {
		return v
	}
	v := l.mapTask(n, func(x *builder, at []*engine.Index) *engine.Expr { return x.expr(n, at, nil) })
	l.copies[n] = v
	return v
}

// asResult is asDense for an output. Results are read after the run, when a
// variable that the run updates no longer holds the value that n stands for.
func (l *lowerer) asResult(n *ir.Node, updates []*ir.Node) *ir.Value {
	v := l.asDense(n)
	if v.Maker != nil || !slices.ContainsFunc(updates, func(u *ir.Node) bool { return u.In[0] == v.Node }) {
		return v
	}
	return l.mapTask(n, func(x *builder, at []*engine.Index) *engine.Expr { return x.expr(n, at, nil) })
}

// emit adds a task that makes a value for node end.
func (l *lowerer) emit(t *engine.Task, b *builder, end *ir.Node, addr *engine.Index, dense bool) *ir.Value {
	v := &ir.Value{Node: end, DType: end.DType, Len: int64(end.Size()), Addr: addr, Dense: dense}
	l.emitAll(t, b, v)
	return v
}

// emitAll adds a task that makes values, in the order of its own.
func (l *lowerer) emitAll(t *engine.Task, b *builder, values ...*ir.Value) {
	t.Ins = b.operands()
	t.FastMath = l.FastMath
	u := &ir.Instruction{Task: t, Ins: b.ins, Outs: values, Where: values[0].Node.Where}
	for _, v := range values {
		t.Outs = append(t.Outs, engine.Operand{DType: v.DType, Len: v.Len})
		v.Maker = u
	}
	l.instructions = append(l.instructions, u)
}

// mapTask makes an element-wise task for n and enters its value. With body the
// result is a row-major copy that is not entered.
func (l *lowerer) mapTask(n *ir.Node, body func(x *builder, at []*engine.Index) *engine.Expr) *ir.Value {
	build := func(order []int) (*builder, *engine.Expr) {
		b := l.builder(engine.Domain(ir.Extents(n.Shape, order)))
		at := make([]*engine.Index, len(order))
		for pos, a := range order {
			at[a] = engine.AxisIndex(pos)
		}
		if body != nil {
			return b, body(b, at)
		}
		return b, b.expr(n, at, nil)
	}
	order := ir.Range(0, len(n.Shape))
	b, e := build(order)
	best := b.orderOf(order, e)
	if n.Is(ir.TraitMatchLayout) && body == nil && !l.dense[n] {
		like := l.orderLike(n.In[1])
		if cheap(e) && (like == nil || innermostIsNext(e, like, n.Shape)) {
			return nil // its readers find x as they want it
		}
		if like != nil {
			best = like
		}
	}
	if a, ok := n.Attr.(ir.MaterializeAttr); ok && body == nil {
		if a.Order != nil {
			best = a.Order
		}
		if a.Edge && e.Op == engine.OpLoad && !l.dense[n] {
			if !gathered(e.Addr, len(order)) {
				return nil // its readers compute it
			}
			best = order
		}
	}
	if !l.dense[n] && body == nil && !slices.Equal(best, order) {
		order = best
		b, e = build(order)
	}
	t := &engine.Task{
		Kind: engine.Map, Name: b.name(n), Caller: n.Caller,
		Axes: b.dom, Groups: []int{len(b.dom)}, Values: []*engine.Expr{e},
	}
	v := l.emit(t, b, n, ir.RowMajor(n.Shape, order), slices.IsSorted(order))
	if body == nil {
		l.values[n] = v
	}
	return v
}

// gathered reports whether windows over an image whose elements lie at addr would gather each tap, which takes longer than a copy: an index
// that is data says where these lie, or neither lines nor channels can be read as vectors, because channels are innermost and shuffled.
func gathered(addr *engine.Index, rank int) bool {
	if _, ok := strides(addr, rank); !ok {
		return true
	}
	if _, ok := addr.Affine(rank); ok {
		return false
	}
	return !slices.ContainsFunc(addr.Terms, func(t engine.Term) bool {
		return t.Atom.Kind == engine.AtomAxis && t.Atom.Axis == rank-1 && t.Coef == 1
	})
}

// orderLike is the order in which the axes of guide lie in memory; nil where it is
// not in memory, or not in such an order.
func (l *lowerer) orderLike(guide *ir.Node) []int {
	v := l.values[guide]
	if v == nil {
		return nil
	}
	coef, ok := v.Addr.Affine(len(guide.Shape))
	if !ok {
		return nil
	}
	order := slices.SortedStableFunc(slices.Values(ir.Range(0, len(coef))), func(a, b int) int { return cmp.Compare(coef[b], coef[a]) })
	if ir.RowMajor(guide.Shape, order).Key() != v.Addr.Key() {
		return nil
	}
	return order
}

// cheap reports whether every reader may compute e anew: few operations on one
// element in memory.
func cheap(e *engine.Expr) bool {
	flops, loads := 0.0, 0
	for s := range e.Walk() {
		switch s.Op {
		case engine.OpLoad:
			loads++
		case engine.OpApply:
			flops += s.Fn.Flops
		}
	}
	return loads <= 1 && flops <= cheapFlops
}

// innermostIsNext reports whether no load of e jumps with a step along the
// innermost axis of order.
func innermostIsNext(e *engine.Expr, order, shape []int) bool {
	order = slices.DeleteFunc(slices.Clone(order), func(a int) bool { return shape[a] == 1 })
	if len(order) == 0 {
		return true
	}
	inner := order[len(order)-1]
	for s := range e.Walk() {
		if s.Op != engine.OpLoad {
			continue
		}
		if coef, ok := strides(s.Addr, len(shape)); !ok || coef[inner] > 1 {
			return false
		}
	}
	return true
}

// reduce makes the task of the reduction head with an epilogue up to end.
func (l *lowerer) reduce(head, end *ir.Node) {
	x, axes := head.In[0], head.Attr.(ir.ReduceAttr).Axes
	var kept []int
	for a := range x.Shape {
		if !slices.Contains(axes, a) {
			kept = append(kept, a)
		}
	}
	build := func(kept, folded []int) (*builder, *engine.Expr) {
		order := slices.Concat(kept, folded)
		b := l.builder(engine.Domain(ir.Extents(x.Shape, order)))
		at := make([]*engine.Index, len(order))
		for pos, a := range order {
			at[a] = engine.AxisIndex(pos)
		}
		return b, b.expr(x, at, nil)
	}
	b, e := build(kept, axes)
	order, folded := kept, axes
	named := slices.Concat(kept, axes)
	if !l.dense[end] {
		order = b.orderOf(kept, e, named...)
	}
	if !head.Op.Fold.IsArg() { // positions count in the order of the axes
		folded = b.orderOf(axes, e, named...)
	}
	if !slices.Equal(order, kept) || !slices.Equal(folded, axes) {
		b, e = build(order, folded)
	}
	l.finishReduce(head, end, b, e, order, folded)
}

// finishReduce builds epilogue and task; kept is the order of the output axes.
func (l *lowerer) finishReduce(head, end *ir.Node, b *builder, e *engine.Expr, kept, folded []int) {
	acc := engine.AccType(e.DType)
	if head.Op.Fold.IsArg() {
		acc = tensor.Int64
	}
	// Position of each of head's own axes among the task's.
	ascending := slices.Sorted(slices.Values(kept))
	at := make([]*engine.Index, len(kept))
	layout := make([]int, len(kept))
	for pos, a := range kept {
		own, _ := slices.BinarySearch(ascending, a)
		at[own], layout[pos] = engine.AxisIndex(pos), own
	}
	epilogue, addr := b.epilogue(head, end, at, ir.RowMajor(head.Shape, layout), acc)
	t := &engine.Task{
		Kind: engine.Reduce, Name: b.name(end), Caller: head.Caller,
		Axes: b.dom, Groups: []int{len(kept), len(folded)},
		Folds: []engine.Fold{{Monoid: head.Op.Fold, Value: e, Acc: acc}}, Values: []*engine.Expr{epilogue},
	}
	l.values[end] = l.emit(t, b, end, addr, addr.Key() == ir.RowMajor(end.Shape, nil).Key())
}

// scatter makes the task of a scatter: the axes of the index, or that along which it counts, are those of updates.
func (l *lowerer) scatter(n *ir.Node) {
	x, idx, updates := n.In[0], n.In[1], n.In[2]
	a := n.Attr.(ir.ScatterAttr)
	axis, keyed := a.Axis, idx.Shape
	if a.Along {
		keyed = []int{idx.Shape[axis]}
	}
	rest := slices.Concat(ir.Range(0, axis), ir.Range(axis+1, x.Rank()))
	dom := slices.Concat([]int{x.Shape[axis]}, keyed, ir.Extents(x.Shape, rest))
	b := l.builder(dom)
	v, d := engine.AxisIndex(0), 1+len(keyed)
	base := make([]*engine.Index, x.Rank())
	base[axis] = v
	for i, a := range rest {
		base[a] = engine.AxisIndex(d + i)
	}
	where := make([]*engine.Index, len(keyed))
	for i := range where {
		where[i] = engine.AxisIndex(1 + i)
	}
	from := slices.Concat(base[:axis], where, base[axis+1:])
	if a.Along {
		where = from
	}
	t := &engine.Task{
		Kind: engine.Scatter, Name: b.name(n), Caller: n.Caller, Put: a.Put, Each: a.Along && len(rest) > 0, Distinct: a.Distinct,
		Axes: b.dom, Groups: []int{1, len(keyed), len(rest)},
		Values: []*engine.Expr{b.expr(x, base, nil)}, At: b.expr(idx, where, nil), Update: b.expr(updates, from, nil),
	}
	order := slices.Concat([]int{axis}, rest)
	l.values[n] = l.emit(t, b, n, ir.RowMajor(n.Shape, order), slices.IsSorted(order))
}

// kernel makes the task of a user's kernel.
func (l *lowerer) kernel(n *ir.Node) {
	a := n.Attr.(*ir.CustomAttr)
	t := &engine.Task{Kind: engine.Custom, Name: a.Name, Caller: n.Caller, Custom: a.Kernel}
	l.whole(n, t, func(int) bool { return true })
}

// routine makes the task of an op that branches on its data. Results that nobody reads are empty.
func (l *lowerer) routine(n *ir.Node) {
	t := &engine.Task{Kind: engine.Routine, Name: n.Scope, Caller: n.Caller, Algorithm: n.Op.Algorithm(n)}
	l.whole(n, t, func(i int) bool { return l.picked(n, i) })
}

// whole enters a task over whole buffers: the operands of n, dense, and the
// results of n that are read.
func (l *lowerer) whole(n *ir.Node, t *engine.Task, read func(i int) bool) {
	u := &ir.Instruction{Task: t, Where: n.Where}
	for _, x := range n.In {
		v := l.asDense(beforeReshapes(x))
		u.Ins = append(u.Ins, v)
		t.Ins = append(t.Ins, engine.Operand{DType: v.DType, Len: v.Len})
	}
	for i, r := range n.Outs {
		v := &ir.Value{Node: n, DType: r.DType, Len: int64(ir.Product(r.Shape)), Shape: r.Shape, Addr: ir.RowMajor(r.Shape, nil), Dense: true, Maker: u}
		if !read(i) {
			v.Len = 0
		}
		u.Outs = append(u.Outs, v)
		t.Outs = append(t.Outs, engine.Operand{DType: v.DType, Len: v.Len})
	}
	l.instructions = append(l.instructions, u)
	l.picks[n] = u.Outs
}

// orderOf sorts axes so that the largest load of e runs through memory
// forwards: by falling stride. named gives the axis behind each position of the
// domain; without it positions are axes.
func (b *builder) orderOf(axes []int, e *engine.Expr, named ...int) []int {
	coef := b.mainLoad(e)
	if coef == nil {
		return axes
	}
	stride := map[int]int64{}
	for pos, c := range coef {
		axis := pos
		if named != nil {
			axis = named[pos]
		}
		if stride[axis] = max(c, -c); c == 0 && b.dom[pos] > 1 && slices.Contains(axes, axis) {
			return axes // a repeated axis: no order to follow
		}
	}
	return slices.SortedStableFunc(slices.Values(axes), func(x, y int) int { return cmp.Compare(stride[y], stride[x]) })
}

// mainLoad returns the strides of the load that reads the most, by axis. An axis that
// is taken apart counts with the largest stride of its parts.
func (b *builder) mainLoad(e *engine.Expr) []int64 {
	var best []int64
	var most int64
	for s := range e.Walk() {
		if s.Op != engine.OpLoad {
			continue
		}
		if coef, ok := strides(s.Addr, len(b.dom)); ok && b.ins[s.Input].Len > most {
			best, most = coef, b.ins[s.Input].Len
		}
	}
	return best
}

// strides are how far a step along each axis moves at most; not ok where a
// gathered value decides.
func strides(addr *engine.Index, rank int) (out []int64, ok bool) {
	out = make([]int64, rank)
	for _, t := range addr.Terms {
		apart := func(a int) { out[a] = max(out[a], t.Coef, -t.Coef) }
		switch t.Atom.Kind {
		case engine.AtomAxis:
			apart(t.Atom.Axis)
		case engine.AtomData:
			return nil, false
		default:
			t.Atom.X.VisitAxes(apart)
		}
	}
	return out, true
}

// name lists the ops of a task, the one that ends it last.
func (b *builder) name(end *ir.Node) string {
	names := append(slices.Clone(b.names), end.Scope)
	names = slices.Compact(names)
	if len(names) > 6 {
		names = append(names[:5:5], "...", names[len(names)-1])
	}
	return strings.Join(names, "+")
}
