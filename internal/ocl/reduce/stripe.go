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

// stripes is a reduction as reduce/cpu_stripe.cl sees it: outer x inner results of
// folds values each, turns of them in a stripe.
type stripes struct {
	*reduction
	task               *engine.Task // with the turns as an axis of its own
	outer, inner, taps []int        // axes of task
	o, i, folds        int64        // their extents
	turns, rest        int64        // rest lanes are there of column folds
}

// byStripes tells how r is folded by stripes: nil where its rows are too few.
func (r *reduction) byStripes() *stripes {
	out := access.Axes(r.task, 0)
	if len(out) == 0 || r.cols == 0 || r.rows == 0 {
		return nil
	}
	s := &stripes{reduction: r, task: r.task, turns: 1}
	s.divide()
	if n := s.sideBySide(); n > 1 {
		if t := s.turned(n); t != nil {
			return t
		}
	}
	if s.i < codegen.VectorLanes {
		return nil
	}
	return s
}

// sideBySide is how many columns should lie side by side: as many as fill the
// registers where there are many, and of shorter folds as few as fill some vectors
// where a row alone does not, because they are folded one lane after the other in the end.
func (s *stripes) sideBySide() int64 {
	most, few := s.lanesOfStripe()/s.i, variant.CeilDiv(3*codegen.VectorLanes, s.i)
	switch {
	case len(s.taps) != 1:
		return 1
	case s.folds >= 64*most:
		return most
	case s.i < codegen.VectorLanes && s.folds >= 4*few:
		return few
	}
	return 1
}

// divide names the axes of s.task.
func (s *stripes) divide() {
	out := access.Axes(s.task, 0)
	s.outer, s.inner, s.taps = out[:len(out)-1], out[len(out)-1:], access.Axes(s.task, 1)
	s.o, s.i, s.folds = access.Extent(s.task, s.outer), access.Extent(s.task, s.inner), access.Extent(s.task, s.taps)
}

// lanesOfStripe is how many states fit in registers.
func (r *reduction) lanesOfStripe() int64 {
	const registers = 1 << 10 // bytes, of the 2 KiB that there are at most
	each := codegen.RegSize(r.val)
	if r.fold.Monoid.IsArg() {
		return min(registers*3/2/(each+4)/codegen.VectorLanes, 12) * codegen.VectorLanes
	}
	if r.paired {
		each *= 2
	}
	return min(registers/each/codegen.VectorLanes, 24) * codegen.VectorLanes
}

// lanesOfCache is how many states fit in half of the nearest cache of a core. Positions fill the other
// half: stripes so narrow that both fit in one are slower.
func (r *reduction) lanesOfCache() int64 {
	each, beside := codegen.RegSize(r.val), r.beside()
	return min(16<<10/each, r.dev.LocalMem/2/(each+beside)) / codegen.VectorLanes * codegen.VectorLanes
}

// wide reports whether columns come from memory, each from other pages.
func (s *stripes) wide() bool {
	const page = 4 << 10
	size := codegen.RegSize(s.val)
	return s.turns == 1 && s.dev.Cache > 0 && s.o*s.i*s.folds*size > s.dev.Cache && s.i*size >= 2*page && s.plain()
}

// turned is s with n columns side by side, where they are neighbours in memory:
// axis taps is divided, and its remainder by n comes before the inner axis.
func (s *stripes) turned(n int64) *stripes {
	r, fold, last := s.reduction, s.taps[0], s.inner[0]
	t := *r.task
	t.Axes = slices.Insert(slices.Clone(t.Axes), last, int(n))
	t.Axes[fold+1] = int(variant.CeilDiv(s.folds, n))
	t.Groups = slices.Clone(t.Groups)
	t.Groups[0]++
	at := make([]*engine.Index, len(r.task.Axes))
	for a := range at {
		at[a] = engine.AxisIndex(a)
		if a >= last {
			at[a] = engine.AxisIndex(a + 1)
		}
	}
	at[fold] = at[fold].Mul(n).Add(engine.AxisIndex(last))
	f := r.fold
	f.Value = f.Value.Subst(at, t.Axes)
	t.Folds, t.Values = []engine.Fold{f}, nil
	merged := access.MergeAxes(&t, last)
	c := &stripes{reduction: r, task: merged, turns: n}
	c.divide()
	c.rest = s.folds % n * s.i
	c.folds = s.folds / n
	if !c.neighbours() {
		return nil
	}
	return c
}

