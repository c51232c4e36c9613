package routine

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
)

// uniqueTask finds the distinct items of a row: it is sorted, and each element that differs from the one before has a number of its own.
type uniqueTask struct {
	dev  *facts.Device
	task *engine.Task
	*engine.Unique
}

func init() {
	variant.Register(variant.Family{
		Name: "unique", Kind: engine.Routine, Algorithm: (*engine.Unique)(nil), Variants: []string{"radix", "group", "blocks", "rows"},
		Choose: uniqueVariants, Cost: uniqueCost,
	})
}

func uniqueVariants(d *facts.Device, t *engine.Task) []variant.Variant {
	a := t.Algorithm.(*engine.Unique)
	u := &uniqueTask{d, t, a}
	radix := variant.Variant{Name: "radix", Why: "sorted digit by digit, then numbered in parts", Plan: u.radix}
	if a.Count == 0 {
		return []variant.Variant{radix}
	}
	if a.Width != 1 {
		return []variant.Variant{{Name: "rows", Why: "items of several elements, sorted by merging", Plan: u.rows}}
	}
	group := variant.Variant{Name: "group", Why: "few items, sorted in local memory", Plan: u.group}
	blocks := variant.Variant{Name: "blocks", Why: "sorted block by block in local memory, then numbered by running sums", Plan: u.blocks}
	var vs []variant.Variant
	if d.CPU {
		vs = append(vs, radix)
	}
	if a.Count <= kernels.GroupMost(t.Ins[0].DType.Size() == 8) {
		vs = append(vs, group)
	}
	if d.WorkGroup >= 64 {
		vs = append(vs, blocks)
	}
	if !d.CPU {
		vs = append(vs, radix)
	}
	return vs
}

// sort orders the row, by way of hooks that may keep the sorted items elsewhere.
func (u *uniqueTask) sort(hooks func(g *codegen.Builder)) *ranking {
	rank := &engine.Rank{Rows: 1, Length: u.Count, Keep: u.Count}
	return newRanking(u.dev, u.task, rank, 8*u.task.Ins[0].DType.Size(), hooks)
}

// sortedRows is where a sort leaves its items, for the launches that follow.
type sortedRows struct {
	*variant.Plan       // of the sort
	stride        int64 // from row to row
	pairs         bool
	passes        int // of the digits, 0 where RANK_EMIT keeps the items in A
}

// keptItems are hooks for a sort that leaves its items in A.
func keptItems(pairs bool) func(g *codegen.Builder) {
	return func(g *codegen.Builder) {
		g.ScratchArg("A", 0, "ulong")
		if pairs {
			g.ScratchArg("POS_A", 1, "uint")
			g.Macro("RANK_EMIT(i, key, p, base)", "(A[i] = (key), POS_A[i] = (uint)(p))")
			return
		}
		g.Macro("RANK_EMIT(i, key, p, base)", "(A[i] = (ulong)(key) << 32 | (uint)(p))")
	}
}

// leftItems are hooks for a sort whose items stay where its last pass leaves them.
func leftItems(g *codegen.Builder) {
	g.Macro("RANK_EMIT(i, key, p, base)", "((void)(i), (void)(key), (void)(p), (void)(base))")
}

// inDigits runs a sort by digits up to its items, of rows that are stride apart.
func (r *ranking) inDigits(plan func() (*variant.Plan, error), bits, stride int64) (*sortedRows, error) {
	p, err := plan()
	if err != nil {
		return nil, err
	}
	p.Launches = p.Launches[:len(p.Launches)-1] // the launch that gives results
	return &sortedRows{Plan: p, stride: stride, pairs: r.pairs(), passes: len(r.passes(bits))}, nil
}

// inGroup sorts rows in local memory.
func (r *ranking) inGroup() (*sortedRows, error) {
	p, err := r.group()
	if err != nil {
		return nil, err
	}
	n := r.Rows * r.Length
	if p.Scratch = []int64{8 * n}; r.pairs() {
		p.Scratch = append(p.Scratch, 4*n)
	}
	return &sortedRows{Plan: p, stride: r.Length, pairs: r.pairs()}, nil
}

// find passes the items to kernels that go on with them, as rank/any_items.cl has them.
func (s *sortedRows) find(g *codegen.Builder) {
	g.Macro("TURNED", codegen.OneIf(s.passes > 0))
	g.Size("STRIDE", s.stride)
	g.ScratchArg("A", 0, "ulong")
	if s.passes == 0 {
		if s.pairs {
			g.ScratchArg("POS_A", 1, "uint")
		}
		return
	}
	g.Size("PASSES", int64(s.passes))
	g.ScratchArg("B", 1, "ulong")
	g.ScratchArg("TURN", 3, "uint")
	if s.pairs {
		g.ScratchArg("POS_A", 4, "uint")
		g.ScratchArg("POS_B", 5, "uint")
	}
}

