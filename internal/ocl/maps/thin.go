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

// thinning is a Map task as map_thin sees it: outer axes, a long one, and a thin one.
type thinning struct {
	dev       *facts.Device
	task      *engine.Task
	outer     []int
	row, thin int
}

// maxThin is the largest extent of a thin axis.
const maxThin = 8

// phased is t with its last axis divided, where its values depend on the position along it by a
// period n: an element of an image that takes from every n-th window. Its phases are a thin axis. It is nil where there is none.
func phased(t *engine.Task) *engine.Task {
	axes := access.Axes(t, 0)
	if len(axes) == 0 {
		return nil
	}
	last := axes[len(axes)-1]
	period := 0
	var find func(x *engine.Index)
	find = func(x *engine.Index) {
		for _, term := range x.Terms {
			if k := term.Atom.Kind; k == engine.AtomDiv || k == engine.AtomMod {
				if d := term.Atom.D; d <= maxThin && t.Axes[last]%int(d) == 0 &&
					access.Uses(engine.IndexValue(tensor.Int64, term.Atom.X), axes[len(axes)-1:]) {
					period = max(period, int(d))
				}
				find(term.Atom.X)
			}
		}
	}
	for s := range t.Values[0].Walk() {
		for _, x := range s.Indices() {
			find(x)
		}
	}
	if period < 2 || period == t.Axes[last] {
		return nil
	}
	p := *t
	p.Axes = append(slices.Clone(t.Axes), period)
	p.Axes[last] /= period
	p.Groups = []int{len(p.Axes)}
	at := access.Coordinates(t.Axes)
	at[last] = at[last].Mul(int64(period)).Add(engine.AxisIndex(len(t.Axes)))
	p.Values = []*engine.Expr{t.Values[0].Subst(at, p.Axes)}
	return &p
}

// thinVariant is the variant of thin axes, with no plan where t has none that is
// the last one of its output, or of its input.
func thinVariant(d *facts.Device, t *engine.Task) variant.Variant {
	const long = 32
	if len(t.Values) != 1 || t.Alias != nil {
		return variant.Variant{}
	}
	if p := phased(t); p != nil {
		t = p // the other variants compute every element's phase
	}
	axes := access.Axes(t, 0)
	if len(axes) < 2 {
		return variant.Variant{}
	}
	e, last := t.Values[0], axes[len(axes)-1]
	for s := range e.Walk() {
		if s.Op == engine.OpLoad && s.Addr.Gathers() {
			return variant.Variant{}
		}
	}
	if t.Axes[last] > maxThin {
		t = apart(t)
		axes = access.Axes(t, 0)
		e, last = t.Values[0], axes[len(axes)-1]
	}
	m := &thinning{dev: d, task: t, row: -1, thin: last}
	if t.Axes[last] <= maxThin {
		m.row = axes[len(axes)-2]
		for _, a := range axes[:len(axes)-1] {
			if access.Stride(e, a) == 1 {
				m.row = a
			}
		}
	} else if d := access.Stride(e, last); d > 1 {
		for _, a := range axes[:len(axes)-1] {
			if access.Stride(e, a) == 1 && int64(t.Axes[a]) == d && d <= maxThin {
				m.row, m.thin = last, a
			}
		}
	}
	if m.row < 0 || t.Axes[m.row] < long || t.Axes[m.thin] < 2 {
		return variant.Variant{}
	}
	for _, a := range axes {
		if a != m.row && a != m.thin {
			m.outer = append(m.outer, a)
		}
	}
	return variant.Variant{Name: "thin", Why: "a CPU driver: a thin axis is written out, so that rows become vectors", Plan: m.plan}
}

