package export

import (
	"slices"

	"github.com/anycl/anycl/onnx/internal/formula"
	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

// maxUnrolled is how many iterations are written one after the other.
const maxUnrolled = 64

// loop writes a loop: one that counts to a number that is known and small as so many copies of its body, another as a Loop that goes on
// while any element does.
func (w *writer) loop(s *formula.For) gone {
	w.scope = &scope{cells: map[string]*cell{}, outer: w.scope}
	defer func() { w.scope = w.scope.outer }()
	if s.Init != nil {
		w.exec(s.Init)
	}
	if w.counts(s) {
		return w.unrolled(s)
	}
	return w.rolled(s)
}

// counts reports a loop whose number of iterations is known, and small: it tries the condition and the steps alone.
func (w *writer) counts(s *formula.For) bool {
	if s.Cond == nil {
		return false
	}
	inside := formula.Assigned(s.Body)
	saved := map[*cell]scalar{}
	defer func() {
		for c, v := range saved {
			c.val = v
		}
	}()
	for _, p := range s.Post {
		for name := range formula.Assigned(p) {
			c := w.scope.find(name)
			if inside[name] || c == nil || w.scope.cells[name] != c || !c.val.known {
				return false
			}
			saved[c] = c.val
		}
	}
	path := w.path
	w.path = nil
	defer func() { w.path = path }()
	for c := range saved {
		level := c.level
		c.level = 0
		defer func() { c.level = level }()
	}
	for range maxUnrolled + 1 {
		switch cond := w.truth(w.eval(s.Cond)); {
		case !cond.known:
			return false
		case cond.is(0):
			return true
		}
		for _, p := range s.Post {
			w.eval(p)
		}
	}
	return false
}

func (w *writer) unrolled(s *formula.For) gone {
	n := len(w.path)
	defer func() { w.path = w.path[:n] }()
	total := nobody()
	counters := map[*cell]int{}
	for _, p := range s.Post { // counters are the same for all elements, also for those that have left
		for name := range formula.Assigned(p) {
			c := w.scope.find(name)
			counters[c] = c.level
		}
	}
	for w.truth(w.eval(s.Cond)).is(1) {
		g := w.exec(s.Body)
		g.iteration = truth(false)
		if total = w.later(total, g); total.all() {
			break
		}
		for c := range counters {
			c.level = len(w.path)
		}
		for _, p := range s.Post {
			w.eval(p)
		}
	}
	for c, level := range counters {
		c.level = level
	}
	return gone{total.function, truth(false), truth(false)}
}

// rolled writes a Loop. It carries the variables that its body assigns, which elements are still in it, and, where it may return, which
// elements have returned and their values.
func (w *writer) rolled(s *formula.For) gone {
	cond := truth(true)
	if s.Cond != nil {
		cond = w.truth(w.eval(s.Cond))
	}
	for _, p := range w.path {
		cond = w.and(cond, p.value)
	}
	cells := w.changed(s)
	returns := false
	formula.Walk(s.Body, func(x any) {
		_, is := x.(*formula.Return)
		returns = returns || is
	})
	init := []string{w.full(cond)}
	for _, c := range cells {
		init = append(init, w.full(c.val))
	}
	if returns {
		init = append(init, w.full(truth(false)), w.full(number(0, w.real)))
	}
	path, entry, outer, before := w.path, w.entry, w.returns, make([]cell, len(cells))
	for i, c := range cells {
		before[i] = *c
	}
	outs := w.c.repeat(init, w.shape, func(in []string) (next []string) {
		active := symbol(in[0], tensor.Bool)
		w.path, w.entry, w.returns = []condition{{value: active}}, 0, nil
		for i, c := range cells {
			c.val, c.level = symbol(in[1+i], c.dt), 0
		}
		g := w.exec(s.Body)
		w.leave(g.function, true)
		w.leave(g.loop, false)
		for _, p := range s.Post {
			w.eval(p)
		}
		going := w.and(active, w.not(w.or(g.function, g.loop)))
		if s.Cond != nil {
			going = w.and(going, w.truth(w.eval(s.Cond)))
		}
		next = []string{w.full(going)}
		for _, c := range cells {
			next = append(next, w.full(c.val))
		}
		if returns {
			k := len(in) - 2
			who := w.or(symbol(in[k], tensor.Bool), w.and(active, g.function))
			next = append(next, w.full(who), w.full(w.cast(w.merged(symbol(in[k+1], w.real)), w.real)))
		}
		return next
	})
	w.path, w.entry, w.returns = path, entry, outer
	for i, c := range cells {
		*c = before[i]
		c.val = symbol(outs[1+i], c.dt)
	}
	g := nobody()
	if returns {
		g.function = symbol(outs[len(outs)-2], tensor.Bool)
		w.returns = append(w.returns, returned{g.function, symbol(outs[len(outs)-1], w.real)})
	}
	return g
}

// changed are the variables that a loop assigns to and that are declared outside of it, in order.
func (w *writer) changed(s *formula.For) []*cell {
	names := formula.Assigned(s.Body)
	for _, p := range s.Post {
		for name := range formula.Assigned(p) {
			names[name] = true
		}
	}
	var cells []*cell
	for name := range names {
		c := w.scope.find(name)
		if c == nil || slices.Contains(cells, c) {
			continue
		}
		if !c.val.dt.Valid() {
			c.val = w.cast(whole(0, tensor.Int32), c.dt)
		}
		cells = append(cells, c)
	}
	slices.SortFunc(cells, func(a, b *cell) int { return w.order(a) - w.order(b) })
	return cells
}

// order is the same for the same text: by names.
func (w *writer) order(c *cell) int {
	n := 0
	for s := w.scope; s != nil; s = s.outer {
		var names []string
		for name := range s.cells {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if n++; s.cells[name] == c {
				return n
			}
		}
	}
	return n
}

// repeat writes a Loop that carries values of one shape, the first of them bools, until none of these is true.
func (c *call) repeat(init []string, shape []int, step func(in []string) []string) []string {
	any := func(v string) string {
		all := c.op("ReduceMax", []string{c.cast(v, tensor.Int32)}, anInt("keepdims", 0))
		return c.is("Greater", all, c.number(0, tensor.Int32))
	}
	types := make([]tensor.DType, len(init))
	own := func(v string) string {
		out := c.add(1, "Identity", []string{v})[0]
		c.x.types[out] = c.x.types[v]
		return out
	}
	going := any(init[0])
	body := c.x.inner(func(g *model.Graph) {
		g.Inputs = []*model.Value{c.x.declare(c.x.fresh("iteration"), tensor.Int64, nil), c.x.declare(c.x.fresh("going"), tensor.Bool, nil)}
		in := make([]string, len(init))
		for i, v := range init {
			types[i] = c.x.types[v]
			in[i] = c.x.fresh("carried")
			g.Inputs = append(g.Inputs, c.x.declare(in[i], types[i], shape))
		}
		next := step(in)
		g.Outputs = []*model.Value{c.x.declare(own(any(next[0])), tensor.Bool, nil)}
		for i, v := range next {
			g.Outputs = append(g.Outputs, c.x.declare(own(v), types[i], shape))
		}
	})
	made := make([]string, len(init))
	for i := range made {
		made[i] = c.x.fresh(c.n.Op().Name)
		c.x.types[made[i]], c.x.shapes[made[i]] = types[i], shape
	}
	c.x.body.add(&model.Node{Op: "Loop", Name: made[0], Inputs: append([]string{"", going}, init...), Outputs: made,
		Attrs: []*model.Attr{aGraph("body", body)}})
	return made
}
