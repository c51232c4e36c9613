package lower

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// fuseOutputs makes one task of several outputs from the group, and returns the ends that must have
// tasks of their own: the only end of a group, or ends that read others
// elsewhere than at their own coordinates.
func (l *lowerer) fuseOutputs(to *fusionGroup) (alone []*ir.Node) {
	for len(to.ends) > 1 {
		var mismatch *ir.Node
		if last := to.ends[len(to.ends)-1]; l.operandsOfAll(to.ends) > l.buffers {
			mismatch = last // what left has made more of the others results
		} else {
			mismatch = l.tryFuseOutputs(to)
		}
		if mismatch == nil {
			return alone
		}
		// Ends keep their order: each after those that it reads.
		alone = append(l.leave(to, mismatch), alone...)
	}
	return append(slices.Clone(to.ends), alone...)
}

// tryFuseOutputs makes the task of a group, or nothing where an end reads another one elsewhere than at its own
// coordinates: that end is the mismatch.
func (l *lowerer) tryFuseOutputs(to *fusionGroup) (mismatch *ir.Node) {
	outs := l.outputs(to)
	natural := ir.Range(0, len(to.shape))
	j := l.join(to, natural)
	if j.mismatch != nil {
		return j.mismatch
	}
	t, order := j.task, natural
	over := slices.ContainsFunc(outs, func(n *ir.Node) bool { return l.folds(n) == 0 && slices.Equal(n.Shape, to.shape) })
	switch {
	case len(t.Folds) > 0:
		t.Groups = []int{to.kept, len(to.shape) - to.kept}
		if t.Kind = engine.Row; len(t.Folds) > 1 || over {
			i := slices.IndexFunc(to.ends, func(n *ir.Node) bool { return l.folds(n) > 0 })
			if i > 0 && isLong(to.shape, len(to.shape)-to.kept) && !slices.Equal(j.b.orderOf(natural, t.Folds[0].Value), natural) {
				return to.ends[i] // better apart, each in the order of its operands
			}
			break
		}
		t.Kind = engine.Reduce
		if e := t.Folds[0].Value; !slices.Equal(j.b.orderOf(natural, e), natural) {
			return to.ends[1] // better alone, in the order of its operand
		}
	case !slices.ContainsFunc(outs, func(n *ir.Node) bool { return l.dense[n] }):
		if best := j.b.orderOf(natural, j.exprs[outs[0]]); !slices.Equal(best, natural) {
			j, order = l.join(to, best), best
			t = j.task
		}
	}
	var values []*ir.Value
	for _, end := range outs {
		v := l.rowMajor(end)
		if t.Kind == engine.Map {
			v.Addr, v.Dense = ir.RowMajor(end.Shape, order), slices.IsSorted(order)
		}
		t.Values = append(t.Values, j.exprs[end])
		values = append(values, v)
	}
	t.Name = j.b.name(outs[len(outs)-1])
	l.emitAll(t, j.b, values...)
	for i, end := range outs {
		l.values[end] = values[i]
	}
	return nil
}

// joint is the expressions of a group's ends in one builder.
type joint struct {
	b        *builder
	task     *engine.Task // folds, no values yet
	exprs    map[*ir.Node]*engine.Expr
	mismatch *ir.Node // the end that reads another one elsewhere
}

// join builds the ends of a group over its axes in the given order.
func (l *lowerer) join(to *fusionGroup, order []int) *joint {
	b := l.builder(ir.Extents(to.shape, order))
	b.outputs = map[*ir.Node]groupOutput{}
	own := make([]*engine.Index, len(to.shape))
	for pos, a := range order {
		own[a] = engine.AxisIndex(pos)
	}
	j := &joint{b: b, exprs: map[*ir.Node]*engine.Expr{}}
	j.task = &engine.Task{Kind: engine.Map, Axes: b.dom, Groups: []int{len(b.dom)}, Caller: to.ends[len(to.ends)-1].Caller}
	for _, end := range to.ends {
		at := own
		if l.folds(end) > 0 || !slices.Equal(end.Shape, to.shape) { // of the row
			at = slices.Clone(own[:len(end.Shape)])
			for a := to.kept; a < len(at); a++ {
				at[a] = engine.ConstIndex(0)
			}
		}
		if l.folds(end) > 0 {
			j.fold(l.head[end], own, to.kept)
		}
		j.exprs[end] = b.expr(end, at, nil)
		if b.mismatch != nil {
			j.mismatch = end
			return j
		}
		if _, ok := b.outputs[end]; !ok {
			b.outputs[end] = groupOutput{at: at}
		}
	}
	return j
}

// fold adds the reduction h over the axes from kept on.
func (j *joint) fold(h *ir.Node, own []*engine.Index, kept int) {
	v := j.b.expr(h.In[0], own, nil)
	acc := engine.AccType(v.DType)
	if h.Op.Fold.IsArg() {
		acc = tensor.Int64
	}
	j.b.outputs[h] = groupOutput{at: own[:kept], acc: j.b.l.resultOf(h, len(j.task.Folds), acc)}
	j.b.names = append(j.b.names, h.Scope)
	j.task.Folds = append(j.task.Folds, engine.Fold{Monoid: h.Op.Fold, Value: v, Acc: acc})
	j.task.Caller = h.Caller
}
