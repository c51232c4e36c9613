package ops

import (
	"maps"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/lower"
)

// spanLoops lets what a loop reads of its surroundings, and what its iterations hand on,
// keep its memory until the last iteration is over.
func (p *plan) spanLoops() {
	ir.WalkFlows(p.x.flows, func(f *ir.Flow) {
		if v := f.Predicate(p.units); v != nil {
			at := f.First // of a branch
			if f.Loop {
				at = max(f.Mid-1, f.First)
			}
			p.use(v, p.sideOf(v), at)
		}
	})
	ir.WalkFlows(p.x.flows, func(f *ir.Flow) {
		if !f.Loop || f.First == f.Last {
			return
		}
		for h, iv := range p.span {
			if iv.To < f.First || iv.From >= f.Last || f.Contains(h.value, p.makerOf(h.value)) {
				continue
			}
			iv.From, iv.To = min(iv.From, f.First), max(iv.To, f.Last)
		}
	})
}

// makerOf is the unit that makes v, -1 for none.
func (p *plan) makerOf(v *ir.Value) int {
	if v.Maker == nil {
		return -1
	}
	return p.maker[v.Maker]
}

// coalesce gives the values that copies of loops and branches read the memory of what they
// write, where nothing else needs that meanwhile: the copy is needless then. An iteration so
// computes what it hands on in place.
func (p *plan) coalesce(again bool) {
	starts := map[int]int{} // of the body of the loop whose iteration ends with a unit
	ir.WalkFlows(p.x.flows, func(f *ir.Flow) {
		for t := f.Mid; f.Loop && t < f.Last; t++ {
			if p.units[t].Carries && p.units[t].Outs[0].Flow == f {
				starts[t] = f.Mid
			}
		}
	})
	for t, u := range p.units {
		if !u.Carries {
			continue
		}
		s := p.choices[t].Side
		from, to := residence{u.Ins[0], s}, residence{u.Outs[0], s}
		if p.free(from, to, t, starts[t], again) {
			p.join(from, to)
		}
	}
}

// free reports whether from can have the memory of to until unit t copies it there. In a loop it
// must not be written before unit start, up to where the loop may end.
func (p *plan) free(from, to residence, t, start int, again bool) bool {
	made := p.makerOf(from.value)
	if _, shared := p.alias[from]; shared || from.fixed(p) || made >= 0 && p.choices[made].Side != from.side || from.value.Len != to.value.Len {
		return false
	}
	span := p.span[from]
	if span.To != t || span.From < start || from.value.Steady {
		return false
	}
	to = p.root(to)
	read := false // by who makes from
	for _, at := range p.touched[to] {
		switch {
		case at == t || at < span.From || at > t:
		case at == span.From && at == made:
			read = true
		default:
			return false
		}
	}
	return !read || p.inStep(p.units[made], from, to, again)
}

// inStep reports whether unit u may write from over to, which it reads, and declares it.
func (p *plan) inStep(u *ir.Unit, from, to residence, again bool) bool {
	in, out := -1, slices.Index(u.Outs, from.value)
	for i, v := range u.Ins {
		if p.root(residence{v, from.side}) != to {
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
	if slices.ContainsFunc(u.Outs, func(v *ir.Value) bool { return v != from.value && p.root(residence{v, from.side}) == to }) {
		return false
	}
	if again {
		return u.Task.AliasOf(out) == in
	}
	if u.Task.AliasOf(out) >= 0 || u.Task.AliasedBy(in) >= 0 || !lower.ReadsInStep(u.Task, in, out) {
		return false
	}
	if u.Task.Alias == nil {
		u.Task.Alias = slices.Repeat([]int{-1}, len(u.Outs))
	}
	u.Task.Alias[out] = in
	return true
}

// join gives from the memory of to.
func (p *plan) join(from, to residence) {
	root := p.root(to)
	p.alias[from] = root
	p.touched[root] = append(p.touched[root], p.touched[from]...)
	p.span[root].From = min(p.span[root].From, p.span[from].From)
	p.span[root].To = max(p.span[root].To, p.span[from].To)
}

// flowSteps is a loop or a branch as a run takes it.
type flowSteps struct {
	*ir.Flow
	// pred is where the predicate is: memory of side from, or bytes of the host.
	from  int
	slot  engine.Slot
	host  bool
	truth []byte
	parts [2][]step
}

// bindAll makes the tasks and steps of units [from, to).
func (p *plan) bindAll(from, to int, flows []*ir.Flow) {
	for t := from; t < to || len(flows) > 0 && flows[0].First == t; {
		if len(flows) > 0 && flows[0].First == t {
			p.bindFlow(flows[0])
			t, flows = flows[0].Last, flows[1:]
			continue
		}
		p.bindUnit(t)
		t++
	}
}

// bindFlow makes the steps of f. What it reads of its surroundings is brought before a loop, once;
// a branch brings what it needs when it is taken.
func (p *plan) bindFlow(f *ir.Flow) {
	if f.Loop {
		for t := f.First; t < f.Last; t++ {
			for _, v := range p.units[t].Ins {
				if v.Flow != f && !f.Contains(v, p.makerOf(v)) {
					p.bring(v, p.choices[t].Side)
				}
			}
		}
	}
	steps := &flowSteps{Flow: f}
	if v := f.Predicate(p.units); v != nil {
		steps.from = p.sideOf(v)
		steps.slot = p.slots[residence{v, steps.from}]
		if steps.host = p.hosted(steps.from, steps.slot, v, &steps.truth); !steps.host {
			steps.truth = make([]byte, 1)
		}
	}
	outer, moved := p.steps, p.moved
	inner := slices.IndexFunc(f.Inner, func(in *ir.Flow) bool { return in.First >= f.Mid })
	if inner < 0 {
		inner = len(f.Inner)
	}
	for k, part := range [2]struct {
		from, to int
		flows    []*ir.Flow
	}{{f.First, f.Mid, f.Inner[:inner]}, {f.Mid, f.Last, f.Inner[inner:]}} {
		if k == 0 || !f.Loop { // behind it nothing is where it was brought within
			p.moved = maps.Clone(moved)
		}
		p.steps = &steps.parts[k]
		p.bindAll(part.from, part.to, part.flows)
	}
	p.steps, p.moved = outer, moved
	p.add(step{flow: steps})
}
