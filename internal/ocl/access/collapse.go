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
	t = dropUnits(t)
	divisions, merged := Divisions(t), false
	for g := range t.Groups {
		from, to := t.Group(g)
		for a := to - 2; a >= from; a-- {
			if t.Axes[a] == 0 || t.Axes[a+1] == 0 {
				continue
			}
			m := merge(t, a)
			if n := Divisions(m); n <= divisions {
				t, divisions, merged = m, n, true
			}
		}
	}
	if merged {
		t = dropUnits(t)
	}
	return t
}

// dropUnits removes the axes of extent 1, whose only coordinate is 0.
func dropUnits(t *engine.Task) *engine.Task {
	if !slices.Contains(t.Axes, 1) {
		return t
	}
	return drop(t, func(axis int) bool { return t.Axes[axis] == 1 })
}

// drop removes some axes of extent 1.
func drop(t *engine.Task, drops func(axis int) bool) *engine.Task {
	at, dom, groups := make([]*engine.Index, len(t.Axes)), engine.Domain{}, slices.Clone(t.Groups)
	for g := range groups {
		from, to := t.Group(g)
		for a := from; a < to; a++ {
			if drops(a) {
				at[a] = engine.ConstIndex(0)
				groups[g]--
				continue
			}
			at[a] = engine.AxisIndex(len(dom))
			dom = append(dom, t.Axes[a])
		}
	}
	c := t.Rewrite(func(e *engine.Expr) *engine.Expr { return e.Subst(at, dom) })
	c.Axes, c.Groups = dom, groups
	return c
}

// MergeAxes makes axes a and a+1, of one group, axis a.
func MergeAxes(t *engine.Task, a int) *engine.Task {
	return drop(merge(t, a), func(axis int) bool { return axis == a+1 })
}

// merge makes axes a and a+1 one and leaves an axis of extent 1 behind, so that expressions without the two stay as they are.
func merge(t *engine.Task, a int) *engine.Task {
	dom := slices.Clone(t.Axes)
	dom[a], dom[a+1] = t.Axes[a]*t.Axes[a+1], 1
	inner, at := int64(t.Axes[a+1]), make([]*engine.Index, len(dom))
	for i := range at {
		at[i] = engine.AxisIndex(i)
	}
	at[a], at[a+1] = engine.AxisIndex(a).Div(inner, dom), engine.AxisIndex(a).Mod(inner, dom)
	both := []int{a, a + 1}
	c := t.Rewrite(func(e *engine.Expr) *engine.Expr {
		if !Uses(e, both) {
			return e
		}
		return e.Subst(at, dom)
	})
	c.Axes = dom
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
