package plan

import (
	"maps"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/lower"
)

// spanLoops lets the values that a loop reads from outside, and those that its iterations hand on,
// keep their memory until the last iteration is over.
func (b *builder) spanLoops() {
	ir.WalkFlows(b.Flows, func(f *ir.Flow) {
		if v := f.Predicate(b.Instructions); v != nil {
			at := f.First // of a branch
			if f.Loop {
				at = max(f.Mid-1, f.First)
			}
			b.use(v, b.engineOf(v), at)
		}
	})
	ir.WalkFlows(b.Flows, func(f *ir.Flow) {
		if !f.Loop || f.First == f.Last {
			return
		}
		for h, iv := range b.span {
			if iv.To < f.First || iv.From >= f.Last || f.Contains(h.value, b.makerOf(h.value)) {
				continue
			}
			iv.From, iv.To = min(iv.From, f.First), max(iv.To, f.Last)
		}
	})
}

// makerOf is the instruction that makes v, -1 for none.
func (b *builder) makerOf(v *ir.Value) int {
	if v.Maker == nil {
		return -1
	}
	return b.maker[v.Maker]
}

// coalesce gives the values that copies of loops and branches read the memory of the values that
// they write, where nothing else needs that meanwhile: the copy is needless then. An iteration so
// computes the values that it hands on in place.
func (b *builder) coalesce() {
	starts := map[int]int{} // of the body of the loop whose iteration ends with an instruction
	ir.WalkFlows(b.Flows, func(f *ir.Flow) {
		for t := f.Mid; f.Loop && t < f.Last; t++ {
			if b.Instructions[t].Carries && b.Instructions[t].Outs[0].Flow == f {
				starts[t] = f.Mid
			}
		}
	})
	for t, u := range b.Instructions {
		if !u.Carries {
			continue
		}
		e := b.choices[t].Engine
		from, to := residence{u.Ins[0], e}, residence{u.Outs[0], e}
		if b.free(from, to, t, starts[t]) {
			b.join(from, to)
		}
	}
}

// free reports whether from can have the memory of to until instruction t copies it there. In a loop it
// must not be written before instruction start, up to where the loop may end.
func (b *builder) free(from, to residence, t, start int) bool {
	made := b.makerOf(from.value)
	if _, shared := b.alias[from]; shared || from.fixed(b) || made >= 0 && b.choices[made].Engine != from.engine ||
		from.value.Len != to.value.Len {
		return false
	}
	span := b.span[from]
	if span.To != t || span.From < start || from.value.Steady {
		return false
	}
	to = b.root(to)
	read := false // by the task that makes from
	for _, at := range b.touched[to] {
		switch {
		case at == t || at < span.From || at > t:
		case at == span.From && at == made:
			read = true
		default:
			return false
		}
	}
	return !read || b.inStep(b.Instructions[made], from, to)
}

// inStep reports whether instruction u may write from over to, which it reads, and declares it.
func (b *builder) inStep(u *ir.Instruction, from, to residence) bool {
	in, out := -1, slices.Index(u.Outs, from.value)
	for i, v := range u.Ins {
		if b.root(residence{v, from.engine}) != to {
			continue
		}
		if in >= 0 {
			return false // twice
		}
		in = i
	}
	if in < 0 || out < 0 || u.Task.Kind == engine.Custom || u.Task.Kind == engine.Routine || len(u.Outs) != len(u.Task.Outs) {
		return false
	}
	if slices.ContainsFunc(u.Outs, func(v *ir.Value) bool { return v != from.value && b.root(residence{v, from.engine}) == to }) {
		return false
	}
	if u.Task.AliasOf(out) >= 0 || u.Task.AliasedBy(in) >= 0 || !lower.ReadsInStep(u.Task, in, out) {
		return false
	}
	declareAlias(u, out, in)
	return true
}

// join gives from the memory of to.
func (b *builder) join(from, to residence) {
	root := b.root(to)
	b.alias[from] = root
	b.touched[root] = append(b.touched[root], b.touched[from]...)
	b.span[root].From = min(b.span[root].From, b.span[from].From)
	b.span[root].To = max(b.span[root].To, b.span[from].To)
}

// bindAll makes the tasks and steps of instructions [from, to).
func (b *builder) bindAll(from, to int, flows []*ir.Flow) {
	for t := from; t < to || len(flows) > 0 && flows[0].First == t; {
		if len(flows) > 0 && flows[0].First == t {
			b.bindFlow(flows[0])
			t, flows = flows[0].Last, flows[1:]
			continue
		}
		b.bindUnit(t)
		t++
	}
}

// bindFlow makes the steps of f. Values from outside of a loop are moved before it, once; a branch
// moves the values that it needs when it is taken.
func (b *builder) bindFlow(f *ir.Flow) {
	if f.Loop {
		for t := f.First; t < f.Last; t++ {
			for _, v := range b.Instructions[t].Ins {
				if v.Flow != f && !f.Contains(v, b.makerOf(v)) {
					b.bring(v, b.choices[t].Engine)
				}
			}
		}
	}
	r := &Region{Flow: f}
	if v := f.Predicate(b.Instructions); v != nil {
		e := b.engineOf(v)
		at := b.locations[residence{v, e}]
		r.Predicate, r.OnHost = &at, b.traits[e].Hosted
	}
	outer, moved := b.steps, b.moved
	inner := slices.IndexFunc(f.Inner, func(in *ir.Flow) bool { return in.First >= f.Mid })
	if inner < 0 {
		inner = len(f.Inner)
	}
	for k, part := range [2]struct {
		from, to int
		flows    []*ir.Flow
	}{{f.First, f.Mid, f.Inner[:inner]}, {f.Mid, f.Last, f.Inner[inner:]}} {
		if k == 0 || !f.Loop { // behind it nothing is where it was brought within
			b.moved = maps.Clone(moved)
		}
		b.steps = &r.Parts[k]
		b.bindAll(part.from, part.to, part.flows)
	}
	b.steps, b.moved = outer, moved
	b.addStep(Step{Kind: Enter, Region: r})
}
