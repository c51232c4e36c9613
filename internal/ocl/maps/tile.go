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

// runsAlong is the axis, other than the last, whose neighbours t should read
// side by side, or -1: one with a tile's worth of points. turned tells that
// they are neighbours in memory while those of the last axis are far apart.
func runsAlong(t *engine.Task) (axis int, turned bool) {
	axes := access.Axes(t, 0)
	if len(axes) < 2 || len(t.Values) != 1 || t.Alias != nil {
		return -1, false
	}
	e, last := t.Values[0], axes[len(axes)-1]
	axis = axes[len(axes)-2]
	for _, a := range axes[:len(axes)-1] {
		if access.Stride(e, a) == 1 && t.Axes[a] >= kernels.TileSide {
			axis, turned = a, true
		}
	}
	if across := access.Stride(e, last); across >= 0 && across <= 4 {
		turned = false
	}
	return axis, turned
}

// mapTile is how map_tile is used for one task.
type mapTile struct{ kernels.MapTiles }

func (c *mapTile) Knobs() []variant.Knob {
	return []variant.Knob{variant.Counter("rows", &c.Rows), variant.Counter("columns", &c.Columns)}
}

// tiling is a Map task as map_tile sees it: outer axes, the one that is read
// along, and the last ones, which are stored along.
type tiling struct {
	dev   *facts.Device
	task  *engine.Task
	outer []int
	along int
	cols  []int
}

// tileVariant is the variant of tiles, with no plan where t has too few axes.
// turned tells that it is the right one for a CPU driver.
func tileVariant(d *facts.Device, t *engine.Task) (v variant.Variant, turned bool) {
	along, turned := runsAlong(t)
	if along < 0 {
		return variant.Variant{}, false
	}
	m := tilingOf(d, t, along, 1)
	if _, padded := m.padding(); !padded {
		m = tilingOf(d, t, along, 4*kernels.TileSide)
	}
	_, _, cols := m.extents()
	turned = turned && (cols >= kernels.TileSide || m.narrow())
	return variant.Tunable[mapTile](variant.Chooser[mapTile]{
		Name: "tile", Why: "a CPU driver: tiles turned in registers, since rows lie closer than columns", Kind: engine.Map,
		Limits: d.Limits(1, 4), ByRule: m.choose, Plan: m.plan,
	}), turned
}

// narrow reports whether columns are more than half of a tile but not all of one, and rows follow each other.
func (m *tiling) narrow() bool {
	_, rows, cols := m.extents()
	return rows >= kernels.TileSide && cols > maxThin && cols < kernels.TileSide && len(m.cols) > 0 && m.along == m.cols[0]-1
}

// tilingOf takes axes behind along as columns, from the last on, until there are
// enough.
func tilingOf(d *facts.Device, t *engine.Task, along int, enough int64) *tiling {
	m := &tiling{dev: d, task: t, along: along}
	for _, a := range slices.Backward(access.Axes(t, 0)) {
		switch {
		case a == along:
		case a > along && access.Extent(t, m.cols) < enough:
			m.cols = slices.Insert(m.cols, 0, a)
		default:
			m.outer = slices.Insert(m.outer, 0, a)
		}
	}
	return m
}

func (m *tiling) extents() (outer, rows, cols int64) {
	return access.Extent(m.task, m.outer), int64(m.task.Axes[m.along]), access.Extent(m.task, m.cols)
}

// streamed reports whether lines are stored past the caches, of which rows and columns
// that lie apart fill less than their size.
func (m *tiling) streamed() bool {
	o := m.task.Outs[0]
	size := int64(o.DType.Size())
	return m.direct() && !m.narrow() && size >= 4 && kernels.TileBlockBytes(size) <= m.dev.LocalMem &&
		facts.Outgrows(m.task, o.Bytes(), m.dev.Cache-m.dev.Cache/4)
}

// direct reports whether values are stored as they are.
func (m *tiling) direct() bool {
	o := m.task.Outs[0].DType
	return codegen.StorageType(o) == codegen.RegType(m.task.Values[0].DType) && o != tensor.Bool
}

func (m *tiling) choose() mapTile {
	outer, rows, cols := m.extents()
	return mapTile{kernels.MapTile(outer, rows, cols, m.streamed(), m.dev.Units)}
}

func (m *tiling) plan(c mapTile) (*variant.Plan, error) {
	if p, ok := m.padding(); ok {
		return p.plan()
	}
	t := m.task
	outer, rows, cols := m.extents()
	s := kernels.MapTileOf(outer, rows, cols, c.Rows, c.Columns, c.Outer)
	g := codegen.New(m.dev, t)
	g.Inline = true
	g.Size("OUTER", outer)
	g.Size("ROWS", rows)
	g.Size("COLS", cols)
	g.Size("OSPAN", s.Outer)
	g.Size("RSPAN", s.Rows)
	g.Size("CSPAN", s.Columns)
	out := codegen.RegType(t.Values[0].DType)
	g.Macro("OUT", out)
	g.Macro("VL", kernels.TileSide)
	g.Macro("VT", fmt.Sprint(out, kernels.TileSide))
	m.places(g)
	coords := []codegen.Coord{{Name: "o", Axes: m.outer}, {Name: "r", Axes: []int{m.along}}, {Name: "c", Axes: m.cols}}
	if m.streamed() {
		g.Macro("BLOCK_COLS", kernels.TileBlockColumns)
	}
	g.Macro("PLAIN", codegen.OneIf(g.VectorHook("VALUES", coords, m.along, codegen.VectorLanes, t.Values[0], t.Values[0].DType,
		2*facts.LineBytes)))
	g.Macro("STREAMED", codegen.OneIf(m.streamed()))
	return &variant.Plan{
		Params: fmt.Sprintf("view=%dx%dx%d tiles=%dx%dx%d", outer, rows, cols, s.Outer, s.Rows, s.Columns),
		Launches: []variant.Launch{{Program: g.Assemble("lib/cpu_transpose.cl", "map/cpu_tile_store.cl", "map/cpu_tile.cl"), Kernel: "map_tile",
			Global: s.Global, Local: s.Local}},
	}, nil
}

// places defines the hooks of a tile for every point: its value and where it is stored.
func (m *tiling) places(g *codegen.Builder) {
	t := m.task
	g.HookOf("VALUE", []codegen.Coord{{Name: "o", Axes: m.outer}, {Name: "r", Axes: []int{m.along}}, {Name: "c", Axes: m.cols}}, t.Values, nil)
	g.Hook("PLACE", []codegen.Coord{{Name: "o", Axes: m.outer}, {Name: "r", Axes: []int{m.along}}}, engine.IndexValue(tensor.Int64, m.place()),
		tensor.Invalid)
	g.Store("STORE", "VALUE", t.Values...)
	g.Macro("NARROW", codegen.OneIf(m.narrow()))
	g.Macro("DIRECT", codegen.OneIf(m.direct()))
	if m.direct() {
		g.Macro("ELEMENT(i)", "(y0_ + o_y0)[i]")
	}
}

// place is where column 0 of a row is stored.
func (m *tiling) place() *engine.Index {
	place := engine.ConstIndex(0)
	for _, a := range access.Axes(m.task, 0) {
		if place = place.Mul(int64(m.task.Axes[a])); !slices.Contains(m.cols, a) {
			place = place.Add(engine.AxisIndex(a))
		}
	}
	return place
}
