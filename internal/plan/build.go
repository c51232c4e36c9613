package plan

import (
	"cmp"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/arena"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/place"
	"github.com/anycl/anycl/internal/store"
)

// residence is where a value lies on one engine.
type residence struct {
	value  *ir.Value
	engine int
}

// builder gives every value memory on every engine that uses it.
type builder struct {
	*Program
	m          *Model
	traits     []engine.Traits // of the engines
	choices    []place.Choice
	locations  map[residence]Location
	span       map[residence]*arena.Interval
	alias      map[residence]residence // shares the memory of
	residences []residence             // deterministic
	order      []int                   // the tasks as they are submitted
	maker      map[*ir.Instruction]int // position
	moved      map[residence]bool      // that a step brings
	touched    map[residence][]int     // where tasks read or write it
	steps      *[]Step                 // that are being made
	idle       int                     // the engine of values that no task touches
	aliased    map[residence]bool      // may lie where the caller has it
	variables  map[*store.Variable]*Variable
	stored     map[variableCopy]Location
}

// variableCopy is a variable on one engine.
type variableCopy struct {
	variable *store.Variable
	engine   int
}

// Build makes the program of m's tasks, placed by p. It declares in the tasks the inputs that they write in
// place: m's schedule serves no second placement.
func Build(m *Model, p *Placement) *Program {
	b := newBuilder(m, p)
	b.allocate()
	b.steps = &b.Steps
	if p.Order == nil {
		b.bindAll(0, len(b.Instructions), b.Flows)
	} else {
		for _, t := range b.order {
			b.bindTask(t)
		}
		b.lay()
	}
	for _, v := range b.Results {
		at := b.locations[residence{v, b.engineOf(v)}]
		b.Outputs = append(b.Outputs, Output{Location: at, DType: v.DType, Shape: v.ResultShape(), Bytes: v.Bytes()})
	}
	return b.Program
}

func newBuilder(m *Model, pl *Placement) *builder {
	b := &builder{
		Program: &Program{Schedule: m.Schedule, Placement: pl, Engines: make([]Engine, len(m.Engines)), Short: m.isShort(pl)},
		m:       m, choices: pl.Choices, order: pl.submission(), locations: map[residence]Location{},
		span: map[residence]*arena.Interval{}, alias: map[residence]residence{}, maker: map[*ir.Instruction]int{}, moved: map[residence]bool{},
		touched: map[residence][]int{}, variables: map[*store.Variable]*Variable{}, stored: map[variableCopy]Location{},
	}
	b.Workers = pl.Order != nil && m.blocks()
	for _, n := range m.Inputs() {
		b.Inputs = append(b.Inputs, Input{Node: n})
	}
	for _, e := range m.Engines {
		b.traits = append(b.traits, engine.TraitsOf(e))
	}
	if m.Where == ir.CPU {
		b.idle = len(m.Engines) - 1
	}
	for t, u := range b.Instructions {
		b.maker[u] = t
	}
	for at, t := range b.order {
		e := b.choices[t].Engine
		for _, v := range b.Instructions[t].Ins {
			b.use(v, e, at)
		}
		for _, v := range b.Instructions[t].Outs {
			b.use(v, e, at)
		}
	}
	for _, v := range b.Results {
		b.use(v, b.engineOf(v), len(b.Instructions))
	}
	b.spanLoops()
	for h, iv := range b.span {
		if h.value.Steady {
			iv.From, iv.To = 0, len(b.Instructions) // it outlives the run
		}
	}
	return b
}

// engineOf is the engine that makes v, or for a value that exists before the run, the engine that uses it first.
func (b *builder) engineOf(v *ir.Value) int {
	if v.Maker != nil {
		return b.choices[b.maker[v.Maker]].Engine
	}
	for e := range b.traits {
		if b.span[residence{v, e}] != nil {
			return e
		}
	}
	return b.idle
}

// use notes that v is wanted on engine e by the t-th of the tasks, and where it comes from.
func (b *builder) use(v *ir.Value, e, t int) {
	h := residence{v, e}
	b.touched[h] = append(b.touched[h], t)
	if iv := b.span[h]; iv != nil {
		iv.From, iv.To = min(iv.From, t), max(iv.To, t)
	} else {
		b.span[h] = &arena.Interval{Bytes: v.Bytes(), From: t, To: t}
		if v.IsInput() {
			b.span[h].From = 0
		}
		b.residences = append(b.residences, h)
	}
	if v.Maker == nil {
		return
	}
	if made := b.engineOf(v); made != e { // it is moved just before it is first wanted
		if b.Workers {
			t = len(b.Instructions)
		}
		b.use(v, made, t)
	}
}

