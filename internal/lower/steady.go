package lower

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/store"
)

// markSteady finds what is the same in every run unless somebody sets a
// variable: constants, variables that the graph does not update and that are not
// volatile, and weights in another layout. Engines keep what they make of it.
func markSteady(instructions []*ir.Instruction, volatile []*store.Variable) {
	changes := map[*store.Variable]bool{}
	for _, v := range volatile {
		changes[v] = true
	}
	for _, u := range instructions {
		for _, v := range u.Outs {
			if v.Stored != nil {
				changes[v.Stored] = true
			}
		}
	}
	for _, u := range instructions { // makers before readers
		for i, v := range u.Ins {
			if v.Maker == nil {
				v.Steady = v.Node.Op.Kind == ir.KindConst || v.Node.State != nil && !changes[v.Node.State]
			}
			u.Task.Ins[i].Steady = v.Steady
		}
		if rearranges(u) {
			u.Outs[0].Steady, u.Task.Outs[0].Steady = true, true
		}
	}
}

// rearranges reports whether u does nothing but lay steady values out anew for its readers. Instructions
// that compute are left to run: nobody expects the memory that their results would take for good.
func rearranges(u *ir.Instruction) bool {
	t := u.Task
	return t.Kind == engine.Map && len(t.Values) == 1 && t.Values[0].Op == engine.OpLoad && u.Outs[0].Stored == nil &&
		u.Outs[0].Node.Is(ir.TraitMaterialize) && !slices.ContainsFunc(t.Ins, func(o engine.Operand) bool { return !o.Steady })
}
