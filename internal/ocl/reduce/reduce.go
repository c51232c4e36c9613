// Package reduce plans tasks that fold axes: sums, maxima, pooling.
package reduce

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// reduction is a Reduce task as its kernels see it: ROWS x COLS.
type reduction struct {
	dev        *facts.Device
	task       *engine.Task
	fold       engine.Fold
	rows, cols int64
	val        tensor.DType   // of the folded values
	paired     bool           // a state has its rounding error beside it
	values     []*engine.Expr // the outputs of rows, the first ones; others are over all columns, see Through
	index      *engine.Index  // where a result lies, see sideways
	inOrder    *reduction     // the same with results in the order in which they lie
}

func init() {
	variant.Register(variant.Family{
		Name: engine.Reduce.String(), Kind: engine.Reduce, Variants: []string{"item", "group", "block", "column", "lanes", "stripe", "window"},
		Choose: reduceVariants, Class: variant.FoldClass,
	})
}

func newReduction(d *facts.Device, t *engine.Task) *reduction {
	r := &reduction{dev: d, task: t, fold: t.Folds[0], rows: t.Size(0), cols: t.Size(1), values: t.Values}
	r.val, r.paired = r.states()
	return r
}

func reduceVariants(d *facts.Device, t *engine.Task) []variant.Variant {
	r := newReduction(d, alongMemory(t))
	item, group := r.variant("item", "one work-item a row"), r.variant("group", "one work-group a row")
	block := r.variant("block", "a CPU driver: columns in vectors")
	column := r.variant("column", "a CPU driver: rows in vectors")
	side := r.sideways()
	lanes, stripes, along := side.byLanes(), side.byStripes(), r.along()
	windows := variant.Variant{Name: "lanes", Why: "a CPU driver: lanes along the last axis share a window", Plan: lanes.plan}
	var all []variant.Variant
	switch {
	case d.CPU && lanes.fits():
		all = []variant.Variant{windows, column, block, item, group}
	case d.CPU && along:
		all = []variant.Variant{block, column, item, group, windows}
	case d.CPU:
		all = []variant.Variant{column, block, item, group, windows}
	case along:
		all = []variant.Variant{group, item, block, column, windows}
	default:
		all = []variant.Variant{item, group, block, column, windows}
	}
	slides := false
	if w := r.byWindows(); w != nil {
		slide := variant.Variant{Name: "window", Why: "a CPU driver: windows slide over rows that a core has in its cache", Plan: w.plan}
		if slides = d.CPU && w.best(); slides {
			all = slices.Insert(all, 0, slide)
		} else {
			all = append(all, slide)
		}
	}
	if stripes == nil {
		return all
	}
	stripe := variant.Variant{Name: "stripe", Why: "a CPU driver: stripes of rows that are neighbours in memory", Plan: stripes.plan}
	if d.CPU && stripes.fits() && lanes.guard == nil && !slides && !(lanes.fits() && lanes.pixelated()) {
		return slices.Insert(all, 0, stripe)
	}
	return append(all, stripe)
}

// states is the type that values are folded in: products of floats in double or in pairs where they are not
// short, see reduce/any_monoid.cl.
func (r *reduction) states() (val tensor.DType, paired bool) {
	val = codegen.FoldType(r.fold)
	if !codegen.MultipliesMany(r.fold, r.cols) {
		return val, false
	}
	if val == tensor.Float64 || !r.dev.FP64 {
		return val, true
	}
	return tensor.Float64, r.cols > codegen.FactorsOfDouble
}

// beside is how many bytes a state has beside its value: a position, or a rounding error.
func (r *reduction) beside() int64 {
	switch {
	case r.fold.Monoid.IsArg():
		return 8
	case r.paired:
		return codegen.RegSize(r.val)
	}
	return 0
}

// exact reports whether no result may be stored twice: an input must not be read again after a
// result was stored over it.
func (r *reduction) exact() bool {
	return slices.ContainsFunc(r.task.Alias, func(in int) bool { return in >= 0 })
}

// along reports whether neighbours of one row should be read side by side,
// rather than rows: where the columns lie closer in memory, in rows long enough.
func (r *reduction) along() bool {
	out, fold := access.Axes(r.task, 0), access.Axes(r.task, 1)
	if len(out) == 0 || len(fold) == 0 || r.rows == 1 {
		return true
	}
	if r.cols <= kernels.SmallWindow {
		return false
	}
	across := access.StrideOfPieces(r.fold.Value, out[len(out)-1])
	last := fold[len(fold)-1]
	down := access.StrideOfPieces(r.fold.Value, last)
	if down < 0 && gatheredAlong(r.fold.Value, last) {
		return across > 2 // rows that data permutes: columns lie somewhere in a row
	}
	return down >= 0 && (across < 0 || down <= across || across == 0)
}

