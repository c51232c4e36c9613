package ocl

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

func scatterVariants(d *deviceFacts, t *engine.Task) []variant {
	plain := func(cpu bool) func() (*plan, error) {
		return func() (*plan, error) { return planScatter(d, t, cpu) }
	}
	rows := variant{name: "rows", why: "a CPU driver: an item owns rows, columns in vectors", plan: plain(true)}
	parts, worth := kernels.ScatterInParts(t.Size(0), t.Size(2), t.Size(1), d.units)
	split := variant{name: "parts", why: "an output that fits in a cache: each core adds up updates of its own", plan: func() (*plan, error) { return planScatterParts(d, t, parts) }}
	item := variant{name: "item", why: "an item owns one column of some rows", plan: plain(false)}
	switch {
	case d.cpu && worth:
		return []variant{split, rows, item}
	case d.cpu:
		return []variant{rows, item, split}
	}
	return []variant{item, rows, split}
}

// scatterProgram starts the program of any variant.
func scatterProgram(d *deviceFacts, t *engine.Task, sums tensor.DType, limits ...int64) *gen {
	v, n, col := axesOf(t, 0), axesOf(t, 1), axesOf(t, 2)
	g := newGen(d, t, limits...)
	g.size("ROWS", t.Size(0))
	g.size("COLS", t.Size(2))
	g.size("COUNT", t.Size(1))
	g.hook("AT", []coord{{"n", n}}, t.At, tensor.Invalid)
	key := "long"
	if heldByInt(t.At.DType) && t.Size(0) <= math.MaxInt32 {
		key = "int"
	}
	g.macro("KEY", key)
	g.hook("INIT", []coord{{"v", v}, {"d", col}}, t.Values[0], tensor.Invalid)
	g.hook("UPDATE", []coord{{"n", n}, {"d", col}}, t.Update, tensor.Invalid)
	g.store("STORE", "INIT", t.Values[0])
	dt := t.Values[0].DType
	g.double = g.double || sums == tensor.Float64
	g.macro("VAL", regType(sums))
	ring := regType(sums)
	if !dt.IsFloat() {
		ring = ringType(dt)
	}
	g.macro("RING", ring)
	g.macro("EXACT", oneIf(longScatter(t) && sums == dt))
	return g
}

// longScatter reports whether t may add up so many floats in one place that their roundings count.
func longScatter(t *engine.Task) bool { return t.Values[0].DType.IsFloat() && t.Size(1) > shortSum }

// partSums is the dtype of the sums of t's parts: double holds those of float32 without counting the updates of
// each row, which would take as long as adding them.
func partSums(d *deviceFacts, t *engine.Task) tensor.DType {
	dt := t.Values[0].DType
	if d.fp64 && dt == tensor.Float32 && longScatter(t) && t.Size(1) <= factorsOfDouble {
		return tensor.Float64
	}
	return dt
}

// exactScatter gives the program, whose scratch so far is that of p, room for parts compensated sums of the
// output, and counts of the updates of its rows: counts times.
func exactScatter(g *gen, p *plan, t *engine.Task, sums tensor.DType, parts, counts int64) {
	if !longScatter(t) || sums != t.Values[0].DType {
		return
	}
	rows, dt := t.Size(0), t.Values[0].DType
	g.scratchArg("SEEN", len(p.scratch), "uchar")
	g.scratchArg("TOTALS", len(p.scratch)+1, regType(dt))
	p.scratch = append(p.scratch, max(counts*rows, 1), max(2*parts*rows*t.Size(2), 1)*regSize(dt))
}

// collectBytes of output are more than the nearest caches of a core hold.
const collectBytes = 1 << 20

// columnsOf is the macro for loops over columns.
func columnsOf(t *engine.Task, wide bool) string {
	if wide && t.Size(2) >= vectorLanes {
		return "WIDE"
	}
	return ""
}

func planScatter(d *deviceFacts, t *engine.Task, cpu bool) (*plan, error) {
	rows, count, cols := t.Size(0), t.Size(1), t.Size(2)
	m := kernels.ScatterAdd(rows, cols, count, cpu, d.units, d.workGroup)
	dt := t.Values[0].DType
	g := scatterProgram(d, t, dt, 2*rows*cols, int64(m.Global[0])*rows)
	g.size("VSPAN", m.Rows)
	g.size("DSPAN", m.Columns)
	p := &plan{
		params:  fmt.Sprintf("rows=%d columns=%d of %dx%d, %d updates", m.Rows, m.Columns, rows, cols, count),
		scratch: []int64{max(count, 1) * 8},
	}
	g.scratchArg("KEYS", 0, g.idx)
	collect := cpu && longScatter(t) && rows*cols*regSize(dt) > collectBytes
	g.macro("COLLECT", oneIf(collect))
	g.macro("COLUMNS", columnsOf(t, collect))
	direct := storageType(t.Outs[0].DType) == regType(dt)
	g.macro("DIRECT", oneIf(direct))
	if direct {
		g.macro("SUM(i)", "(y0_ + o_y0)[i]")
	} else {
		g.scratchArg("SUMS", 1, regType(dt))
		g.macro("SUM(i)", "SUMS[i]")
		p.scratch = append(p.scratch, rows*cols*regSize(dt))
	}
	exactScatter(g, p, t, dt, 1, int64(m.Global[0]))
	prog := g.assemble("scatter/any_add.cl")
	if count > 0 {
		wg := kernels.Group(count, d.workGroup)
		p.launches = append(p.launches, launch{
			prog: prog, kernel: "scatter_keys",
			global: grid(roundUp(count, int64(wg))), local: grid(int64(wg)),
		})
	}
	p.launches = append(p.launches, launch{prog: prog, kernel: "scatter_add", global: m.Global, local: m.Local})
	return p, nil
}

func planScatterParts(d *deviceFacts, t *engine.Task, s kernels.ScatterParts) (*plan, error) {
	rows, cols := t.Size(0), t.Size(2)
	sums := partSums(d, t)
	g := scatterProgram(d, t, sums, 2*s.Parts*rows*cols)
	g.size("NSPAN", s.Span)
	g.size("COUNT_PARTS", s.Parts)
	g.size("VSPAN", s.Rows)
	g.macro("COLUMNS", columnsOf(t, sums == tensor.Float64))
	g.scratchArg("PARTS", 0, regType(sums))
	p := &plan{
		params:  fmt.Sprintf("parts=%d of %d updates to %dx%d", s.Parts, s.Span, rows, cols),
		scratch: []int64{max(s.Parts*rows*cols, 1) * regSize(sums)},
	}
	exactScatter(g, p, t, sums, s.Parts, s.Parts)
	prog := g.assemble("scatter/cpu_parts.cl")
	p.launches = []launch{
		{prog: prog, kernel: "scatter_parts", global: grid(s.Parts), local: grid(1)},
		{prog: prog, kernel: "scatter_finish", global: grid(max(ceilDiv(rows, s.Rows), 1)), local: grid(1)},
	}
	return p, nil
}
