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

// rearranges reports whether u does nothing but lay steady values out anew for its readers, or put parts of them together, in no more
// memory than they take. Instructions that compute are left to run: nobody expects the memory that their results would take for good.
func rearranges(u *ir.Instruction) bool {
	t := u.Task
	if t.Kind != engine.Map || len(t.Values) != 1 || u.Outs[0].Stored != nil || !allSteady(t) {
		return false
	}
	if t.Values[0].Op == engine.OpLoad && u.Outs[0].Node.Is(ir.TraitMaterialize) {
		return true
	}
	return t.Outs[0].Bytes() <= bytesIn(t) && joins(t.Values[0])
}

// joins reports whether an element of x is one that is loaded, and its place alone says which.
func joins(x *engine.Expr) bool {
	loads := 0
	for e := range x.Walk() {
		switch e.Op {
		case engine.OpLoad:
			loads++
		case engine.OpConst, engine.OpIndex, engine.OpValid:
		case engine.OpApply:
			if e.Fn.Function != engine.FnSelect || loadsAny(e.Args[0]) {
				return false
			}
		default:
			return false
		}
	}
	return loads > 1
}

// loadsAny reports whether x reads memory.
func loadsAny(x *engine.Expr) bool {
	for e := range x.Walk() {
		if e.Op == engine.OpLoad {
			return true
		}
	}
	return false
}

// bytesIn are the bytes of the operands of t.
func bytesIn(t *engine.Task) int64 {
	var n int64
	for _, o := range t.Ins {
		n += o.Bytes()
	}
	return n
}

// summaryOf is how many times smaller a fold is than what it is made of to be kept.
const summaryOf = 16

// summarizes reports whether u folds steady values to much smaller ones, as the sums of weights that zero points are multiplied with.
func summarizes(u *ir.Instruction) bool {
	t := u.Task
	if t.Kind != engine.Reduce || len(t.Outs) != 1 || t.Alias != nil || u.Outs[0].Stored != nil || !allSteady(t) {
		return false
	}
	return summaryOf*t.Outs[0].Bytes() <= bytesIn(t)
}

// allSteady reports whether t has operands, and each is the same in every run.
func allSteady(t *engine.Task) bool {
	return len(t.Ins) > 0 && !slices.ContainsFunc(t.Ins, func(o engine.Operand) bool { return !o.Steady })
}
