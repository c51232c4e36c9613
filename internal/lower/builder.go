package lower

import (
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// builder turns nodes into the expression of one task, from the result down:
// the coordinates at which a node is wanted are rewritten by every view on the
// way, until a buffer is reached and they become an address.
type builder struct {
	l     *lowerer
	dom   engine.Domain
	ins   []*ir.Value
	names []string
	memo  map[string]*engine.Expr
	// outputs are the nodes whose values are known, or may only be had at
	// certain coordinates; mismatch is such a node that was read at other coordinates.
	outputs  map[*ir.Node]groupOutput
	mismatch *ir.Node
}

func (l *lowerer) builder(dom engine.Domain) *builder {
	return &builder{l: l, dom: dom, memo: map[string]*engine.Expr{}}
}

// operands describes the inputs of the task.
func (b *builder) operands() []engine.Operand {
	var out []engine.Operand
	for _, v := range b.ins {
		out = append(out, engine.Operand{DType: v.DType, Len: v.Len})
	}
	return out
}

// input is the number of v among the inputs of the task.
func (b *builder) input(v *ir.Value) int {
	if i := slices.Index(b.ins, v); i >= 0 {
		return i
	}
	b.ins = append(b.ins, v)
	return len(b.ins) - 1
}

// expr is the value of n at coordinates at, where conds hold; elsewhere it may
// be anything, but no memory is touched.
func (b *builder) expr(n *ir.Node, at []*engine.Index, conds []engine.Cond) *engine.Expr {
	if n.Op.Kind == ir.KindAssign {
		n = n.In[1]
	}
	if m, ok := b.outputs[n]; ok {
		if m.at != nil && (m.acc == nil && len(conds) > 0 || !sameCoords(n.Shape, m.at, at)) {
			b.mismatch = n
			return engine.Constant(n.DType, engine.Const{})
		}
		if m.acc != nil {
			return m.acc
		}
	}
	key := memoKey(n, at, conds)
	if e := b.memo[key]; e != nil {
		return e
	}
	e := b.build(n, at, conds)
	b.memo[key] = e
	return e
}

// sameCoords reports whether two coordinates are the same element of shape.
func sameCoords(shape []int, x, y []*engine.Index) bool {
	for i, d := range shape {
		if d != 1 && x[i].Key() != y[i].Key() {
			return false
		}
	}
	return true
}

func memoKey(n *ir.Node, at []*engine.Index, conds []engine.Cond) string {
	var k strings.Builder
	k.WriteString(n.Op.Name)
	k.WriteByte('#')
	for id := n.ID; ; id >>= 4 {
		k.WriteByte("0123456789abcdef"[id&15])
		if id < 16 {
			break
		}
	}
	for _, x := range at {
		k.WriteString("," + x.Key())
	}
	for _, c := range conds {
		k.WriteString("?" + engine.Valid([]engine.Cond{c}).Key())
	}
	return k.String()
}

func (b *builder) build(n *ir.Node, at []*engine.Index, conds []engine.Cond) *engine.Expr {
	if v := b.l.values[n]; v != nil {
		return engine.Load(b.input(v), v.DType, v.Addr.Subst(at, b.dom), conds)
	}
	if a, ok := n.Attr.(ir.WithinAttr); ok {
		return b.expr(n.In[0], at, conds).Within(a.Lo, a.Hi)
	}
	switch {
	case n.Op.View != nil:
		return b.view(n, at, conds)
	case n.Elementwise():
		return b.apply(n, at, conds)
	}
	switch n.Op.Kind {
	case ir.KindConst:
		return Constant(n.Attr.(*tensor.Tensor))
	case ir.KindIota:
		if a, ok := n.Attr.(ir.CountAttr); ok {
			return engine.IndexValue(n.DType, engine.ConstIndex(int64(a.N)))
		}
		return engine.IndexValue(n.DType, at[n.Attr.(ir.IotaAttr).Axis])
	case ir.KindRandom:
		return b.random(n, at, conds)
	case ir.KindGather:
		return b.gather(n, at, conds)
	case ir.KindReduce:
		return b.terms(n, at, conds)
	default:
		return b.expr(n.In[0], at, conds)
	}
}

// terms is a reduction over no axes, or the sum n written out.
func (b *builder) terms(n *ir.Node, at []*engine.Index, conds []engine.Cond) *engine.Expr {
	x, axes := n.In[0], n.Attr.(ir.ReduceAttr).Axes
	extents := ir.Extents(x.Shape, axes)
	var sum *engine.Expr
	for k := range ir.Product(extents) {
		from := make([]*engine.Index, 0, len(x.Shape))
		rest := at
		for a := range x.Shape {
			if i := slices.Index(axes, a); i >= 0 {
				from = append(from, engine.ConstIndex(int64(k/ir.Product(extents[i+1:])%extents[i])))
				continue
			}
			from, rest = append(from, rest[0]), rest[1:]
		}
		if e := b.expr(x, from, conds); sum == nil {
			sum = e
		} else {
			sum = engine.Apply(b.l.Scalars.Add, n.DType, sum, e)
		}
	}
	if len(axes) > 0 {
		b.names = append(b.names, n.Scope)
	}
	return sum
}

// view reads the operand at mapped coordinates, and the filling where there is
// none.
func (b *builder) view(n *ir.Node, at []*engine.Index, conds []engine.Cond) *engine.Expr {
	src, own := n.Op.View(n, at, b.dom)
	var open []engine.Cond
	fill := engine.Constant(n.DType, engine.Const{})
	if n.Op.Fill != nil && n.Op.Fill(n) != 0 {
		fill = constantOf(n.DType, n.Op.Fill(n))
	}
	for _, c := range own {
		always, never := c.Proven(b.dom)
		if never {
			return fill
		}
		if !always {
			open = append(open, c)
		}
	}
	e := b.expr(n.In[0], src, merge(conds, open))
	zero := fill.Value == engine.Const{}
	if len(open) == 0 || e.Op == engine.OpLoad && zero {
		return e
	}
	return engine.Apply(b.l.Scalars.Where, n.DType, engine.Valid(open), e, fill)
}

// merge appends to outer the conditions of inner that it lacks.
func merge(outer, inner []engine.Cond) []engine.Cond {
	out := slices.Clone(outer)
	for _, c := range inner {
		if !slices.ContainsFunc(out, func(o engine.Cond) bool { return o.X.Key() == c.X.Key() && o.Lo == c.Lo && o.Hi == c.Hi }) {
			out = append(out, c)
		}
	}
	return out
}

func (b *builder) apply(n *ir.Node, at []*engine.Index, conds []engine.Cond) *engine.Expr {
	args := make([]*engine.Expr, len(n.In))
	for i, x := range n.In {
		args[i] = b.expr(x, ir.BroadcastIndex(x.Shape, at), conds)
	}
	b.names = append(b.names, n.Scope)
	return engine.Apply(n.Op.Scalar, n.DType, args...)
}

// random draws for the position in row-major order, whatever the order of the
// task is.
func (b *builder) random(n *ir.Node, at []*engine.Index, conds []engine.Cond) *engine.Expr {
	position := engine.ConstIndex(0)
	for i, x := range at {
		position = position.Add(x.Mul(int64(ir.Product(n.Shape[i+1:]))))
	}
	b.names = append(b.names, n.Scope)
	seed := engine.Constant(tensor.Uint64, engine.Const{Int: int64(b.l.Seed)})
	for _, iteration := range n.In {
		seed = engine.Apply(b.l.Scalars.FoldIn, tensor.Uint64, seed, b.expr(iteration, nil, conds))
	}
	return engine.Apply(n.Op.Scalar, n.DType,
		engine.IndexValue(tensor.Uint64, position),
		engine.Run(),
		engine.Constant(tensor.Uint32, engine.Const{Int: int64(n.Attr.(ir.RandomAttr).Stream)}),
		seed)
}

// gather reads the operand at a coordinate that is itself read from memory.
func (b *builder) gather(n *ir.Node, at []*engine.Index, conds []engine.Cond) *engine.Expr {
	x, idx, a := n.In[0], n.In[1], n.Attr.(ir.GatherAttr)
	where := at
	if !a.Along {
		where = at[a.Axis : a.Axis+idx.Rank()]
	}
	pos := engine.DataIndex(b.expr(idx, where, conds))
	b.names = append(b.names, n.Scope)
	inside := engine.Cond{X: pos, Lo: 0, Hi: int64(x.Shape[a.Axis])}
	if always, _ := inside.Proven(b.dom); always {
		return b.expr(x, a.Coords(at, pos, idx.Rank()), conds)
	}
	e := b.expr(x, a.Coords(at, pos, idx.Rank()), merge(conds, []engine.Cond{inside}))
	if e.Op == engine.OpLoad {
		return e
	}
	return engine.Apply(b.l.Scalars.Where, n.DType, engine.Valid([]engine.Cond{inside}), e, engine.Constant(n.DType, engine.Const{}))
}

// epilogue follows the chain from head to end. at are head's coordinates in
// terms of the task's axes, addr is head's address over its own axes; the
// result is end's value and its address over its own axes.
func (b *builder) epilogue(head, end *ir.Node, at []*engine.Index, addr *engine.Index, acc tensor.DType) (*engine.Expr, *engine.Index) {
	result := b.l.resultOf(head, 0, acc)
	b.outputs = map[*ir.Node]groupOutput{head: {acc: result}}
	b.names = append(b.names, head.Scope)
	if head == end {
		return result, addr
	}
	for _, n := range b.l.chain[head] {
		if n.Op.View != nil {
			own := make([]*engine.Index, len(n.Shape))
			for i := range own {
				own[i] = engine.AxisIndex(i)
			}
			src, _ := n.Op.View(n, own, n.Shape)
			addr = addr.Subst(src, n.Shape)
		}
	}
	return b.expr(end, b.l.coordinates(head, at, b.dom), nil), addr
}

// coordinates follows the chain of head: at are the coordinates of one of its
// elements over the axes of dom, the result is the coordinates of the same
// element at the end of the chain.
func (l *lowerer) coordinates(head *ir.Node, at []*engine.Index, dom engine.Domain) []*engine.Index {
	cur := head
	for _, n := range l.chain[head] {
		switch a := n.Attr.(type) {
		case ir.TransposeAttr:
			moved := make([]*engine.Index, len(at))
			for i, p := range a.Perm {
				moved[i] = at[p]
			}
			at = moved
		case ir.ReshapeAttr:
			at = ir.ReshapeIndex(cur.Shape, n.Shape, at, dom)
		}
		cur = n
	}
	return at
}

// resultOf is the value of head, a reduction or contraction, once result
// number i of its task, of dtype acc, is known.
func (l *lowerer) resultOf(head *ir.Node, i int, acc tensor.DType) *engine.Expr {
	if f := head.Op.Fold; (f == engine.Max || f == engine.Min) && ir.Product(head.In[0].Shape) == 0 {
		return constantOf(head.DType, limitOf(f)) // the identity of a wider type would wrap
	}
	if acc != head.DType && acc.IsInt() { // folded wider than it is: wrap
		return engine.Apply(l.Scalars.Cast, head.DType, engine.Acc(i, acc))
	}
	return engine.Acc(i, acc)
}

// limitOf is the extreme of nothing, before it saturates in a dtype.
func limitOf(f engine.Monoid) float64 {
	if f == engine.Max {
		return math.Inf(-1)
	}
	return math.Inf(1)
}

// Constant is the element of a tensor of one element.
func Constant(t *tensor.Tensor) *engine.Expr {
	dt := t.DType()
	if dt.IsFloat() {
		return engine.Constant(dt, engine.Const{Float: t.Float64At(0)})
	}
	wide, to := tensor.Int64, engine.Const{}
	if dt == tensor.Uint64 {
		wide = tensor.Uint64
	}
	w, err := tensor.Cast(t, wide)
	if err == nil { // a cast between integers does not fail
		if u, err := tensor.ToSlice[uint64](w); err == nil {
			to.Int = int64(u[0])
		} else if i, err := tensor.ToSlice[int64](w); err == nil {
			to.Int = i[0]
		}
	}
	return engine.Constant(dt, to)
}

// constantOf is v in dtype dt, truncated and saturated for integers.
func constantOf(dt tensor.DType, v float64) *engine.Expr {
	t, err := tensor.Cast(tensor.Scalar(v), dt)
	if err != nil { // only for an invalid dtype, which no node has
		return engine.Constant(dt, engine.Const{Float: v, Int: int64(v)})
	}
	return Constant(t)
}
