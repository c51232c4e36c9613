package routine

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
)

// rows tells items of several elements apart: their places are sorted by merging, which compares whole items, and are
// then numbered as sorted elements are.
func (u *uniqueTask) rows() (*variant.Plan, error) {
	g := codegen.New(u.dev, u.task, variant.RoundUp(max(u.Count*u.Width, 2*u.Count), 256))
	writeInput(g, false)
	g.ScratchArg("A", 0, "uint")
	g.ScratchArg("B", 1, "uint")
	g.ScratchArg("FIRST", 2, "uint")
	n := 4 * u.Count
	p := &variant.Plan{Params: fmt.Sprintf("%d rows of %d", u.Count, u.Width), Scratch: []int64{n, n, n}}
	g.Macro("VALUES(i, b)", "((void)0)") // by unique_rows
	g.Macro("POSITIONS(i, p)", "(FIRST[i] = (uint)(p), "+ifRead(u.task, 1, g.Start(2, "long")+"[i] = (long)(p)")+")")
	g.Macro("RANK_EMIT(i, key, p, base)", "POSITIONS(i, p)")
	g.Macro("ROW_AT(i, b)", ifRead(u.task, 0, g.Start(1, codegen.BitType(u.task.Ins[0].DType))+"[i] = (b)"))
	u.numbered(g)
	g.Size("WIDTH", u.Width)
	g.Size("RUN", 1)
	g.Size("TURN", 0)
	numbers := u.numbers(p, g)
	prog := g.Assemble("rank/any_keys.cl", "unique/any_order.cl", "unique/any_items.cl", "unique/any_rows.cl")
	wg := int64(kernels.Group(max(u.Count, u.Width), u.dev.WorkGroup))
	turn := int64(0)
	each := func(kernel string, items, run int64) {
		p.Launches = append(p.Launches, variant.Launch{
			Program: prog, Kernel: kernel, Global: variant.Grid(variant.RoundUp(items, wg)), Local: variant.Grid(wg),
			Sizes: map[string]int64{"RUN": run, "TURN": turn},
		})
	}
	// One at least, which writes the places.
	for k := range max(1, bits.Len64(uint64(u.Count-1))) {
		each("unique_merge", u.Count, 1<<k)
		turn = 1 - turn
	}
	each("unique_rows_heads", u.Count, 1)
	u.sumRows(p, numbers, "NUMBERS")
	each("unique_starts", u.Count, 1)
	if !u.Sorted {
		u.sumRows(p, numbers+2, "MARKS")
	}
	each("unique_give", u.Count, 1)
	if u.Width > 0 && u.task.Reads(0) {
		each("unique_rows", u.Count*u.Width, 1)
	}
	return p, nil
}

// numbers passes the buffers that unique/any_items.cl keeps, and is the first of them.
func (u *uniqueTask) numbers(p *variant.Plan, g *codegen.Builder) (first int) {
	first = len(p.Scratch)
	names := []string{"NUMBERS", "STARTS", "MARKS"}
	if u.Sorted {
		names = names[:2]
	}
	for _, name := range names {
		g.ScratchArg(name, len(p.Scratch), "uint")
		p.Scratch = append(p.Scratch, 4*max(u.Count, 1))
	}
	return first
}

// sumRows adds launches that make a buffer running sums of itself.
func (u *uniqueTask) sumRows(p *variant.Plan, buffer int, name string) {
	g := codegen.New(u.dev, u.task, variant.RoundUp(u.Count, 256))
	g.ScratchArg(name, buffer, "uint")
	take, put := name+"[i]", name+"[i] = (v)"
	if u.dev.CPU {
		addColumnScan(p, g, u.Count, take, put)
		return
	}
	addScan(p, g, 1, u.Count, false, take, put)
}

// rowsCost is the cost of n rows of some width, of elements of size bytes: a search for each item and run, and comparisons
// that mostly end at the first elements.
func rowsCost(n, width, size float64) variant.AlgorithmCost {
	passes := math.Log2(n + 1)
	return variant.AlgorithmCost{
		Nanoseconds: n * (15*passes*passes + 4*width + 30), Parts: max(1, n/(1<<10)),
		Bytes: n * (8*passes*passes + 3*size*width + 40), Launches: passes + 5,
	}
}
