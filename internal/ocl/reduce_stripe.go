package ocl

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
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
	out := axesOf(r.task, 0)
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
	if s.i < vectorLanes {
		return nil
	}
	return s
}

// sideBySide is how many columns should lie side by side: as many as fill the
// registers where there are many, and of shorter folds as few as fill some vectors
// where a row alone does not, because they are folded one lane after the other in the end.
func (s *stripes) sideBySide() int64 {
	most, few := s.lanesOfStripe()/s.i, ceilDiv(3*vectorLanes, s.i)
	switch {
	case len(s.taps) != 1:
		return 1
	case s.folds >= 64*most:
		return most
	case s.i < vectorLanes && s.folds >= 4*few:
		return few
	}
	return 1
}

// divide names the axes of s.task.
func (s *stripes) divide() {
	out := axesOf(s.task, 0)
	s.outer, s.inner, s.taps = out[:len(out)-1], out[len(out)-1:], axesOf(s.task, 1)
	s.o, s.i, s.folds = extent(s.task, s.outer), extent(s.task, s.inner), extent(s.task, s.taps)
}

// lanesOfStripe is how many states fit in registers.
func (r *reduction) lanesOfStripe() int64 {
	const registers = 1 << 10 // bytes, of the 2 KiB that there are at most
	each := regSize(r.val)
	if r.fold.Monoid.IsArg() {
		return min(registers*3/2/(each+4)/vectorLanes, 12) * vectorLanes
	}
	if r.paired {
		each *= 2
	}
	return min(registers/each/vectorLanes, 24) * vectorLanes
}

// lanesOfCache is how many states fit in half of the nearest cache of a core. Positions fill the other
// half: stripes so narrow that both fit in one are slower (argmax of 8192 x 8192 11.6 and 8.8 ms).
func (r *reduction) lanesOfCache() int64 {
	each, beside := regSize(r.val), r.beside()
	return min(16<<10/each, r.dev.localMem/2/(each+beside)) / vectorLanes * vectorLanes
}

// wide reports whether columns come from memory, each from other pages.
func (s *stripes) wide() bool {
	const page = 4 << 10
	size := regSize(s.val)
	return s.turns == 1 && s.dev.cache > 0 && s.o*s.i*s.folds*size > s.dev.cache && s.i*size >= 2*page && s.plain()
}

// turned is s with n columns side by side, where they are neighbours in memory:
// axis taps is divided, and its remainder by n comes before the inner axis.
func (s *stripes) turned(n int64) *stripes {
	r, fold, last := s.reduction, s.taps[0], s.inner[0]
	t := *r.task
	t.Axes = slices.Insert(slices.Clone(t.Axes), last, int(n))
	t.Axes[fold+1] = int(ceilDiv(s.folds, n))
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
	merged := mergeAxes(&t, 0, last)
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
func (s *stripes) neighbours() bool { return s.plain() || step(s.value(), s.inner[0]) == 1 }

func (s *stripes) value() *engine.Expr { return s.task.Folds[0].Value }

func (s *stripes) coords() []coord { return []coord{{"o", s.outer}, {"i", s.inner}, {"c", s.taps}} }

// plain reports whether the values of neighbours can be written as vectors.
func (s *stripes) plain() bool {
	return newGen(s.dev, s.task).vectorHook("LOADS", s.coords(), s.inner[0], s.value(), s.val, 0)
}

// fits reports whether stripes are the way: rows lie side by side.
func (s *stripes) fits() bool {
	if s == nil {
		return false
	}
	return s.folds*s.turns > kernels.SmallWindow && step(s.value(), s.inner[0]) == 1
}

func (s *stripes) plan() (*plan, error) {
	g, steps := s.lanesOfStripe(), 1
	if s.wide() {
		g, steps = s.lanesOfCache(), 8
	}
	shape := kernels.Stripes(s.o, s.i, s.folds, g, s.turns, s.dev.units)
	parts := shape.Parts
	if parts.Count > 1 {
		parts.Count *= s.turns
	}
	split := parts.Count > 1
	p := newGen(s.dev, s.task, s.rows*parts.Count, s.folds*s.turns)
	s.declare(p, parts, split, shape.Span)
	writeVectorMonoid(p, s.fold, s.val)
	p.macro("VECTORS", ceilDiv(shape.Lanes, vectorLanes))
	p.macro("TURNS", s.turns)
	p.macro("STEPS", steps)
	p.size("ROWS", s.rows)
	p.size("OUTER", s.o)
	p.size("INNER", s.i)
	p.size("COLS", s.folds)
	p.size("LANES", shape.Lanes)
	p.size("RSPAN", shape.Rows)
	p.size("SPAN", shape.Span)
	if s.turns > 1 {
		p.size("REST", s.rest)
	}
	coords := s.coords()
	p.macro("PLAIN", oneIf(p.vectorHook("LOADS", coords, s.inner[0], s.value(), s.val, 0)))
	p.hook("LOAD", coords, s.value(), tensor.Invalid)
	if !split {
		values := s.reduction.task.Values // of rows: a turn has axes of the same numbers
		p.hookOf("EPILOGUE", coords[:2], values, []tensor.DType{s.fold.Acc})
		p.store("STORE", "EPILOGUE", values...)
	}
	grid := shape.Grid(s.o, s.i)
	l := launch{
		prog:   p.assemble("reduce/any_monoid.cl", "reduce/cpu_monoid_vector.cl", "reduce/cpu_stripe.cl"),
		kernel: "reduce_stripe", global: grid.Global, local: grid.Local,
	}
	params := fmt.Sprintf("view=%dx%dx%d lanes=%d", s.o, s.folds, s.i, shape.Lanes)
	if steps > 1 {
		params += fmt.Sprintf(" steps=%d", steps)
	}
	if s.turns > 1 {
		params += fmt.Sprintf(" turns=%d", s.turns)
	}
	return s.finish(&plan{params: params, launches: []launch{l}}, parts), nil
}

// writeVectorMonoid defines the macros of reduce/cpu_monoid_vector.cl for f, whose states are of val.
func writeVectorMonoid(g *gen, f engine.Fold, val tensor.DType) {
	g.macro("VAL16", vectorType(val))
	g.macro("AT16", g.idx+"16")
	if f.Monoid.IsArg() {
		g.macro("TO_AT16", "convert_"+g.idx+"16")
		return
	}
	name := map[engine.Monoid]string{engine.Sum: "SUM", engine.Prod: "PROD", engine.Min: "MIN", engine.Max: "MAX"}
	g.macro("FOLD_OF", "VECTOR_"+name[f.Monoid])
	ring := regType(val)
	if val.IsSigned() && !val.IsFloat() {
		ring = "u" + ring
	}
	g.macro("LANE_RING", ring)
}
