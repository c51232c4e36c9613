// Package scatter plans tasks that add updates at positions which they read, or fold them in another way.
package scatter

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

func init() {
	variant.Register(variant.Family{Name: engine.Scatter.String(), Kind: engine.Scatter,
		Variants: []string{"distinct", "item", "parts", "rows"}, Choose: scatterVariants, Class: scatterClass})
}

// scatterClass is the class of t in the tuning table.
func scatterClass(_ *facts.Device, t *engine.Task) string {
	class := variant.DTypes(t) + variant.GroupSizes(t)
	if t.Put != engine.PutAdd {
		class += " " + t.Put.String()
	}
	if t.Each {
		class += " each"
	}
	return class
}

// scatterVariants lists the variants that may run t, best first.
func scatterVariants(d *facts.Device, t *engine.Task) []variant.Variant {
	plain := func(cpu bool) func() (*variant.Plan, error) {
		return func() (*variant.Plan, error) { return planScatter(d, t, cpu) }
	}
	rows := variant.Variant{Name: "rows", Why: "a CPU driver: an item owns rows, columns in vectors", Plan: plain(true)}
	parts, worth := kernels.ScatterInParts(t.Size(0), t.Size(2), t.Size(1), d.Units)
	split := variant.Variant{Name: "parts", Why: "an output that fits in a cache: each core folds updates of its own",
		Plan: func() (*variant.Plan, error) { return planScatterParts(d, t, parts) }}
	item := variant.Variant{Name: "item", Why: "an item owns one column of some rows", Plan: plain(false)}
	switch {
	case t.Distinct && t.Put == engine.PutSet:
		put := variant.Variant{Name: "distinct", Why: "no two updates meet: each is written once",
			Plan: func() (*variant.Plan, error) { return planDistinct(d, t) }}
		if d.CPU {
			return []variant.Variant{put, rows, item}
		}
		return []variant.Variant{put, item, rows}
	case t.Each || !inParts(t):
		if d.CPU {
			return []variant.Variant{rows, item}
		}
		return []variant.Variant{item, rows}
	case d.CPU && worth:
		return []variant.Variant{split, rows, item}
	case d.CPU:
		return []variant.Variant{rows, item, split}
	}
	return []variant.Variant{item, rows, split}
}

// inParts reports whether parts of the updates may be folded before they meet: the result is that of one after the other, but for the
// rounding of sums.
func inParts(t *engine.Task) bool {
	return t.Put != engine.PutSet && (t.Put != engine.PutMul || !t.Values[0].DType.IsFloat())
}

// scatterProgram starts the program of any variant.
func scatterProgram(d *facts.Device, t *engine.Task, sums tensor.DType, limits ...int64) *codegen.Builder {
	v, n, col := access.Axes(t, 0), access.Axes(t, 1), access.Axes(t, 2)
	g := codegen.New(d, t, limits...)
	g.Size("ROWS", t.Size(0))
	g.Size("COLS", t.Size(2))
	g.Size("COUNT", t.Size(1))
	keyed := []codegen.Coord{{Name: "n", Axes: n}}
	if t.Each {
		keyed = append(keyed, codegen.Coord{Name: "d", Axes: col})
	}
	g.Hook("AT", keyed, t.At, tensor.Invalid)
	g.Macro("EACH", codegen.OneIf(t.Each))
	key := "long"
	if codegen.HeldByInt(t.At.DType) && t.Size(0) <= math.MaxInt32 {
		key = "int"
	}
	g.Macro("KEY", key)
	g.Hook("INIT", []codegen.Coord{{Name: "v", Axes: v}, {Name: "d", Axes: col}}, t.Values[0], tensor.Invalid)
	g.Hook("UPDATE", []codegen.Coord{{Name: "n", Axes: n}, {Name: "d", Axes: col}}, t.Update, tensor.Invalid)
	g.Store("STORE", "INIT", t.Values[0])
	dt := t.Values[0].DType
	g.Double = g.Double || sums == tensor.Float64
	g.Macro("VAL", codegen.RegType(sums))
	ring := codegen.RegType(sums)
	if !dt.IsFloat() {
		ring = codegen.RingType(dt)
	}
	g.Macro("RING", ring)
	g.Macro("PUT(a, b)", putOf(t, ring))
	g.Macro("EXACT", codegen.OneIf(longScatter(t) && sums == dt))
	return g
}