// room passes one more buffer of n numbers.
func (s *sortedRows) room(g *codegen.Builder, name string, n int64) {
	g.ScratchArg(name, len(s.Scratch), "uint")
	s.Scratch = append(s.Scratch, 4*max(n, 1))
}

// program starts the program that numbers the sorted items.
func (u *uniqueTask) program(s *sortedRows) *codegen.Builder {
	g := codegen.New(u.dev, u.task, variant.RoundUp(u.Count, 256))
	writeValues(g, false)
	s.find(g)
	u.numbered(g)
	return g
}

// numbered defines the hooks of kernels that number the sorted items.
func (u *uniqueTask) numbered(g *codegen.Builder) {
	g.Macro("INVERSE(p, g)", ifRead(u.task, 2, g.Start(3, "long")+"[p] = (long)(g)"))
	g.Macro("SIZES(g, n)", ifRead(u.task, 3, g.Start(4, "long")+"[g] = (long)(n)"))
	g.Macro("NUMBER(n)", ifRead(u.task, 4, g.Start(5, "long")+"[0] = (long)(n)"))
	g.Macro("SORTED", codegen.OneIf(u.Sorted))
	g.Size("COUNT", u.Count)
}

// hooks returns the hooks of a sort whose results are items. They do not mention the outputs, so that one program
// sorts for all.
func (u *uniqueTask) hooks(items func(g *codegen.Builder)) func(g *codegen.Builder) {
	return func(g *codegen.Builder) {
		writeInput(g, false)
		items(g)
	}
}

func (u *uniqueTask) radix() (*variant.Plan, error) {
	r := u.sort(u.hooks(leftItems))
	s, err := r.inDigits(r.radix, 8, variant.RoundUp(u.Count, 8))
	if err != nil {
		return nil, err
	}
	g := u.program(s)
	m := kernels.RankRadix(1, u.Count, u.dev.Units)
	g.Size("PARTS", m.Parts)
	g.Size("SPAN", m.Span)
	s.room(g, "HEADS", m.Parts)
	s.room(g, "LAST", m.Parts)
	order := []string{"unique_heads", "unique_emit"}
	if !u.Sorted {
		s.room(g, "MARKS", u.Count)
		order = []string{"unique_heads", "unique_firsts", "unique_number", "unique_emit"}
	}
	prog := g.Assemble("rank/any_keys.cl", "rank/any_items.cl", "unique/cpu_parts.cl")
	for _, k := range order {
		s.Launches = append(s.Launches, variant.Launch{Program: prog, Kernel: k, Global: variant.Grid(m.Parts), Local: variant.Grid(1)})
	}
	return s.Plan, nil
}

func (u *uniqueTask) group() (*variant.Plan, error) {
	r := u.sort(u.hooks(keptItems(u.task.Ins[0].DType.Size() == 8)))
	s, err := r.inGroup()
	if err != nil {
		return nil, err
	}
	return u.byItems(s)
}

func (u *uniqueTask) blocks() (*variant.Plan, error) {
	r := u.sort(u.hooks(leftItems))
	s, err := r.inDigits(r.byBlocks, kernels.BlockDigit, u.Count)
	if err != nil {
		return nil, err
	}
	return u.byItems(s)
}

// byItems numbers the sorted items with a work-item for each.
func (u *uniqueTask) byItems(s *sortedRows) (*variant.Plan, error) {
	g := u.program(s)
	numbers := len(s.Scratch)
	s.room(g, "NUMBERS", u.Count)
	s.room(g, "STARTS", u.Count)
	marks := len(s.Scratch)
	if !u.Sorted {
		s.room(g, "MARKS", u.Count)
	}
	prog := g.Assemble("rank/any_keys.cl", "rank/any_items.cl", "unique/any_items.cl")
	wg := int64(kernels.Group(u.Count, u.dev.WorkGroup))
	each := func(kernel string) {
		s.Launches = append(s.Launches, variant.Launch{Program: prog, Kernel: kernel, Global: variant.Grid(variant.RoundUp(u.Count, wg)),
			Local: variant.Grid(wg)})
	}
	u.sum(s, numbers, "NUMBERS", "((i) == 0 || KEY_IN(0, i) != KEY_IN(0, (i) - 1))")
	each("unique_starts")
	if !u.Sorted {
		u.sum(s, marks, "MARKS", "MARKS[i]")
	}
	each("unique_give")
	return s.Plan, nil
}

