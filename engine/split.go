package engine

import (
	"slices"

	"github.com/anycl/anycl/tensor"
)

// Part is a task that does part of another one's work. Its operands are numbered
// as those of the whole: inputs, outputs, then temporary ones.
type Part struct {
	Task      *Task
	Ins, Outs []int
}

// SplitRow gives tasks that together compute the same as t, a Row: a Reduce for every fold, and a Map
// for the outputs over the row. What these and other folds need of a fold, a function of its result where one is worth a temporary
// operand of its own, is left there by its Reduce, which has the outputs for the row that are known then as well. So an engine runs
// rows that its fast memory has no room for, and every Row if it has no kernel for one.
//
// With through, outputs over the row go with a fold that they do not wait for, where there is one: a Row of one fold, see [Task.Through],
// whose first output is its result.
//
// order is the order of the axes of rows in which temporary operands lie, each part that leaves nothing else goes through them in it; nil
// is that of the task.
func SplitRow(t *Task, through bool, order []int) (parts []Part, temps []Operand) {
	s := &splitter{whole: t, own: len(t.Ins) + len(t.Outs), pass: -1, order: order, index: map[string]int{}}
	if through {
		s.pass = t.Through()
	}
	_, to := t.Group(0)
	for a := range to {
		s.row = append(s.row, a)
	}
	if s.order == nil || s.pass >= 0 {
		s.order = s.row
	}
	s.at = denseIndex(t.Axes, s.order)
	s.keepAll()
	for i := range t.Folds {
		if i != s.pass {
			parts = append(parts, *s.fold(Reduce, i))
		}
	}
	if s.pass >= 0 {
		p := s.fold(Row, s.pass)
		s.outputs(p, true)
		parts = append(parts, *p)
	}
	for _, over := range []bool{false, true} {
		axes := t.Axes
		if !over {
			axes = t.Axes[:to]
		}
		p := s.begin(Map, axes, []int{len(axes)})
		if over && s.pass >= 0 {
			continue
		}
		if s.outputs(p, over); len(p.Outs) > 0 {
			parts = append(parts, *p)
		}
	}
	for _, k := range s.kept {
		temps = append(temps, Operand{DType: k.value.DType, Len: t.Size(0)})
	}
	return parts, temps
}

// Through is the fold of a Row that a single pass can compute beside the outputs over the row, as neither these nor other folds need its
// result; -1 where there is none.
func (t *Task) Through() int {
	uses := func(e *Expr) (is []int) {
		for s := range e.Walk() {
			if s.Op == OpAcc {
				is = append(is, s.Input)
			}
		}
		return is
	}
	waited := make([]bool, len(t.Folds))
	over := false
	for _, f := range t.Folds {
		for _, i := range uses(f.Value) {
			waited[i] = true
		}
	}
	for i, v := range t.Values {
		if !t.OverRow(i) {
			continue
		}
		over = true
		for _, k := range uses(v) {
			waited[k] = true
		}
	}
	for i := len(waited) - 1; over && i >= 0; i-- {
		if !waited[i] {
			return i
		}
	}
	return -1
}

// splitter makes the parts of a Row.
type splitter struct {
	whole *Task
	own   int    // operands of the whole
	pass  int    // the fold that outputs over the row go with, or -1
	row   []int  // axes of rows
	order []int  // in which they lie in a temporary operand
	at    *Index // of a row, in a temporary operand
	kept  []kept
	index map[string]int // of kept by keys of values
}

// kept is a value for each row in a temporary operand.
type kept struct {
	value *Expr
	after int // the fold whose Reduce leaves it
}

// keptFlops is the least cost of a function of results that is kept: a cheaper one is computed again by all of its readers.
const keptFlops = 4

// keepAll finds what is kept.
func (s *splitter) keepAll() {
	seen := map[string]bool{}
	left := make([]bool, len(s.whole.Folds)) // by folds whose Reduce has an output
	for i, v := range s.whole.Values {
		if k := s.early(i); k >= 0 {
			left[k] = true
			s.keepBelow(v, k, seen)
		} else {
			s.keep(v, seen)
		}
	}
	for _, f := range s.whole.Folds {
		s.keep(f.Value, seen)
	}
	for _, k := range s.kept {
		left[k.after] = true
	}
	for i, f := range s.whole.Folds {
		if !left[i] || i == s.pass {
			s.add(Acc(i, f.Acc), i)
		}
	}
}

// early is the fold whose Reduce has output i, or -1.
func (s *splitter) early(i int) int {
	t := s.whole
	if k := last(t.Values[i]); k != s.pass && slices.Equal(s.order, s.row) && !t.OverRow(i) && t.AliasOf(i) < 0 {
		return k
	}
	return -1
}

// last is the last fold whose result e depends on, or -1.
func last(e *Expr) int {
	k := -1
	for s := range e.Walk() {
		if s.Op == OpAcc {
			k = max(k, s.Input)
		}
	}
	return k
}

// keep finds what is kept of e.
func (s *splitter) keep(e *Expr, seen map[string]bool) {
	k := last(e)
	if k < 0 || seen[e.Key()] {
		return
	}
	seen[e.Key()] = true
	switch {
	case e.Op == OpAcc || e.Op == OpApply && k != s.pass && s.worthKeeping(e):
		s.add(e, k)
		s.keepBelow(e, k, seen)
	case e.Op == OpApply:
		for _, a := range e.Args {
			s.keep(a, seen)
		}
	default: // an address
		for x := range e.Walk() {
			if x.Op == OpAcc {
				s.add(x, x.Input)
			}
		}
	}
}

