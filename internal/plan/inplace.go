package plan

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/lower"
)

// shareInPlace lets a task write over inputs that it reads for the last time,
// each element before the write.
func (b *builder) shareInPlace() {
	for at, t := range b.order {
		u := b.Instructions[t]
		if u.Task.Kind == engine.Custom || u.Task.Kind == engine.Routine {
			continue
		}
		for i, v := range u.Outs {
			if v.Flow != nil {
				continue // other writers have the same memory
			}
			if in := b.inPlace(at, t, u, i); in >= 0 {
				b.share(t, u, in, i)
				declareAlias(u, i, in)
			}
		}
	}
}

// declareAlias tells the task of u that output out has the memory of input in.
func declareAlias(u *ir.Instruction, out, in int) {
	if u.Task.Alias == nil {
		u.Task.Alias = slices.Repeat([]int{-1}, len(u.Outs))
	}
	u.Task.Alias[out] = in
}

// share gives output i of task t the memory of input in, unless both have a variable's.
func (b *builder) share(t int, u *ir.Instruction, in, i int) {
	e := b.choices[t].Engine
	out := residence{u.Outs[i], e}
	if _, shared := b.alias[out]; shared || out.fixed(b) {
		return
	}
	root := b.root(residence{u.Ins[in], e})
	b.alias[out] = root
	b.span[root].To = max(b.span[root].To, b.span[out].To)
}

// inPlace finds an input of u, whose number is t and which is submitted as the at-th, whose
// memory output i can have; -1 when there is none.
func (b *builder) inPlace(at, t int, u *ir.Instruction, i int) int {
	e, v := b.choices[t].Engine, u.Outs[i]
	out := residence{v, e}
	if _, shared := b.alias[out]; shared {
		return -1
	}
	for j, x := range u.Ins {
		if u.Task.AliasedBy(j) >= 0 {
			continue
		}
		in := residence{x, e}
		if out.fixed(b) {
			// Written to a variable's memory: it may be read there as well.
			if x.Maker == nil && x.Node.State != nil && x.Node.State == v.Stored && lower.ReadsInStep(u.Task, j, i) {
				return j
			}
			continue
		}
		root := b.root(in)
		if in.fixed(b) || b.aliased[in] || x.Bytes() != v.Bytes() || b.span[in].To != at || b.span[root].To != at ||
			!lower.ReadsInStep(u.Task, j, i) {
			continue
		}
		return j
	}
	return -1
}
