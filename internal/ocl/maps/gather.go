package maps

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
)

// gathering is a Map task as map_gather sees it: rows that indices name.
type gathering struct {
	*mapping
	loads []*engine.Expr // that are gathered, by rows alone
}

// narrow is the longest row that is read in one go.
const narrow = 16

// gatherVariant is the variant of rows that indices name, with no plan where t is
// something else, and whether there are enough rows to fetch ahead.
func gatherVariant(d *facts.Device, t *engine.Task) (v variant.Variant, long bool) {
	all := access.Axes(t, 0)
	if len(all) < 2 || len(t.Values) != 1 || t.Alias != nil {
		return variant.Variant{}, false
	}
	last := len(all) - 1
	m := &gathering{mapping: &mapping{dev: d, task: t, rowAxes: all[:last], colAxes: all[last:]}}
	m.rows, m.cols = access.Extent(t, m.rowAxes), access.Extent(t, m.colAxes)
	if m.loads = rowGathers(t.Values[0], all[last], t.Axes); len(m.loads) == 0 {
		return variant.Variant{}, false
	}
	v = variant.Variant{Name: "gather", Why: "a CPU driver: rows that indices name are fetched ahead", Plan: m.plan}
	return v, m.rows >= int64(8*d.Units)
}

// rowGathers are the loads of e at addresses that are looked up for a whole row:
// none where one is looked up for every element of the axis last, or only where
// conditions hold.
func rowGathers(e *engine.Expr, last int, dom engine.Domain) []*engine.Expr {
	var loads []*engine.Expr
	for s := range e.Walk() {
		if s.Op != engine.OpLoad || !s.Addr.Gathers() {
			continue
		}
		if d := access.Stride(s, last); d < 0 || d > 1 {
			return nil
		}
		for _, t := range s.Addr.Terms {
			if t.Atom.Kind == engine.AtomData && !readable(t.Atom.Data, dom) {
				return nil
			}
		}
		loads = append(loads, s)
	}
	return loads
}

// readable reports whether all that e reads may be read at every point.
func readable(e *engine.Expr, dom engine.Domain) bool {
	for s := range e.Walk() {
		if len(access.Unproven(s.Conds, dom)) > 0 {
			return false
		}
	}
	return true
}

func (m *gathering) plan() (*variant.Plan, error) {
	g := codegen.New(m.dev, m.task, m.rows+kernels.GatherAhead)
	g.Size("ROWS", m.rows)
	if m.cols <= narrow {
		g.Macro("COLS", m.cols)
	} else {
		g.Size("COLS", m.cols)
	}
	g.Macro("NARROW", codegen.OneIf(m.cols <= narrow))
	size := int64(m.task.Outs[0].DType.Size())
	s := kernels.Gather(m.rows, m.cols, size, m.dev.Units)
	g.Macro("AHEAD", s.Ahead)
	g.Size("RSPAN", s.Rows)
	g.Macro("OUT", codegen.RegType(m.task.Values[0].DType))
	rows, cols := codegen.Coord{Name: "r", Axes: m.rowAxes}, codegen.Coord{Name: "c", Axes: m.colAxes}
	g.HookOf("VALUE", []codegen.Coord{rows, cols}, m.task.Values, nil)
	g.Store("STORE", "VALUE", m.task.Values...)
	g.FetchHook("FETCH_AT", rows, m.colAxes[0], m.loads, int(m.cols))
	return &variant.Plan{
		Params:   fmt.Sprintf("view=%dx%d rows=%d ahead=%d", m.rows, m.cols, s.Rows, s.Ahead),
		Launches: []variant.Launch{{Program: g.Assemble("map/cpu_gather.cl"), Kernel: "map_gather", Global: s.Global, Local: s.Local}},
	}, nil
}
