package contract

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// BlockChoice is how contract/cpu_block.cl is used for one contraction.
type BlockChoice struct {
	Shape         kernels.PanelShape
	space         kernels.BlockSpace
	rows, panels  int64 // of a work-item: rows of A, panels of B
	Depth         int64 // values of k in local memory at a time
	Lots          int64 // batches of a work-item
	Chunk, splits int64
	most          int64 // panels of a work-item, 0: as many as fit
	direct        bool  // A is read where it lies
	apart         bool  // columns that adjoin do not in the output
	extra         int64 // rows of a panel beside those of B
	inexact       bool  // sums have rounding errors
	carry         bool  // which are always kept
}

// ChooseBlock takes the block that cycles finds cheapest.
func (c *Contraction) ChooseBlock() BlockChoice {
	if c.bestBlock != nil {
		return *c.bestBlock
	}
	p := c.anyBlock()
	mr, nr := int64(p.Shape.Rows), int64(p.Shape.Columns())
	tiles, panels := variant.CeilDiv(c.m, mr), variant.CeilDiv(c.n, nr)
	least, best := int64(math.MaxInt64), p
	for splits := int64(1); splits == 1 || c.K/splits >= 512 && splits*c.Batches*c.m*c.n*c.AccSize <= PackBytes; splits *= 2 {
		p.Split(c, splits)
		if q, t := p.cheapest(c); t < least {
			least, best = t, q
		}
		if variant.CeilDiv(tiles*panels*c.Batches, 4*int64(c.Device.Units)) > splits {
			break
		}
	}
	// Several small products a work-item, as long as a core that begins late finds some left.
	const small = 32_000
	units := int64(c.Device.Units)
	for p = best; c.Batches/(2*p.Lots) >= 8*units && 2*p.Lots*least/variant.CeilDiv(c.Batches, units) <= small; {
		p.Lots *= 2
	}
	best.Lots = p.Lots
	c.bestBlock, c.blockCost = &best, least
	return best
}

// cheapest is p with the rows, panels and depth for which cycles, which it returns too, are least.
func (p BlockChoice) cheapest(c *Contraction) (best BlockChoice, least int64) {
	least, best = math.MaxInt64, p
	mr := int64(p.Shape.Rows)
	tiles, panels := variant.CeilDiv(c.m, mr), variant.CeilDiv(c.n, int64(p.Shape.Columns()))
	for part := int64(1); part <= 8; part *= 2 {
		p.Depth = variant.CeilDiv(p.Chunk, variant.CeilDiv(p.Chunk, max(int64(p.space.Depth(p.Shape))/part, 1)))
		for across := range shares(panels) {
			for down := range shares(tiles) {
				p.panels, p.rows = variant.CeilDiv(panels, across), variant.CeilDiv(tiles, down)*mr
				if !p.fits() {
					continue
				}
				if t := p.cycles(c, least); t < least {
					least, best = t, p
				}
			}
		}
	}
	return best, least
}

// anyBlock has the fields that are the same for all blocks.
func (c *Contraction) anyBlock() BlockChoice {
	p := BlockChoice{Shape: c.panelShape(), direct: c.A.AlongK() && c.A.DType == c.Acc, apart: c.out != nil && c.columnsApart(), Lots: 1,
		inexact: c.Acc.IsFloat()}
	if c.unit != nil {
		p.direct = c.A.AlongK() && !c.A.flip && !c.partly
		p.extra = int64(codegen.OneIf(c.flips))
	}
	p.space = kernels.Block(c.Device.LocalMem, int(c.AccSize), p.direct)
	return p
}

// blockLegal reports whether local memory holds the smallest block.
func (c *Contraction) blockLegal() bool {
	p := c.anyBlock()
	p.rows, p.panels, p.Depth, p.Chunk = int64(p.Shape.Rows), 1, 1, c.K
	return p.space.Depth(p.Shape) > 0 && p.fits()
}

// fits reports whether the block keeps to its local memory.
func (p BlockChoice) fits() bool {
	columns := p.panels * int64(p.Shape.Columns())
	return (p.most == 0 || p.panels <= p.most) && (p.Depth+p.extra)*columns <= int64(p.space.B) &&
		(p.direct || p.Depth*int64(p.Shape.Rows) <= int64(p.space.A)) &&
		(p.Depth == p.Chunk || p.rows*columns*int64(1+codegen.OneIf(p.compensates())) <= int64(p.space.Sum))
}

// compensates reports whether the rounding errors of sums of steps are kept beside them.
func (p BlockChoice) compensates() bool { return p.carry || p.inexact && p.Chunk > manySteps*p.Depth }