// keepBelow finds what is kept of e, which is computed by the Reduce of fold k: that of folds before.
func (s *splitter) keepBelow(e *Expr, k int, seen map[string]bool) {
	if last(e) < k || e.Op != OpApply && e.Op != OpAcc {
		s.keep(e, seen)
		return
	}
	for _, a := range e.Args {
		s.keepBelow(a, k, seen)
	}
}

// worthKeeping reports whether e is the same for a whole row, takes longer to compute than to load, and is not rounded where it is stored.
func (s *splitter) worthKeeping(e *Expr) bool {
	flops, over := 0.0, false
	for x := range e.Walk() {
		if x.Op == OpApply {
			flops += x.Fn.Flops
		}
	}
	e.VisitAxes(func(a int) { over = over || a >= len(s.row) })
	return flops >= keptFlops && !over && e.DType != tensor.Float16 && e.DType != tensor.BFloat16
}

func (s *splitter) add(e *Expr, after int) {
	if _, ok := s.index[e.Key()]; !ok {
		s.index[e.Key()] = len(s.kept)
		s.kept = append(s.kept, kept{e, after})
	}
}

func (s *splitter) begin(k Kind, axes Domain, groups []int) *Part {
	t := s.whole
	return &Part{Task: &Task{
		Kind: k, Name: t.Name, Caller: t.Caller, Axes: axes, Groups: groups, FastMath: t.FastMath, Reproducible: t.Reproducible,
	}}
}

// fold is the part that folds, and leaves what is kept of the result.
func (s *splitter) fold(k Kind, i int) *Part {
	p := s.begin(k, s.whole.Axes, s.whole.Groups)
	f := s.whole.Folds[i]
	f.Value = s.expr(p, f.Value, i)
	p.Task.Folds = []Fold{f}
	add := func(v *Expr, o Operand, at int) {
		p.Task.Values = append(p.Task.Values, s.expr(p, v, i))
		p.Task.Outs, p.Outs = append(p.Task.Outs, o), append(p.Outs, at)
	}
	for n, k := range s.kept {
		if k.after == i {
			add(k.value, Operand{DType: k.value.DType, Len: s.whole.Size(0)}, s.own+n)
		}
	}
	for n, v := range s.whole.Values {
		if s.early(n) == i {
			add(v, s.whole.Outs[n], len(s.whole.Ins)+n)
		}
	}
	if k == Reduce && !slices.Equal(s.order, s.row) {
		order := slices.Clone(s.order)
		for a := len(order); a < len(p.Task.Axes); a++ {
			order = append(order, a)
		}
		p.Task = p.Task.Permute(order)
	}
	return p
}

// outputs adds to p the outputs over the row, or those for it that no fold's part has.
func (s *splitter) outputs(p *Part, over bool) {
	for i, v := range s.whole.Values {
		if s.whole.OverRow(i) == over && s.early(i) < 0 {
			p.Task.Values = append(p.Task.Values, s.expr(p, v, len(s.whole.Folds)))
			p.Task.Outs = append(p.Task.Outs, s.whole.Outs[i])
			p.Outs = append(p.Outs, len(s.whole.Ins)+i)
		}
	}
	s.alias(p)
}

// expr is e with the operands of p, which gets those that it lacks, in the part of a fold, or after all of them. What is kept
// is read from where a part before left it.
func (s *splitter) expr(p *Part, e *Expr, fold int) *Expr {
	input := func(i int, dt tensor.DType, n int64) int {
		for k, have := range p.Ins {
			if have == i {
				return k
			}
		}
		p.Ins = append(p.Ins, i)
		p.Task.Ins = append(p.Task.Ins, Operand{DType: dt, Len: n})
		return len(p.Ins) - 1
	}
	load := func(n int) *Expr {
		dt := s.kept[n].value.DType
		return Load(input(s.own+n, dt, s.whole.Size(0)), dt, s.at, nil)
	}
	leaf := func(e *Expr) *Expr {
		return e.Rewrite(func(e *Expr) *Expr {
			switch {
			case e.Op == OpLoad:
				in := s.whole.Ins[e.Input]
				return Load(input(e.Input, in.DType, in.Len), e.DType, e.Addr, e.Conds)
			case e.Op == OpAcc && e.Input == fold:
				return Acc(0, e.DType)
			case e.Op == OpAcc:
				return load(s.index[e.Key()])
			}
			return e
		})
	}
	memo := map[string]*Expr{}
	var walk func(e *Expr) *Expr
	walk = func(e *Expr) *Expr {
		if r, ok := memo[e.Key()]; ok {
			return r
		}
		r := e
		n, isKept := s.index[e.Key()]
		switch {
		case isKept && s.kept[n].after < fold:
			r = load(n)
		case e.Op == OpApply:
			args := make([]*Expr, len(e.Args))
			for i, a := range e.Args {
				args[i] = walk(a)
			}
			r = Apply(e.Fn, e.DType, args...)
		default:
			r = leaf(e)
		}
		memo[e.Key()] = r
		return r
	}
	return walk(e)
}

// alias declares for p the aliases of its whole.
func (s *splitter) alias(p *Part) {
	for k, o := range p.Outs {
		if o >= s.own {
			continue // a temporary operand
		}
		a := s.whole.AliasOf(o - len(s.whole.Ins))
		for i, in := range p.Ins {
			if in != a {
				continue
			}
			if p.Task.Alias == nil {
				p.Task.Alias = make([]int, len(p.Outs))
				for j := range p.Task.Alias {
					p.Task.Alias[j] = -1
				}
			}
			p.Task.Alias[k] = i
		}
	}
}

// denseIndex is the row-major position over axes.
func denseIndex(dom Domain, axes []int) *Index {
	x := ConstIndex(0)
	for _, a := range axes {
		x = x.Mul(int64(dom[a])).Add(AxisIndex(a))
	}
	return x
}