// neighbours reports whether the values of neighbouring lanes come from
// neighbours in memory, so that those which are more than arithmetic become
// vectors in a loop of their own.
func (s *stripes) neighbours() bool { return s.plain() || access.Stride(s.value(), s.inner[0]) == 1 }

func (s *stripes) value() *engine.Expr { return s.task.Folds[0].Value }

func (s *stripes) coords() []codegen.Coord {
	return []codegen.Coord{{Name: "o", Axes: s.outer}, {Name: "i", Axes: s.inner}, {Name: "c", Axes: s.taps}}
}

// plain reports whether the values of neighbours can be written as vectors.
func (s *stripes) plain() bool {
	return codegen.New(s.dev, s.task).VectorHook("LOADS", s.coords(), s.inner[0], codegen.VectorLanes, s.value(), s.val, 0)
}

// fits reports whether stripes are the way: rows lie side by side.
func (s *stripes) fits() bool {
	if s == nil {
		return false
	}
	return s.folds*s.turns > kernels.SmallWindow && apart(s.value(), s.inner[0], s.taps) == 1
}

func (s *stripes) plan() (*variant.Plan, error) {
	g, steps := s.lanesOfStripe(), 1
	if s.wide() {
		g, steps = s.lanesOfCache(), 8
	}
	shape := kernels.Stripes(s.o, s.i, s.folds, g, s.turns, s.dev.Units)
	parts := shape.Parts
	if parts.Count > 1 {
		parts.Count *= s.turns
	}
	split := parts.Count > 1
	p := codegen.New(s.dev, s.task, s.rows*parts.Count, s.folds*s.turns)
	s.declare(p, parts, split, shape.Span)
	writeVectorMonoid(p, s.fold, s.val)
	p.Macro("VECTORS", variant.CeilDiv(shape.Lanes, codegen.VectorLanes))
	p.Macro("TURNS", s.turns)
	p.Macro("STEPS", steps)
	p.Size("ROWS", s.rows)
	p.Size("OUTER", s.o)
	p.Size("INNER", s.i)
	p.Size("COLS", s.folds)
	p.Size("LANES", shape.Lanes)
	p.Size("RSPAN", shape.Rows)
	p.Size("SPAN", shape.Span)
	if s.turns > 1 {
		p.Size("REST", s.rest)
	}
	coords := s.coords()
	p.Macro("PLAIN", codegen.OneIf(p.VectorHook("LOADS", coords, s.inner[0], codegen.VectorLanes, s.value(), s.val, 0)))
	p.Hook("LOAD", coords, s.value(), tensor.Invalid)
	s.place(p, coords[0], coords[1])
	if !split {
		values := s.reduction.task.Values // of rows: a turn has axes of the same numbers
		p.HookOf("EPILOGUE", coords[:2], values, []tensor.DType{s.fold.Acc})
		p.Store("STORE", "EPILOGUE", values...)
	}
	grid := shape.Grid(s.o, s.i)
	l := variant.Launch{
		Program: p.Assemble("reduce/any_monoid.cl", "reduce/cpu_monoid_vector.cl", "reduce/cpu_stripe.cl"),
		Kernel:  "reduce_stripe", Global: grid.Global, Local: grid.Local,
	}
	params := fmt.Sprintf("view=%dx%dx%d lanes=%d", s.o, s.folds, s.i, shape.Lanes)
	if steps > 1 {
		params += fmt.Sprintf(" steps=%d", steps)
	}
	if s.turns > 1 {
		params += fmt.Sprintf(" turns=%d", s.turns)
	}
	return s.finish(&variant.Plan{Params: params, Launches: []variant.Launch{l}}, parts), nil
}

// writeVectorMonoid defines the macros of reduce/cpu_monoid_vector.cl for f, whose states are of val.
func writeVectorMonoid(g *codegen.Builder, f engine.Fold, val tensor.DType) {
	g.Macro("VAL16", codegen.VectorType(val, codegen.VectorLanes))
	g.Macro("AT16", g.IndexType+"16")
	if f.Monoid.IsArg() {
		g.Macro("TO_AT16", "convert_"+g.IndexType+"16")
		return
	}
	name := map[engine.Monoid]string{engine.Sum: "SUM", engine.Prod: "PROD", engine.Min: "MIN", engine.Max: "MAX"}
	g.Macro("FOLD_OF", "VECTOR_"+name[f.Monoid])
	ring := codegen.RegType(val)
	if val.IsSigned() && !val.IsFloat() {
		ring = "u" + ring
	}
	g.Macro("LANE_RING", ring)
}
