// Package maps plans tasks that compute each output element by itself.
package maps

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// mapping is a Map task as its kernels see it: ROWS x COLS.
type mapping struct {
	dev              *facts.Device
	task             *engine.Task
	rowAxes, colAxes []int
	rows, cols       int64
	parts            []segment // of the columns, for map_block; nil: they are not cut
	inside           *interior // for map_block; nil: every point is computed with its conditions
}

func mappingOf(d *facts.Device, t *engine.Task) *mapping {
	m := &mapping{dev: d, task: t}
	m.rowAxes, m.colAxes = mapView(d, t)
	m.rows, m.cols = access.Extent(t, m.rowAxes), access.Extent(t, m.colAxes)
	return m
}

// blocksOf is t as map_block sees it.
func blocksOf(d *facts.Device, t *engine.Task) *mapping {
	if d.CPU {
		t = separated(t, maxThin+1)
	}
	m := mappingOf(d, t)
	if !m.columnar() {
		return m
	}
	if m.inside = interiorOf(t); t.Alias == nil && (m.inside == nil || !m.inside.most(t.Axes)) {
		if m.parts = segments(t); m.parts != nil {
			m.inside = nil
		}
	}
	return m
}

func init() {
	variant.Register(variant.Family{
		Name: engine.Map.String(), Kind: engine.Map, Variants: []string{"item", "turn", "block", "tile", "pack", "gather", "thin"},
		Choose: mapVariants, Class: mapClass,
	})
}

// mapClass is the class of t for the tuning table.
func mapClass(d *facts.Device, t *engine.Task) string {
	rows, cols := mapView(d, t)
	return variant.DTypes(t) + " " + variant.Layout(t.Values[0], access.Axes(t, 0)) + variant.Bucket("rows", access.Extent(t, rows)) +
		variant.Bucket("cols", access.Extent(t, cols))
}

func mapVariants(d *facts.Device, t *engine.Task) []variant.Variant {
	t = moved(t)
	m := mappingOf(d, t)
	item := variant.Tunable[mapItem](variant.Chooser[mapItem]{
		Name: "item", Why: "a GPU: items with a few points each", Kind: engine.Map, Limits: d.Limits(1, 4),
		ByRule: m.chooseItem, Plan: m.planItem,
	})
	blocks := blocksOf(d, t)
	block := variant.Tunable[mapBlock](variant.Chooser[mapBlock]{
		Name: "block", Why: "a CPU driver: long inner loops become vectors", Kind: engine.Map, Limits: d.Limits(1, 4),
		ByRule: blocks.chooseBlock, Plan: blocks.planBlock,
	})
	all := []variant.Variant{item, block}
	if d.CPU {
		all = []variant.Variant{block, item}
	}
	if turn, right := turnVariant(d, t); right && !d.CPU {
		all = slices.Insert(all, 0, turn)
	} else if turn.Plan != nil {
		all = append(all, turn)
	}
	if thin := thinVariant(d, t); thin.Plan != nil && d.CPU {
		all = slices.Insert(all, 0, thin)
	} else if thin.Plan != nil {
		all = append(all, thin)
	}
	pack := packVariant(d, t)
	tile, turned := tileVariant(d, t)
	if pack.Plan != nil && d.CPU && !turned {
		all = slices.Insert(all, 0, pack)
	} else if pack.Plan != nil {
		all = append(all, pack)
	}
	if turned && d.CPU {
		all = slices.Insert(all, 0, tile)
	} else if tile.Plan != nil {
		all = append(all, tile)
	}
	if gather, long := gatherVariant(d, t); long && d.CPU {
		all = slices.Insert(all, 0, gather)
	} else if gather.Plan != nil {
		all = append(all, gather)
	}
	return all
}

