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
	at, dom, groups := make([]*engine.Index, len(t.Axes)), engine.Domain{}, slices.Clone(t.Groups)
	for g := range groups {
		from, to := t.Group(g)
		for a := from; a < to; a++ {
			if t.Axes[a] == 1 {
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

// merge is MergeAxes that leaves an axis of extent 1 behind, so that expressions without the two axes stay as they are.
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