// manySteps is how many steps of depth are added up without.
const manySteps = 32

// sums says how the terms in local memory are summed: they are too few for totals.
func (p BlockChoice) sums(c *Contraction) sumBlocks {
	s := c.sums(p.Depth)
	s.levels = min(s.levels, 1)
	return s
}

// shares are numbers of parts into which n things are divided: the small ones,
// then in steps of a quarter, and n.
func shares(n int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for d := int64(1); d < n; d += max(1, d/4) {
			if !yield(d) {
				return
			}
		}
		yield(n)
	}
}

// cycles estimates how long the busiest core computes, if that may be less than bound, with constants measured
// on one that does two multiply-adds of vectors a cycle. Panels of B come from afar, a piece of each row at a
// time, and nothing is computed meanwhile; rows of A in place come while something is.
func (p BlockChoice) cycles(c *Contraction, bound int64) int64 {
	const along, alongFar, copyA, across, gather, keep, begin, launch = 8, 16, 7, 16, 40, 80, 500, 30_000
	// a line of the output of which another core writes the rest, or the next one; a tile whose columns lie apart there
	const torn, shared, apart = 80, 40, 300
	rows, columns := int64(p.Shape.Rows), int64(p.Shape.Columns())
	tiles := variant.CeilDiv(min(p.rows, c.m), rows)
	panels := variant.CeilDiv(min(p.panels*columns, c.n), columns)
	packA, packB := int64(gather), int64(gather)
	switch {
	case p.direct && c.m*c.K*c.AccSize > PackBytes:
		packA = 2
	case p.direct:
		packA = 0
	case c.A.AlongK(), c.adjoin(c.A, aRow):
		packA = copyA
	}
	switch {
	case c.bb.AlongK():
		packB = across
	case c.columnsAdjoin() && c.n*c.K*c.AccSize > 1<<20: // more than the cache of a core
		packB = alongFar
	case c.columnsAdjoin():
		packB = along
	}
	// Stores are on their way while the next tiles are computed.
	meets, stored := int64(0), int64(keep)
	if p.bordersCores(c) {
		line := int64(shared)
		if c.n*c.AccSize%facts.LineBytes > 0 {
			line = torn
		}
		meets = max(rows*line-p.Chunk*panels*rows*int64(p.Shape.Vectors)/16, 0)
	}
	if p.apart {
		stored += apart
	}
	item := func(tiles, halves int64) int64 { // of panels
		panels := variant.CeilDiv(halves, 2)
		each := p.Chunk * (tiles*halves*rows*int64(p.Shape.Vectors)/4 + panels*packB + tiles*packA)
		each += tiles * (panels*(variant.CeilDiv(p.Chunk, p.Depth)*keep+stored) + meets)
		return each*p.Lots + begin
	}
	allTiles, allHalves := variant.CeilDiv(c.m, rows), 2*variant.CeilDiv(c.n, columns)
	if left := c.n % columns; p.Shape.Vectors > 1 && left > 0 && left <= columns/2 {
		allHalves--
	}
	below, beside, lots := allTiles/tiles, allHalves/(2*panels), variant.CeilDiv(c.Batches, p.Lots)*p.splits
	restTiles, restHalves := allTiles%tiles, allHalves%(2*panels)
	// The last items in a direction may be smaller, which balances an uneven division.
	items := [...]struct{ n, each int64 }{
		{below * beside * lots, item(tiles, 2*panels)},
		{beside * lots * min(restTiles, 1), item(restTiles, 2*panels)},
		{below * lots * min(restHalves, 1), item(tiles, restHalves)},
		{lots * min(restTiles, 1) * min(restHalves, 1), item(restTiles, restHalves)},
	}
	total := int64(0)
	for _, i := range items {
		total += i.n * i.each
	}
	if total /= int64(c.Device.Units); total < bound {
		units := newMakespan(int64(c.Device.Units))
		for _, i := range items {
			units.add(i.n, i.each)
		}
		total = units.end()
	}
	if p.splits > 1 {
		total += launch + p.splits*c.Batches*c.m*c.n/int64(2*c.Device.Units)
	}
	return total
}

// bordersCores reports whether work-items of different cores store to the same rows of the output, next to each other.
func (p BlockChoice) bordersCores(c *Contraction) bool {
	beside := variant.CeilDiv(c.n, p.panels*int64(p.Shape.Columns()))
	return beside > 1 && beside < 4*int64(c.Device.Units)
}

// Split divides k into about want chunks.
func (p *BlockChoice) Split(c *Contraction, want int64) {
	p.Chunk, p.splits = c.chunks(want, 1)
}

