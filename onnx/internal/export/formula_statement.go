package export

import "github.com/anycl/anycl/onnx/internal/formula"

// gone says which elements have left the function, the loop or the iteration where a statement ends. Each is a condition beside the
// conditions of the path on which the statement began.
type gone struct{ function, loop, iteration scalar }

func nobody() gone { return gone{truth(false), truth(false), truth(false)} }

// all reports that nothing comes after a statement.
func (g gone) all() bool { return g.function.is(1) || g.loop.is(1) || g.iteration.is(1) }

// exec writes a statement.
func (w *writer) exec(s formula.Stmt) gone {
	switch s := s.(type) {
	case *formula.Block:
		w.scope = &scope{cells: map[string]*cell{}, outer: w.scope}
		g := w.list(s.List)
		w.scope = w.scope.outer
		return g
	case *formula.Declare:
		c := &cell{dt: w.typeOf(s.Type), level: len(w.path), depth: w.depth, table: s.Table}
		if s.Init != nil {
			c.val = w.cast(w.eval(s.Init), c.dt)
		}
		w.scope.cells[s.Name] = c
	case *formula.Do:
		w.eval(s.X)
	case *formula.If:
		return w.branch(s)
	case *formula.For:
		return w.loop(s)
	case *formula.Switch:
		return w.choose(s)
	case *formula.Return:
		r := returned{when: truth(true)}
		if s.X != nil {
			r.value = w.eval(s.X)
		}
		for _, p := range w.path[w.entry:] {
			if !p.soft {
				r.when = w.and(r.when, p.value)
			}
		}
		if r.value.dt.Valid() {
			w.returns = append(w.returns, r)
		}
		return gone{truth(true), truth(false), truth(false)}
	case *formula.Break:
		return gone{truth(false), truth(true), truth(false)}
	case *formula.Continue:
		return gone{truth(false), truth(false), truth(true)}
	default:
		for _, d := range formula.Each(s) {
			if d == s {
				panic(unwritten("a statement of a kind that is not known"))
			}
			w.exec(d)
		}
	}
	return nobody()
}

// list writes statements one after the other, each for the elements that are still there.
func (w *writer) list(all []formula.Stmt) gone {
	n := len(w.path)
	defer func() { w.path = w.path[:n] }()
	total := nobody()
	for _, s := range all {
		total = w.later(total, w.exec(s))
		if total.all() {
			break
		}
	}
	return total
}

// later adds to those that have gone, and takes them off the path.
func (w *writer) later(total, g gone) gone {
	left := w.not(w.or(total.loop, total.iteration))
	total.function = w.or(total.function, w.and(left, g.function))
	w.leave(g.function, true)
	here := w.not(w.or(total.function, total.iteration))
	total.loop = w.or(total.loop, w.and(here, g.loop))
	w.leave(g.loop, false)
	total.iteration = w.or(total.iteration, w.and(w.not(w.or(total.function, total.loop)), g.iteration))
	w.leave(g.iteration, false)
	return total
}

func (w *writer) leave(who scalar, soft bool) {
	if !who.is(0) {
		w.path = append(w.path, condition{w.not(who), soft})
	}
}

func (w *writer) branch(s *formula.If) gone {
	cond := w.truth(w.eval(s.Cond))
	switch {
	case cond.is(1):
		return w.exec(s.Then)
	case cond.is(0) && s.Else == nil:
		return nobody()
	case cond.is(0):
		return w.exec(s.Else)
	}
	not := w.not(cond)
	a, b := nobody(), nobody()
	w.under(cond, func() scalar { a = w.exec(s.Then); return scalar{} })
	if s.Else != nil {
		w.under(not, func() scalar { b = w.exec(s.Else); return scalar{} })
	}
	either := func(x, y scalar) scalar { return w.or(w.and(cond, x), w.and(not, y)) }
	return gone{either(a.function, b.function), either(a.loop, b.loop), either(a.iteration, b.iteration)}
}

// choose takes the case of a number that is known.
func (w *writer) choose(s *formula.Switch) gone {
	x := w.eval(s.X)
	if !x.known {
		panic(unwritten("a switch by what is not known"))
	}
	for _, c := range s.Cases {
		if c.Value != nil && w.eval(c.Value).i != x.i {
			continue
		}
		g := w.list(c.Body)
		g.loop = truth(false) // break ends the switch
		return g
	}
	return nobody()
}
