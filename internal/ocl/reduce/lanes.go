package reduce

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
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
	l := &lanes{reduction: r, outer: access.Axes(r.task, 0), taps: access.Axes(r.task, 1), full: r.fold.Value}
	if n := len(l.outer); n > 0 {
		l.outer, l.inner = l.outer[:n-1], l.outer[n-1:]
	}
	if n := len(l.taps); n > 1 {
		l.taps, l.gold = l.taps[:n-1], l.taps[n-1:]
	}
	l.o, l.i, l.f, l.g = access.Extent(r.task, l.outer), access.Extent(r.task, l.inner), access.Extent(r.task, l.taps),
		access.Extent(r.task, l.gold)
	if l.guard = commonGuard(r.fold.Value, r.task.Axes, l.inner); l.guard != nil {
		l.full, l.beyond = settle(r.fold.Value, true), settle(r.fold.Value, false)
	}
	return l
}

// commonGuard is the one set of conditions that everything conditional in e has,
// where it does not depend on the axes of lanes; else nil.
func commonGuard(e *engine.Expr, dom engine.Domain, lanes []int) []engine.Cond {
	guard, ok := conditions(e, dom)
	if !ok || access.GathersIn(e) || access.Uses(engine.Valid(guard), lanes) {
		return nil
	}
	return guard
}

// conditions is the one set of conditions that everything conditional in e has;
// not ok where there are several.
func conditions(e *engine.Expr, dom engine.Domain) (guard []engine.Cond, ok bool) {
	key := ""
	for s := range e.Walk() {
		open := access.Unproven(s.Conds, dom)
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
			case e.Applies(engine.FnSelect):
				s = args[2-int(args[0].Value.Int)]
			case widens(e):
				s = engine.Constant(e.DType, args[0].Value)
			}
		case e.Op == engine.OpValid:
			s = engine.Constant(tensor.Bool, engine.Const{Int: int64(codegen.OneIf(hold))})
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
	return e.Applies(engine.FnCast) && e.DType.IsFloat() && e.Args[0].DType.IsFloat() && e.Args[0].DType.Size() < e.DType.Size()
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
	across := apart(l.fold.Value, l.inner[0], access.Axes(l.task, 1))
	if across > 2 || across < 0 && !gatheredAlong(l.fold.Value, l.inner[0]) && l.closeTogether() {
		return false
	}
	// Long runs are folded along.
	return l.g < 64 || access.StrideOfPieces(l.fold.Value, l.gold[0]) != 1
}

// closeTogether reports whether the values that are folded one after the other lie close together.
func (l *lanes) closeTogether() bool {
	last := append(slices.Clone(l.taps), l.gold...)
	down := access.StrideOfPieces(l.fold.Value, last[len(last)-1])
	return down >= 0 && down < codegen.VectorLanes
}

// gatheredAlong reports whether data says where the values e of neighbours along axis a lie.
func gatheredAlong(e *engine.Expr, a int) bool {
	for s := range e.Walk() {
		if s.Op == engine.OpLoad && slices.ContainsFunc(s.Addr.Terms, func(t engine.Term) bool {
			return t.Atom.Kind == engine.AtomData && access.Uses(t.Atom.Data, []int{a})
		}) {
			return true
		}
	}
	return false
}

// short reports whether a lane goes through a whole row, which is read in full
// and then put in vectors: faster than a gather for every column.
func (l *lanes) short() bool {
	return len(l.taps) == 1 && len(l.gold) == 0 && l.f > 1 && l.f <= kernels.SmallWindow &&
		l.i >= 64 && l.guard == nil && !l.fold.Monoid.IsArg() && access.Stride(l.fold.Value, l.taps[0]) == 1
}

// most is how many lanes may be taken at a time.
func (l *lanes) most() int64 {
	if l.index == nil {
		return l.i
	}
	least := l.i
	for _, o := range l.task.Outs {
		least = min(least, kernels.LanesInSets(access.StrideAlong(l.index, l.inner[0])*int64(o.DType.Size())))
	}
	return least
}

func (l *lanes) plan() (*variant.Plan, error) {
	exact := l.exact()
	if p, err := l.byPixels(exact); p != nil || err != nil {
		return p, err
	}
	s := kernels.Lanes(l.o, l.i, l.f, l.g, l.dev.Units, exact, l.most())
	g := l.start(s.Parts, s.Count > 1, s.Span*l.g, l.f*l.g)
	g.Size("OUTER", l.o)
	g.Size("INNER", l.i)
	g.Size("ROWS", l.rows)
	// A window is structure rather than size: there are few, and with its extents
	// known the coordinates of every tap are worked out beforehand.
	window := l.index == nil && l.f*l.g > 0 && l.f*l.g <= kernels.SmallWindow && s.Count == 1
	g.Macro("WINDOW", codegen.OneIf(window))
	if window {
		g.Macro("FOLDS", l.f)
		g.Macro("GOLDS", l.g)
		g.Macro("LAST_MOVES", codegen.OneIf(l.i > codegen.VectorLanes && l.i%codegen.VectorLanes != 0 && !exact))
	} else {
		g.Size("FOLDS", l.f)
		g.Size("GOLDS", l.g)
	}
	if s.Count > 1 {
		g.Size("SPAN", s.Span)
	}
	g.Size("RSPAN", s.Rows)
	g.Size("ISPAN", s.Inner)
	g.Macro("VEC", s.Vec)
	g.Macro("OVERLAP", codegen.OneIf(l.i%s.Vec != 0))
	g.Macro("GUARDED", codegen.OneIf(l.guard != nil))
	o, i, f, gold := codegen.Coord{Name: "o", Axes: l.outer}, codegen.Coord{Name: "i", Axes: l.inner}, codegen.Coord{Name: "f", Axes: l.taps},
		codegen.Coord{Name: "g", Axes: l.gold}
	g.Hook("LOAD", []codegen.Coord{o, i, f, gold}, l.full, tensor.Invalid)
	if l.guard != nil {
		g.Hook("LOAD_OUTSIDE", []codegen.Coord{o, i, f, gold}, l.beyond, tensor.Invalid)
		g.Hook("INSIDE", []codegen.Coord{o, f, gold}, engine.Valid(l.guard), tensor.Invalid)
	}
	l.place(g, o, i)
	if s.Count == 1 {
		g.HookOf("EPILOGUE", []codegen.Coord{o, i}, l.task.Values, []tensor.DType{l.fold.Acc})
		g.Store("STORE", "EPILOGUE", l.task.Values...)
	}
	params := fmt.Sprintf("%dx%d of %dx%d lanes=%d", l.o, l.i, l.f, l.g, s.Vec)
	return l.one(g, s.Grid(l.o, l.i), "reduce_lanes", params, s.Parts)
}
