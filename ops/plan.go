package ops

import (
	"context"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/arena"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/lower"
	"github.com/anycl/anycl/internal/place"
	"github.com/anycl/anycl/tensor"
)

// residence is where a value lies on one side.
type residence struct {
	value *ir.Value
	side  int
}

// plan gives every value memory on every side that uses it.
type plan struct {
	x          *Executable
	units      []*ir.Unit
	choices    []place.Choice
	results    []*ir.Value
	slots      map[residence]engine.Slot
	span       map[residence]*arena.Interval
	alias      map[residence]residence       // shares the memory of
	residences []residence                   // deterministic
	order      []int                         // the units as they are submitted
	abreast    bool                          // a side may be further on than the order says
	maker      map[*ir.Unit]int              // position
	moved      map[residence]bool            // that a step brings
	touched    map[residence][]int           // where units read or write it
	steps      *[]step                       // that are being made
	idle       int                           // the side of what no task touches
	aliasing   []engine.HostMemory           // of each side; nil where nothing can be aliased
	aliased    map[residence]bool            // may lie where the caller has it
	external   map[residence]engine.External // what was made of these
}

func newPlan(x *Executable) *plan {
	units, choices := x.units, x.plan.Choices
	p := &plan{
		x: x, units: units, choices: choices, results: x.results, order: x.submission(), abreast: x.plan.Order != nil && x.blocks(),
		slots: map[residence]engine.Slot{}, span: map[residence]*arena.Interval{}, alias: map[residence]residence{}, maker: map[*ir.Unit]int{}, moved: map[residence]bool{}, touched: map[residence][]int{},
	}
	if x.where == OnCPU {
		p.idle = len(x.sides) - 1
	}
	for t, u := range units {
		p.maker[u] = t
	}
	for at, t := range p.order {
		s := choices[t].Side
		for _, v := range units[t].Ins {
			p.use(v, s, at)
		}
		for _, v := range units[t].Outs {
			p.use(v, s, at)
		}
	}
	for _, v := range x.results {
		p.use(v, p.sideOf(v), len(units))
	}
	p.spanLoops()
	for h, iv := range p.span {
		if h.value.Steady {
			iv.From, iv.To = 0, len(units) // it outlives the run
		}
	}
	return p
}

// sideOf is where v is made, or for what exists before the run, where it is
// first used.
func (p *plan) sideOf(v *ir.Value) int {
	if v.Maker != nil {
		return p.choices[p.maker[v.Maker]].Side
	}
	for s := range p.x.sides {
		if p.span[residence{v, s}] != nil {
			return s
		}
	}
	return p.idle
}

// use notes that v is wanted on side s by the t-th of the units, and where it comes from.
func (p *plan) use(v *ir.Value, s, t int) {
	h := residence{v, s}
	p.touched[h] = append(p.touched[h], t)
	if iv := p.span[h]; iv != nil {
		iv.From, iv.To = min(iv.From, t), max(iv.To, t)
	} else {
		p.span[h] = &arena.Interval{Bytes: v.Bytes(), From: t, To: t}
		if v.IsInput() {
			p.span[h].From = 0
		}
		p.residences = append(p.residences, h)
	}
	if v.Maker == nil {
		return
	}
	if made := p.sideOf(v); made != s { // it is moved just before it is first wanted
		if p.abreast {
			t = len(p.units)
		}
		p.use(v, made, t)
	}
}

// fixed reports whether h has memory of its own that outlives a run: constants
// and variables. Inputs have not: each run writes them anew before its first
// task, and after its last reader their memory is free for others.
func (h residence) fixed(p *plan) bool {
	if h.value.Maker == nil {
		return !h.value.IsInput()
	}
	return h.value.Stored != nil && p.sideOf(h.value) == h.side
}

