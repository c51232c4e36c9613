package ocl

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
)

// checkUnique says why a device cannot tell items apart, or "".
func checkUnique(a *engine.Unique) string {
	if a.Width != 1 {
		return fmt.Sprintf("items have %d elements; a device sorts those of one", a.Width)
	}
	return ""
}

// uniquing finds what is different in a row: it is sorted, and whoever differs from the one before has a number of its own.
type uniquing struct {
	dev  *deviceFacts
	task *engine.Task
	*engine.Unique
}

func uniqueVariants(d *deviceFacts, t *engine.Task, a *engine.Unique) []variant {
	u := &uniquing{d, t, a}
	radix := variant{name: "radix", why: "sorted digit by digit, then numbered in parts", plan: u.radix}
	if a.Count == 0 {
		return []variant{radix}
	}
	group := variant{name: "group", why: "few items, sorted in local memory", plan: u.group}
	blocks := variant{name: "blocks", why: "sorted block by block in local memory, then numbered by running sums", plan: u.blocks}
	var vs []variant
	if d.cpu {
		vs = append(vs, radix)
	}
	if a.Count <= kernels.GroupMost(t.Ins[0].DType.Size() == 8) {
		vs = append(vs, group)
	}
	if d.workGroup >= 64 {
		vs = append(vs, blocks)
	}
	if !d.cpu {
		vs = append(vs, radix)
	}
	return vs
}

// sort orders the row, by way of hooks that may keep what is sorted elsewhere.
func (u *uniquing) sort(hooks func(g *gen)) *ranking {
	rank := &engine.Rank{Rows: 1, Length: u.Count, Keep: u.Count}
	return newRanking(u.dev, u.task, rank, 8*u.task.Ins[0].DType.Size(), hooks)
}

// sortedRows is where a sort leaves its items, for who goes on with them.
type sortedRows struct {
	*plan        // of the sort
	stride int64 // from row to row
	pairs  bool
	passes int // of the digits, 0 where RANK_EMIT keeps the items in A
}

// keptItems are hooks for a sort that leaves its items in A.
func keptItems(pairs bool) func(g *gen) {
	return func(g *gen) {
		g.scratchArg("A", 0, "ulong")
		if pairs {
			g.scratchArg("POS_A", 1, "uint")
			g.macro("RANK_EMIT(i, key, p, base)", "(A[i] = (key), POS_A[i] = (uint)(p))")
			return
		}
		g.macro("RANK_EMIT(i, key, p, base)", "(A[i] = (ulong)(key) << 32 | (uint)(p))")
	}
}

// leftItems are hooks for a sort whose items stay where its last pass leaves them.
func leftItems(g *gen) {
	g.macro("RANK_EMIT(i, key, p, base)", "((void)(i), (void)(key), (void)(p), (void)(base))")
}

// inDigits runs a sort by digits up to its items, of rows that are stride apart.
func (r *ranking) inDigits(plan func() (*plan, error), bits, stride int64) (*sortedRows, error) {
	p, err := plan()
	if err != nil {
		return nil, err
	}
	p.launches = p.launches[:len(p.launches)-1] // what gives results
	return &sortedRows{plan: p, stride: stride, pairs: r.pairs(), passes: len(r.passes(bits))}, nil
}

// inGroup sorts rows in local memory.
func (r *ranking) inGroup() (*sortedRows, error) {
	p, err := r.group()
	if err != nil {
		return nil, err
	}
	n := r.Rows * r.Length
	if p.scratch = []int64{8 * n}; r.pairs() {
		p.scratch = append(p.scratch, 4*n)
	}
	return &sortedRows{plan: p, stride: r.Length, pairs: r.pairs()}, nil
}

// find passes the items to kernels that go on with them, as rank/any_items.cl has them.
func (s *sortedRows) find(g *gen) {
	g.macro("TURNED", oneIf(s.passes > 0))
	g.size("STRIDE", s.stride)
	g.scratchArg("A", 0, "ulong")
	if s.passes == 0 {
		if s.pairs {
			g.scratchArg("POS_A", 1, "uint")
		}
		return
	}
	g.size("PASSES", int64(s.passes))
	g.scratchArg("B", 1, "ulong")
	g.scratchArg("TURN", 3, "uint")
	if s.pairs {
		g.scratchArg("POS_A", 4, "uint")
		g.scratchArg("POS_B", 5, "uint")
	}
}

// room passes one more buffer of n numbers.
func (s *sortedRows) room(g *gen, name string, n int64) {
	g.scratchArg(name, len(s.scratch), "uint")
	s.scratch = append(s.scratch, 4*max(n, 1))
}

// program starts the program that numbers what is sorted.
func (u *uniquing) program(s *sortedRows) *gen {
	g := newGen(u.dev, u.task, roundUp(u.Count, 256))
	writeValues(g, false)
	s.find(g)
	g.macro("INVERSE(p, g)", ifRead(u.task, 2, g.start(3, "long")+"[p] = (long)(g)"))
	g.macro("SIZES(g, n)", ifRead(u.task, 3, g.start(4, "long")+"[g] = (long)(n)"))
	g.macro("NUMBER(n)", ifRead(u.task, 4, g.start(5, "long")+"[0] = (long)(n)"))
	g.macro("SORTED", oneIf(u.Sorted))
	g.size("COUNT", u.Count)
	return g
}

