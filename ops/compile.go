package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/arena"
	"github.com/anycl/anycl/internal/place"
	"github.com/anycl/anycl/tensor"
)

// Place says where a graph runs.
type Place int

// Where a graph can run.
const (
	Auto     Place = iota // where the cost model predicts that it is fastest
	OnDevice              // on the device; an error without one, or when it lacks something
	OnCPU                 // on the CPU path
)

func (p Place) String() string {
	return [...]string{"auto", "device", "cpu"}[max(0, min(int(p), 2))]
}

// Target is what a compiled graph is to do.
type Target struct {
	// Outputs are what Run returns, in order.
	Outputs []*Node
	// Updates are results of Assign, and of optimisers.
	Updates []*Node
	// Place overrides the cost model.
	Place Place
	// FastMath allows the device compiler to assume that there are no NaN and
	// infinities and to use approximate functions.
	FastMath bool
}

// Compile makes the graph ready to run on rt: it checks, simplifies and fuses
// it, decides where each task runs, plans memory and compiles the kernels. It
// returns every mistake that was made while building, joined. The graph can go
// on growing and be compiled again. Errors: mistakes; nothing to compute;
// tasks that the demanded engine cannot run; kernels that do not compile; out
// of memory; ctx is done.
func (g *Graph) Compile(ctx context.Context, rt *Runtime, target Target) (*Executable, error) {
	if err := errors.Join(g.check(rt, target), alive(ctx)); err != nil {
		return nil, err
	}
	s := newSimplifier()
	var outputs, updates, targets []*Node
	for _, n := range target.Outputs {
		outputs = append(outputs, s.simplify(n))
	}
	for _, n := range target.Updates {
		updates = append(updates, s.simplify(n))
	}
	if err := g.Err(); err != nil { // a composition may find what its rule did not
		return nil, err
	}
	targets = slices.Concat(outputs, updates)
	l := lower(fuse(targets), g.seed, target.FastMath)
	results := make([]*value, len(outputs))
	for i, n := range outputs {
		results[i] = l.asResult(n, updates)
	}
	units := l.storeUpdates(updates)
	x := &Executable{rt: rt, name: g.name, graph: g}
	if err := x.assemble(ctx, l, units, results, target); err != nil {
		return nil, errors.Join(fmt.Errorf("ops: compile %q: %w", g.name, err), x.release())
	}
	if err := rt.enter(x); err != nil {
		return nil, errors.Join(err, x.release())
	}
	return x, nil
}

// check finds what is wrong with the graph and the target.
func (g *Graph) check(rt *Runtime, target Target) error {
	switch {
	case g == nil:
		return fmt.Errorf("ops: compile: %w", errNoGraph)
	case rt == nil || len(rt.engines) == 0 || slices.Contains(rt.engines, nil):
		return errors.New("ops: compile: no runtime (see ops.Open)")
	}
	if err := g.Err(); err != nil {
		return err
	}
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if len(target.Outputs)+len(target.Updates) == 0 {
		bad("the target has no outputs and no updates")
	}
	if target.Place < Auto || target.Place > OnCPU {
		bad("the target's place is %d, not Auto, OnDevice or OnCPU", int(target.Place))
	}
	assigned := map[*variable]bool{}
	for i, n := range slices.Concat(target.Outputs, target.Updates) {
		switch {
		case n == nil:
			bad("target %d is nil", i)
		case n.graph.nowhere:
			errs = append(errs, n.graph.errs...)
		case n.graph != g:
			bad("target %d, %v, belongs to graph %q", i, n, n.graph.name)
			errs = append(errs, n.graph.errs...)
		case i >= len(target.Outputs):
			if n.op.lower != lowerAssign {
				bad("update %v is not the result of ops.Assign or an optimiser", n)
			} else if s := n.in[0].state; assigned[s] {
				bad("variable %s is assigned twice", s.name)
			} else {
				assigned[s] = true
			}
		}
	}
	return joinErrors(g.name, errs)
}

// side is one engine and what the executable has on it.
type side struct {
	engine   engine.Engine
	memories []engine.Memory
	tasks    []engine.Bound
	seq      engine.Sequence
}

// home is where a value lies on one side.
type home struct {
	value *value
	side  int
}

