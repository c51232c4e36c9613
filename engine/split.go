package engine

import "github.com/anycl/anycl/tensor"

// Part is a task that does part of another one's work. Its operands are numbered
// as those of the whole: inputs, outputs, then temporary ones.
type Part struct {
	Task      *Task
	Ins, Outs []int
}

// SplitRow gives tasks that together compute the same as t, a Row: a Reduce for every fold, to a
// temporary operand, and a Map and another one for the outputs over the row and for it. It is how
// an engine runs rows that it cannot keep near, and one that has no way for a Row of its own.
//
// With through, outputs over the row go with a fold that they do not wait for, where there is one: a Row of one fold, see [Task.Through],
// whose first output is its result.
func SplitRow(t *Task, through bool) (parts []Part, temps []Operand) {
	pass := -1
	if through {
		pass = t.Through()
	}
	s := &splitter{whole: t, own: len(t.Ins) + len(t.Outs)}
	outAxes := make([]int, 0, len(t.Axes))
	from, to := t.Group(0)
	for a := from; a < to; a++ {
		outAxes = append(outAxes, a)
	}
	s.at = denseIndex(t.Axes, outAxes)
	for i, f := range t.Folds {
		temps = append(temps, Operand{DType: f.Acc, Len: t.Size(0)})
		if i != pass {
			parts = append(parts, *s.fold(Reduce, i, temps[i]))
		}
	}
	if pass >= 0 {
		p := s.fold(Row, pass, temps[pass])
		s.outputs(p, true)
		parts = append(parts, *p)
	}
	for _, over := range []bool{false, true} {
		axes := t.Axes
		if !over {
			axes = t.Axes[:to]
		}
		p := s.begin(Map, axes, []int{len(axes)})
		if over && pass >= 0 {
			continue
		}
		if s.outputs(p, over); len(p.Outs) > 0 {
			parts = append(parts, *p)
		}
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
	at    *Index // of a row, in a temporary operand
}

func (s *splitter) begin(k Kind, axes Domain, groups []int) *Part {
	t := s.whole
	return &Part{Task: &Task{Kind: k, Name: t.Name, Caller: t.Caller, Axes: axes, Groups: groups, FastMath: t.FastMath, Reproducible: t.Reproducible}}
}

// fold is the part that leaves the result of a fold in a temporary operand.
func (s *splitter) fold(k Kind, i int, temp Operand) *Part {
	p := s.begin(k, s.whole.Axes, s.whole.Groups)
	f := s.whole.Folds[i]
	f.Value = s.expr(p, f.Value)
	p.Task.Folds = []Fold{f}
	p.Task.Values = []*Expr{Acc(0, f.Acc)}
	p.Task.Outs, p.Outs = []Operand{temp}, []int{s.own + i}
	return p
}

// outputs adds to p the outputs over the row, or those for it.
func (s *splitter) outputs(p *Part, over bool) {
	for i, v := range s.whole.Values {
		if s.whole.OverRow(i) == over {
			p.Task.Values = append(p.Task.Values, s.expr(p, v))
			p.Task.Outs = append(p.Task.Outs, s.whole.Outs[i])
			p.Outs = append(p.Outs, len(s.whole.Ins)+i)
		}
	}
	s.alias(p)
}

// expr is e with the operands of p, which gets those that it lacks. Results
// are read from where a part before left them.
func (s *splitter) expr(p *Part, e *Expr) *Expr {
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
	return e.Rewrite(func(e *Expr) *Expr {
		switch e.Op {
		case OpLoad:
			in := s.whole.Ins[e.Input]
			return Load(input(e.Input, in.DType, in.Len), e.DType, e.Addr, e.Conds)
		case OpAcc:
			n := s.whole.Size(0)
			return Load(input(s.own+e.Input, e.DType, n), e.DType, s.at, nil)
		}
		return e
	})
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
