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

// segments are those of the last axis of t, a Map; nil where its addresses are without them, or would need too many.
func segments(t *engine.Task) (all []segment) {
	if len(t.Axes) == 0 || len(t.Values) != 1 {
		return nil
	}
	last, cuts := len(t.Axes)-1, []int64{0, int64(t.Axes[len(t.Axes)-1])}
	for s := range t.Values[0].Walk() {
		for _, x := range s.Indices() {
			cuts = append(cuts, stepsOf(x, last, t.Axes)...)
		}
	}
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
		part := t.Rewrite(func(e *engine.Expr) *engine.Expr { return e.Subst(at, dom) })
		part.Axes = dom
		if access.Divisions(part) >= access.Divisions(t) {
			return nil
		}
		all = append(all, segment{from, cuts[i+1], part})
	}
	return all
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

// separated is t with axes of their own for quotients and remainders of its last axis by a divisor, where a loop over what
// is then its last axis is long enough.
func separated(t *engine.Task, enough int) *engine.Task {
	if s := apart(t); len(s.Axes) > len(t.Axes) && s.Axes[len(s.Axes)-1] >= enough {
		return s
	}
	return t
}