// assemble decides places, plans memory, and prepares the engines.
func (x *Executable) assemble(ctx context.Context, l *lowerer, units []*unit, results []*value, target Target) error {
	for _, e := range x.rt.engines {
		x.sides = append(x.sides, &side{engine: e})
	}
	choices, err := x.place(units, results, target.Place)
	if err != nil {
		return err
	}
	x.choices = choices
	p := newPlan(x, units, choices, results)
	if err := p.allocate(); err != nil {
		return err
	}
	if err := p.bind(ctx); err != nil {
		return err
	}
	x.units = units
	for i, s := range x.sides {
		if len(s.tasks) == 0 {
			continue
		}
		if s.seq, err = s.engine.Prepare(ctx, s.tasks); err != nil {
			return fmt.Errorf("on %s: %w", x.sides[i].engine.Name(), err)
		}
	}
	return nil
}

// place asks the cost model.
func (x *Executable) place(units []*unit, results []*value, where Place) ([]place.Choice, error) {
	p := place.Problem{Only: -1, Why: func(t, s int) error { return x.sides[s].engine.Check(units[t].task) }}
	switch where {
	case OnDevice:
		if len(x.sides) == 1 {
			return nil, fmt.Errorf("the device was asked for, and there is only %s", x.rt.why)
		}
		p.Only = 0
	case OnCPU:
		p.Only = len(x.sides) - 1
	}
	var moved int64
	seen := map[*value]bool{}
	count := func(v *value) {
		if !seen[v] && (v.maker == nil && v.node.op.lower == lowerInput) {
			moved += v.bytes()
		}
		seen[v] = true
	}
	for _, u := range units {
		for _, v := range u.ins {
			count(v)
		}
	}
	for _, v := range results {
		moved += v.bytes()
	}
	for _, s := range x.sides {
		p.Sides = append(p.Sides, s.engine.Name())
		p.Feed = append(p.Feed, s.engine.Transfer(moved))
	}
	for _, u := range units {
		times := make([]time.Duration, len(x.sides))
		for i, s := range x.sides {
			if times[i] = place.Never; s.engine.Check(u.task) == nil {
				times[i] = s.engine.Estimate(u.task)
			}
		}
		p.Time = append(p.Time, times)
	}
	x.times = p.Time
	return place.Decide(p)
}

// plan gives every value memory on every side that uses it.
type plan struct {
	x       *Executable
	units   []*unit
	choices []place.Choice
	results []*value
	slots   map[home]engine.Slot
	span    map[home]*arena.Interval
	alias   map[home]home // shares the memory of
	order   []home        // deterministic
}

func newPlan(x *Executable, units []*unit, choices []place.Choice, results []*value) *plan {
	p := &plan{x: x, units: units, choices: choices, results: results, slots: map[home]engine.Slot{}, span: map[home]*arena.Interval{}, alias: map[home]home{}}
	for t, u := range units {
		s := choices[t].Side
		for _, v := range u.ins {
			p.use(v, s, t)
		}
		for _, v := range u.outs {
			p.use(v, s, t)
		}
	}
	for _, v := range results {
		p.use(v, p.sideOf(v), len(units))
	}
	return p
}

// sideOf is where v is made, or for what exists before the run, where it is
// first used.
func (p *plan) sideOf(v *value) int {
	if v.maker != nil {
		return p.choices[slices.Index(p.units, v.maker)].Side
	}
	for s := range p.x.sides {
		if p.span[home{v, s}] != nil {
			return s
		}
	}
	return 0
}

// use notes that v is wanted on side s at step t, and where it comes from.
func (p *plan) use(v *value, s, t int) {
	h := home{v, s}
	if iv := p.span[h]; iv != nil {
		iv.From, iv.To = min(iv.From, t), max(iv.To, t)
	} else {
		p.span[h] = &arena.Interval{Bytes: v.bytes(), From: t, To: t}
		p.order = append(p.order, h)
	}
	if v.maker == nil {
		return
	}
	if made := p.sideOf(v); made != s { // it is moved as soon as it is made
		at := slices.Index(p.units, v.maker)
		p.span[h].From = min(p.span[h].From, at)
		p.use(v, made, at)
	}
}

// fixed reports whether h has memory of its own that outlives a run: inputs,
// constants, variables.
func (h home) fixed(p *plan) bool {
	if h.value.maker == nil {
		return true
	}
	return h.value.stored != nil && p.sideOf(h.value) == h.side
}

