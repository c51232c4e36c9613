package maps

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
)

// mostSegments is into how many segments columns are cut at most: each has code of its own.
const mostSegments = 4

// segment is a range of columns in which the addresses of a task have no quotients and remainders by columns: a roll, for
// one, has two, before and after the place where it begins again. Loops over a segment read neighbours.
type segment struct {
	from, to int64
	task     *engine.Task // whose last axis begins at from
}

// segments returns the segments of the last axis of t, a Map; nil where its addresses are without them, or would need too many. Where
// much is computed for parts of a row that lie side by side, the parts are segments.
func segments(t *engine.Task) (all []segment) {
	if len(t.Axes) == 0 || len(t.Values) != 1 {
		return nil
	}
	var steps, bounds []int64
	last := len(t.Axes) - 1
	for s := range t.Values[0].Walk() {
		for _, x := range s.Indices() {
			steps = append(steps, stepsOf(x, last, t.Axes)...)
		}
		for _, c := range s.Conds {
			bounds = append(bounds, boundsOf(c, last, t.Axes)...)
		}
	}
	if flops := flopsOf(t.Values[0]); flops >= longParts {
		if all = cutAt(t, bounds); all != nil && computed(all) <= flops*int64(t.Axes[last])/2 {
			return all
		}
	}
	all = cutAt(t, steps)
	if slices.ContainsFunc(all, func(s segment) bool { return access.Divisions(s.task) >= access.Divisions(t) }) {
		return nil
	}
	return all
}

// cutAt are the segments between a given number of columns; nil where there are none, or too many.
func cutAt(t *engine.Task, at []int64) (all []segment) {
	last := len(t.Axes) - 1
	cuts := append([]int64{0, int64(t.Axes[last])}, at...)
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	if len(cuts) < 3 || len(cuts) > mostSegments+1 {
		return nil
	}
	for i, from := range cuts[:len(cuts)-1] {
		dom := slices.Clone(t.Axes)
		dom[last] = int(cuts[i+1] - from)
		at := access.Coordinates(t.Axes)
		at[last] = at[last].AddConst(from)
		part := t.Rewrite(func(e *engine.Expr) *engine.Expr { return decided(e.Subst(at, dom), dom) })
		part.Axes = dom
		all = append(all, segment{from, cuts[i+1], part})
	}
	return all
}

// longParts is how many operations an expression has for which it is cut at the bounds of its parts.
const longParts = 16

// flopsOf is the number of operations that compute e.
func flopsOf(e *engine.Expr) (n int64) {
	for s := range e.Walk() {
		if s.Op == engine.OpApply {
			n += int64(s.Fn.Flops)
		}
	}
	return n
}

// computed is the number of operations that compute a row by segments.
func computed(all []segment) (n int64) {
	for _, s := range all {
		n += (s.to - s.from) * flopsOf(s.task.Values[0])
	}
	return n
}

// boundsOf are the coordinates of axis a between which c, a condition of that axis alone, holds.
func boundsOf(c engine.Cond, a int, dom engine.Domain) (all []int64) {
	axis, from, to, ok := within(c)
	if !ok || axis != a || c.X.Terms[0].Coef != 1 {
		return nil
	}
	for _, at := range []int64{from, to} {
		if 0 < at && at < int64(dom[a]) {
			all = append(all, at)
		}
	}
	return all
}

// decided is e without the conditions that dom decides, and without the values that they leave out: the other operand of a choice,
// and a sum of zero.
func decided(e *engine.Expr, dom engine.Domain) *engine.Expr {
	zero := func(e *engine.Expr) bool { return e.Op == engine.OpConst && e.Value == engine.Const{} }
	return e.Rewrite(func(e *engine.Expr) *engine.Expr {
		switch {
		case len(e.Conds) > 0:
			var open []engine.Cond
			for _, c := range e.Conds {
				always, never := c.Proven(dom)
				if never {
					return engine.Constant(e.DType, engine.Const{})
				}
				if !always {
					open = append(open, c)
				}
			}
			switch {
			case e.Op == engine.OpValid && len(open) == 0:
				return engine.Constant(e.DType, engine.Const{Int: 1})
			case e.Op == engine.OpValid:
				return engine.Valid(open)
			case e.Op == engine.OpLoad && len(open) < len(e.Conds):
				load := engine.Load(e.Input, e.DType, e.Addr, open)
				if e.Known != nil {
					load = load.Within(e.Known.Lo, e.Known.Hi)
				}
				return load
			}
		case e.Applies(engine.FnSelect) && e.Args[0].Op == engine.OpConst:
			if zero(e.Args[0]) {
				return e.Args[2]
			}
			return e.Args[1]
		case e.Applies(engine.FnAdd) && zero(e.Args[0]):
			return e.Args[1]
		case e.Applies(engine.FnAdd) && zero(e.Args[1]):
			return e.Args[0]
		}
		return e
	})
}

// stepsOf are the coordinates of axis a at which a quotient in x changes whose dividend is of that axis alone; none of a
// quotient that changes more often than there are segments.
func stepsOf(x *engine.Index, a int, dom engine.Domain) (all []int64) {
	for _, term := range x.Terms {
		k := term.Atom
		if k.Kind != engine.AtomDiv && k.Kind != engine.AtomMod {
			continue
		}
		all = append(all, stepsOf(k.X, a, dom)...)
		if len(k.X.Terms) != 1 || k.X.Terms[0].Atom.Kind != engine.AtomAxis || k.X.Terms[0].Atom.Axis != a || k.X.Terms[0].Coef != 1 {
			continue
		}
		n := int64(dom[a])
		first := k.D - ((k.X.Const%k.D)+k.D)%k.D // where the dividend is a multiple next, after 0
		if first < n && (n-1-first)/k.D < mostSegments {
			for at := first; at < n; at += k.D {
				all = append(all, at)
			}
		}
	}
	return all
}

// cut writes a hook for each segment, and EACH_SEGMENT for all.
func (m *mapping) cut(g *codegen.Builder, coords []codegen.Coord) {
	text := ""
	for i, s := range m.parts {
		name := fmt.Sprintf("VALUE_%d", i)
		g.Task = s.task
		g.HookOf(name, coords, s.task.Values, nil)
		g.Size(fmt.Sprintf("FROM_%d", i), s.from)
		text += fmt.Sprintf(" SEGMENT(%s, FROM_%d, FROM_%d)", name, i, i+1)
	}
	g.Task = m.task
	g.Size(fmt.Sprintf("FROM_%d", len(m.parts)), m.cols)
	g.Macro("EACH_SEGMENT", text)
}

// separated is t with axes of their own for quotients and remainders of its last axis by a divisor, where a loop over its
// new last axis is long enough.
func separated(t *engine.Task, enough int) *engine.Task {
	if s := apart(t); len(s.Axes) > len(t.Axes) && s.Axes[len(s.Axes)-1] >= enough {
		return s
	}
	return t
}
