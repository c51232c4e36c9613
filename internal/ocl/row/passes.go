package row

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/tensor"
)

// rowPlan is a Row task as its kernels see it: passes over the columns of a row, one for each fold
// and a last one for the outputs over the row. An expression that depends on the row alone is
// hoisted out of the pass over its columns; an expensive one that several passes need is staged:
// computed by the first one and kept beside the row.
//
// Expressions refer to hoisted and staged values as further results: numbers from len(Folds) on, hoists first.
type rowPlan struct {
	dev        *facts.Device
	original   *engine.Task
	task       *engine.Task // with expressions as they are left
	rows, cols int64
	over, per  []int          // outputs over the row, and for it
	hoists     []*engine.Expr // in order: later ones may use earlier
	stages     []*engine.Expr
	// passes has for each fold, and last for the outputs, how many hoists and
	// stages must exist for it.
	passes []rowPass
	// inPlace: the stage of a row is where its output will be. alone: an item has no other row.
	inPlace, alone bool
	// keeps: stages are in registers, and so are values that several passes load.
	keeps bool
}

type rowPass struct{ hoists, stages int }

// stageFlops is the least cost of an expression to be staged: a cheaper one is computed again
// sooner than read.
const stageFlops = 8

func newRowPlan(d *facts.Device, t *engine.Task, keeps bool) *rowPlan {
	p := &rowPlan{dev: d, keeps: keeps, original: t, task: t.Rewrite(func(e *engine.Expr) *engine.Expr { return e }), rows: t.Size(0),
		cols: t.Size(1)}
	for i := range t.Outs {
		if t.OverRow(i) {
			p.over = append(p.over, i)
		} else {
			p.per = append(p.per, i)
		}
	}
	shared := p.shared()
	known := map[string]*engine.Expr{}
	for k := range len(t.Folds) + 1 {
		for _, e := range p.pass(k) {
			*e = p.simplify(*e, shared, known)
		}
		p.passes = append(p.passes, rowPass{len(p.hoists), len(p.stages)})
	}
	// Stages are numbered after all hoists, whose number is only known now.
	from := len(t.Folds) + stageBase
	p.renumber(func(i int) int {
		if i >= from {
			return len(t.Folds) + len(p.hoists) + i - from
		}
		return i
	})
	return p
}

// stageBase numbers stages while hoists are still being added.
const stageBase = 1 << 20

// pass is the places of the expressions of pass k.
func (p *rowPlan) pass(k int) (es []**engine.Expr) {
	if k < len(p.task.Folds) {
		return []**engine.Expr{&p.task.Folds[k].Value}
	}
	for _, i := range p.over {
		es = append(es, &p.task.Values[i])
	}
	return es
}

// overColumns reports whether e differs between columns.
func (p *rowPlan) overColumns(e *engine.Expr) bool { return access.Uses(e, access.Axes(p.task, 1)) }

// shared are the keys of expensive expressions over columns that several passes, or several
// outputs, compute, and of their loads where these are kept.
func (p *rowPlan) shared() map[string]bool {
	count := map[string]int{}
	for k := range len(p.task.Folds) + 1 {
		for _, root := range p.pass(k) {
			for e := range (*root).Walk() {
				dear := e.Op == engine.OpApply && flopsOf(e) >= stageFlops || p.keeps && e.Op == engine.OpLoad
				if dear && p.overColumns(e) {
					count[e.Key()]++
				}
			}
		}
	}
	shared := map[string]bool{}
	for key, n := range count {
		shared[key] = n > 1
	}
	return shared
}

// flopsOf is the cost of e with all that it computes on.
func flopsOf(e *engine.Expr) (n float64) {
	for s := range e.Walk() {
		if s.Op == engine.OpApply {
			n += s.Fn.Flops
		}
	}
	return n
}

// simplify replaces in e the known values, and hoists and stages expressions that it finds.
func (p *rowPlan) simplify(e *engine.Expr, shared map[string]bool, known map[string]*engine.Expr) *engine.Expr {
	if r := known[e.Key()]; r != nil {
		return r
	}
	key := e.Key()
	switch {
	case e.Op != engine.OpApply && e.Op != engine.OpLoad:
		return e
	case !p.overColumns(e):
		p.hoists = append(p.hoists, e)
		e = engine.Acc(len(p.task.Folds)+len(p.hoists)-1, e.DType)
	case e.Op == engine.OpApply:
		args := make([]*engine.Expr, len(e.Args))
		for i, a := range e.Args {
			args[i] = p.simplify(a, shared, known)
		}
		dt := e.DType
		e = engine.Apply(e.Fn, dt, args...)
		if shared[key] {
			e = p.stage(e, dt)
		}
	case p.keeps && shared[key]:
		e = p.stage(e, e.DType)
	}
	known[key] = e
	return e
}

// stage adds e, of that dtype, to the stages, and returns the expression in its place.
func (p *rowPlan) stage(e *engine.Expr, dt tensor.DType) *engine.Expr {
	p.stages = append(p.stages, e)
	return engine.Acc(len(p.task.Folds)+stageBase+len(p.stages)-1, dt)
}

// renumber replaces the numbers of results in the passes and stages.
func (p *rowPlan) renumber(to func(i int) int) {
	walk := func(e *engine.Expr) *engine.Expr {
		return rewriteAccs(e, func(a *engine.Expr) *engine.Expr { return engine.Acc(to(a.Input), a.DType) })
	}
	for k := range p.passes {
		for _, e := range p.pass(k) {
			*e = walk(*e)
		}
	}
	for i, e := range p.stages {
		p.stages[i] = walk(e)
	}
}

// rewriteAccs replaces the results in e, those in addresses of gathers apart.
func rewriteAccs(e *engine.Expr, f func(a *engine.Expr) *engine.Expr) *engine.Expr {
	memo := map[string]*engine.Expr{}
	var walk func(e *engine.Expr) *engine.Expr
	walk = func(e *engine.Expr) *engine.Expr {
		r, ok := memo[e.Key()]
		if ok {
			return r
		}
		switch r = e; e.Op {
		case engine.OpAcc:
			r = f(e)
		case engine.OpApply:
			args := make([]*engine.Expr, len(e.Args))
			for i, a := range e.Args {
				args[i] = walk(a)
			}
			r = engine.Apply(e.Fn, e.DType, args...)
		}
		memo[e.Key()] = r
		return r
	}
	return walk(e)
}

// results are the numbers of the results that es use, in order.
func results(es ...*engine.Expr) (is []int) {
	for _, e := range es {
		for s := range e.Walk() {
			if s.Op == engine.OpAcc && !slices.Contains(is, s.Input) {
				is = append(is, s.Input)
			}
		}
	}
	slices.Sort(is)
	return is
}