// sum adds launches that put running sums of take in a buffer.
func (u *uniqueTask) sum(s *sortedRows, buffer int, name, take string) {
	g := codegen.New(u.dev, u.task, variant.RoundUp(u.Count, 256))
	g.Macro("PAIRS", codegen.OneIf(s.pairs))
	s.find(g)
	g.ScratchArg(name, buffer, "uint")
	addScan(s.Plan, g, 1, u.Count, false, take, name+"[i] = (v)", "rank/any_items.cl")
}

// addScan adds the running sums of rows of length unsigned numbers, by scan/gpu_group.cl behind files.
func addScan(p *variant.Plan, g *codegen.Builder, rows, length int64, exclusive bool, take, put string, files ...string) {
	wg := kernels.Group(1<<10, g.Device.WorkGroup)
	parts, span := cutScan(rows, length, int64(g.Device.Units)*8, int64(wg)*64)
	g.Macro("WG", wg)
	addSums(p, g, rows, length, parts, span, exclusive, take, put, scanKernels{
		files: append(files, "scan/any_sums.cl", "scan/gpu_group.cl"), sums: "scan_group_sums", scan: "scan_group_rows",
		global: variant.Grid(parts*int64(wg), rows), local: [3]int{wg, 1},
	})
}

// addColumnScan is addScan of one row by scan/any_column.cl: on a CPU driver each item has a part of it.
func addColumnScan(p *variant.Plan, g *codegen.Builder, length int64, take, put string) {
	parts, span := cutScan(1, length, 4*int64(g.Device.Units), 1<<6)
	g.Macro("COLUMNS", 1)
	g.Size("OUTER", 1)
	g.Size("INNER", 1)
	addSums(p, g, 1, length, parts, span, false, take, put, scanKernels{
		files: []string{"scan/any_sums.cl", "scan/any_column.cl"}, sums: "scan_column_sums", scan: "scan_column",
		global: variant.Grid(1, parts), local: [3]int{1, 1, 1},
	})
}

// scanKernels are the kernels that sum the parts of rows, and then the rows from the sum before each part.
type scanKernels struct {
	files         []string
	sums, scan    string
	global, local [3]int
}

// addSums adds launches of k for rows that are cut into parts.
func addSums(p *variant.Plan, g *codegen.Builder, rows, length, parts, span int64, exclusive bool, take, put string, k scanKernels) {
	for _, m := range [][2]any{
		{"ACC", "uint"}, {"EXACT", 0}, {"EXCLUSIVE", codegen.OneIf(exclusive)}, {"REVERSE", 0}, {"SPLIT", codegen.OneIf(parts > 1)},
		{"TAKE(i)", take}, {"PUT(i, v)", put},
	} {
		g.Macro(m[0].(string), m[1])
	}
	g.Size("LENGTH", length)
	g.Size("PARTS", parts)
	g.Size("SPAN", span)
	g.ScratchArg("SUMS", len(p.Scratch), "uint")
	p.Scratch = append(p.Scratch, 2*4*rows*parts)
	prog := g.Assemble(k.files...)
	if parts > 1 {
		p.Launches = append(p.Launches, variant.Launch{Program: prog, Kernel: k.sums, Global: k.global, Local: k.local})
	}
	p.Launches = append(p.Launches, variant.Launch{Program: prog, Kernel: k.scan, Global: k.global, Local: k.local})
}

// uniqueCost is the cost of a sort by digits and of the kernels that number its items, some of which are stored far
// from each other.
func uniqueCost(t *engine.Task, _ variant.AlgorithmCost) variant.AlgorithmCost {
	a, dt := t.Algorithm.(*engine.Unique), t.Ins[0].DType
	n, size := float64(a.Count), float64(dt.Size())
	wide, passes := max(size/4, 1), size
	if a.Width != 1 {
		return rowsCost(n, float64(a.Width), size)
	}
	l := variant.AlgorithmCost{Nanoseconds: n * (wide*(5+4*passes) + 6), Parts: max(1, n/(1<<13)), Bytes: n * wide * (16 + 24*passes),
		Launches: 2*passes + 2}
	if !a.Sorted {
		l.Nanoseconds, l.Launches = l.Nanoseconds+4*n, l.Launches+2
	}
	return l
}