// putOf is the expression that updates a by b, for the macro PUT.
func putOf(t *engine.Task, ring string) string {
	nan := func(beats string) string {
		if t.Values[0].DType.IsFloat() {
			return "((" + beats + ") | isnan(b)) ? (b) : (a)"
		}
		return "(" + beats + ") ? (b) : (a)"
	}
	switch t.Put {
	case engine.PutMul:
		return fmt.Sprintf("((VAL)((%[1]s)(a) * (%[1]s)(b)))", ring)
	case engine.PutMin:
		return "(" + nan("(b) < (a)") + ")"
	case engine.PutMax:
		return "(" + nan("(b) > (a)") + ")"
	case engine.PutSet:
		return "(b)"
	}
	return fmt.Sprintf("((VAL)((%[1]s)(a) + (%[1]s)(b)))", ring)
}

// longScatter reports whether t may add up so many floats in one place that their roundings count.
func longScatter(t *engine.Task) bool {
	return t.Put == engine.PutAdd && t.Values[0].DType.IsFloat() && t.Size(1) > codegen.ShortSum
}

// partSums is the dtype of the sums of t's parts: double holds those of float32 without counting the updates of
// each row, which would take as long as adding them.
func partSums(d *facts.Device, t *engine.Task) tensor.DType {
	dt := t.Values[0].DType
	if d.FP64 && dt == tensor.Float32 && longScatter(t) && t.Size(1) <= codegen.FactorsOfDouble {
		return tensor.Float64
	}
	return dt
}

// exactScatter gives the program, whose scratch so far is that of p, room for parts compensated sums of the
// output, and counts of the updates of its rows: counts times.
func exactScatter(g *codegen.Builder, p *variant.Plan, t *engine.Task, sums tensor.DType, parts, counts int64) {
	if !longScatter(t) || sums != t.Values[0].DType {
		return
	}
	rows, dt := t.Size(0), t.Values[0].DType
	g.ScratchArg("SEEN", len(p.Scratch), "uchar")
	g.ScratchArg("TOTALS", len(p.Scratch)+1, codegen.RegType(dt))
	p.Scratch = append(p.Scratch, max(counts*rows, 1), max(2*parts*rows*t.Size(2), 1)*codegen.RegSize(dt))
}

// collectBytes of output are more than the nearest caches of a core hold.
const collectBytes = 1 << 20

// columnsOf is the macro for loops over columns.
func columnsOf(t *engine.Task, wide bool) string {
	if wide && t.Size(2) >= codegen.VectorLanes {
		return "WIDE"
	}
	return ""
}

