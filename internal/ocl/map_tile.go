package ocl

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// runsAlong is the axis, other than the last, whose neighbours t should read
// side by side, or -1: one with a tile's worth of points. turned tells that
// they are neighbours in memory while those of the last axis are far apart, and
// whole that rows of the output fill cache lines.
func runsAlong(t *engine.Task) (axis int, turned, whole bool) {
	axes := axesOf(t, 0)
	if len(axes) < 2 || len(t.Values) != 1 || t.Alias != nil {
		return -1, false, false
	}
	e, last := t.Values[0], axes[len(axes)-1]
	axis = axes[len(axes)-2]
	for _, a := range axes[:len(axes)-1] {
		if step(e, a) == 1 && t.Axes[a] >= kernels.TileSide {
			axis, turned = a, true
		}
	}
	across := step(e, last)
	// Where rows of y begin inside a cache line, two items write each line at the
	// seam, and the plain loop was the faster one for elements of 4 bytes or more.
	size := t.Outs[0].DType.Size()
	whole = size < 4 || t.Axes[last]*size%64 == 0
	return axis, turned && t.Axes[last] >= kernels.TileSide && (across < 0 || across > 4), whole
}

// mapTile is how map_tile is used for one task.
type mapTile struct{ rows int64 }

func (c *mapTile) knobs() []knob { return []knob{counter("rows", &c.rows)} }

// tiling is a Map task as map_tile sees it: outer axes, the one that is read
// along, and the last, which is stored along.
type tiling struct {
	dev         *deviceFacts
	task        *engine.Task
	outer       []int
	along, last int
	whole       bool // rows of the output fill cache lines
}

// tileVariant is the variant of tiles, with no plan where t has too few axes.
// turned tells that it is the right one for a CPU driver.
func tileVariant(d *deviceFacts, t *engine.Task) (v variant, turned bool) {
	along, turned, whole := runsAlong(t)
	if along < 0 {
		return variant{}, false
	}
	m := &tiling{dev: d, task: t, along: along, last: len(t.Axes) - 1, whole: whole}
	for _, a := range axesOf(t, 0) {
		if a != m.along && a != m.last {
			m.outer = append(m.outer, a)
		}
	}
	if _, padded := m.padding(); !padded {
		turned = turned && whole
	}
	return tunable[mapTile](chooser[mapTile]{
		name: "tile", why: "a CPU driver: tiles turned in registers, since rows lie closer than columns", kind: engine.Map,
		limits: d.limits(1, 4), byRule: m.choose, plan: m.plan,
	}), turned
}

func (m *tiling) extents() (outer, rows, cols int64) {
	return extent(m.task, m.outer), int64(m.task.Axes[m.along]), int64(m.task.Axes[m.last])
}

func (m *tiling) choose() mapTile {
	outer, rows, cols := m.extents()
	return mapTile{kernels.TileRows(outer, rows, cols, m.dev.units)}
}

func (m *tiling) plan(c mapTile) (*plan, error) {
	if p, ok := m.padding(); ok {
		return p.plan()
	}
	t := m.task
	outer, rows, cols := m.extents()
	g := newGen(m.dev, t)
	g.size("ROWS", rows)
	g.size("COLS", cols)
	g.size("RSPAN", c.rows)
	out := regType(t.Values[0].DType)
	g.macro("OUT", out)
	g.macro("OUT16", out+"16")
	direct := m.places(g)
	coords := []coord{{"o", m.outer}, {"r", []int{m.along}}, {"c", []int{m.last}}}
	g.macro("PLAIN", oneIf(g.vectorHook("VALUES", coords, m.along, t.Values[0], t.Values[0].DType, 0)))
	lines := m.whole && t.Outs[0].DType.Size() >= 4
	g.macro("STREAMED", oneIf(direct && lines && m.dev.streamed(t, t.Outs[0].Bytes())))
	grid := kernels.MapTile(outer, rows, cols, c.rows)
	return &plan{
		params:   fmt.Sprintf("view=%dx%dx%d rows=%d", outer, rows, cols, c.rows),
		launches: []launch{{prog: g.assemble("map_tile.cl"), kernel: "map_tile", global: grid.Global, local: grid.Local}},
	}, nil
}

// places defines what a tile needs of every point, its value and where it is
// stored, and reports whether the value is stored as it is.
func (m *tiling) places(g *gen) (direct bool) {
	t := m.task
	coords := []coord{{"o", m.outer}, {"r", []int{m.along}}, {"c", []int{m.last}}}
	g.hookOf("VALUE", coords, t.Values, nil)
	place := engine.ConstIndex(0)
	for _, a := range axesOf(t, 0) {
		place = place.Mul(int64(t.Axes[a])).Add(engine.AxisIndex(a))
	}
	g.hook("PLACE", coords, engine.IndexValue(tensor.Int64, place), tensor.Invalid)
	g.store("STORE", "VALUE", t.Values...)
	direct = storageType(t.Outs[0].DType) == regType(t.Values[0].DType) && t.Outs[0].DType != tensor.Bool
	g.macro("DIRECT", oneIf(direct))
	if direct {
		g.macro("ELEMENT(i)", "(y0_ + o_y0)[i]")
	}
	return direct
}
