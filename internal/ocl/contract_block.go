package ocl

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// blockChoice is how contract/cpu_block.cl is used for one contraction.
type blockChoice struct {
	shape         kernels.PanelShape
	space         kernels.BlockSpace
	rows, panels  int64 // of a work-item: rows of A, panels of B
	depth         int64 // values of k in local memory at a time
	lots          int64 // batches of a work-item
	chunk, splits int64
	direct        bool  // A is read where it lies
	apart         bool  // columns that adjoin do not in the output
	extra         int64 // rows of a panel beside those of B
	inexact       bool  // sums have rounding errors
	carry         bool  // which are always kept
}

// chooseBlock takes the block that cycles finds cheapest.
func (c *contraction) chooseBlock() blockChoice {
	if c.bestBlock != nil {
		return *c.bestBlock
	}
	p := c.anyBlock()
	mr, nr := int64(p.shape.Rows), int64(p.shape.Columns())
	tiles, panels := ceilDiv(c.m, mr), ceilDiv(c.n, nr)
	least, best := int64(math.MaxInt64), p
	for splits := int64(1); splits == 1 || c.k/splits >= 512 && splits*c.b*c.m*c.n*c.accSize <= packBytes; splits *= 2 {
		p.split(c, splits)
		if q, t := p.cheapest(c); t < least {
			least, best = t, q
		}
		if ceilDiv(tiles*panels*c.b, 4*int64(c.dev.units)) > splits {
			break
		}
	}
	// Several small products a work-item, as long as a core that begins late finds some left.
	const small = 32_000
	units := int64(c.dev.units)
	for p = best; c.b/(2*p.lots) >= 8*units && 2*p.lots*least/ceilDiv(c.b, units) <= small; {
		p.lots *= 2
	}
	best.lots = p.lots
	c.bestBlock, c.blockCost = &best, least
	return best
}