// allocate plans one arena, or several under the engine's limit, for each side.
func (p *plan) allocate(again bool) error {
	p.coalesce(again)
	p.aliasInputs()
	p.shareInPlace(again)
	p.aliasResults()
	for s, sd := range p.x.sides {
		var homes []residence
		var spans []arena.Interval
		for _, h := range p.residences {
			if h.side != s || h.fixed(p) || p.aliased[p.root(h)] {
				continue
			}
			sd.values += h.value.Bytes()
			if _, shared := p.alias[h]; !shared {
				homes, spans = append(homes, h), append(spans, *p.span[h])
			}
		}
		places, sizes := arena.Plan(spans, sd.engine.Traits().MaxAlloc)
		first := len(sd.memories)
		for a, n := range sizes {
			m, err := sd.engine.Alloc(n)
			if err != nil {
				return fmt.Errorf("memory of %s: %w", together(homes, places, a), err)
			}
			sd.memories = append(sd.memories, m)
		}
		for i, h := range homes {
			p.slots[h] = engine.Slot{Mem: sd.memories[first+places[i].Arena], Offset: places[i].Offset}
		}
		if err := p.vacate(s); err != nil {
			return err
		}
		p.x.arenas = append(p.x.arenas, sizes)
		sd.live = arena.Live(spans)
	}
	for _, h := range p.residences {
		if h.fixed(p) {
			if err := p.fix(h); err != nil {
				return err
			}
		}
	}
	for _, h := range p.residences {
		p.slots[h] = p.slots[p.root(h)]
		if h.value.IsInput() {
			p.x.feed(h.value.Node.Origin.(*Node), destination{h.side, p.slots[h], p.external[p.root(h)]})
		}
	}
	return nil
}

// shareInPlace lets a task write over inputs that it reads for the last time,
// each element before the write. With again, an earlier plan has told the tasks, which
// stay as they are: others may be running them.
func (p *plan) shareInPlace(again bool) {
	for at, t := range p.order {
		u := p.units[t]
		if u.Task.Kind == engine.Custom || u.Task.Kind == engine.Routine {
			continue
		}
		for i, v := range u.Outs {
			if v.Flow != nil {
				continue // what else writes it has the same memory
			}
			if again {
				if in := u.Task.AliasOf(i); in >= 0 {
					p.share(t, u, in, i)
				}
				continue
			}
			if in := p.inPlace(at, t, u, i); in >= 0 {
				p.share(t, u, in, i)
				if u.Task.Alias == nil {
					u.Task.Alias = slices.Repeat([]int{-1}, len(u.Outs))
				}
				u.Task.Alias[i] = in
			}
		}
	}
}

// share gives output i of unit u the memory of input in, unless both have a variable's.
func (p *plan) share(t int, u *ir.Unit, in, i int) {
	s := p.choices[t].Side
	out := residence{u.Outs[i], s}
	if _, shared := p.alias[out]; shared || out.fixed(p) {
		return
	}
	root := p.root(residence{u.Ins[in], s})
	p.alias[out] = root
	p.span[root].To = max(p.span[root].To, p.span[out].To)
}

// inPlace finds an input of unit u, whose number is t and which is submitted as the at-th, whose
// memory output i can have; -1 when there is none.
func (p *plan) inPlace(at, t int, u *ir.Unit, i int) int {
	s, v := p.choices[t].Side, u.Outs[i]
	out := residence{v, s}
	if _, shared := p.alias[out]; shared {
		return -1
	}
	for j, x := range u.Ins {
		if u.Task.AliasedBy(j) >= 0 {
			continue
		}
		in := residence{x, s}
		if out.fixed(p) {
			// Written to a variable's memory: it may be read there as well.
			if x.Maker == nil && x.Node.State != nil && x.Node.State == v.Stored && lower.ReadsInStep(u.Task, j, i) {
				return j
			}
			continue
		}
		root := p.root(in)
		if in.fixed(p) || p.aliased[in] || x.Bytes() != v.Bytes() || p.span[in].To != at || p.span[root].To != at || !lower.ReadsInStep(u.Task, j, i) {
			continue
		}
		return j
	}
	return -1
}

// root is whose memory h has.
func (p *plan) root(h residence) residence {
	for {
		to, ok := p.alias[h]
		if !ok {
			return h
		}
		h = to
	}
}

// together says what lies in an arena.
func together(homes []residence, places []arena.Place, at int) string {
	var largest *ir.Value
	n := 0
	for i, h := range homes {
		if places[i].Arena == at {
			if n++; largest == nil || h.value.Bytes() > largest.Bytes() {
				largest = h.value
			}
		}
	}
	return fmt.Sprintf("%d value(s), the largest %s", n, largest)
}

