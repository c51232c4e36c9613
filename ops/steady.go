package ops

import (
	"slices"

	"github.com/anycl/anycl/internal/store"

	"github.com/anycl/anycl/engine"
)

// markSteady finds what is the same in every run unless somebody sets a
// variable: constants, variables that the graph does not update and that are not
// volatile, and weights in another layout. Engines keep what they make of it.
func markSteady(units []*unit, volatile []*store.Variable) {
	changes := map[*store.Variable]bool{}
	for _, v := range volatile {
		changes[v] = true
	}
	for _, u := range units {
		for _, v := range u.outs {
			if v.stored != nil {
				changes[v.stored] = true
			}
		}
	}
	for _, u := range units { // makers before readers
		for i, v := range u.ins {
			if v.maker == nil {
				v.steady = v.node.Op.Kind == KindConst || v.node.State != nil && !changes[v.node.State]
			}
			u.task.Ins[i].Steady = v.steady
		}
		if u.rearranges() {
			u.outs[0].steady, u.task.Outs[0].Steady = true, true
		}
	}
}

// rearranges reports whether u does nothing but lay steady values out anew for
// its readers. What computes is left to run: nobody expects the memory that its
// result would take for good.
func (u *unit) rearranges() bool {
	t := u.task
	return t.Kind == engine.Map && len(t.Values) == 1 && t.Values[0].Op == engine.OpLoad && u.outs[0].stored == nil &&
		u.outs[0].node.Is(TraitMaterialize) && !slices.ContainsFunc(t.Ins, func(o engine.Operand) bool { return !o.Steady })
}