// cheapest is p with the rows, panels and depth for which cycles, which it returns too, are least.
func (p blockChoice) cheapest(c *contraction) (best blockChoice, least int64) {
	least, best = math.MaxInt64, p
	mr := int64(p.shape.Rows)
	tiles, panels := ceilDiv(c.m, mr), ceilDiv(c.n, int64(p.shape.Columns()))
	for part := int64(1); part <= 8; part *= 2 {
		p.depth = ceilDiv(p.chunk, ceilDiv(p.chunk, max(int64(p.space.Depth(p.shape))/part, 1)))
		for across := range shares(panels) {
			for down := range shares(tiles) {
				p.panels, p.rows = ceilDiv(panels, across), ceilDiv(tiles, down)*mr
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

// anyBlock is what all blocks have in common.
func (c *contraction) anyBlock() blockChoice {
	p := blockChoice{shape: c.panelShape(), direct: c.a.alongK() && c.a.dtype == c.acc, apart: c.out != nil && c.columnsApart(), lots: 1, inexact: c.acc.IsFloat()}
	if c.unit != nil {
		p.direct = c.a.alongK() && !c.a.flip && !c.partly
		p.extra = int64(oneIf(c.flips))
	}
	p.space = kernels.Block(c.dev.localMem, int(c.accSize), p.direct)
	return p
}

// blockLegal reports whether local memory holds the smallest block.
func (c *contraction) blockLegal() bool {
	p := c.anyBlock()
	p.rows, p.panels, p.depth, p.chunk = int64(p.shape.Rows), 1, 1, c.k
	return p.space.Depth(p.shape) > 0 && p.fits()
}

// fits reports whether the block keeps to its local memory.
func (p blockChoice) fits() bool {
	columns := p.panels * int64(p.shape.Columns())
	return (p.depth+p.extra)*columns <= int64(p.space.B) && (p.direct || p.depth*int64(p.shape.Rows) <= int64(p.space.A)) &&
		(p.depth == p.chunk || p.rows*columns*int64(1+oneIf(p.rests())) <= int64(p.space.Sum))
}

// rests reports whether the rounding errors of sums of steps are kept beside them.
func (p blockChoice) rests() bool { return p.carry || p.inexact && p.chunk > manySteps*p.depth }

// manySteps is how many steps of depth are added up without.
const manySteps = 32

// sums is how those of the terms in local memory are taken: they are too few for totals.
func (p blockChoice) sums(c *contraction) sumBlocks {
	s := c.sums(p.depth)
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

// cycles estimates how long the busiest core computes, if that may be less than bound, with what was measured on
// one that does two multiply-adds of vectors a cycle. Panels of B come from
// afar, a piece of each row at a time, and nothing is computed meanwhile; rows of
// A in place come while something is.
func (p blockChoice) cycles(c *contraction, bound int64) int64 {
	const along, alongFar, copyA, across, gather, keep, begin, launch = 8, 16, 7, 16, 40, 80, 500, 30_000
	const torn, shared, apart = 80, 40, 300 // a line of the output of which another core writes the rest, or the next one; a tile whose columns lie apart there
	rows, columns := int64(p.shape.Rows), int64(p.shape.Columns())
	tiles := ceilDiv(min(p.rows, c.m), rows)
	panels := ceilDiv(min(p.panels*columns, c.n), columns)
	packA, packB := int64(gather), int64(gather)
	switch {
	case p.direct && c.m*c.k*c.accSize > packBytes:
		packA = 2
	case p.direct:
		packA = 0
	case c.a.alongK(), c.adjoin(c.a, aRow):
		packA = copyA
	}
	switch {
	case c.bb.alongK():
		packB = across
	case c.columnsAdjoin() && c.n*c.k*c.accSize > 1<<20: // more than the cache of a core
		packB = alongFar
	case c.columnsAdjoin():
		packB = along
	}
	// Stores are on their way while the next tiles are computed.
	meets, stored := int64(0), int64(keep)
	if p.bordersCores(c) {
		line := int64(shared)
		if c.n*c.accSize%lineBytes > 0 {
			line = torn
		}
		meets = max(rows*line-p.chunk*panels*rows*int64(p.shape.Vectors)/16, 0)
	}
	if p.apart {
		stored += apart
	}
	item := func(tiles, halves int64) int64 { // of panels
		panels := ceilDiv(halves, 2)
		each := p.chunk * (tiles*halves*rows*int64(p.shape.Vectors)/4 + panels*packB + tiles*packA)
		each += tiles * (panels*(ceilDiv(p.chunk, p.depth)*keep+stored) + meets)
		return each*p.lots + begin
	}
	allTiles, allHalves := ceilDiv(c.m, rows), 2*ceilDiv(c.n, columns)
	if left := c.n % columns; p.shape.Vectors > 1 && left > 0 && left <= columns/2 {
		allHalves--
	}
	below, beside, lots := allTiles/tiles, allHalves/(2*panels), ceilDiv(c.b, p.lots)*p.splits
	restTiles, restHalves := allTiles%tiles, allHalves%(2*panels)
	// The last items in a direction may be smaller, which fills up what else were uneven.
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
	if total /= int64(c.dev.units); total < bound {
		units := busyUnits(int64(c.dev.units))
		for _, i := range items {
			units.add(i.n, i.each)
		}
		total = units.end()
	}
	if p.splits > 1 {
		total += launch + p.splits*c.b*c.m*c.n/int64(2*c.dev.units)
	}
	return total
}

// bordersCores reports whether work-items of different cores store to the same rows of the output, next to each other.
func (p blockChoice) bordersCores(c *contraction) bool {
	beside := ceilDiv(c.n, p.panels*int64(p.shape.Columns()))
	return beside > 1 && beside < 4*int64(c.dev.units)
}

// split divides k into about want chunks.
func (p *blockChoice) split(c *contraction, want int64) {
	p.chunk, p.splits = c.chunks(want, 1)
}

func (p blockChoice) String() string {
	s := fmt.Sprintf("%dx%d of %dx%d depth %d", p.rows, p.panels*int64(p.shape.Columns()), p.shape.Rows, p.shape.Columns(), p.depth)
	if p.lots > 1 {
		s += fmt.Sprintf(" lots %d", p.lots)
	}
	return s + splitText(p.splits)
}

func (c *contraction) planBlock(p blockChoice) (*plan, error) {
	g := c.program(true, true, p.splits == 1)
	lanes := p.shape.Lanes
	p.macros(g, c)
	g.macro("ROWS_ADJOIN", oneIf(c.rowsAdjoin()))
	p.sums(c).macros(g)
	sum := 0
	if p.chunk > p.depth {
		sum = p.space.Sum
	}
	g.macro("SPACE_SUM", sum)
	g.macro("RESTS", oneIf(p.rests()))

	alongM := c.adjoin(c.a, aRow) && p.rowsAreVector()
	g.macro("A_DIRECT", oneIf(p.direct))
	g.macro("A_ALONG_K", oneIf(c.a.alongK()))
	g.macro("A_ALONG_M", oneIf(!c.a.alongK() && alongM))
	switch {
	case c.a.alongK():
		c.vectors(g, "A", "A_ROW", c.a, aBatch, aRow, lanes)
	case alongM:
		c.pointer(g, "A", c.a)
		c.loads(g, "A", c.a, p.shape.Rows)
		g.macro("MSTORE", fmt.Sprintf("vstore%d", p.shape.Rows))
		g.hook("A_COLUMN", []coord{{"b", c.axes(aBatch)}, {"k", c.axes(aSum)}}, c.part(c.a, true, aBatch, aSum), tensor.Invalid)
		fallthrough
	default:
		c.hookA(g)
	}
	g.macro("B_ALONG_K", oneIf(c.bb.alongK()))
	files := []string{"lib/block_sums.cl", "contract/cpu_block.cl"}
	g.macro("B_ALONG_N", oneIf(!c.bb.alongK() && c.columnsAdjoin()))
	switch {
	case c.bb.alongK():
		files = []string{"lib/cpu_transpose.cl", "lib/block_sums.cl", "contract/cpu_block.cl"}
		c.vectors(g, "B", "B_COLUMN", c.bb, bBatch, bColumn, lanes)
	case c.columnsAdjoin():
		c.pointer(g, "B", c.bb)
		c.loads(g, "B", c.bb, lanes)
		g.hook("B_ROW", []coord{{"b", c.axes(bBatch)}, {"k", c.axes(bSum)}}, c.part(c.bb, true, bBatch, bSum), tensor.Invalid)
	}
	if c.a.alongK() && c.unit != nil { // the last word may not be whole
		c.hookA(g)
	}
	c.hookB(g)
	c.vectorOut(g, lanes, p.splits, "s")
	c.extents(g)
	g.size("ROWS", p.rows)
	g.size("GROUP", p.group())
	g.size("PANELS", p.panels)
	g.size("DEPTH", p.depth)
	g.size("LOTS", p.lots)
	out := &plan{params: p.String()}
	c.fold(g, out, p.splits, p.chunk)
	columns := p.panels * int64(p.shape.Columns())
	out.launches = append([]launch{{
		prog: g.assemble(files...), kernel: "contract_block", local: [3]int{1, 1, 1},
		global: grid(ceilDiv(c.n, columns), ceilDiv(c.m, p.rows), ceilDiv(c.b, p.lots)*p.splits),
	}}, out.launches...)
	return out, nil
}

// macros defines the shape of p.
func (p blockChoice) macros(g *gen, c *contraction) {
	lanes := p.shape.Lanes
	g.macro("MR", p.shape.Rows)
	g.macro("NV", p.shape.Vectors)
	g.macro("VL", lanes)
	g.macro("NR", p.shape.Columns())
	g.macro("VT", fmt.Sprintf("%s%d", c.accC, lanes))
	g.macro("VSTORE", fmt.Sprintf("vstore%d", lanes))
	g.macro("SPACE_A", p.space.A)
	g.macro("SPACE_B", p.space.B)
}

// rowsAreVector reports whether OpenCL C has vectors of as many elements as p has rows.
func (p blockChoice) rowsAreVector() bool {
	return p.shape.Rows > 1 && p.shape.Rows&(p.shape.Rows-1) == 0
}

// group is how many rows of A are copied at a time.
func (p blockChoice) group() int64 {
	if p.direct {
		return p.rows
	}
	return int64(p.space.A) / p.depth / int64(p.shape.Rows) * int64(p.shape.Rows)
}

// adjoin reports whether neighbours along the axes of group are neighbours in memory.
func (c *contraction) adjoin(l operandLoad, group int) bool {
	axes := c.axes(group)
	return l.plain && len(axes) == 1 && l.coef[axes[0]] == 1
}

// vectorOut defines, where sums or what is computed from them are stored side by
// side, OUT_VECTOR(b, m, n, x), which does so with a vector of lanes sums from
// column n on, and reports whether it has. Where there are several splits, split is
// the number of one.
func (c *contraction) vectorOut(g *gen, lanes int, splits int64, split string) bool {
	if splits > 1 {
		g.macro("OUT_VECTOR(b, m, n, x)", "*(__global VT_ANYWHERE *)(PART + (((size_t)("+split+") * BATCHES + (b)) * M + (m)) * N + (n)) = (x)")
		return true
	}
	v, columns, out := c.task.Values[0], c.axes(outColumn), c.task.Outs[0]
	coef, affine := c.out.Addr.Affine(len(c.task.Axes))
	if v.DType != c.acc || out.DType != c.acc || out.DType.Size() != int(c.accSize) || !affine || len(columns) != 1 || coef[columns[0]] != 1 {
		return false
	}
	x := "(x)"
	if v.Op != engine.OpAcc {
		at := []coord{{"b", c.axes(outBatch)}, {"m", c.axes(outRow)}, {"n", columns}}
		if lanes != vectorLanes || !c.acc.IsFloat() || !g.vectorOfSums("EPILOGUES", at, columns[0], v, c.acc, c.acc, 0) {
			return false
		}
		x = "EPILOGUES(b, m, n, x)"
	}
	g.putVector("VT", "VT_ANYWHERE", lanes, slices.Delete(slices.Clone(coef), columns[0], columns[0]+1)...)
	g.macro("OUT_VECTOR(b, m, n, x)", fmt.Sprintf("PUT_VECTOR(%s, (%s) + OUT_AT(b, m, n))", x, g.pointer(len(c.task.Ins))))
	return true
}

// rowsOut defines OUT_ROWS(b, m, n, s), which stores what is computed from the sums s of so many rows from
// m on side by side, where rows are neighbours in the output but at ends of runs. Their positions then grow from
// row to row, so that the first and the last tell whether all between adjoin.
func (c *contraction) rowsOut(g *gen, rows int) {
	v, out := c.task.Values[0], c.task.Outs[0]
	if v.DType != c.acc || out.DType != c.acc || out.DType.Size() != int(c.accSize) || !c.rowsGrow() {
		return
	}
	sums := "const ACC *s_ = (s);"
	if v.Op != engine.OpAcc {
		sums = "ACC s_[MR] LINES; for (int i_ = 0; i_ < MR; i_++) s_[i_] = EPILOGUE(b, (m) + i_, n, (s)[i_]);"
	}
	g.macro("ROWS_OUT", fmt.Sprintf("%s%d", c.accC, rows))
	g.macro("OUT_ROWS(b, m, n, s)", fmt.Sprintf("do { %s *(__global ROWS_ANYWHERE *)(%s + OUT_AT(b, m, n)) = *(const ROWS_ANYWHERE *)s_; } while (0)",
		sums, g.pointer(len(c.task.Ins))))
}

// rowsGrow reports whether the positions of rows in the output grow from one to the next, mostly by 1.
func (c *contraction) rowsGrow() bool {
	coef, affine := c.out.Addr.Affine(len(c.task.Axes))
	if !affine || !c.rowsAdjoin() {
		return false
	}
	end := int64(1)
	for _, axis := range slices.Backward(c.axes(outRow)) {
		if coef[axis] < end {
			return false
		}
		end = coef[axis] * int64(c.task.Axes[axis])
	}
	return true
}