func (m *thinning) plan() (*variant.Plan, error) {
	t := m.task
	outer, rows, thin := access.Extent(t, m.outer), int64(t.Axes[m.row]), int64(t.Axes[m.thin])
	span := kernels.ThinRows(outer, rows, thin, m.dev.Units)
	g := codegen.New(m.dev, t)
	g.Size("OUTER", outer)
	g.Size("ROWS", rows)
	g.Size("RSPAN", span)
	g.Macro("THIN", thin)
	dt := t.Values[0].DType
	g.Macro("OUT", codegen.RegType(dt))
	g.Macro("LANES", 64/max(codegen.RegSize(dt), 4))
	coords := []codegen.Coord{{Name: "o", Axes: m.outer}, {Name: "r", Axes: []int{m.row}}, {Name: "c", Axes: []int{m.thin}}}
	g.HookOf("VALUE", coords, t.Values, nil)
	place := engine.ConstIndex(0)
	for _, a := range access.Axes(t, 0) {
		place = place.Mul(int64(t.Axes[a])).Add(engine.AxisIndex(a))
	}
	if axes := access.Axes(t, 0); m.thin == axes[len(axes)-1] && m.row == axes[len(axes)-2] {
		// Code that stores vectors of rows must know that rows lie THIN apart.
		at := access.Coordinates(t.Axes)
		at[m.row], at[m.thin] = engine.ConstIndex(0), engine.ConstIndex(0)
		g.Hook("FIRST_PLACE", coords[:1], engine.IndexValue(tensor.Int64, place).Subst(at, t.Axes), tensor.Invalid)
		g.Macro("PLACE(o, r, c)", "(FIRST_PLACE(o) + (r) * THIN + (c))")
	} else {
		g.Hook("PLACE", coords, engine.IndexValue(tensor.Int64, place), tensor.Invalid)
	}
	g.Store("STORE", "VALUE", t.Values...)
	return &variant.Plan{
		Params: fmt.Sprintf("view=%dx%dx%d rows=%d", outer, rows, thin, span),
		Launches: []variant.Launch{{
			Program: g.Assemble("map/cpu_thin.cl"), Kernel: "map_thin",
			Global: variant.Grid(variant.CeilDiv(rows, span), outer), Local: variant.Grid(1, 1),
		}},
	}, nil
}

// apart is t, a Map, with every axis as two whose quotient and remainder by a divisor
// its expressions take, where they then take fewer: the phases of a stride, which
// come to lie side by side.
func apart(t *engine.Task) *engine.Task {
	for a := 0; a < len(t.Axes); a++ {
		for _, d := range divisors(t, a) {
			if m := splitAxis(t, a, d); int64(t.Axes[a])%d == 0 && access.Divisions(m) < access.Divisions(t) {
				t = m
				break
			}
		}
	}
	return t
}

// divisors are those by which t's expressions divide the coordinate of axis a.
func divisors(t *engine.Task, a int) (all []int64) {
	for _, e := range t.Exprs() {
		for s := range e.Walk() {
			for _, x := range s.Indices() {
				for _, term := range x.Terms {
					k := term.Atom
					if (k.Kind == engine.AtomDiv || k.Kind == engine.AtomMod) && k.X.Key() == engine.AxisIndex(a).Key() && !slices.Contains(all, k.D) {
						all = append(all, k.D)
					}
				}
			}
		}
	}
	return all
}

// splitAxis makes axis a of t, a Map, two, the inner one of extent d.
func splitAxis(t *engine.Task, a int, d int64) *engine.Task {
	dom := slices.Insert(slices.Clone(t.Axes), a+1, int(d))
	dom[a] = t.Axes[a] / int(d)
	at := make([]*engine.Index, len(t.Axes))
	for i := range at {
		switch {
		case i < a:
			at[i] = engine.AxisIndex(i)
		case i == a:
			at[i] = engine.AxisIndex(a).Mul(d).Add(engine.AxisIndex(a + 1))
		default:
			at[i] = engine.AxisIndex(i + 1)
		}
	}
	m := t.Rewrite(func(e *engine.Expr) *engine.Expr { return e.Subst(at, dom) })
	m.Axes, m.Groups = dom, []int{len(dom)}
	return m
}
