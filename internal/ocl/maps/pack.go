package maps

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// packing is a Map task as map_pack sees it: a turning whose loads have one register type.
type packing struct{ *turning }

// mapPack is how map_pack is used for one task.
type mapPack struct{ kernels.MapTiles }

func (c *mapPack) Knobs() []variant.Knob {
	return []variant.Knob{variant.Counter("rows", &c.Rows), variant.Counter("columns", &c.Columns)}
}

// packVariant is the variant that packs the inputs of t which lie along another axis than its last one, with no plan where there are
// none or they are too small. Where all inputs lie so, tiles of results are better.
func packVariant(d *facts.Device, t *engine.Task) (v variant.Variant) {
	turned := turningOf(d, t, kernels.TileSide)
	if turned == nil {
		return variant.Variant{}
	}
	m := packing{turned}
	m.loads = m.loads[:min(len(m.loads), mostPacked)]
	for i, e := range m.loads { // they are transposed as vectors of one type
		if codegen.RegType(e.DType) != codegen.RegType(m.loads[0].DType) {
			m.loads = m.loads[:i]
			break
		}
	}
	if _, rows, cols := m.extents(); min(rows, cols) < kernels.TileSide || len(m.cols) != 1 {
		return variant.Variant{}
	}
	return variant.Tunable[mapPack](variant.Chooser[mapPack]{
		Name: "pack", Why: "a CPU driver: inputs that lie along rows are packed to lie along columns", Kind: engine.Map, Limits: d.Limits(1, 4),
		ByRule: func() mapPack {
			outer, rows, cols := m.extents()
			return mapPack{kernels.MapPack(outer, rows, cols, d.Units)}
		}, Plan: m.plan,
	})
}

// mostPacked is the number of inputs of which a block fits the nearest cache.
const mostPacked = 4

func (m packing) plan(c mapPack) (*variant.Plan, error) {
	t := m.task
	outer, rows, cols := m.extents()
	s := kernels.MapTileOf(outer, rows, cols, c.Rows, c.Columns, c.Outer)
	g := codegen.New(m.dev, t)
	g.Size("OUTER", outer)
	g.Size("ROWS", rows)
	g.Size("COLS", cols)
	g.Size("OSPAN", s.Outer)
	g.Size("RSPAN", s.Rows)
	g.Size("CSPAN", s.Columns)
	in := m.loads[0].DType
	g.Macro("IN", codegen.RegType(in))
	g.Macro("VL", kernels.TileSide)
	g.Macro("VT", codegen.VectorType(in, codegen.VectorLanes))
	g.Macro("BLOCK_COLS", kernels.PackBlockColumns)
	coords := m.coords()
	plain := true
	for i, e := range m.loads {
		plain = plain && g.VectorHook(fmt.Sprint("TURNEDS", i), coords, m.along, codegen.VectorLanes, e, e.DType, 2*facts.LineBytes)
	}
	g.Macro("PLAIN", codegen.OneIf(plain))
	g.Macro("BUFFERED", codegen.OneIf(t.Alias != nil))
	for i, e := range m.loads {
		if !plain {
			g.Hook(fmt.Sprint("TURNED", i), coords, e, tensor.Invalid)
		}
	}
	m.values(g)
	return &variant.Plan{
		Params: fmt.Sprintf("view=%dx%dx%d blocks=%dx%dx%d", outer, rows, cols, s.Outer, s.Rows, s.Columns),
		Launches: []variant.Launch{{Program: g.Assemble("lib/cpu_transpose.cl", "map/cpu_pack.cl"), Kernel: "map_pack", Global: s.Global,
			Local: s.Local}},
	}, nil
}