// fix gives a constant or variable its memory.
func (p *plan) fix(h residence) error {
	sd, n := p.x.sides[h.side], h.value.Node
	if s := h.value.Stored; s != nil {
		mem, err := p.x.useVariable(s, h.side, true)
		p.slots[h] = engine.Slot{Mem: mem}
		return err
	}
	if n.State != nil {
		mem, err := p.x.useVariable(n.State, h.side, false)
		p.slots[h] = engine.Slot{Mem: mem}
		return err
	}
	mem, err := sd.engine.Alloc(h.value.Bytes())
	if err != nil {
		return fmt.Errorf("memory of %s: %w", h.value, err)
	}
	sd.memories = append(sd.memories, mem)
	p.slots[h] = engine.Slot{Mem: mem}
	return sd.engine.Write(context.Background(), mem, 0, contiguous(n.Attr.(*tensor.Tensor)))
}

// isInput reports whether v is fed to each run.

// bind makes the steps of a run and the tasks of each side.
func (p *plan) bind(ctx context.Context) error {
	p.steps = &p.x.steps
	if p.x.plan.Order == nil {
		p.bindAll(0, len(p.units), p.x.flows)
	} else {
		for _, t := range p.order {
			p.bindTask(t)
		}
	}
	for _, v := range p.results {
		s := p.sideOf(v)
		h := residence{v, s}
		p.x.outs = append(p.x.outs, output{side: s, slot: p.slots[h], dtype: v.DType, shape: v.ResultShape(), vacant: p.external[p.root(h)]})
	}
	return ctx.Err()
}

// bindTask makes the task of unit t.
func (p *plan) bindTask(t int) engine.Bound {
	u, s := p.units[t], p.choices[t].Side
	sd := p.x.sides[s]
	b := engine.Bound{Task: u.Task}
	for _, v := range u.Ins {
		b.Ins = append(b.Ins, p.slots[residence{v, s}])
	}
	for _, v := range u.Outs {
		b.Outs = append(b.Outs, p.slots[residence{v, s}])
	}
	sd.tasks = append(sd.tasks, b)
	return b
}

// bindUnit makes the task of unit t, and the steps that bring what it reads and run it.
func (p *plan) bindUnit(t int) {
	u, s := p.units[t], p.choices[t].Side
	for _, v := range u.Ins {
		p.bring(v, s)
	}
	b := p.bindTask(t)
	if u.Carries && b.Ins[0] == b.Outs[0] {
		return // it is there
	}
	n := len(p.x.sides[s].tasks)
	p.add(step{from: s, first: n - 1, last: n})
}

// bring makes the step that moves v to side s, unless it is there.
func (p *plan) bring(v *ir.Value, s int) {
	from := p.sideOf(v)
	if v.Maker == nil || from == s || p.moved[residence{v, s}] {
		return
	}
	p.moved[residence{v, s}] = true
	p.add(p.moving(v, from, s))
}

// moving is the step that moves v from one side to another.
func (p *plan) moving(v *ir.Value, from, s int) step {
	m := step{move: true, from: from, to: s, src: p.slots[residence{v, from}], dst: p.slots[residence{v, s}], read: true, write: true}
	switch {
	case p.hosted(s, m.dst, v, &m.data):
		m.write = false
	case p.hosted(from, m.src, v, &m.data):
		m.read = false
	default:
		m.data = tensor.AlignedBytes(int(v.Bytes()))
	}
	return m
}

// add appends s, joining stretches of tasks.
func (p *plan) add(s step) {
	if n := len(*p.steps); n > 0 && (*p.steps)[n-1].goesOn(&s) {
		(*p.steps)[n-1].last = s.last
		return
	}
	*p.steps = append(*p.steps, s)
}

// goesOn reports whether next is the rest of a stretch of tasks.
func (s *step) goesOn(next *step) bool {
	return !s.move && !next.move && s.flow == nil && next.flow == nil && s.from == next.from && s.last == next.first
}

// hosted finds the bytes of v at slot of side s, where they are in the host's memory.
func (p *plan) hosted(s int, slot engine.Slot, v *ir.Value, data *[]byte) bool {
	e, ok := p.x.sides[s].engine.(engine.HostMemory)
	if !ok {
		return false
	}
	b := e.Host(slot.Mem)
	if b != nil {
		*data = b[slot.Offset:][:v.Bytes()]
	}
	return b != nil
}
