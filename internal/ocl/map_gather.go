package ocl

import (
	"fmt"

	"github.com/anycl/anycl/engine"
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
// something else.
func gatherVariant(d *deviceFacts, t *engine.Task) variant {
	all := axesOf(t, 0)
	if len(all) < 2 || len(t.Values) != 1 || t.Alias != nil {
		return variant{}
	}
	last := len(all) - 1
	m := &gathering{mapping: &mapping{dev: d, task: t, rowAxes: all[:last], colAxes: all[last:]}}
	m.rows, m.cols = extent(t, m.rowAxes), extent(t, m.colAxes)
	if m.loads = rowGathers(t.Values[0], all[last], t.Axes); len(m.loads) == 0 || m.rows < int64(8*d.units) {
		return variant{}
	}
	return variant{name: "gather", why: "a CPU driver: rows that indices name are fetched ahead", plan: m.plan}
}

// rowGathers are the loads of e at addresses that are looked up for a whole row:
// none where one is looked up for every element of the axis last, or only where
// conditions hold.
func rowGathers(e *engine.Expr, last int, dom engine.Domain) []*engine.Expr {
	var loads []*engine.Expr
	for s := range e.Walk() {
		if s.Op != engine.OpLoad || !gathers(s.Addr) {
			continue
		}
		if d := step(s, last); d < 0 || d > 1 {
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
		if len(unproven(s.Conds, dom)) > 0 {
			return false
		}
	}
	return true
}

func (m *gathering) plan() (*plan, error) {
	g := newGen(m.dev, m.task, m.rows+kernels.GatherAhead)
	g.size("ROWS", m.rows)
	if m.cols <= narrow {
		g.macro("COLS", m.cols)
	} else {
		g.size("COLS", m.cols)
	}
	g.macro("NARROW", oneIf(m.cols <= narrow))
	size := int64(m.task.Outs[0].DType.Size())
	s := kernels.Gather(m.rows, m.cols, size, m.dev.units)
	g.macro("AHEAD", s.Ahead)
	g.size("RSPAN", s.Rows)
	g.macro("OUT", regType(m.task.Values[0].DType))
	rows, cols := coord{"r", m.rowAxes}, coord{"c", m.colAxes}
	g.hookOf("VALUE", []coord{rows, cols}, m.task.Values, nil)
	g.store("STORE", "VALUE", m.task.Values...)
	g.fetchHook("FETCH_AT", rows, m.colAxes[0], m.loads, int(m.cols))
	return &plan{
		params:   fmt.Sprintf("view=%dx%d rows=%d ahead=%d", m.rows, m.cols, s.Rows, s.Ahead),
		launches: []launch{{prog: g.assemble("map/cpu_gather.cl"), kernel: "map_gather", global: s.Global, local: s.Local}},
	}, nil
}

// fetchHook defines the macro name(row), which asks for the first lines of what
// loads read of a row of so many elements, wherever that is.
func (g *gen) fetchHook(name string, row coord, last int, loads []*engine.Expr, elements int) {
	const lines = 16 // more than that a processor asks for by itself
	f := &fn{g: g, seen: map[string]string{}, coords: []coord{row, {"c", []int{last}}}}
	for _, l := range loads {
		operand, o, _ := g.operand(l.Input)
		each := 64 / o.DType.Size()
		at := f.index(l.Addr, false, "")
		for k := 0; k < min(elements, lines*each); k += each {
			fmt.Fprintf(&f.body, "    FETCH_LINE(%s + %s + %d);\n", operand, at, k)
		}
	}
	fmt.Fprintf(&g.hooks, "static inline void fetch_at_hook(const IDX %s FN_PARAMS) {\n    const IDX c = 0;\n%s}\n", row.name, f.body.String())
	fmt.Fprintf(&g.hooks, "#define %s(%s) fetch_at_hook(%s FN_ARGS)\n\n", name, row.name, row.name)
}
