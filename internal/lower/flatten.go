package lower

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
)

// inOrder lists instructions, with the instructions of loops and branches in their places.
func inOrder(instructions []*ir.Instruction) (all []*ir.Instruction, flows []*ir.Flow) {
	var add func(instructions []*ir.Instruction) []*ir.Flow
	add = func(instructions []*ir.Instruction) (flows []*ir.Flow) {
		for _, u := range instructions {
			f := u.Flow
			if f == nil {
				all = append(all, u)
				continue
			}
			all = append(all, f.Before...)
			f.First = len(all)
			f.Inner = add(f.Parts[0])
			f.Mid = len(all)
			f.Inner = append(f.Inner, add(f.Parts[1])...)
			f.Last = len(all)
			f.Before, f.Parts = nil, [2][]*ir.Instruction{}
			flows = append(flows, f)
		}
		return flows
	}
	flows = add(instructions)
	for _, u := range slices.Backward(all) { // a value that several instructions write is made by the first
		for _, v := range u.Outs {
			v.Maker = u
		}
	}
	ir.WalkFlows(flows, func(f *ir.Flow) {
		if f.Pred != nil && f.Pred.Maker != nil {
			f.PredInstruction, f.PredOut = slices.Index(all, f.Pred.Maker), slices.Index(f.Pred.Maker.Outs, f.Pred)
		}
	})
	return all, flows
}

// carry makes an instruction that copies src to dst.
func carry(name, caller string, src, dst *ir.Value, where ir.Place) *ir.Instruction {
	t := &engine.Task{
		Kind: engine.Map, Name: name, Caller: caller, Axes: engine.Domain{int(src.Len)}, Groups: []int{1},
		Ins:    []engine.Operand{{DType: src.DType, Len: src.Len}},
		Outs:   []engine.Operand{{DType: dst.DType, Len: dst.Len}},
		Values: []*engine.Expr{engine.Load(0, src.DType, engine.AxisIndex(0), nil)},
	}
	return &ir.Instruction{Task: t, Ins: []*ir.Value{src}, Outs: []*ir.Value{dst}, Where: where, Carries: true}
}
