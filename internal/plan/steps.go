package plan

import "github.com/anycl/anycl/internal/ir"

// bindUnit adds task t, and the steps that move its operands and run it.
func (b *builder) bindUnit(t int) {
	u, e := b.Instructions[t], b.choices[t].Engine
	for _, v := range u.Ins {
		b.bring(v, e)
	}
	task := b.bindTask(t)
	if u.Carries && task.Ins[0] == task.Outs[0] {
		return // it is there
	}
	n := len(b.Engines[e].Tasks)
	b.addStep(Step{Kind: Run, From: e, First: n - 1, Last: n})
}

// bring adds the step that moves v to engine e, unless it is there.
func (b *builder) bring(v *ir.Value, e int) {
	from := b.engineOf(v)
	if v.Maker == nil || from == e || b.moved[residence{v, e}] {
		return
	}
	b.moved[residence{v, e}] = true
	b.addStep(b.moving(v, from, e))
}

// moving is the step that moves v from one engine to another.
func (b *builder) moving(v *ir.Value, from, to int) Step {
	return Step{
		Kind: Move, From: from, To: to, Src: b.locations[residence{v, from}], Dst: b.locations[residence{v, to}], Bytes: v.Bytes(), Fetch: -1,
		Read: b.traits[to].Hosted || !b.traits[from].Hosted, Write: !b.traits[to].Hosted,
	}
}

// addStep appends s, joining consecutive tasks of one engine.
func (b *builder) addStep(s Step) {
	if n := len(*b.steps); n > 0 && (*b.steps)[n-1].goesOn(&s) {
		(*b.steps)[n-1].Last = s.Last
		return
	}
	*b.steps = append(*b.steps, s)
}

// goesOn reports whether next runs the tasks that come after those of s.
func (s *Step) goesOn(next *Step) bool {
	return s.Kind == Run && next.Kind == Run && s.From == next.From && s.Last == next.First
}

// layout makes the steps of a run in which engines work at the same time.
type layout struct {
	*builder
	made map[*ir.Value]int // the step
	sent map[residence]int // the number of the fetch
	seal bool              // nothing is to be added to the last step
}

// lay makes the steps of a run in which engines work at the same time.
func (b *builder) lay() {
	l := &layout{builder: b, made: map[*ir.Value]int{}, sent: map[residence]int{}}
	next := make([]int, len(b.Engines))
	for _, t := range b.order {
		u, e := b.Instructions[t], b.choices[t].Engine
		for _, v := range u.Ins {
			l.bring(v, e)
		}
		at := l.run(e, next[e])
		next[e]++
		for _, v := range u.Outs {
			l.made[v] = at
			l.offer(v, e)
		}
	}
}

// run adds task number i of engine e, to the last step if that runs the tasks before it.
func (l *layout) run(e, i int) int {
	if n := len(l.Steps); n > 0 && !l.seal && l.Steps[n-1].Kind == Run && l.Steps[n-1].From == e {
		l.Steps[n-1].Last = i + 1
		return n - 1
	}
	l.seal = false
	return l.append(Step{Kind: Run, From: e, First: i, Last: i + 1})
}

func (l *layout) append(s Step) int {
	l.Steps = append(l.Steps, s)
	return len(l.Steps) - 1
}

// offer makes v, which e has just made, available to the engines that will read it before e is done
// with its next tasks.
func (l *layout) offer(v *ir.Value, e int) {
	for to := range l.traits {
		h := residence{v, to}
		if to == e || l.span[h] == nil {
			continue
		}
		l.seal = true
		if l.traits[e].Stream == nil {
			continue
		}
		l.sent[h] = l.Fetches
		l.made[v] = l.append(Step{Kind: Ask, From: e, To: to, Src: l.locations[residence{v, e}], Bytes: v.Bytes(), Fetch: l.Fetches})
		l.Fetches++
	}
}

// bring adds the step that moves v to engine e, unless it is there.
func (l *layout) bring(v *ir.Value, e int) {
	from := l.engineOf(v)
	h := residence{v, e}
	if v.Maker == nil || from == e || l.moved[h] {
		return
	}
	l.moved[h] = true
	m := l.moving(v, from, e)
	m.Ahead, m.After = l.traits[e].Stream != nil, l.made[v]
	if f, ok := l.sent[h]; ok {
		m.Fetch = f
	}
	l.append(m)
}
