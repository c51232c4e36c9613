package ocl

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// mapping is a Map task as its kernels see it: ROWS x COLS.
type mapping struct {
	dev              *deviceFacts
	task             *engine.Task
	rowAxes, colAxes []int
	rows, cols       int64
}

func mapVariants(d *deviceFacts, t *engine.Task) []variant {
	t = moved(t)
	m := &mapping{dev: d, task: t}
	m.rowAxes, m.colAxes = mapView(d, t)
	m.rows, m.cols = extent(t, m.rowAxes), extent(t, m.colAxes)
	item := tunable[mapItem](chooser[mapItem]{
		name: "item", why: "one work-item a point", kind: engine.Map, limits: d.limits(1, 4),
		byRule: func() mapItem { return mapItem{kernels.Group(m.cols, d.workGroup)} }, plan: m.planItem,
	})
	block := tunable[mapBlock](chooser[mapBlock]{
		name: "block", why: "a CPU driver: long inner loops become vectors", kind: engine.Map, limits: d.limits(1, 4),
		byRule: m.chooseBlock, plan: m.planBlock,
	})
	all := []variant{item, block}
	if d.cpu {
		all = []variant{block, item}
	}
	if thin := thinVariant(d, t); thin.plan != nil && d.cpu {
		all = slices.Insert(all, 0, thin)
	} else if thin.plan != nil {
		all = append(all, thin)
	}
	if tile, turned := tileVariant(d, t); turned && d.cpu {
		all = slices.Insert(all, 0, tile)
	} else if tile.plan != nil {
		all = append(all, tile)
	}
	if gather := gatherVariant(d, t); gather.plan != nil && d.cpu {
		all = slices.Insert(all, 0, gather)
	} else if gather.plan != nil {
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
	if dt := t.Ins[e.Input].DType; !isHalfType(dt) || e.DType != dt || t.Outs[0].DType != dt {
		return t
	}
	m := *t
	m.Ins, m.Outs = slices.Clone(t.Ins), slices.Clone(t.Outs)
	m.Ins[e.Input].DType, m.Outs[0].DType = tensor.Uint16, tensor.Uint16
	m.Values = []*engine.Expr{engine.Load(e.Input, tensor.Uint16, e.Addr, e.Conds)}
	return &m
}

// mapItem is how map_item is used for one task.
type mapItem struct{ wg int }

func (c *mapItem) knobs() []knob { return []knob{counter("wg", &c.wg)} }

// mapBlock is how map_block is used for one task.
type mapBlock struct{ kernels.MapBlocks }

func (c *mapBlock) knobs() []knob {
	return []knob{counter("rows", &c.Rows), counter("columns", &c.Columns)}
}

// mapView chooses how t's axes are seen: all as one row, or the last axis as
// columns. Two coordinates save the division that an address over several axes
// needs, which pays when a row is long enough to fill the device's vectors, or more
// than half of one of a CPU.
func mapView(d *deviceFacts, t *engine.Task) (rows, cols []int) {
	enough := vectorLanes
	if d.cpu {
		enough = thick + 1
	}
	all := axesOf(t, 0)
	if n := len(all); n > 1 && t.Axes[all[n-1]] >= enough {
		return all[:n-1], all[n-1:]
	}
	return nil, all
}

// program starts the program of either kernel.
func (m *mapping) program() *gen {
	g := newGen(m.dev, m.task)
	g.size("ROWS", m.rows)
	g.size("COLS", m.cols)
	g.hookOf("VALUE", []coord{{"r", m.rowAxes}, {"c", m.colAxes}}, m.task.Values, nil)
	g.store("STORE", "VALUE", m.task.Values...)
	return g
}

func (m *mapping) planItem(c mapItem) (*plan, error) {
	r := kernels.MapItem(m.rows, m.cols, c.wg)
	return &plan{
		params:   fmt.Sprintf("view=%dx%d wg=%d", m.rows, m.cols, r.Local[0]),
		launches: []launch{{prog: m.program().assemble("map/gpu_item.cl"), kernel: "map_item", global: r.Global, local: r.Local}},
	}, nil
}

func (m *mapping) chooseBlock() mapBlock {
	near := true
	for _, a := range m.colAxes {
		for _, e := range m.task.Values {
			d := step(e, a)
			near = near && d >= 0 && (a != m.colAxes[len(m.colAxes)-1] || d <= 4)
		}
	}
	return mapBlock{kernels.MapBlock(m.rows, m.cols, m.dev.units, near)}
}

func (m *mapping) planBlock(c mapBlock) (*plan, error) {
	r := kernels.MapBlockOf(m.rows, m.cols, c.Rows, c.Columns)
	g := m.program()
	g.size("RSPAN", r.Rows)
	g.size("CSPAN", r.Columns)
	g.macro("LANES", m.lanes())
	g.macro("NARROW", oneIf(len(m.rowAxes) > 0 && m.cols < 4*vectorLanes && m.cols%vectorLanes > 4)) // a mask costs about four elements
	buffered, streamed := m.task.Alias != nil, m.streamed(r)
	g.macro("BUFFERED", oneIf(buffered))
	g.macro("STREAMED", oneIf(streamed))
	if buffered || streamed {
		g.buffers("VALUE", m.task.Values...)
	}
	return &plan{
		params:   fmt.Sprintf("view=%dx%d block=%dx%d", m.rows, m.cols, r.Rows, r.Columns),
		launches: []launch{{prog: g.assemble("map/cpu_block.cl"), kernel: "map_block", global: r.Global, local: r.Local}},
	}, nil
}

// lanes is how many elements the vectors of a loop over columns have.
func (m *mapping) lanes() int {
	widest := int64(1)
	for _, o := range m.task.Outs {
		widest = max(widest, int64(o.DType.Size()))
	}
	return loopLanes(m.colAxes, widest, m.task.Values...)
}

// streamed reports whether the outputs are stored past the caches, in blocks
// of enough lines.
func (m *mapping) streamed(b kernels.MapBlocks) bool {
	bytes := int64(0)
	for _, o := range m.task.Outs {
		bytes += o.Bytes()
	}
	return m.dev.streamed(m.task, bytes) && m.lanes() > 0 && b.Columns >= 1<<10
}

// extent is the number of points over axes.
func extent(t *engine.Task, axes []int) int64 {
	n := int64(1)
	for _, a := range axes {
		n *= int64(t.Axes[a])
	}
	return n
}