// fixed reports whether h has memory of its own that outlives a run: constants
// and variables. Inputs have not: each run writes them anew before its first
// task, and after its last reader their memory is free for others.
func (h residence) fixed(b *builder) bool {
	if h.value.Maker == nil {
		return !h.value.IsInput()
	}
	return h.value.Stored != nil && b.engineOf(h.value) == h.engine
}

// allocate plans the memories of each engine.
func (b *builder) allocate() {
	b.coalesce()
	b.aliasInputs()
	b.shareInPlace()
	b.aliasResults()
	for e := range b.Engines {
		b.planArenas(e)
		b.planExternal(e)
	}
	for _, h := range b.residences {
		if h.fixed(b) {
			b.locations[h] = b.fix(h)
		}
	}
	b.sortVariables()
	inputs := map[any]*Input{}
	for i := range b.Inputs {
		inputs[b.Inputs[i].Node.Origin] = &b.Inputs[i]
	}
	for _, h := range b.residences {
		b.locations[h] = b.locations[b.root(h)]
		if h.value.IsInput() {
			in := inputs[h.value.Node.Origin]
			in.To = append(in.To, b.locations[h])
		}
	}
}

// planArenas plans one arena, or several under the engine's limit, for the values that a run makes on engine e.
func (b *builder) planArenas(e int) {
	g := &b.Engines[e]
	var homes []residence
	var spans []arena.Interval
	for _, h := range b.residences {
		if h.engine != e || h.fixed(b) || b.aliased[b.root(h)] {
			continue
		}
		g.Values += h.value.Bytes()
		if _, shared := b.alias[h]; !shared {
			homes, spans = append(homes, h), append(spans, *b.span[h])
		}
	}
	places, sizes := arena.Plan(spans, b.traits[e].MaxAlloc)
	g.Arenas, g.Live = sizes, arena.Live(spans)
	for _, n := range sizes {
		b.add(e, Memory{Kind: Arena, Bytes: n})
	}
	for i, h := range homes {
		b.locations[h] = Location{e, places[i].Arena, places[i].Offset}
		m := &g.Memories[places[i].Arena]
		if m.Values++; m.Value == nil || h.value.Bytes() > m.Value.Bytes() {
			m.Value = h.value
		}
	}
}

// add gives engine e one more memory.
func (b *builder) add(e int, m Memory) Location {
	g := &b.Engines[e]
	g.Memories = append(g.Memories, m)
	return Location{Engine: e, Memory: len(g.Memories) - 1}
}

// root is whose memory h has.
func (b *builder) root(h residence) residence {
	for {
		to, ok := b.alias[h]
		if !ok {
			return h
		}
		h = to
	}
}

// fix gives a constant or variable its memory.
func (b *builder) fix(h residence) Location {
	switch n := h.value.Node; {
	case h.value.Stored != nil:
		return b.variable(h.value.Stored, h.engine, true)
	case n.State != nil:
		return b.variable(n.State, h.engine, false)
	}
	return b.add(h.engine, Memory{Kind: Constant, Bytes: h.value.Bytes(), Value: h.value, Values: 1})
}

// variable is the memory of v on engine e.
func (b *builder) variable(v *store.Variable, e int, write bool) Location {
	u := b.variables[v]
	if u == nil {
		u = &Variable{Variable: v, Writer: -1}
		b.variables[v] = u
	}
	if write {
		u.Writer = e
	} else {
		u.Readers = append(u.Readers, e)
	}
	at, ok := b.stored[variableCopy{v, e}]
	if !ok {
		at = b.add(e, Memory{Kind: State, Bytes: v.Bytes, Variable: v})
		b.stored[variableCopy{v, e}] = at
		u.Engines = append(u.Engines, e)
	}
	return at
}

// sortVariables puts variables in the order in which runs lock them.
func (b *builder) sortVariables() {
	for _, u := range b.variables {
		b.Variables = append(b.Variables, *u)
	}
	slices.SortFunc(b.Variables, func(u, v Variable) int { return cmp.Compare(u.ID, v.ID) })
}

// bindTask adds task t to the tasks of its engine.
func (b *builder) bindTask(t int) *Task {
	u, e := b.Instructions[t], b.choices[t].Engine
	task := Task{Instruction: t}
	for _, v := range u.Ins {
		task.Ins = append(task.Ins, b.locations[residence{v, e}])
	}
	for _, v := range u.Outs {
		task.Outs = append(task.Outs, b.locations[residence{v, e}])
	}
	g := &b.Engines[e]
	g.Tasks = append(g.Tasks, task)
	return &g.Tasks[len(g.Tasks)-1]
}
