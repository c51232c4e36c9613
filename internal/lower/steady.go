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
		if rearranges(u) || summarizes(u) {
			u.Outs[0].Steady, u.Task.Outs[0].Steady = true, true
		}
	}
}

// rearranges reports whether u does nothing but lay steady values out anew for its readers. Instructions
// that compute are left to run: nobody expects the memory that their results would take for good.
func rearranges(u *ir.Instruction) bool {
	t := u.Task
	return t.Kind == engine.Map && len(t.Values) == 1 && t.Values[0].Op == engine.OpLoad && u.Outs[0].Stored == nil &&
		u.Outs[0].Node.Is(ir.TraitMaterialize) && allSteady(t)
}

// summaryOf is how many times smaller a fold is than what it is made of to be kept.
const summaryOf = 16

// summarizes reports whether u folds steady values to much smaller ones, as the sums of weights that zero points are multiplied with.
func summarizes(u *ir.Instruction) bool {
	t := u.Task
	if t.Kind != engine.Reduce || len(t.Outs) != 1 || t.Alias != nil || u.Outs[0].Stored != nil || !allSteady(t) {
		return false
	}
	var from int64
	for _, o := range t.Ins {
		from += o.Bytes()
	}
	return summaryOf*t.Outs[0].Bytes() <= from
}

// allSteady reports whether t has operands, and each is the same in every run.
func allSteady(t *engine.Task) bool {
	return len(t.Ins) > 0 && !slices.ContainsFunc(t.Ins, func(o engine.Operand) bool { return !o.Steady })
}
