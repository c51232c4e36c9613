package access

import (
	"slices"

	"github.com/anycl/anycl/engine"
)

// Collapse returns t over the fewest axes: axes of extent 1 are gone, and
// neighbours of one group are one axis where no address gets harder by it. The
// order of points, and so every output and every fold, stays.
func Collapse(t *engine.Task) *engine.Task {
	if t.Kind == engine.Custom {
		return t
	}
	divisions := Divisions(t)
	for g := range t.Groups {
		from, to := t.Group(g)
		for a := to - 1; a >= from; a-- {
			if t.Axes[a] == 1 {
				t = dropAxis(t, g, a)
				divisions = Divisions(t)
			}
		}
		from, to = t.Group(g)
		for a := to - 2; a >= from; a-- {
			if t.Axes[a] == 0 || t.Axes[a+1] == 0 {
				continue
			}
			m := MergeAxes(t, g, a)
			if n := Divisions(m); n <= divisions {
				t, divisions = m, n
			}
		}
	}
	return t
}

// dropAxis removes axis a of group g, whose only coordinate is 0.
func dropAxis(t *engine.Task, g, a int) *engine.Task {
	at := make([]*engine.Index, len(t.Axes))
	for i := range at {
		switch {
		case i < a:
			at[i] = engine.AxisIndex(i)
		case i == a:
			at[i] = engine.ConstIndex(0)
		default:
			at[i] = engine.AxisIndex(i - 1)
		}
	}
	return substitute(t, g, slices.Delete(slices.Clone(t.Axes), a, a+1), at)
}

// MergeAxes makes axes a and a+1 of group g one.
func MergeAxes(t *engine.Task, g, a int) *engine.Task {
	dom := slices.Delete(slices.Clone(t.Axes), a, a+1)
	inner := int64(t.Axes[a+1])
	dom[a] = t.Axes[a] * t.Axes[a+1]
	at := make([]*engine.Index, len(t.Axes))
	for i := range at {
		switch {
		case i < a:
			at[i] = engine.AxisIndex(i)
		case i == a:
			at[i] = engine.AxisIndex(a).Div(inner, dom)
		case i == a+1:
			at[i] = engine.AxisIndex(a).Mod(inner, dom)
		default:
			at[i] = engine.AxisIndex(i - 1)
		}
	}
	return substitute(t, g, dom, at)
}

func substitute(t *engine.Task, g int, dom engine.Domain, at []*engine.Index) *engine.Task {
	c := t.Rewrite(func(e *engine.Expr) *engine.Expr { return e.Subst(at, dom) })
	c.Axes = dom
	c.Groups = slices.Clone(t.Groups)
	c.Groups[g]--
	return c
}

// Divisions counts the distinct quotients and remainders that t's addresses need.
func Divisions(t *engine.Task) int {
	seen := map[string]bool{}
	var walk func(x *engine.Index)
	walk = func(x *engine.Index) {
		for _, term := range x.Terms {
			switch term.Atom.Kind {
			case engine.AtomDiv, engine.AtomMod:
				seen[AtomKey(term.Atom)] = true
				walk(term.Atom.X)
			case engine.AtomMin:
				walk(term.Atom.X)
			}
		}
	}
	for _, e := range t.Exprs() {
		for s := range e.Walk() {
			for _, x := range s.Indices() {
				walk(x)
			}
		}
	}
	return len(seen)
}
