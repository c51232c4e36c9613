package routine

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// checkSuppress says why the device cannot suppress boxes as the CPU path does, or "".
func checkSuppress(d *facts.Device, _ *engine.Task) string {
	if d.FlushesDenormals {
		return "the device takes the smallest numbers for zero, and might select other boxes"
	}
	return ""
}

// suppressing selects boxes on a device.
type suppressing struct {
	dev  *facts.Device
	task *engine.Task
	*engine.Suppress
	lists, most int64 // most are selected of a list
}

func init() {
	variant.Register(variant.Family{
		Name: "suppress", Kind: engine.Routine, Algorithm: (*engine.Suppress)(nil), Variants: []string{"list", "group", "blocks"},
		Choose: suppressVariants, Check: checkSuppress, Cost: suppressCost,
	})
}

func suppressVariants(d *facts.Device, t *engine.Task) []variant.Variant {
	a := t.Algorithm.(*engine.Suppress)
	precise := *t // a placement must not change the selection, whatever the graph allows
	precise.FastMath = false
	s := &suppressing{d, &precise, a, a.Batches * a.Classes, min(a.PerClass, a.Boxes, a.Capacity)}
	list := variant.Variant{Name: "list", Why: "a core has whole lists, and compares many boxes at a time", Plan: s.list}
	if s.lists*a.Boxes == 0 {
		return []variant.Variant{list}
	}
	group := variant.Variant{Name: "group", Why: "a work-group has a list, sorted in local memory", Plan: s.group}
	blocks := variant.Variant{Name: "blocks", Why: "long lists, sorted block by block; then a work-group has one", Plan: s.blocks}
	var vs []variant.Variant
	if d.CPU {
		vs = append(vs, list)
	}
	if a.Boxes <= kernels.GroupMost(false) {
		vs = append(vs, group)
	}
	if d.WorkGroup >= 64 {
		vs = append(vs, blocks)
	}
	if !d.CPU {
		vs = append(vs, list)
	}
	return vs
}

// scores defines the hooks of suppress_key.
func (s *suppressing) scores(g *codegen.Builder) {
	g.Library = append(g.Library, "suppress/any_overlap.cl")
	g.Macro("SCORE_BITS(i)", g.Start(1, "uint")+"[i]")
	least := uint32(0)
	if s.HasScore {
		least = uint32(engine.FloatKey32(float32(s.Score))) ^ 1<<31
	}
	g.SizeBits("LEAST", least)
}

// program starts a program that selects.
func (s *suppressing) program(limits ...int64) *codegen.Builder {
	g := codegen.New(s.dev, s.task, append(limits, s.lists*(s.Boxes+kernels.SuppressSide), s.Batches*s.Boxes*4, 3*s.Capacity,
		s.lists*s.most+s.Capacity+s.lists*256)...)
	g.Macro("CENTRE", codegen.OneIf(s.Centre))
	g.Macro("BOX(i)", "vload4(i, "+g.Start(0, "float")+")")
	row := g.Start(2, "long")
	g.Macro("ROW(r, batch, class, box)", ifRead(s.task, 0,
		fmt.Sprintf("(%s[3 * (r)] = (batch), %s[3 * (r) + 1] = (class), %s[3 * (r) + 2] = (long)(box))", row, row, row)))
	g.Macro("TOTAL(n)", ifRead(s.task, 1, g.Start(3, "long")+"[0] = (long)(n)"))
	g.Size("LISTS", s.lists)
	g.Size("CLASSES", max(s.Classes, 1))
	g.Size("BOXES", s.Boxes)
	g.Size("MOST", s.most)
	g.Size("CAPACITY", s.Capacity)
	g.SizeBits("LIMIT", math.Float32bits(float32(s.IoU)))
	return g
}

