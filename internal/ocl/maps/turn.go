package maps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// turning is a Map task as map_turn sees it: outer axes, the one that loads are read along, and the last one.
type turning struct {
	*tiling
	loads []*engine.Expr // that are read along rows
	size  int64          // bytes of an element of each, together
}

// mostTurned is how many inputs have a tile each.
const mostTurned = 2

// turnVariant is the variant of tiles in local memory, with no plan where no input of t lies along another axis than
// the last. right tells that it is better than reading that input across.
func turnVariant(d *facts.Device, t *engine.Task) (v variant.Variant, right bool) {
	m := turningOf(d, t, kernels.TurnSides[0])
	if m == nil || t.Alias != nil {
		return variant.Variant{}, false
	}
	m.loads = m.loads[:min(len(m.loads), mostTurned)]
	for _, e := range m.loads {
		m.size += codegen.RegSize(e.DType)
	}
	limits := d.Limits(1, m.size)
	if !kernels.TurnFits(kernels.TurnSides[0], limits) {
		return variant.Variant{}, false
	}
	return variant.Tunable[mapTurn](variant.Chooser[mapTurn]{
		Name: "turn", Why: "a GPU: tiles turned in local memory, since rows lie closer than columns", Kind: engine.Map, Limits: limits,
		ByRule: func() mapTurn {
			outer, rows, cols := m.extents()
			return mapTurn{kernels.MapTurn(outer, rows, cols, d.Units, limits)}
		}, Plan: m.plan,
	}), len(m.cols) == 1 && t.Axes[m.cols[0]] >= kernels.TurnSides[0]
}

// turningOf is t with the most inputs turned that lie along one axis of at least the given number of points, or nil where none does.
func turningOf(d *facts.Device, t *engine.Task, least int) *turning {
	axes := access.Axes(t, 0)
	if len(axes) < 2 || len(t.Values) != 1 {
		return nil
	}
	m := &turning{}
	for _, a := range axes[:len(axes)-1] {
		loads := turnedLoads(t.Values[0], a, axes[len(axes)-1])
		if len(loads) > len(m.loads) && t.Axes[a] >= least {
			m.loads, m.tiling = loads, tilingOf(d, t, a, 2) // the last axis alone
		}
	}
	if m.tiling == nil {
		return nil
	}
	return m
}

// turnedLoads are the loads of e that neighbours along axis read side by side and those along last do not, those in
// addresses of others apart.
func turnedLoads(e *engine.Expr, axis, last int) (loads []*engine.Expr) {
	seen := map[string]bool{}
	var walk func(e *engine.Expr)
	walk = func(e *engine.Expr) {
		if seen[e.Key()] {
			return
		}
		seen[e.Key()] = true
		if e.Op == engine.OpLoad && !e.Addr.Gathers() && access.StrideAlong(e.Addr, axis) == 1 {
			if across := access.StrideAlong(e.Addr, last); across < 0 || across > 4 {
				loads = append(loads, e)
			}
		}
		for _, a := range e.Args {
			walk(a)
		}
	}
	walk(e)
	return loads
}

// mapTurn is how map_turn is used for one task.
type mapTurn struct{ side int }

func (c *mapTurn) Knobs() []variant.Knob { return []variant.Knob{variant.Counter("side", &c.side)} }

func (m *turning) plan(c mapTurn) (*variant.Plan, error) {
	outer, rows, cols := m.extents()
	s := kernels.MapTurnOf(outer, rows, cols, c.side, m.dev.WorkGroup)
	g := codegen.New(m.dev, m.task)
	g.Size("OUTER", outer)
	g.Size("ROWS", rows)
	g.Size("COLS", cols)
	g.Macro("WG", s.Local[0])
	g.Macro("SIDE", c.side)
	coords := m.coords()
	for i, e := range m.loads {
		g.Macro(fmt.Sprint("IN", i), codegen.RegType(e.DType))
		g.Hook(fmt.Sprint("TURNED", i), coords, e, tensor.Invalid)
	}
	m.values(g)
	return &variant.Plan{
		Params:   fmt.Sprintf("view=%dx%dx%d side=%d", outer, rows, cols, c.side),
		Launches: []variant.Launch{{Program: g.Assemble("map/gpu_turn.cl"), Kernel: "map_turn", Global: s.Global, Local: s.Local}},
	}, nil
}

func (m *turning) coords() []codegen.Coord {
	return []codegen.Coord{{Name: "o", Axes: m.outer}, {Name: "r", Axes: []int{m.along}}, {Name: "c", Axes: m.cols}}
}

// values defines the hooks for the values computed from loads that pass through tiles, and for where they are stored.
func (m *turning) values(g *codegen.Builder) {
	coords := m.coords()
	var each, elements []string
	var types []tensor.DType
	for i, e := range m.loads {
		each = append(each, fmt.Sprintf("DO(%d)", i))
		elements = append(elements, fmt.Sprintf("tile%d at", i))
		types = append(types, e.DType)
	}
	v := m.ofTurned(m.task.Values[0])
	g.Macro("OUT", codegen.RegType(v.DType))
	g.Macro("EACH_TURNED(DO)", strings.Join(each, " "))
	g.HookOf("VALUE", coords, []*engine.Expr{v}, types)
	g.Macro("VALUE_OF(o, r, c, at)", fmt.Sprintf("VALUE(o, r, c, %s)", strings.Join(elements, ", ")))
	g.Hook("PLACE", coords[:2], engine.IndexValue(tensor.Int64, m.place()), tensor.Invalid)
	g.Store("STORE", "VALUE", v)
}

// ofTurned is e of the loads that pass through tiles as results.
func (m *turning) ofTurned(e *engine.Expr) *engine.Expr {
	if i := slices.IndexFunc(m.loads, func(l *engine.Expr) bool { return l.Key() == e.Key() }); i >= 0 {
		return engine.Acc(i, e.DType)
	}
	if e.Op != engine.OpApply {
		return e
	}
	args := make([]*engine.Expr, len(e.Args))
	for i, a := range e.Args {
		args[i] = m.ofTurned(a)
	}
	return engine.Apply(e.Fn, e.DType, args...)
}