func (p BlockChoice) String() string {
	s := fmt.Sprintf("%dx%d of %dx%d depth %d", p.rows, p.panels*int64(p.Shape.Columns()), p.Shape.Rows, p.Shape.Columns(), p.Depth)
	if p.Lots > 1 {
		s += fmt.Sprintf(" lots %d", p.Lots)
	}
	return s + splitText(p.splits)
}

func (c *Contraction) PlanBlock(p BlockChoice) (*variant.Plan, error) {
	g := c.program(true, true, p.splits == 1)
	lanes := p.Shape.Lanes
	p.macros(g, c)
	g.Macro("ROWS_ADJOIN", codegen.OneIf(c.rowsAdjoin()))
	p.sums(c).macros(g)
	sum := 0
	if p.Chunk > p.Depth {
		sum = p.space.Sum
	}
	g.Macro("SPACE_SUM", sum)
	g.Macro("RESTS", codegen.OneIf(p.compensates()))

	alongM := c.adjoin(c.A, aRow) && p.rowsAreVector()
	g.Macro("A_DIRECT", codegen.OneIf(p.direct))
	g.Macro("A_ALONG_K", codegen.OneIf(c.A.AlongK()))
	g.Macro("A_ALONG_M", codegen.OneIf(!c.A.AlongK() && alongM))
	switch {
	case c.A.AlongK():
		c.vectors(g, "A", "A_ROW", c.A, aBatch, aRow, lanes)
	case alongM:
		c.Pointer(g, "A", c.A)
		c.loads(g, "A", c.A, p.Shape.Rows)
		g.Macro("MSTORE", fmt.Sprintf("vstore%d", p.Shape.Rows))
		g.Hook("A_COLUMN", []codegen.Coord{{Name: "b", Axes: c.Axes(aBatch)}, {Name: "k", Axes: c.Axes(aSum)}}, c.Part(c.A, true, aBatch, aSum),
			tensor.Invalid)
		fallthrough
	default:
		c.hookA(g)
	}
	g.Macro("B_ALONG_K", codegen.OneIf(c.bb.AlongK()))
	files := []string{"lib/block_sums.cl", "contract/cpu_block.cl"}
	g.Macro("B_ALONG_N", codegen.OneIf(!c.bb.AlongK() && c.columnsAdjoin()))
	switch {
	case c.bb.AlongK():
		files = []string{"lib/cpu_transpose.cl", "lib/block_sums.cl", "contract/cpu_block.cl"}
		c.vectors(g, "B", "B_COLUMN", c.bb, bBatch, bColumn, lanes)
	case c.columnsAdjoin():
		c.Pointer(g, "B", c.bb)
		c.loads(g, "B", c.bb, lanes)
		g.Hook("B_ROW", []codegen.Coord{{Name: "b", Axes: c.Axes(bBatch)}, {Name: "k", Axes: c.Axes(bSum)}}, c.Part(c.bb, true, bBatch, bSum),
			tensor.Invalid)
	}
	if c.A.AlongK() && c.unit != nil { // the last word may not be whole
		c.hookA(g)
	}
	c.hookB(g)
	c.vectorOut(g, lanes, p.splits, "s")
	c.extents(g)
	g.Size("ROWS", p.rows)
	g.Size("GROUP", p.group())
	g.Size("PANELS", p.panels)
	g.Size("DEPTH", p.Depth)
	g.Size("LOTS", p.Lots)
	out := &variant.Plan{Params: p.String()}
	c.fold(g, out, p.splits, p.Chunk)
	columns := p.panels * int64(p.Shape.Columns())
	out.Launches = append([]variant.Launch{{
		Program: g.Assemble(files...), Kernel: "contract_block", Local: [3]int{1, 1, 1},
		Global: variant.Grid(variant.CeilDiv(c.n, columns), variant.CeilDiv(c.m, p.rows), variant.CeilDiv(c.Batches, p.Lots)*p.splits),
	}}, out.Launches...)
	return out, nil
}

// macros defines the shape of p.
func (p BlockChoice) macros(g *codegen.Builder, c *Contraction) {
	lanes := p.Shape.Lanes
	g.Macro("MR", p.Shape.Rows)
	g.Macro("NV", p.Shape.Vectors)
	g.Macro("VL", lanes)
	g.Macro("NR", p.Shape.Columns())
	g.Macro("VT", fmt.Sprintf("%s%d", c.AccType, lanes))
	g.Macro("VSTORE", fmt.Sprintf("vstore%d", lanes))
	g.Macro("SPACE_A", p.space.A)
	g.Macro("SPACE_B", p.space.B)
}

