package ocl

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// lanes is a reduction as reduce/cpu_lanes.cl sees it: outer x inner results, each
// of folds x golds values.
type lanes struct {
	*reduction
	outer, taps  []int // axes
	inner, gold  []int // one axis or none
	o, i, f, g   int64 // their extents
	guard        []engine.Cond
	full, beyond *engine.Expr // the value where guard holds, and elsewhere
}

func (r *reduction) byLanes() *lanes {
	l := &lanes{reduction: r, outer: axesOf(r.task, 0), taps: axesOf(r.task, 1), full: r.fold.Value}
	if n := len(l.outer); n > 0 {
		l.outer, l.inner = l.outer[:n-1], l.outer[n-1:]
	}
	if n := len(l.taps); n > 1 {
		l.taps, l.gold = l.taps[:n-1], l.taps[n-1:]
	}
	l.o, l.i, l.f, l.g = extent(r.task, l.outer), extent(r.task, l.inner), extent(r.task, l.taps), extent(r.task, l.gold)
	if l.guard = commonGuard(r.fold.Value, r.task.Axes, l.inner); l.guard != nil {
		l.full, l.beyond = settle(r.fold.Value, true), settle(r.fold.Value, false)
	}
	return l
}

// commonGuard is the one set of conditions that everything conditional in e has,
// where it does not depend on the axes of lanes; else nil.
func commonGuard(e *engine.Expr, dom engine.Domain, lanes []int) []engine.Cond {
	guard, ok := conditions(e, dom)
	if !ok || gathersIn(e) || uses(engine.Valid(guard), lanes) {
		return nil
	}
	return guard
}

// conditions is the one set of conditions that everything conditional in e has;
// not ok where there are several.
func conditions(e *engine.Expr, dom engine.Domain) (guard []engine.Cond, ok bool) {
	key := ""
	for s := range e.Walk() {
		open := unproven(s.Conds, dom)
		if len(open) == 0 {
			continue
		}
		k := engine.Valid(open).Key()
		if key != "" && k != key {
			return nil, false
		}
		guard, key = open, k
	}
	return guard, true
}

// unproven are those of conds that do not hold at every point.
func unproven(conds []engine.Cond, dom engine.Domain) (open []engine.Cond) {
	for _, c := range conds {
		if always, _ := c.Proven(dom); !always {
			open = append(open, c)
		}
	}
	return open
}

// gathersIn reports whether e reads where memory says.
func gathersIn(e *engine.Expr) bool {
	for s := range e.Walk() {
		if slices.ContainsFunc(s.Indices(), gathers) {
			return true
		}
	}
	return false
}

// settle is e where all its conditions hold, or none does.
func settle(e *engine.Expr, hold bool) *engine.Expr {
	memo := map[string]*engine.Expr{}
	var walk func(e *engine.Expr) *engine.Expr
	walk = func(e *engine.Expr) *engine.Expr {
		if s := memo[e.Key()]; s != nil {
			return s
		}
		s := e
		switch {
		case e.Op == engine.OpApply:
			args := make([]*engine.Expr, len(e.Args))
			for i, a := range e.Args {
				args[i] = walk(a)
			}
			switch s = engine.Apply(e.Fn, e.DType, args...); {
			case len(args) == 0 || args[0].Op != engine.OpConst:
			case e.Fn.Name == "where":
				s = args[2-int(args[0].Value.Int)]
			case widens(e):
				s = engine.Constant(e.DType, args[0].Value)
			}
		case e.Op == engine.OpValid:
			s = engine.Constant(tensor.Bool, engine.Const{Int: int64(oneIf(hold))})
		case e.Op == engine.OpLoad && hold:
			s = engine.Load(e.Input, e.DType, e.Addr, nil)
		case e.Op == engine.OpLoad && len(e.Conds) > 0:
			s = engine.Constant(e.DType, engine.Const{})
		}
		memo[e.Key()] = s
		return s
	}
	return walk(e)
}

