package ocl

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// runsAlong is the axis, other than the last, whose neighbours t should read
// side by side, or -1: one with a tile's worth of points. turned tells that
// they are neighbours in memory while those of the last axis are far apart.
func runsAlong(t *engine.Task) (axis int, turned bool) {
	axes := axesOf(t, 0)
	if len(axes) < 2 || len(t.Values) != 1 || t.Alias != nil {
		return -1, false
	}
	e, last := t.Values[0], axes[len(axes)-1]
	axis = axes[len(axes)-2]
	for _, a := range axes[:len(axes)-1] {
		if step(e, a) == 1 && t.Axes[a] >= kernels.TileSide {
			axis, turned = a, true
		}
	}
	if across := step(e, last); across >= 0 && across <= 4 {
		turned = false
	}
	return axis, turned
}

// mapTile is how map_tile is used for one task.
type mapTile struct{ kernels.MapTiles }

func (c *mapTile) knobs() []knob {
	return []knob{counter("rows", &c.Rows), counter("columns", &c.Columns)}
}

// tiling is a Map task as map_tile sees it: outer axes, the one that is read
// along, and the last ones, which are stored along.
type tiling struct {
	dev   *deviceFacts
	task  *engine.Task
	outer []int
	along int
	cols  []int
}

// tileVariant is the variant of tiles, with no plan where t has too few axes.
// turned tells that it is the right one for a CPU driver.
func tileVariant(d *deviceFacts, t *engine.Task) (v variant, turned bool) {
	along, turned := runsAlong(t)
	if along < 0 {
		return variant{}, false
	}
	m := tilingOf(d, t, along, 1)
	if _, padded := m.padding(); !padded {
		m = tilingOf(d, t, along, 4*kernels.TileSide)
	}
	_, _, cols := m.extents()
	turned = turned && (cols >= kernels.TileSide || m.narrow())
	return tunable[mapTile](chooser[mapTile]{
		name: "tile", why: "a CPU driver: tiles turned in registers, since rows lie closer than columns", kind: engine.Map,
		limits: d.limits(1, 4), byRule: m.choose, plan: m.plan,
	}), turned
}

// narrow reports whether columns are more than half of a tile but not all of one, and rows follow each other.
func (m *tiling) narrow() bool {
	_, rows, cols := m.extents()
	return rows >= kernels.TileSide && cols > thick && cols < kernels.TileSide && len(m.cols) > 0 && m.along == m.cols[0]-1
}

// tilingOf takes axes behind along as columns, from the last on, until there are
// enough.
func tilingOf(d *deviceFacts, t *engine.Task, along int, enough int64) *tiling {
	m := &tiling{dev: d, task: t, along: along}
	for _, a := range slices.Backward(axesOf(t, 0)) {
		switch {
		case a == along:
		case a > along && extent(t, m.cols) < enough:
			m.cols = slices.Insert(m.cols, 0, a)
		default:
			m.outer = slices.Insert(m.outer, 0, a)
		}
	}
	return m
}

func (m *tiling) extents() (outer, rows, cols int64) {
	return extent(m.task, m.outer), int64(m.task.Axes[m.along]), extent(m.task, m.cols)
}

// streamed reports whether lines are stored past the caches, of which rows and columns
// that lie apart fill less than their size.
func (m *tiling) streamed() bool {
	o := m.task.Outs[0]
	size := int64(o.DType.Size())
	return m.direct() && !m.narrow() && size >= 4 && kernels.TileBlockBytes(size) <= m.dev.localMem && outgrows(m.task, o.Bytes(), m.dev.cache-m.dev.cache/4)
}

// direct reports whether values are stored as they are.
func (m *tiling) direct() bool {
	o := m.task.Outs[0].DType
	return storageType(o) == regType(m.task.Values[0].DType) && o != tensor.Bool
}

func (m *tiling) choose() mapTile {
	outer, rows, cols := m.extents()
	return mapTile{kernels.MapTile(outer, rows, cols, m.streamed(), m.dev.units)}
}

func (m *tiling) plan(c mapTile) (*plan, error) {
	if p, ok := m.padding(); ok {
		return p.plan()
	}
	t := m.task
	outer, rows, cols := m.extents()
	s := kernels.MapTileOf(outer, rows, cols, c.Rows, c.Columns, c.Outer)
	g := newGen(m.dev, t)
	g.size("OUTER", outer)
	g.size("ROWS", rows)
	g.size("COLS", cols)
	g.size("OSPAN", s.Outer)
	g.size("RSPAN", s.Rows)
	g.size("CSPAN", s.Columns)
	out := regType(t.Values[0].DType)
	g.macro("OUT", out)
	g.macro("VL", kernels.TileSide)
	g.macro("VT", fmt.Sprint(out, kernels.TileSide))
	m.places(g)
	coords := []coord{{"o", m.outer}, {"r", []int{m.along}}, {"c", m.cols}}
	if m.streamed() {
		g.macro("BLOCK_COLS", kernels.TileBlockColumns)
	}
	g.macro("PLAIN", oneIf(g.vectorHook("VALUES", coords, m.along, t.Values[0], t.Values[0].DType, 2*lineBytes)))
	g.macro("STREAMED", oneIf(m.streamed()))
	return &plan{
		params:   fmt.Sprintf("view=%dx%dx%d tiles=%dx%dx%d", outer, rows, cols, s.Outer, s.Rows, s.Columns),
		launches: []launch{{prog: g.assemble("lib/cpu_transpose.cl", "map/cpu_tile_store.cl", "map/cpu_tile.cl"), kernel: "map_tile", global: s.Global, local: s.Local}},
	}, nil
}

// places defines what a tile needs of every point, its value and where it is
// stored.
func (m *tiling) places(g *gen) {
	t := m.task
	g.hookOf("VALUE", []coord{{"o", m.outer}, {"r", []int{m.along}}, {"c", m.cols}}, t.Values, nil)
	place := engine.ConstIndex(0)
	for _, a := range axesOf(t, 0) {
		if place = place.Mul(int64(t.Axes[a])); !slices.Contains(m.cols, a) {
			place = place.Add(engine.AxisIndex(a))
		}
	}
	g.hook("PLACE", []coord{{"o", m.outer}, {"r", []int{m.along}}}, engine.IndexValue(tensor.Int64, place), tensor.Invalid)
	g.store("STORE", "VALUE", t.Values...)
	g.macro("NARROW", oneIf(m.narrow()))
	g.macro("DIRECT", oneIf(m.direct()))
	if m.direct() {
		g.macro("ELEMENT(i)", "(y0_ + o_y0)[i]")
	}
}