// rowsAreVector reports whether OpenCL C has vectors of as many elements as p has rows.
func (p BlockChoice) rowsAreVector() bool {
	return p.Shape.Rows > 1 && p.Shape.Rows&(p.Shape.Rows-1) == 0
}

// group is how many rows of A are copied at a time.
func (p BlockChoice) group() int64 {
	if p.direct {
		return p.rows
	}
	return int64(p.space.A) / p.Depth / int64(p.Shape.Rows) * int64(p.Shape.Rows)
}

// adjoin reports whether neighbours along the axes of group are neighbours in memory.
func (c *Contraction) adjoin(l OperandLoad, group int) bool {
	axes := c.Axes(group)
	return l.Plain && len(axes) == 1 && l.Coef[axes[0]] == 1
}

// vectorOut defines, where sums or what is computed from them are stored side by
// side, OUT_VECTOR(b, m, n, x), which does so with a vector of lanes sums from
// column n on, and reports whether it has. Where there are several splits, split is
// the number of one.
func (c *Contraction) vectorOut(g *codegen.Builder, lanes int, splits int64, split string) bool {
	if splits > 1 {
		g.Macro("OUT_VECTOR(b, m, n, x)", "*(__global VT_ANYWHERE *)(PART + (((size_t)("+split+") * BATCHES + (b)) * M + (m)) * N + (n)) = (x)")
		return true
	}
	v, columns, out := c.Task.Values[0], c.Axes(outColumn), c.Task.Outs[0]
	coef, affine := c.out.Addr.Affine(len(c.Task.Axes))
	if v.DType != c.Acc || out.DType != c.Acc || out.DType.Size() != int(c.AccSize) || !affine || len(columns) != 1 || coef[columns[0]] != 1 {
		return false
	}
	x := "(x)"
	if v.Op != engine.OpAcc {
		at := []codegen.Coord{{Name: "b", Axes: c.Axes(outBatch)}, {Name: "m", Axes: c.Axes(outRow)}, {Name: "n", Axes: columns}}
		if lanes < 8 || !c.Acc.IsFloat() || !g.VectorOfSums("EPILOGUES", at, columns[0], lanes, v, c.Acc, c.Acc, 0) {
			return false
		}
		x = "EPILOGUES(b, m, n, x)"
	}
	g.PutVector("VT", "VT_ANYWHERE", lanes, slices.Delete(slices.Clone(coef), columns[0], columns[0]+1)...)
	g.Macro("OUT_VECTOR(b, m, n, x)", fmt.Sprintf("PUT_VECTOR(%s, (%s) + OUT_AT(b, m, n))", x, g.Pointer(len(c.Task.Ins))))
	return true
}

// rowsOut defines OUT_ROWS(b, m, n, s), which stores what is computed from the sums s of the given number of rows from
// m on side by side, where rows are neighbours in the output but at ends of runs. Their positions then grow from
// row to row, so that the first and the last tell whether all between adjoin.
func (c *Contraction) rowsOut(g *codegen.Builder, rows int) {
	v, out := c.Task.Values[0], c.Task.Outs[0]
	if v.DType != c.Acc || out.DType != c.Acc || out.DType.Size() != int(c.AccSize) || !c.rowsGrow() {
		return
	}
	sums := "const ACC *s_ = (s);"
	if v.Op != engine.OpAcc {
		sums = "ACC s_[MR] LINES; for (int i_ = 0; i_ < MR; i_++) s_[i_] = EPILOGUE(b, (m) + i_, n, (s)[i_]);"
	}
	g.Macro("ROWS_OUT", fmt.Sprintf("%s%d", c.AccType, rows))
	g.Macro("OUT_ROWS(b, m, n, s)", fmt.Sprintf("do { %s *(__global ROWS_ANYWHERE *)(%s + OUT_AT(b, m, n)) = *(const ROWS_ANYWHERE *)s_; } while (0)",
		sums, g.Pointer(len(c.Task.Ins))))
}

// rowsGrow reports whether the positions of rows in the output grow from one to the next, mostly by 1.
func (c *Contraction) rowsGrow() bool {
	coef, affine := c.out.Addr.Affine(len(c.Task.Axes))
	if !affine || !c.rowsAdjoin() {
		return false
	}
	end := int64(1)
	for _, axis := range slices.Backward(c.Axes(outRow)) {
		if coef[axis] < end {
			return false
		}
		end = coef[axis] * int64(c.Task.Axes[axis])
	}
	return true
}