// widens reports whether e is the very value of its operand in a larger float type.
func widens(e *engine.Expr) bool {
	return e.Op == engine.OpApply && e.Fn.Name == "cast" && e.DType.IsFloat() && e.Args[0].DType.IsFloat() && e.Args[0].DType.Size() < e.DType.Size()
}

// fits reports whether lanes are the way: they lie side by side in memory, and
// a point has coordinates that other kernels would work out for every lane.
func (l *lanes) fits() bool {
	if len(l.inner) == 0 || l.i < 8 || l.f*l.g == 0 {
		return false
	}
	if l.short() {
		return true
	}
	if len(l.outer) == 0 && len(l.gold) == 0 && l.guard == nil {
		return false
	}
	across := step(l.fold.Value, l.inner[0])
	if across < 0 || across > 2 {
		return false
	}
	// Long runs are folded along.
	return l.g < 64 || step(l.fold.Value, l.gold[0]) != 1
}

// short reports whether a lane goes through a whole row, which is read in full
// and then put in vectors: twice as fast as a gather for every column.
func (l *lanes) short() bool {
	return len(l.taps) == 1 && len(l.gold) == 0 && l.f > 1 && l.f <= kernels.SmallWindow &&
		l.i >= 64 && l.guard == nil && !l.fold.Monoid.IsArg() && step(l.fold.Value, l.taps[0]) == 1
}

func (l *lanes) plan() (*plan, error) {
	exact := l.exact()
	if p, err := l.byPixels(exact); p != nil || err != nil {
		return p, err
	}
	s := kernels.Lanes(l.o, l.i, l.f, l.g, l.dev.units, exact)
	g := l.start(s.Parts, s.Count > 1, s.Span*l.g, l.f*l.g)
	g.size("OUTER", l.o)
	g.size("INNER", l.i)
	g.size("ROWS", l.rows)
	// A window is structure rather than size: there are few, and with its extents
	// known the coordinates of every tap are worked out beforehand.
	window := l.f*l.g > 0 && l.f*l.g <= kernels.SmallWindow && s.Count == 1
	g.macro("WINDOW", oneIf(window))
	if window {
		g.macro("FOLDS", l.f)
		g.macro("GOLDS", l.g)
		g.macro("LAST_MOVES", oneIf(l.i > vectorLanes && l.i%vectorLanes != 0 && !exact))
	} else {
		g.size("FOLDS", l.f)
		g.size("GOLDS", l.g)
	}
	if s.Count > 1 {
		g.size("SPAN", s.Span)
	}
	g.size("RSPAN", s.Rows)
	g.size("ISPAN", s.Inner)
	g.macro("VEC", s.Vec)
	g.macro("OVERLAP", oneIf(l.i%s.Vec != 0))
	g.macro("GUARDED", oneIf(l.guard != nil))
	o, i, f, gold := coord{"o", l.outer}, coord{"i", l.inner}, coord{"f", l.taps}, coord{"g", l.gold}
	g.hook("LOAD", []coord{o, i, f, gold}, l.full, tensor.Invalid)
	if l.guard != nil {
		g.hook("LOAD_OUTSIDE", []coord{o, i, f, gold}, l.beyond, tensor.Invalid)
		g.hook("INSIDE", []coord{o, f, gold}, engine.Valid(l.guard), tensor.Invalid)
	}
	if s.Count == 1 {
		g.hookOf("EPILOGUE", []coord{o, i}, l.task.Values, []tensor.DType{l.fold.Acc})
		g.store("STORE", "EPILOGUE", l.task.Values...)
	}
	params := fmt.Sprintf("%dx%d of %dx%d lanes=%d", l.o, l.i, l.f, l.g, s.Vec)
	return l.one(g, s.Grid(l.o, l.i), "reduce_lanes", params, s.Parts)
}
