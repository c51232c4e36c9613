package ops

import (
	"slices"

	"github.com/anycl/anycl/engine"
)

// storeUpdates lets every assigned value be written straight to its variable's
// memory where that is safe, and adds a copy at the end where it is not. It
// returns the units in an order in which all readers of a variable's old value
// come before its writer.
func (l *lowerer) storeUpdates(updates []*Node) []*unit {
	after := map[*unit][]*unit{} // unit to those that must follow it
	index := map[*unit]int{}
	readers := map[*variable][]*unit{}
	var copies []*unit
	note := func(u *unit) {
		index[u] = len(index)
		for _, v := range u.ins {
			if v.maker != nil {
				after[v.maker] = append(after[v.maker], u)
			} else if s := v.node.state; s != nil {
				readers[s] = append(readers[s], u)
			}
		}
	}
	for _, u := range l.units {
		note(u)
	}
	for _, n := range updates {
		target, v := n.in[0].state, l.asDense(n.in[1])
		for _, u := range l.units[len(index)-len(copies):] { // asDense may have added a copy
			note(u)
		}
		if v.maker != nil && v.stored == nil && inPlace(v, target) && !l.blocked(v.maker, readers[target], after) {
			v.stored = target
			for _, r := range readers[target] {
				if r != v.maker {
					after[r] = append(after[r], v.maker)
				}
			}
			continue
		}
		c := l.copyUnit(n, v)
		index[c] = len(index)
		copies = append(copies, c)
		if v.maker != nil {
			after[v.maker] = append(after[v.maker], c)
		}
		for _, r := range readers[target] {
			after[r] = append(after[r], c)
		}
		// A copy from another variable must see its old value.
		if s := v.node.state; v.maker == nil && s != nil {
			readers[s] = append(readers[s], c)
		}
	}
	units := append(slices.Clone(l.units), copies...)
	return sortUnits(units, after)
}

// blocked reports whether w must run before some reader of the old value.
func (l *lowerer) blocked(w *unit, readers []*unit, after map[*unit][]*unit) bool {
	seen := map[*unit]bool{}
	var reaches func(u *unit) bool
	reaches = func(u *unit) bool {
		for _, next := range after[u] {
			if slices.Contains(readers, next) && next != w {
				return true
			}
			if !seen[next] {
				seen[next] = true
				if reaches(next) {
					return true
				}
			}
		}
		return false
	}
	return reaches(w)
}

// inPlace reports whether the task that makes v may write to the memory of s:
// it reads nothing of s, or each element of s only where it writes it.
func inPlace(v *value, s *variable) bool {
	u := v.maker
	for i, in := range u.ins {
		if in.maker == nil && in.node.state == s && !readsInStep(u.task, i) {
			return false
		}
	}
	return u.task.Kind != engine.Custom
}

// readsInStep reports whether t reads input i only at the very address that it
// is about to write, after everything else is computed.
func readsInStep(t *engine.Task, i int) bool {
	var final *engine.Expr
	switch t.Kind {
	case engine.Map:
		final = t.Value
	case engine.Reduce, engine.Contract:
		final = t.Epilogue
	default:
		return false
	}
	if t.Ins[i].DType.Size() != t.Outs[0].DType.Size() {
		return false
	}
	out := outAddress(t)
	for _, e := range t.Exprs() {
		for s := range e.Walk() {
			if s.Op == engine.OpLoad && s.Input == i && (e != final || s.Addr.Key() != out.Key()) {
				return false
			}
		}
	}
	return true
}

// outAddress is where t writes, over its axes.
func outAddress(t *engine.Task) *engine.Index {
	addr, stride := engine.ConstIndex(0), int64(1)
	for _, a := range slices.Backward(t.OutAxes()) {
		if t.Axes[a] != 1 {
			addr = addr.Add(engine.AxisIndex(a).Mul(stride))
		}
		stride *= int64(t.Axes[a])
	}
	return addr
}

// copyUnit copies v to the variable that n assigns.
func (l *lowerer) copyUnit(n *Node, v *value) *unit {
	b := l.builder(engine.Domain{int(v.len)})
	t := &engine.Task{
		Kind: engine.Map, Name: "assign", Caller: n.caller, Alias: -1,
		Axes: b.dom, Groups: []int{1},
		Value: engine.Load(b.input(v), v.dtype, engine.AxisIndex(0), nil),
	}
	t.Ins = b.operands()
	t.Outs = []engine.Operand{{DType: v.dtype, Len: v.len}}
	u := &unit{task: t, ins: b.ins}
	u.outs = []*value{{node: n, dtype: v.dtype, len: v.len, dense: true, maker: u, stored: n.in[0].state}}
	return u
}

// sortUnits is a topological order, as near to the given one as can be.
func sortUnits(units []*unit, after map[*unit][]*unit) []*unit {
	waits := map[*unit]int{}
	for _, u := range units {
		for _, next := range after[u] {
			waits[next]++
		}
	}
	done := map[*unit]bool{}
	out := make([]*unit, 0, len(units))
	for len(out) < len(units) {
		for _, u := range units {
			if done[u] || waits[u] > 0 {
				continue
			}
			done[u] = true
			out = append(out, u)
			for _, next := range after[u] {
				waits[next]--
			}
		}
	}
	return out
}