// allocate plans one arena, or several under the engine's limit, for each side.
func (p *plan) allocate() error {
	p.shareInPlace()
	for s, sd := range p.x.sides {
		var homes []home
		var spans []arena.Interval
		for _, h := range p.order {
			if _, shared := p.alias[h]; h.side == s && !h.fixed(p) && !shared {
				homes, spans = append(homes, h), append(spans, *p.span[h])
			}
		}
		var limit int64
		if e, ok := sd.engine.(interface{ MaxAlloc() int64 }); ok {
			limit = e.MaxAlloc()
		}
		places, sizes := arena.Plan(spans, limit)
		first := len(sd.memories)
		for _, n := range sizes {
			m, err := sd.engine.Alloc(n)
			if err != nil {
				return err
			}
			sd.memories = append(sd.memories, m)
		}
		for i, h := range homes {
			p.slots[h] = engine.Slot{Mem: sd.memories[first+places[i].Arena], Offset: places[i].Offset}
		}
		p.x.arenas = append(p.x.arenas, sizes)
	}
	for _, h := range p.order {
		if h.fixed(p) {
			if err := p.fix(h); err != nil {
				return err
			}
		}
	}
	for _, h := range p.order {
		root := h
		for to, ok := p.alias[root]; ok; to, ok = p.alias[root] {
			root = to
		}
		if root != h {
			p.slots[h] = p.slots[root]
		}
	}
	return nil
}

// shareInPlace lets a task write over an input that it reads for the last time,
// each element before the write.
func (p *plan) shareInPlace() {
	for t, u := range p.units {
		s := p.choices[t].Side
		if u.task.Kind == engine.Custom {
			continue
		}
		out := home{u.outs[0], s}
		for i, v := range u.ins {
			in := home{v, s}
			if out.fixed(p) {
				// Written to a variable's memory: it may be read there as well.
				if v.maker == nil && v.node.state != nil && v.node.state == u.outs[0].stored && readsInStep(u.task, i) {
					u.task.Alias = i
				}
				continue
			}
			root := in
			for to, ok := p.alias[root]; ok; to, ok = p.alias[root] {
				root = to
			}
			if in.fixed(p) || v.bytes() != u.outs[0].bytes() || p.span[in].To != t || p.span[root].To != t || !readsInStep(u.task, i) {
				continue
			}
			u.task.Alias = i
			p.alias[out] = root
			p.span[root].To = max(p.span[root].To, p.span[out].To)
			break
		}
	}
}

// fix gives an input, constant or variable its memory.
func (p *plan) fix(h home) error {
	sd, n := p.x.sides[h.side], h.value.node
	if s := h.value.stored; s != nil {
		mem, err := p.x.useVariable(s, h.side, true)
		p.slots[h] = engine.Slot{Mem: mem}
		return err
	}
	if n.state != nil {
		mem, err := p.x.useVariable(n.state, h.side, false)
		p.slots[h] = engine.Slot{Mem: mem}
		return err
	}
	mem, err := sd.engine.Alloc(h.value.bytes())
	if err != nil {
		return err
	}
	sd.memories = append(sd.memories, mem)
	p.slots[h] = engine.Slot{Mem: mem}
	if t, ok := n.attr.(*tensor.Tensor); ok {
		data, contiguous := t.Bytes()
		if !contiguous {
			data, _ = t.Contiguous().Bytes()
		}
		return sd.engine.Write(context.Background(), mem, 0, data)
	}
	p.x.feed(n, h.side, mem)
	return nil
}

// bind makes the steps of a run and the tasks of each side.
func (p *plan) bind(ctx context.Context) error {
	for t, u := range p.units {
		s := p.choices[t].Side
		sd := p.x.sides[s]
		b := engine.Bound{Task: u.task}
		for _, v := range u.ins {
			b.Ins = append(b.Ins, p.slots[home{v, s}])
		}
		for _, v := range u.outs {
			b.Outs = append(b.Outs, p.slots[home{v, s}])
		}
		sd.tasks = append(sd.tasks, b)
		p.x.step(step{from: s, first: len(sd.tasks) - 1, last: len(sd.tasks)})
		for _, v := range u.outs {
			for to := range p.x.sides {
				if to != s && p.span[home{v, to}] != nil {
					p.x.step(step{
						move: true, from: s, to: to, src: p.slots[home{v, s}], dst: p.slots[home{v, to}],
						data: tensor.AlignedBytes(int(v.bytes())),
					})
				}
			}
		}
	}
	for _, v := range p.results {
		s := p.sideOf(v)
		p.x.outs = append(p.x.outs, output{side: s, slot: p.slots[home{v, s}], dtype: v.dtype, shape: v.resultShape()})
	}
	return ctx.Err()
}

// resultShape is the shape under which a user knows v.
func (v *value) resultShape() []int {
	if v.shape != nil {
		return v.shape
	}
	return v.node.shape
}
