package ocl

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// checkSuppress says why the device cannot suppress boxes as the CPU path does, or "".
func (d *deviceFacts) checkSuppress() string {
	if d.flushes {
		return "the device takes the smallest numbers for zero, and might select other boxes"
	}
	return ""
}

// suppressing selects boxes on a device.
type suppressing struct {
	dev  *deviceFacts
	task *engine.Task
	*engine.Suppress
	lists, most int64 // most are selected of a list
}

func suppressVariants(d *deviceFacts, t *engine.Task, a *engine.Suppress) []variant {
	precise := *t // a placement must not change what is selected, whatever the graph allows
	precise.FastMath = false
	s := &suppressing{d, &precise, a, a.Batches * a.Classes, min(a.PerClass, a.Boxes, a.Capacity)}
	list := variant{name: "list", why: "a core has whole lists, and compares many boxes at a time", plan: s.list}
	if s.lists*a.Boxes == 0 {
		return []variant{list}
	}
	group := variant{name: "group", why: "a work-group has a list, sorted in local memory", plan: s.group}
	blocks := variant{name: "blocks", why: "long lists, sorted block by block; then a work-group has one", plan: s.blocks}
	var vs []variant
	if d.cpu {
		vs = append(vs, list)
	}
	if a.Boxes <= kernels.GroupMost(false) {
		vs = append(vs, group)
	}
	if d.workGroup >= 64 {
		vs = append(vs, blocks)
	}
	if !d.cpu {
		vs = append(vs, list)
	}
	return vs
}

// bits passes 32 bits as a size.
func (g *gen) bits(name string, v uint32) { g.size(name, int64(int32(v))) }

// scores defines what suppress_key asks for.
func (s *suppressing) scores(g *gen) {
	g.library = append(g.library, "suppress/any_overlap.cl")
	g.macro("SCORE_BITS(i)", g.start(1, "uint")+"[i]")
	least := uint32(0)
	if s.HasScore {
		least = uint32(engine.FloatKey32(float32(s.Score))) ^ 1<<31
	}
	g.bits("LEAST", least)
}

// program starts a program that selects.
func (s *suppressing) program(limits ...int64) *gen {
	g := newGen(s.dev, s.task, append(limits, s.lists*(s.Boxes+kernels.SuppressSide), s.Batches*s.Boxes*4, 3*s.Capacity, s.lists*s.most+s.Capacity+s.lists*256)...)
	g.macro("CENTRE", oneIf(s.Centre))
	g.macro("BOX(i)", "vload4(i, "+g.start(0, "float")+")")
	row := g.start(2, "long")
	g.macro("ROW(r, batch, class, box)", ifRead(s.task, 0, fmt.Sprintf("(%s[3 * (r)] = (batch), %s[3 * (r) + 1] = (class), %s[3 * (r) + 2] = (long)(box))", row, row, row)))
	g.macro("TOTAL(n)", ifRead(s.task, 1, g.start(3, "long")+"[0] = (long)(n)"))
	g.size("LISTS", s.lists)
	g.size("CLASSES", max(s.Classes, 1))
	g.size("BOXES", s.Boxes)
	g.size("MOST", s.most)
	g.size("CAPACITY", s.Capacity)
	g.bits("LIMIT", math.Float32bits(float32(s.IoU)))
	return g
}

func (s *suppressing) list() (*plan, error) {
	m := kernels.Suppress(s.lists, s.Boxes, s.most, s.Capacity, s.dev.units)
	g := s.program(m.Items*m.Stride, m.Items*5*m.Room)
	s.scores(g)
	g.size("ITEMS", m.Items)
	g.size("STRIDE", m.Stride)
	g.size("ROOM", m.Room)
	g.size("PARTS", m.Parts)
	g.size("SPAN", m.Span)
	g.size("RSPAN", m.Results)
	for i, name := range []string{"A", "B", "CORNERS", "FOUND", "KEPT"} {
		g.scratchArg(name, i, []string{"ulong", "ulong", "float", "uint", "uint"}[i])
	}
	items := max(m.Items, 1)
	p := &plan{
		params:  fmt.Sprintf("%d lists of %d, items=%d", s.lists, s.Boxes, m.Items),
		scratch: []int64{8 * items * m.Stride, 8 * items * m.Stride, 4 * items * 5 * m.Room, 4 * max(s.lists*s.most, 1), 4 * max(s.lists, 1)},
	}
	prog := g.assemble("suppress/cpu_lists.cl")
	if m.Items > 0 {
		p.launches = append(p.launches, launch{prog: prog, kernel: "suppress_lists", global: grid(m.Items), local: grid(1)})
	}
	p.launches = append(p.launches, launch{prog: prog, kernel: "suppress_write", global: grid(m.Parts), local: grid(1)})
	return p, nil
}

// sort orders every list by suppress_key, by way of hooks that may keep what is sorted elsewhere.
func (s *suppressing) sort(items func(g *gen)) *ranking {
	rank := &engine.Rank{Rows: s.lists, Length: s.Boxes, Keep: s.Boxes}
	return newRanking(s.dev, s.task, rank, 32, func(g *gen) {
		writeKeys(g, tensor.Uint32, false)
		s.scores(g)
		g.macro("BITS_AT(i)", "suppress_key(SCORE_BITS(i), (uint)LEAST)")
		items(g)
	})
}

func (s *suppressing) group() (*plan, error) {
	rows, err := s.sort(keptItems(false)).inGroup()
	if err != nil {
		return nil, err
	}
	return s.byGroups(rows)
}

func (s *suppressing) blocks() (*plan, error) {
	r := s.sort(leftItems)
	rows, err := r.inDigits(r.blocks, 4, s.Boxes)
	if err != nil {
		return nil, err
	}
	return s.byGroups(rows)
}

// byGroups selects of lists that are sorted.
func (s *suppressing) byGroups(rows *sortedRows) (*plan, error) {
	wg := kernels.Group(s.Boxes, s.dev.workGroup)
	g := s.program()
	g.library = append(g.library, "suppress/any_overlap.cl")
	g.macro("PAIRS", 0)
	g.macro("WG", wg)
	rows.find(g)
	rows.room(g, "FOUND", s.lists*s.most)
	kept := len(rows.scratch)
	rows.room(g, "KEPT", s.lists)
	rows.room(g, "OFFSETS", s.lists)
	prog := g.assemble("rank/any_items.cl", "suppress/gpu_group.cl")
	add := func(kernel string) {
		rows.launches = append(rows.launches, launch{prog: prog, kernel: kernel, global: grid(s.lists * int64(wg)), local: grid(int64(wg))})
	}
	add("suppress_sweep")
	sums := newGen(s.dev, s.task, s.lists+1<<16)
	sums.scratchArg("KEPT", kept, "uint")
	sums.scratchArg("OFFSETS", kept+1, "uint")
	addScan(rows.plan, sums, 1, s.lists, true, "KEPT[i]", "OFFSETS[i] = (v)")
	add("suppress_give")
	rows.params = fmt.Sprintf("%d lists of %d, wg=%d", s.lists, s.Boxes, wg)
	return rows.plan, nil
}

// suppressLabour is that of lists on a CPU driver.
func suppressLabour(a *engine.Suppress) labour {
	pass, selected := a.Candidates()
	lists := float64(a.Batches * a.Classes)
	ns := 500 + 1.5*float64(a.Boxes) + pass*(25+selected/2*0.4)
	return labour{ns: lists * ns, parts: lists, bytes: lists * float64(a.Boxes) * 4, launches: 2}
}