func (s *suppressing) list() (*variant.Plan, error) {
	m := kernels.Suppress(s.lists, s.Boxes, s.most, s.Capacity, s.dev.Units)
	g := s.program(m.Items*m.Stride, m.Items*5*m.Room)
	s.scores(g)
	g.Size("ITEMS", m.Items)
	g.Size("STRIDE", m.Stride)
	g.Size("ROOM", m.Room)
	g.Size("PARTS", m.Parts)
	g.Size("SPAN", m.Span)
	g.Size("RSPAN", m.Results)
	for i, name := range []string{"A", "B", "CORNERS", "FOUND", "KEPT"} {
		g.ScratchArg(name, i, []string{"ulong", "ulong", "float", "uint", "uint"}[i])
	}
	items := max(m.Items, 1)
	p := &variant.Plan{
		Params:  fmt.Sprintf("%d lists of %d, items=%d", s.lists, s.Boxes, m.Items),
		Scratch: []int64{8 * items * m.Stride, 8 * items * m.Stride, 4 * items * 5 * m.Room, 4 * max(s.lists*s.most, 1), 4 * max(s.lists, 1)},
	}
	prog := g.Assemble("suppress/cpu_lists.cl")
	if m.Items > 0 {
		p.Launches = append(p.Launches, variant.Launch{Program: prog, Kernel: "suppress_lists", Global: variant.Grid(m.Items),
			Local: variant.Grid(1)})
	}
	p.Launches = append(p.Launches, variant.Launch{Program: prog, Kernel: "suppress_write", Global: variant.Grid(m.Parts),
		Local: variant.Grid(1)})
	return p, nil
}

// sort orders every list by suppress_key, by way of hooks that may keep the sorted values elsewhere.
func (s *suppressing) sort(items func(g *codegen.Builder)) *ranking {
	rank := &engine.Rank{Rows: s.lists, Length: s.Boxes, Keep: s.Boxes}
	return newRanking(s.dev, s.task, rank, 32, func(g *codegen.Builder) {
		writeKeys(g, tensor.Uint32, false)
		s.scores(g)
		g.Macro("BITS_AT(i)", "suppress_key(SCORE_BITS(i), (uint)LEAST)")
		items(g)
	})
}

func (s *suppressing) group() (*variant.Plan, error) {
	rows, err := s.sort(keptItems(false)).inGroup()
	if err != nil {
		return nil, err
	}
	return s.byGroups(rows)
}

func (s *suppressing) blocks() (*variant.Plan, error) {
	r := s.sort(leftItems)
	rows, err := r.inDigits(r.byBlocks, kernels.BlockDigit, s.Boxes)
	if err != nil {
		return nil, err
	}
	return s.byGroups(rows)
}

// byGroups selects of lists that are sorted.
func (s *suppressing) byGroups(rows *sortedRows) (*variant.Plan, error) {
	wg := kernels.Group(s.Boxes, s.dev.WorkGroup)
	g := s.program()
	g.Library = append(g.Library, "suppress/any_overlap.cl")
	g.Macro("PAIRS", 0)
	g.Macro("WG", wg)
	rows.find(g)
	rows.room(g, "FOUND", s.lists*s.most)
	kept := len(rows.Scratch)
	rows.room(g, "KEPT", s.lists)
	rows.room(g, "OFFSETS", s.lists)
	prog := g.Assemble("rank/any_items.cl", "suppress/gpu_group.cl")
	add := func(kernel string) {
		rows.Launches = append(rows.Launches, variant.Launch{Program: prog, Kernel: kernel, Global: variant.Grid(s.lists * int64(wg)),
			Local: variant.Grid(int64(wg))})
	}
	add("suppress_sweep")
	sums := codegen.New(s.dev, s.task, s.lists+1<<16)
	sums.ScratchArg("KEPT", kept, "uint")
	sums.ScratchArg("OFFSETS", kept+1, "uint")
	addScan(rows.Plan, sums, 1, s.lists, true, "KEPT[i]", "OFFSETS[i] = (v)")
	add("suppress_give")
	rows.Params = fmt.Sprintf("%d lists of %d, wg=%d", s.lists, s.Boxes, wg)
	return rows.Plan, nil
}

// suppressCost is the cost of the variant with lists on a CPU driver.
func suppressCost(t *engine.Task, _ variant.AlgorithmCost) variant.AlgorithmCost {
	a := t.Algorithm.(*engine.Suppress)
	pass, selected := a.Candidates()
	lists := float64(a.Batches * a.Classes)
	ns := 500 + 1.5*float64(a.Boxes) + pass*(25+selected/2*0.4)
	return variant.AlgorithmCost{Nanoseconds: lists * ns, Parts: lists, Bytes: lists * float64(a.Boxes) * 4, Launches: 2}
}