// moved is t, with elements of half types that are only moved taken for integers:
// they need not be widened and rounded again.
func moved(t *engine.Task) *engine.Task {
	if len(t.Values) != 1 || t.Values[0].Op != engine.OpLoad {
		return t
	}
	e := t.Values[0]
	if dt := t.Ins[e.Input].DType; !codegen.IsHalfType(dt) || e.DType != dt || t.Outs[0].DType != dt {
		return t
	}
	for x := range e.Walk() { // where it is read as numbers too: a position may be one of its elements
		if x != e && x.Op == engine.OpLoad && x.Input == e.Input {
			return t
		}
	}
	m := *t
	m.Ins, m.Outs = slices.Clone(t.Ins), slices.Clone(t.Outs)
	m.Ins[e.Input].DType, m.Outs[0].DType = tensor.Uint16, tensor.Uint16
	m.Values = []*engine.Expr{engine.Load(e.Input, tensor.Uint16, e.Addr, e.Conds)}
	return &m
}

// mapItem is how map_item is used for one task.
type mapItem struct {
	wg    int
	items int64
}

func (c *mapItem) Knobs() []variant.Knob {
	return []variant.Knob{variant.Counter("wg", &c.wg), variant.Counter("items", &c.items)}
}

// mapBlock is how map_block is used for one task.
type mapBlock struct{ kernels.MapBlocks }

func (c *mapBlock) Knobs() []variant.Knob {
	return []variant.Knob{variant.Counter("rows", &c.Rows), variant.Counter("columns", &c.Columns)}
}

// mapView chooses how t's axes are seen: all as one row, or the last axis as
// columns. Two coordinates save the division that an address over several axes
// needs, which pays when a row is long enough to fill the device's vectors, or more
// than half of one of a CPU.
func mapView(d *facts.Device, t *engine.Task) (rows, cols []int) {
	enough := codegen.VectorLanes
	if d.CPU {
		enough = maxThin + 1
	}
	all := access.Axes(t, 0)
	if n := len(all); n > 1 && t.Axes[all[n-1]] >= enough {
		return all[:n-1], all[n-1:]
	}
	return nil, all
}

// program starts the program of either kernel, with one hook or one for each segment.
func (m *mapping) program(inline bool) *codegen.Builder {
	g := codegen.New(m.dev, m.task)
	g.Inline = inline
	g.Size("ROWS", m.rows)
	g.Size("COLS", m.cols)
	coords := []codegen.Coord{{Name: "r", Axes: m.rowAxes}, {Name: "c", Axes: m.colAxes}}
	if m.parts == nil {
		g.HookOf("VALUE", coords, m.task.Values, nil)
	} else {
		m.cut(g, coords)
	}
	if m.inside != nil {
		m.inside.write(g, coords)
	}
	g.Store("STORE", "VALUE", m.task.Values...)
	return g
}

// looped are the values that most loops over columns compute: those of the first segment, of the interior, or of all points.
func (m *mapping) looped() []*engine.Expr {
	switch {
	case m.parts != nil:
		return m.parts[0].task.Values
	case m.inside != nil:
		return m.inside.values
	}
	return m.task.Values
}

// columnar reports whether the columns are the last axis, and all others are rows.
func (m *mapping) columnar() bool {
	return len(m.colAxes) == 1 && (len(m.rowAxes) > 0 || len(m.task.Axes) == 1)
}

func (m *mapping) chooseItem() mapItem {
	r := kernels.MapItem(m.rows, m.cols, m.mostItems(), m.dev.Units, m.dev.WorkGroup)
	return mapItem{r.Local[0] * r.Local[1], r.Items}
}

// mostItems is how many points an item computes together at most: their loads, of 32 bytes, keep memory busy.
// Long expressions do that by themselves, and need the registers.
func (m *mapping) mostItems() int64 {
	const bytes, flops = 32, 256
	loaded, stored, cost := int64(0), int64(0), int64(1)
	seen := map[string]bool{}
	last := m.colAxes
	if len(last) > 1 {
		last = last[len(last)-1:]
	}
	for _, e := range m.task.Values {
		for s := range e.Walk() {
			if seen[s.Key()] {
				continue
			}
			seen[s.Key()] = true
			switch {
			case s.Op == engine.OpLoad && access.Uses(s, last):
				loaded += int64(m.task.Ins[s.Input].DType.Size())
			case s.Op == engine.OpApply:
				cost += int64(s.Fn.Flops)
			}
		}
	}
	for _, o := range m.task.Outs {
		stored += int64(o.DType.Size())
	}
	return min(bytes/max(loaded, (stored+1)/2, 1), flops/cost, 16)
}