// ShortRun is the shortest run of columns that is worth a loop of its own.
const ShortRun = 16

// runs divides the axes of columns into the axes over runs and the axis within a run.
func (r *reduction) runs() (runs, within []int) {
	fold := access.Axes(r.task, 1)
	if n := len(fold); n > 1 && r.task.Axes[fold[n-1]] >= ShortRun {
		return fold[:n-1], fold[n-1:]
	}
	return nil, fold
}

// gen starts the program of a kernel that leaves results, or parts of them when
// split, whose states take length values each at most. cols are the coordinates of a column; none to
// fold parts.
func (r *reduction) gen(parts kernels.Parts, length int64, cols ...codegen.Coord) *codegen.Builder {
	t, finish := r.task, len(cols) == 0
	split := parts.Count > 1 && !finish
	g := r.start(parts, split, length)
	g.InlineHooks()
	g.Size("ROWS", r.rows)
	out := access.Axes(t, 0)
	if finish {
		g.Size("COUNT", parts.Count)
	} else {
		g.Size("COLS", r.cols)
		g.Size("SPAN", parts.Span)
		g.Hook("LOAD", append([]codegen.Coord{{Name: "r", Axes: out}}, cols...), r.fold.Value, tensor.Invalid)
	}
	if !split {
		g.HookOf("EPILOGUE", []codegen.Coord{{Name: "r", Axes: out}}, r.values, []tensor.DType{r.fold.Acc})
		g.Store("STORE", "EPILOGUE", r.values...)
	}
	return g
}

// start starts a program that leaves or takes parts where there are several, and whose states take
// length values each at most.
func (r *reduction) start(parts kernels.Parts, split bool, length int64, limits ...int64) *codegen.Builder {
	g := codegen.New(r.dev, r.task, append(limits, r.rows*parts.Count)...)
	r.declare(g, parts, split, length)
	return g
}

// declare is start for a program that exists already.
func (r *reduction) declare(g *codegen.Builder, parts kernels.Parts, split bool, length int64) {
	if parts.Count > 1 {
		g.ScratchArg("PARTS", 0, codegen.RegType(r.val))
		switch {
		case r.fold.Monoid.IsArg():
			g.ScratchArg("PARTS_AT", 1, g.IndexType)
		case r.paired:
			g.ScratchArg("PARTS_REST", 1, codegen.RegType(r.val))
		}
	}
	g.Double = g.Double || r.val == tensor.Float64
	g.Macro("SPLIT", codegen.OneIf(split))
	codegen.WriteMonoid(&g.Macros, r.fold, r.val, length)
	g.Macro("PAIRED", codegen.OneIf(r.paired))
}

// finish adds the second launch, and the scratch between the two, where rows
// were cut.
func (r *reduction) finish(p *variant.Plan, parts kernels.Parts) *variant.Plan {
	if parts.Count <= 1 {
		return p
	}
	if r.inOrder != nil { // parts lie as results do
		r = r.inOrder
	}
	n := parts.Count * r.rows
	p.Scratch = append(p.Scratch, n*codegen.RegSize(r.val))
	if size := r.beside(); size > 0 {
		p.Scratch = append(p.Scratch, n*size)
	}
	g := r.gen(parts, parts.Count)
	m := kernels.FinishBlocks(r.rows)
	if r.dev.CPU {
		g.Passes = true
		g.Macro("EACH", kernels.FinishEach)
	} else {
		wg := kernels.ReduceGroupSize(parts.Count, r.dev.WorkGroup)
		g.Macro("WG", wg)
		m = kernels.ReduceGroup(r.rows, kernels.Parts{Count: 1}, wg)
	}
	p.Launches = append(p.Launches, variant.Launch{Program: g.Assemble("reduce/any_monoid.cl", "reduce/any_finish.cl"),
		Kernel: "reduce_finish", Global: m.Global, Local: m.Local})
	p.Params += fmt.Sprintf(" parts=%d", parts.Count)
	return p
}

// one plans the one kernel of files, by default of the file with its name.
func (r *reduction) one(g *codegen.Builder, m kernels.Grid, kernel, params string, parts kernels.Parts, files ...string) (*variant.Plan,
	error) {
	if len(files) == 0 {
		files = []string{kernels.FileOf(kernel)}
	}
	prog := g.Assemble(append([]string{"reduce/any_monoid.cl"}, files...)...)
	l := variant.Launch{Program: prog, Kernel: kernel, Global: m.Global, Local: m.Local}
	params = fmt.Sprintf("view=%dx%d %s", r.rows, r.cols, params)
	return r.finish(&variant.Plan{Params: params, Launches: []variant.Launch{l}}, parts), nil
}
