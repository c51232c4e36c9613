package maps

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/tensor"
)

// interior is where the conditions of a task hold that ask for coordinates only: those of a stencil or of padding, which
// fail at borders. Loops over it load without masks.
type interior struct {
	from, to int64         // columns
	rows     []engine.Cond // which rows have it; none: all
	values   []*engine.Expr
}

// leastInterior is for how many points, by the loads that become plain, the second loop is worth its compilation.
const leastInterior = 1 << 17

// interiorOf is that of t, whose columns are its last axis; nil where it does not pay.
func interiorOf(t *engine.Task) *interior {
	last := len(t.Axes) - 1
	in := &interior{to: int64(t.Axes[last])}
	plain := int64(0)
	drop := func(c engine.Cond) bool {
		if from, to, ok := columnsOf(c, last); ok {
			in.from, in.to = max(in.from, from), min(in.to, to)
			return true
		}
		if !rowsOnly(c, last) {
			return false
		}
		same := func(o engine.Cond) bool { return o.X.Key() == c.X.Key() && o.Lo == c.Lo && o.Hi == c.Hi }
		if !slices.ContainsFunc(in.rows, same) {
			in.rows = append(in.rows, c)
		}
		return true
	}
	for _, e := range t.Values {
		in.values = append(in.values, e.Rewrite(func(e *engine.Expr) *engine.Expr {
			open := slices.DeleteFunc(slices.Clone(e.Conds), drop)
			switch {
			case len(open) == len(e.Conds):
				return chosen(e)
			case e.Op == engine.OpLoad:
				plain++
				return engine.Load(e.Input, e.DType, e.Addr, open)
			case e.Op == engine.OpValid && len(open) == 0:
				return engine.Constant(e.DType, engine.Const{Int: 1})
			case e.Op == engine.OpValid:
				return engine.Valid(open)
			}
			return e
		}))
	}
	if in.to-in.from < int64(t.Axes[last])/2 || plain*t.Axes.Size() < leastInterior {
		return nil
	}
	return in
}

// chosen is the operand that a choice takes whose condition is constant.
func chosen(e *engine.Expr) *engine.Expr {
	if e.Op != engine.OpApply || e.Fn.Name != "where" || e.Args[0].Op != engine.OpConst {
		return e
	}
	if e.Args[0].Value == (engine.Const{}) {
		return e.Args[2]
	}
	return e.Args[1]
}

// columnsOf are the coordinates of axis a between which c holds, a condition of that axis alone.
func columnsOf(c engine.Cond, a int) (from, to int64, ok bool) {
	if len(c.X.Terms) != 1 || c.X.Terms[0].Atom.Kind != engine.AtomAxis || c.X.Terms[0].Atom.Axis != a {
		return 0, 0, false
	}
	k, lo, hi := c.X.Terms[0].Coef, c.Lo-c.X.Const, c.Hi-c.X.Const // lo <= k x < hi
	if k < 0 {
		k, lo, hi = -k, 1-hi, 1-lo
	}
	return ceilDiv(lo, k), ceilDiv(hi, k), true
}

func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// rowsOnly reports whether c is the same in all columns, axis a, and does not ask data.
func rowsOnly(c engine.Cond, a int) bool {
	ok := !c.X.Gathers()
	c.X.VisitAxes(func(axis int) { ok = ok && axis != a })
	return ok
}

// write writes the hooks for rows that have an interior, and for its values.
func (in *interior) write(g *codegen.Builder, coords []codegen.Coord) {
	g.Hook("HAS_INTERIOR", coords[:1], engine.Valid(in.rows), tensor.Invalid)
	g.HookOf("INTERIOR_VALUE", coords, in.values, nil)
	g.Size("FROM", in.from)
	g.Size("TO", in.to)
}