func planScatter(d *facts.Device, t *engine.Task, cpu bool) (*variant.Plan, error) {
	rows, count, cols := t.Size(0), t.Size(1), t.Size(2)
	m := kernels.ScatterAdd(rows, cols, count, cpu, d.Units, d.WorkGroup)
	dt := t.Values[0].DType
	counts := int64(m.Global[0]) // of the updates of each row
	if t.Each {
		counts = cols
	}
	g := scatterProgram(d, t, dt, 2*rows*cols, counts*rows)
	g.Size("VSPAN", m.Rows)
	g.Size("DSPAN", m.Columns)
	p := &variant.Plan{
		Params:  fmt.Sprintf("rows=%d columns=%d of %dx%d, %d updates", m.Rows, m.Columns, rows, cols, count),
		Scratch: []int64{max(count, 1) * 8},
	}
	g.ScratchArg("KEYS", 0, g.IndexType)
	collect := cpu && !t.Each && longScatter(t) && rows*cols*codegen.RegSize(dt) > collectBytes
	g.Macro("COLLECT", codegen.OneIf(collect))
	g.Macro("COLUMNS", columnsOf(t, collect))
	direct := codegen.StorageType(t.Outs[0].DType) == codegen.RegType(dt)
	g.Macro("DIRECT", codegen.OneIf(direct))
	if direct {
		g.Macro("SUM(i)", "(y0_ + o_y0)[i]")
	} else {
		g.ScratchArg("SUMS", 1, codegen.RegType(dt))
		g.Macro("SUM(i)", "SUMS[i]")
		p.Scratch = append(p.Scratch, rows*cols*codegen.RegSize(dt))
	}
	exactScatter(g, p, t, dt, 1, counts)
	prog := g.Assemble("scatter/any_add.cl")
	if count > 0 && !t.Each {
		wg := kernels.Group(count, d.WorkGroup)
		p.Launches = append(p.Launches, variant.Launch{
			Program: prog, Kernel: "scatter_keys",
			Global: variant.Grid(variant.RoundUp(count, int64(wg))), Local: variant.Grid(int64(wg)),
		})
	}
	p.Launches = append(p.Launches, variant.Launch{Program: prog, Kernel: "scatter_add", Global: m.Global, Local: m.Local})
	return p, nil
}

// planDistinct writes INIT everywhere and then each update to its place.
func planDistinct(d *facts.Device, t *engine.Task) (*variant.Plan, error) {
	rows, count, cols := t.Size(0), t.Size(1), t.Size(2)
	g := scatterProgram(d, t, t.Values[0].DType, rows*cols, count*cols)
	prog := g.Assemble("scatter/any_put.cl")
	p := &variant.Plan{Params: fmt.Sprintf("%d updates of %d to %d rows", count, cols, rows)}
	launch := func(kernel string, n int64) {
		if n == 0 {
			return
		}
		wg := int64(kernels.Group(n, d.WorkGroup))
		items := n
		if d.CPU { // an item takes many elements
			items = min(n, int64(d.Units)*4*wg)
		}
		p.Launches = append(p.Launches, variant.Launch{
			Program: prog, Kernel: kernel, Global: variant.Grid(variant.RoundUp(items, wg)), Local: variant.Grid(wg),
		})
	}
	launch("scatter_fill", rows*cols)
	launch("scatter_put", count*cols)
	return p, nil
}

// foldOf are the folds that have the identities of parts without updates.
var foldOf = [...]engine.Monoid{engine.PutAdd: engine.Sum, engine.PutMul: engine.Prod, engine.PutMin: engine.Min, engine.PutMax: engine.Max}

func planScatterParts(d *facts.Device, t *engine.Task, s kernels.ScatterParts) (*variant.Plan, error) {
	rows, cols := t.Size(0), t.Size(2)
	sums := partSums(d, t)
	g := scatterProgram(d, t, sums, 2*s.Parts*rows*cols)
	g.Passes = true
	g.Size("NSPAN", s.Span)
	g.Size("COUNT_PARTS", s.Parts)
	g.Size("VSPAN", s.Rows)
	g.Macro("COLUMNS", columnsOf(t, sums == tensor.Float64))
	g.ScratchArg("PARTS", 0, codegen.RegType(sums))
	g.Macro("NONE", "("+codegen.Identity(foldOf[t.Put], sums)+")")
	p := &variant.Plan{
		Params:  fmt.Sprintf("parts=%d of %d updates to %dx%d", s.Parts, s.Span, rows, cols),
		Scratch: []int64{max(s.Parts*rows*cols, 1) * codegen.RegSize(sums)},
	}
	exactScatter(g, p, t, sums, s.Parts, s.Parts)
	prog := g.Assemble("scatter/cpu_parts.cl")
	p.Launches = []variant.Launch{
		{Program: prog, Kernel: "scatter_parts", Global: variant.Grid(s.Parts), Local: variant.Grid(1)},
		{Program: prog, Kernel: "scatter_finish", Global: variant.Grid(max(variant.CeilDiv(rows, s.Rows), 1)), Local: variant.Grid(1)},
	}
	return p, nil
}