func (m *mapping) planItem(c mapItem) (*variant.Plan, error) {
	r := kernels.MapItemOf(m.rows, m.cols, c.items, c.wg)
	g := m.program(false)
	g.Macro("ITEMS", r.Items)
	if r.Items > 1 {
		g.Macro("DOWN", codegen.OneIf(r.Down))
		g.Macro("OUT", g.ValueType("VALUE", m.task.Values))
	}
	return &variant.Plan{
		Params:   fmt.Sprintf("view=%dx%d wg=%dx%d items=%d", m.rows, m.cols, r.Local[0], r.Local[1], r.Items),
		Launches: []variant.Launch{{Program: g.Assemble("map/gpu_item.cl"), Kernel: "map_item", Global: r.Global, Local: r.Local}},
	}, nil
}

func (m *mapping) chooseBlock() mapBlock {
	near := true
	for _, a := range m.colAxes {
		for _, e := range m.looped() {
			d := access.Stride(e, a)
			if d < 0 && access.GathersIn(e) {
				continue // where data say: short rows are no nearer than long ones
			}
			near = near && d >= 0 && (a != m.colAxes[len(m.colAxes)-1] || d <= 4)
		}
	}
	return mapBlock{kernels.MapBlock(m.rows, m.cols, m.dev.Units, near)}
}

func (m *mapping) planBlock(c mapBlock) (*variant.Plan, error) {
	r := kernels.MapBlockOf(m.rows, m.cols, c.Rows, c.Columns)
	g := m.program(true)
	g.Passes = true
	g.Size("RSPAN", r.Rows)
	g.Size("CSPAN", r.Columns)
	g.Macro("LANES", m.lanes())
	// a mask costs about four elements
	g.Macro("NARROW", codegen.OneIf(len(m.rowAxes) > 0 && m.cols < 4*codegen.VectorLanes && m.cols%codegen.VectorLanes > 4))
	buffered, streamed := m.task.Alias != nil, m.parts == nil && m.streamed(r)
	g.Macro("SEGMENTS", codegen.OneIf(m.parts != nil))
	g.Macro("INTERIOR", codegen.OneIf(m.inside != nil))
	g.Macro("BUFFERED", codegen.OneIf(buffered))
	g.Macro("STREAMED", codegen.OneIf(streamed))
	if buffered || streamed {
		g.Buffers("VALUE", m.task.Values...)
	}
	return &variant.Plan{
		Params:   fmt.Sprintf("view=%dx%d block=%dx%d", m.rows, m.cols, r.Rows, r.Columns),
		Launches: []variant.Launch{{Program: g.Assemble("map/cpu_block.cl"), Kernel: "map_block", Global: r.Global, Local: r.Local}},
	}, nil
}

// lanes is how many elements the vectors of a loop over columns have.
func (m *mapping) lanes() int {
	widest := int64(1)
	for _, o := range m.task.Outs {
		widest = max(widest, int64(o.DType.Size()))
	}
	return codegen.LoopLanes(m.colAxes, widest, m.looped()...)
}

// streamed reports whether the outputs are stored past the caches, in blocks of enough lines: long ones, or rows that are whole lines.
func (m *mapping) streamed(b kernels.MapBlocks) bool {
	const long, row, line = 1 << 10, 1 << 7, 64 // elements, elements and bytes
	bytes, whole := int64(0), b.Columns == m.cols && m.cols >= row
	for _, o := range m.task.Outs {
		bytes += o.Bytes()
		whole = whole && m.cols*int64(o.DType.Size())%line == 0
	}
	return m.dev.Streamed(m.task, bytes) && m.lanes() > 0 && (b.Columns >= long || whole)
}
