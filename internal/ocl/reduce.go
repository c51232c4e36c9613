package ocl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// reduction is a Reduce task as its kernels see it: ROWS x COLS.
type reduction struct {
	dev        *deviceFacts
	task       *engine.Task
	fold       engine.Fold
	rows, cols int64
	val        tensor.DType // of what is folded
	paired     bool         // a state has its rounding error beside it
}

func reduceVariants(d *deviceFacts, t *engine.Task) []variant {
	r := &reduction{dev: d, task: t, fold: t.Folds[0], rows: t.Size(0), cols: t.Size(1)}
	r.val, r.paired = r.states()
	item, group := r.variant("item", "one work-item a row"), r.variant("group", "one work-group a row")
	block := r.variant("block", "a CPU driver: columns in vectors")
	column := r.variant("column", "a CPU driver: rows in vectors")
	lanes, stripes, along := r.byLanes(), r.byStripes(), r.along()
	windows := variant{name: "lanes", why: "a CPU driver: lanes along the last axis share a window", plan: lanes.plan}
	var all []variant
	switch {
	case d.cpu && lanes.fits():
		all = []variant{windows, column, block, item, group}
	case d.cpu && along:
		all = []variant{block, column, item, group, windows}
	case d.cpu:
		all = []variant{column, block, item, group, windows}
	case along:
		all = []variant{group, item, block, column, windows}
	default:
		all = []variant{item, group, block, column, windows}
	}
	if w := r.byWindows(); w != nil {
		slide := variant{name: "window", why: "a CPU driver: windows slide over rows that a core has in its cache", plan: w.plan}
		if d.cpu && w.best() {
			all = slices.Insert(all, 0, slide)
		} else {
			all = append(all, slide)
		}
	}
	if stripes == nil {
		return all
	}
	stripe := variant{name: "stripe", why: "a CPU driver: stripes of rows that are neighbours in memory", plan: stripes.plan}
	if d.cpu && stripes.fits() && lanes.guard == nil && all[0].name != "window" {
		return slices.Insert(all, 0, stripe)
	}
	return append(all, stripe)
}

// factorsOfDouble is how many float32 double multiplies with an error below one in their last place.
const factorsOfDouble = 1 << 30

// states are what values are folded in: products of floats in double or in pairs where they are not short, see
// reduce/any_monoid.cl.
func (r *reduction) states() (val tensor.DType, paired bool) {
	val = foldType(r.fold)
	if !multipliesMany(r.fold, r.cols) {
		return val, false
	}
	if val == tensor.Float64 || !r.dev.fp64 {
		return val, true
	}
	return tensor.Float64, r.cols > factorsOfDouble
}

// multipliesMany reports whether f multiplies so many floats, of n, that the roundings of their products count.
func multipliesMany(f engine.Fold, n int64) bool {
	return f.Monoid == engine.Prod && f.Acc.IsFloat() && n > shortSum
}

// beside is how many bytes a state has beside its value: a position, or a rounding error.
func (r *reduction) beside() int64 {
	switch {
	case r.fold.Monoid.IsArg():
		return 8
	case r.paired:
		return regSize(r.val)
	}
	return 0
}

// exact reports whether no result may be stored twice: what is stored over an
// input must not be read again.
func (r *reduction) exact() bool {
	return slices.ContainsFunc(r.task.Alias, func(in int) bool { return in >= 0 })
}

// along reports whether neighbours of one row should be read side by side,
// rather than rows: where the columns lie closer in memory, in rows long enough.
func (r *reduction) along() bool {
	out, fold := axesOf(r.task, 0), axesOf(r.task, 1)
	if len(out) == 0 || len(fold) == 0 || r.rows == 1 {
		return true
	}
	if r.cols <= kernels.SmallWindow {
		return false
	}
	across := step(r.fold.Value, out[len(out)-1])
	down := step(r.fold.Value, fold[len(fold)-1])
	return down >= 0 && (across < 0 || down <= across || across == 0)
}

// shortRun is the shortest run of columns that is worth a loop of its own.
const shortRun = 16

// runs divides the axes of columns into those of runs and the one within a run.
func (r *reduction) runs() (runs, within []int) {
	fold := axesOf(r.task, 1)
	if n := len(fold); n > 1 && r.task.Axes[fold[n-1]] >= shortRun {
		return fold[:n-1], fold[n-1:]
	}
	return nil, fold
}

// gen starts the program of a kernel that leaves results, or parts of them when
// split, whose states take length values each at most. cols are the coordinates of a column; none to
// fold parts.
func (r *reduction) gen(parts kernels.Parts, length int64, cols ...coord) *gen {
	t, finish := r.task, len(cols) == 0
	split := parts.Count > 1 && !finish
	g := r.start(parts, split, length)
	g.size("ROWS", r.rows)
	out := axesOf(t, 0)
	if finish {
		g.size("COUNT", parts.Count)
	} else {
		g.size("COLS", r.cols)
		g.size("SPAN", parts.Span)
		g.hook("LOAD", append([]coord{{"r", out}}, cols...), r.fold.Value, tensor.Invalid)
	}
	if !split {
		g.hookOf("EPILOGUE", []coord{{"r", out}}, t.Values, []tensor.DType{r.fold.Acc})
		g.store("STORE", "EPILOGUE", t.Values...)
	}
	return g
}

