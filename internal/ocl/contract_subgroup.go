package ocl

import (
	"fmt"

	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// subgroupChoice is how contract/gpu_subgroup.cl is used for one contraction.
type subgroupChoice struct {
	shape         kernels.SubgroupShape
	chunk, splits int64
}

// subgroupLegal reports whether a sub-group, or the group that stands in for one,
// fits the device.
func (c *contraction) subgroupLegal() bool { return c.subgroupLanes() <= c.dev.workGroup }

// subgroupLanes are those of the device's sub-groups, or of what stands in for them.
func (c *contraction) subgroupLanes() int {
	if c.dev.lanes > 0 {
		return c.dev.lanes
	}
	return 8
}

// subgroupFits reports whether a device's own sub-groups find whole tiles.
func (c *contraction) subgroupFits() bool {
	return c.dev.lanes > 0 && c.subgroupLegal() && c.n >= int64(c.dev.lanes)
}

// chooseSubgroup fills the device: with smaller tiles first, then by splitting k.
func (c *contraction) chooseSubgroup() subgroupChoice {
	s := kernels.Subgroup(c.m, c.n, c.b, c.dev.units, c.dev.workGroup, c.subgroupLanes(), c.subgroupRows(), !c.byK(c.a, aRow), c.dev.lanes == 0)
	t := subgroupChoice{shape: s}
	want := int64(1)
	tiles := ceilDiv(c.m, int64(s.Rows)) * ceilDiv(c.n, int64(s.Columns())) * c.b
	if enough := int64(4 * c.dev.units); tiles < enough && !c.dev.cpu {
		want = max(1, min(ceilDiv(enough, tiles), c.k/256, 1024))
	}
	t.split(c, want)
	return t
}

// subgroupRows is how many rows leave a lane registers for addresses, and for what
// widening takes: IGC 2.40 spills beyond, on tgllp, dg2, pvc or bmg.
func (c *contraction) subgroupRows() int {
	_, nearA := c.subgroupA(kernels.SubgroupShape{Rows: 16, K: 16, Lanes: c.subgroupLanes()})
	_, nearB := c.subgroupB()
	switch {
	case nearA == 0 || !nearB:
		return 8
	case c.a.dtype != c.acc || c.bb.dtype != c.acc:
		return 16
	}
	return 24
}

// split divides k into about want chunks of whole steps.
func (t *subgroupChoice) split(c *contraction, want int64) {
	t.chunk, t.splits = c.chunks(want, int64(t.shape.K))
}

func (t subgroupChoice) String() string {
	s := t.shape
	return fmt.Sprintf("tile %dx%dx%d sub-groups %dx%d of %d", s.Rows, s.Columns(), s.K, s.X, s.Y, s.Lanes) + splitText(t.splits)
}

func (c *contraction) planSubgroup(t subgroupChoice) (*plan, error) {
	s := t.shape
	tilesM, tilesN := ceilDiv(c.m, int64(s.Rows*s.Y)), ceilDiv(c.n, int64(s.Columns()*s.X))
	groups := tilesM * tilesN * c.b * t.splits
	a, readsA := c.subgroupA(s)
	b, nearB := c.subgroupB()
	past := max(magnitude(a.step)*int64(s.Rows+s.K), magnitude(b.step)*int64(s.Columns()+s.K)) // positions are counted past the end
	g := c.program(true, true, t.splits == 1, groups, c.m+int64(s.Rows*s.Y), c.n+int64(s.Columns()*s.X), c.k+int64(s.K), c.blockEnd()+past)
	file := "contract/gpu_subgroup_intel.cl"
	if c.dev.lanes == 0 {
		file = "contract/gpu_subgroup_emulated.cl"
		g.macro("SHOWS", s.Registers())
	}
	g.macro("LANES", s.Lanes)
	c.sums(t.chunk).macros(g)
	g.macro("RM", s.Rows)
	g.macro("RN", s.Vectors)
	g.macro("TK", s.K)
	g.macro("SX", s.X)
	g.macro("SY", s.Y)
	g.macro("BAND", tileBand)
	g.macro("A_BY_K", oneIf(c.byK(c.a, aRow)))
	g.macro("B_BY_K", oneIf(c.byK(c.bb, bColumn)))
	g.macro("READS_A", readsA)
	g.macro("NEAR_B", oneIf(nearB))
	if readsA > 0 {
		c.subgroupSide(g, "A", "m", a, aBatch, aRow, aSum)
	}
	if nearB {
		c.subgroupSide(g, "B", "n", b, bBatch, bColumn, bSum)
	}
	g.size("TILES_M", tilesM)
	g.size("TILES_N", tilesN)
	p := &plan{params: t.String()}
	c.hookA(g)
	c.hookB(g)
	c.extents(g)
	c.fold(g, p, t.splits, t.chunk)
	p.launches = append([]launch{{
		prog: g.assemble(file, "lib/block_sums.cl", "contract/gpu_subgroup.cl"), kernel: "contract_subgroup",
		global: [3]int{int(groups) * s.Items()}, local: [3]int{s.Items()},
	}}, p.launches...)
	return p, nil
}

// subgroupBlock is how an operand is read by several neighbours at once, from
// addresses that are multiples of wide bytes, step elements apart.
type subgroupBlock struct {
	load operandLoad
	wide int
	step int64
}

// subgroupA is how rows, in memory, of a block of A are read, and how many registers
// of a lane each fills: 0 where blocks are not read.
func (c *contraction) subgroupA(s kernels.SubgroupShape) (b subgroupBlock, reads int) {
	byK := c.byK(c.a, aRow)
	along, other := aRow, aSum
	if byK {
		along, other = aSum, aRow
	}
	if b, ok := c.subgroupBlock(c.a, along, other, 4, aBatch, aRow, aSum); ok {
		return b, s.Reads(byK)
	}
	return b, 0
}

// subgroupB is how values of k of B are read by columns, or columns by four values of
// k where those adjoin.
func (c *contraction) subgroupB() (subgroupBlock, bool) {
	if !c.byK(c.bb, bColumn) {
		return c.subgroupBlock(c.bb, bColumn, bSum, 4, bBatch, bColumn, bSum)
	}
	wide := 4
	if isHalfType(c.bb.dtype) {
		wide = 8 // all four
	}
	return c.subgroupBlock(c.bb, bSum, bColumn, wide, bBatch, bColumn, bSum)
}

// subgroupBlock reports whether neighbours along a group of axes are read as floats
// at once, with addresses that are multiples of wide bytes where the first one is.
func (c *contraction) subgroupBlock(l operandLoad, along, other, wide int, groups ...int) (b subgroupBlock, ok bool) {
	if c.acc != tensor.Float32 || !l.plain || l.dtype != tensor.Float32 && !isHalfType(l.dtype) || len(c.axes(other)) > 1 {
		return b, false
	}
	b = subgroupBlock{load: l, wide: wide}
	adjoin, _ := c.neighbours(l, along, 1, groups...)
	for _, g := range groups {
		for _, a := range c.axes(g) {
			adjoin = adjoin && (g == along || l.coef[a]*int64(l.dtype.Size())%int64(wide) == 0)
		}
	}
	for _, a := range c.axes(other) {
		b.step = l.coef[a]
	}
	return b, adjoin
}

// subgroupSide defines how blocks of an operand are found and read.
func (c *contraction) subgroupSide(g *gen, side, coordinate string, b subgroupBlock, batch, own, sum int) {
	g.macro("READ_"+side, fmt.Sprintf("READ_%v", b.load.dtype))
	if side == "B" {
		g.macro("FOUR_B", fmt.Sprintf("FOUR_%v", b.load.dtype))
	}
	g.macro(side+"_WIDE", b.wide)
	g.size(side+"_STEP", b.step)
	c.positions(g, side, coordinate, b.load, batch, own, sum)
}

// blockEnd is the length of the longest operand that may be read in blocks.
func (c *contraction) blockEnd() (n int64) {
	for _, l := range []operandLoad{c.a, c.bb} {
		if l.plain {
			n = max(n, c.task.Ins[l.input].Len)
		}
	}
	return n
}
