package ops

import (
	"maps"
	"slices"

	"github.com/anycl/anycl/engine"
)

// spanLoops lets what a loop reads of its surroundings, and what its iterations hand on,
// keep its memory until the last iteration is over.
func (p *plan) spanLoops() {
	walkFlows(p.x.flows, func(f *flow) {
		if v := f.predicate(p.units); v != nil {
			at := f.first // of a branch
			if f.Loop {
				at = max(f.mid-1, f.first)
			}
			p.use(v, p.sideOf(v), at)
		}
	})
	walkFlows(p.x.flows, func(f *flow) {
		if !f.Loop || f.first == f.last {
			return
		}
		for h, iv := range p.span {
			if iv.To < f.first || iv.From >= f.last || f.contains(h.value, p.makerOf(h.value)) {
				continue
			}
			iv.From, iv.To = min(iv.From, f.first), max(iv.To, f.last)
		}
	})
}

// makerOf is the unit that makes v, -1 for none.
func (p *plan) makerOf(v *value) int {
	if v.maker == nil {
		return -1
	}
	return p.maker[v.maker]
}

// coalesce gives the values that copies of loops and branches read the memory of what they
// write, where nothing else needs that meanwhile: the copy is needless then. An iteration so
// computes what it hands on in place.
func (p *plan) coalesce(again bool) {
	starts := map[int]int{} // of the body of the loop whose iteration ends with a unit
	walkFlows(p.x.flows, func(f *flow) {
		for t := f.mid; f.Loop && t < f.last; t++ {
			if p.units[t].carries && p.units[t].outs[0].flow == f {
				starts[t] = f.mid
			}
		}
	})
	for t, u := range p.units {
		if !u.carries {
			continue
		}
		s := p.choices[t].Side
		from, to := home{u.ins[0], s}, home{u.outs[0], s}
		if p.free(from, to, t, starts[t], again) {
			p.join(from, to)
		}
	}
}

// free reports whether from can have the memory of to until unit t copies it there. In a loop it
// must not be written before unit start, up to where the loop may end.
func (p *plan) free(from, to home, t, start int, again bool) bool {
	made := p.makerOf(from.value)
	if _, shared := p.alias[from]; shared || from.fixed(p) || made >= 0 && p.choices[made].Side != from.side || from.value.len != to.value.len {
		return false
	}
	span := p.span[from]
	if span.To != t || span.From < start || from.value.steady {
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
func (p *plan) inStep(u *unit, from, to home, again bool) bool {
	in, out := -1, slices.Index(u.outs, from.value)
	for i, v := range u.ins {
		if p.root(home{v, from.side}) != to {
			continue
		}
		if in >= 0 {
			return false // twice
		}
		in = i
	}
	if in < 0 || out < 0 || u.task.Kind == engine.Custom || u.task.Kind == engine.Routine || len(u.outs) != len(u.task.Outs) {
		return false
	}
	if slices.ContainsFunc(u.outs, func(v *value) bool { return v != from.value && p.root(home{v, from.side}) == to }) {
		return false
	}
	if again {
		return u.task.AliasOf(out) == in
	}
	if u.task.AliasOf(out) >= 0 || u.task.AliasedBy(in) >= 0 || !readsInStep(u.task, in, out) {
		return false
	}
	if u.task.Alias == nil {
		u.task.Alias = slices.Repeat([]int{-1}, len(u.outs))
	}
	u.task.Alias[out] = in
	return true
}

// join gives from the memory of to.
func (p *plan) join(from, to home) {
	root := p.root(to)
	p.alias[from] = root
	p.touched[root] = append(p.touched[root], p.touched[from]...)
	p.span[root].From = min(p.span[root].From, p.span[from].From)
	p.span[root].To = max(p.span[root].To, p.span[from].To)
}

// flowSteps is a loop or a branch as a run takes it.
type flowSteps struct {
	*flow
	// pred is where the predicate is: memory of side from, or bytes of the host.
	from  int
	slot  engine.Slot
	host  bool
	truth []byte
	parts [2][]step
}

// bindAll makes the tasks and steps of units [from, to).
func (p *plan) bindAll(from, to int, flows []*flow) {
	for t := from; t < to || len(flows) > 0 && flows[0].first == t; {
		if len(flows) > 0 && flows[0].first == t {
			p.bindFlow(flows[0])
			t, flows = flows[0].last, flows[1:]
			continue
		}
		p.bindUnit(t)
		t++
	}
}

// bindFlow makes the steps of f. What it reads of its surroundings is brought before a loop, once;
// a branch brings what it needs when it is taken.
func (p *plan) bindFlow(f *flow) {
	if f.Loop {
		for t := f.first; t < f.last; t++ {
			for _, v := range p.units[t].ins {
				if v.flow != f && !f.contains(v, p.makerOf(v)) {
					p.bring(v, p.choices[t].Side)
				}
			}
		}
	}
	steps := &flowSteps{flow: f}
	if v := f.predicate(p.units); v != nil {
		steps.from = p.sideOf(v)
		steps.slot = p.slots[home{v, steps.from}]
		if steps.host = p.hosted(steps.from, steps.slot, v, &steps.truth); !steps.host {
			steps.truth = make([]byte, 1)
		}
	}
	outer, moved := p.steps, p.moved
	inner := slices.IndexFunc(f.inner, func(in *flow) bool { return in.first >= f.mid })
	if inner < 0 {
		inner = len(f.inner)
	}
	for k, part := range [2]struct {
		from, to int
		flows    []*flow
	}{{f.first, f.mid, f.inner[:inner]}, {f.mid, f.last, f.inner[inner:]}} {
		if k == 0 || !f.Loop { // behind it nothing is where it was brought within
			p.moved = maps.Clone(moved)
		}
		p.steps = &steps.parts[k]
		p.bindAll(part.from, part.to, part.flows)
	}
	p.steps, p.moved = outer, moved
	p.add(step{flow: steps})
}