// start starts a program that leaves or takes parts where there are several, and whose states take
// length values each at most.
func (r *reduction) start(parts kernels.Parts, split bool, length int64, limits ...int64) *gen {
	g := newGen(r.dev, r.task, append(limits, r.rows*parts.Count)...)
	r.declare(g, parts, split, length)
	return g
}

// declare is what start does in a program that is there.
func (r *reduction) declare(g *gen, parts kernels.Parts, split bool, length int64) {
	if parts.Count > 1 {
		g.scratchArg("PARTS", 0, regType(r.val))
		switch {
		case r.fold.Monoid.IsArg():
			g.scratchArg("PARTS_AT", 1, g.idx)
		case r.paired:
			g.scratchArg("PARTS_REST", 1, regType(r.val))
		}
	}
	g.double = g.double || r.val == tensor.Float64
	g.macro("SPLIT", oneIf(split))
	writeMonoid(&g.macros, r.fold, r.val, length)
	g.macro("PAIRED", oneIf(r.paired))
}

// shortSum is how many floats a state adds up one after the other where that is all: sums of more are
// carried to compensated totals, in runs of half as many. Totals cost a fifth of the time of sums of 64 in
// a cache (PoCL 3.1, two cores of an AMD EPYC VM).
const shortSum = 64

// writeMonoid defines the macros of reduce/any_monoid.cl for f, whose states are of val and take length values each at most.
func writeMonoid(b *strings.Builder, f engine.Fold, val tensor.DType, length int64) {
	macro := func(name string, value any) { fmt.Fprintf(b, "#define %s %v\n", name, value) }
	name := map[engine.Monoid]string{
		engine.Sum: "SUM", engine.Prod: "PROD", engine.Min: "MIN", engine.Max: "MAX", engine.ArgMin: "MIN", engine.ArgMax: "MAX",
	}[f.Monoid]
	macro("FOLD", "FOLD_"+name)
	macro("IS_ARG", oneIf(f.Monoid.IsArg()))
	macro("EXACT", oneIf(f.Monoid == engine.Sum && val.IsFloat() && length > shortSum))
	if f.Monoid.IsArg() {
		macro("BEATS", "BEATS_"+name)
	}
	macro("VAL", regType(val))
	macro("OUT_ACC", regType(f.Acc))
	ring := regType(val)
	if !val.IsFloat() {
		ring = ringType(val)
	}
	macro("RING", ring)
	macro("IDENTITY", "("+identity(f.Monoid, val)+")")
}

// foldType is the dtype of what f folds, which is not that of a position.
func foldType(f engine.Fold) tensor.DType {
	if f.Monoid.IsArg() {
		return f.Value.DType
	}
	return f.Acc
}

// identity is the text of a fold's identity.
func identity(f engine.Monoid, dt tensor.DType) string {
	least := f == engine.Max || f == engine.ArgMax
	switch {
	case f == engine.Sum:
		return literal(dt, 0, 0)
	case f == engine.Prod:
		return literal(dt, 1, 1)
	case dt.IsFloat() && least:
		return "-INFINITY"
	case dt.IsFloat():
		return "INFINITY"
	case dt == tensor.Bool && least:
		return "0"
	case dt == tensor.Bool:
		return "1"
	}
	bits := 8 * dt.Size()
	switch {
	case dt.IsSigned() && least:
		return literal(dt, 0, -1<<(bits-1))
	case dt.IsSigned():
		return literal(dt, 0, 1<<(bits-1)-1)
	case least:
		return literal(dt, 0, 0)
	}
	return literal(dt, 0, -1) // all bits set
}

// finish adds the second launch, and the scratch between the two, where rows
// were cut.
func (r *reduction) finish(p *plan, parts kernels.Parts) *plan {
	if parts.Count <= 1 {
		return p
	}
	n := parts.Count * r.rows
	p.scratch = append(p.scratch, n*regSize(r.val))
	if size := r.beside(); size > 0 {
		p.scratch = append(p.scratch, n*size)
	}
	g := r.gen(parts, parts.Count)
	m := kernels.FinishBlocks(r.rows)
	if r.dev.cpu {
		g.macro("EACH", kernels.FinishEach)
	} else {
		wg := kernels.ReduceGroupSize(parts.Count, r.dev.workGroup)
		g.macro("WG", wg)
		m = kernels.ReduceGroup(r.rows, kernels.Parts{Count: 1}, wg)
	}
	p.launches = append(p.launches, launch{prog: g.assemble("reduce/any_monoid.cl", "reduce/any_finish.cl"), kernel: "reduce_finish", global: m.Global, local: m.Local})
	p.params += fmt.Sprintf(" parts=%d", parts.Count)
	return p
}

// one plans the one kernel of files, by default of the file with its name.
func (r *reduction) one(g *gen, m kernels.Grid, kernel, params string, parts kernels.Parts, files ...string) (*plan, error) {
	if len(files) == 0 {
		files = []string{kernels.FileOf(kernel)}
	}
	prog := g.assemble(append([]string{"reduce/any_monoid.cl"}, files...)...)
	l := launch{prog: prog, kernel: kernel, global: m.Global, local: m.Local}
	params = fmt.Sprintf("view=%dx%d %s", r.rows, r.cols, params)
	return r.finish(&plan{params: params, launches: []launch{l}}, parts), nil
}