// hooks are those of a sort whose results are items. They say nothing of the outputs, so that one program
// sorts for all.
func (u *uniquing) hooks(items func(g *gen)) func(g *gen) {
	return func(g *gen) {
		writeInput(g, false)
		items(g)
	}
}

func (u *uniquing) radix() (*plan, error) {
	r := u.sort(u.hooks(leftItems))
	s, err := r.inDigits(r.radix, 8, roundUp(u.Count, 8))
	if err != nil {
		return nil, err
	}
	g := u.program(s)
	m := kernels.RankRadix(1, u.Count, u.dev.units)
	g.size("PARTS", m.Parts)
	g.size("SPAN", m.Span)
	s.room(g, "HEADS", m.Parts)
	s.room(g, "LAST", m.Parts)
	order := []string{"unique_heads", "unique_emit"}
	if !u.Sorted {
		s.room(g, "MARKS", u.Count)
		order = []string{"unique_heads", "unique_firsts", "unique_number", "unique_emit"}
	}
	prog := g.assemble("rank/any_keys.cl", "rank/any_items.cl", "unique/cpu_parts.cl")
	for _, k := range order {
		s.launches = append(s.launches, launch{prog: prog, kernel: k, global: grid(m.Parts), local: grid(1)})
	}
	return s.plan, nil
}

func (u *uniquing) group() (*plan, error) {
	r := u.sort(u.hooks(keptItems(u.task.Ins[0].DType.Size() == 8)))
	s, err := r.inGroup()
	if err != nil {
		return nil, err
	}
	return u.byItems(s)
}

func (u *uniquing) blocks() (*plan, error) {
	r := u.sort(u.hooks(leftItems))
	s, err := r.inDigits(r.blocks, 4, u.Count)
	if err != nil {
		return nil, err
	}
	return u.byItems(s)
}

// byItems numbers what is sorted with a work-item for each.
func (u *uniquing) byItems(s *sortedRows) (*plan, error) {
	g := u.program(s)
	numbers := len(s.scratch)
	s.room(g, "NUMBERS", u.Count)
	s.room(g, "STARTS", u.Count)
	marks := len(s.scratch)
	if !u.Sorted {
		s.room(g, "MARKS", u.Count)
	}
	prog := g.assemble("rank/any_keys.cl", "rank/any_items.cl", "unique/gpu_items.cl")
	wg := int64(kernels.Group(u.Count, u.dev.workGroup))
	each := func(kernel string) {
		s.launches = append(s.launches, launch{prog: prog, kernel: kernel, global: grid(roundUp(u.Count, wg)), local: grid(wg)})
	}
	u.sum(s, numbers, "NUMBERS", "((i) == 0 || KEY_IN(0, i) != KEY_IN(0, (i) - 1))")
	each("unique_starts")
	if !u.Sorted {
		u.sum(s, marks, "MARKS", "MARKS[i]")
	}
	each("unique_give")
	return s.plan, nil
}

// sum adds launches that put running sums of take in a buffer.
func (u *uniquing) sum(s *sortedRows, buffer int, name, take string) {
	g := newGen(u.dev, u.task, roundUp(u.Count, 256))
	g.macro("PAIRS", oneIf(s.pairs))
	s.find(g)
	g.scratchArg(name, buffer, "uint")
	addScan(s.plan, g, 1, u.Count, false, take, name+"[i] = (v)", "rank/any_items.cl")
}

// addScan adds the running sums of rows of length unsigned numbers, by scan/gpu_group.cl behind files.
func addScan(p *plan, g *gen, rows, length int64, exclusive bool, take, put string, files ...string) {
	wg := kernels.Group(1<<10, g.dev.workGroup)
	parts, span := cutScan(rows, length, int64(g.dev.units)*8, int64(wg)*64)
	for _, m := range [][2]any{
		{"ACC", "uint"}, {"EXACT", 0}, {"EXCLUSIVE", oneIf(exclusive)}, {"REVERSE", 0}, {"SPLIT", oneIf(parts > 1)}, {"WG", wg},
		{"TAKE(i)", take}, {"PUT(i, v)", put},
	} {
		g.macro(m[0].(string), m[1])
	}
	g.size("LENGTH", length)
	g.size("PARTS", parts)
	g.size("SPAN", span)
	g.scratchArg("SUMS", len(p.scratch), "uint")
	p.scratch = append(p.scratch, 2*4*rows*parts)
	prog := g.assemble(append(files, "scan/any_sums.cl", "scan/gpu_group.cl")...)
	all, local := grid(parts*int64(wg), rows), [3]int{wg, 1}
	if parts > 1 {
		p.launches = append(p.launches, launch{prog: prog, kernel: "scan_group_sums", global: all, local: local})
	}
	p.launches = append(p.launches, launch{prog: prog, kernel: "scan_group_rows", global: all, local: local})
}

// uniqueLabour is that of a sort by digits and of what numbers its items, some of which are stored far from each other.
func uniqueLabour(a *engine.Unique, t *engine.Task) labour {
	dt := t.Ins[0].DType
	n, size := float64(a.Count), float64(dt.Size())
	wide, passes := max(size/4, 1), size
	l := labour{ns: n * (wide*(5+4*passes) + 6), parts: max(1, n/(1<<13)), bytes: n * wide * (16 + 24*passes), launches: 2*passes + 2}
	if !a.Sorted {
		l.ns, l.launches = l.ns+4*n, l.launches+2
	}
	return l
}
