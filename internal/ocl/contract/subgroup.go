package contract

import (
	"fmt"

	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// SubgroupChoice is how contract/gpu_subgroup.cl is used for one contraction.
type SubgroupChoice struct {
	Shape         kernels.SubgroupShape
	Chunk, Splits int64
}

// subgroupLegal reports whether a sub-group, or the group that emulates one, fits the device.
func (c *Contraction) subgroupLegal() bool { return c.subgroupLanes() <= c.Device.WorkGroup }

// subgroupLanes is the number of lanes of the device's sub-groups, or of their emulation.
func (c *Contraction) subgroupLanes() int {
	if c.Device.SubgroupLanes > 0 {
		return c.Device.SubgroupLanes
	}
	return 8
}

// subgroupFits reports whether a device's own sub-groups find whole tiles.
func (c *Contraction) subgroupFits() bool {
	return c.Device.SubgroupLanes > 0 && c.subgroupLegal() && c.n >= int64(c.Device.SubgroupLanes)
}

// chooseSubgroup fills the device: with smaller tiles first, then by splitting k.
func (c *Contraction) chooseSubgroup() SubgroupChoice {
	s := kernels.Subgroup(c.m, c.n, c.Batches, c.Device.Units, c.Device.WorkGroup, c.subgroupLanes(), c.subgroupRows(), !c.byK(c.A, aRow),
		c.Device.SubgroupLanes == 0)
	t := SubgroupChoice{Shape: s}
	want := int64(1)
	tiles := variant.CeilDiv(c.m, int64(s.Rows)) * variant.CeilDiv(c.n, int64(s.Columns())) * c.Batches
	if enough := int64(4 * c.Device.Units); tiles < enough && !c.Device.CPU {
		want = max(1, min(variant.CeilDiv(enough, tiles), c.K/256, 1024))
	}
	t.split(c, want)
	return t
}

// subgroupRows is how many rows leave a lane registers for addresses and for widening: IGC 2.40
// spills beyond, on tgllp, dg2, pvc or bmg.
func (c *Contraction) subgroupRows() int {
	_, nearA := c.subgroupA(kernels.SubgroupShape{Rows: 16, K: 16, Lanes: c.subgroupLanes()})
	_, nearB := c.subgroupB()
	switch {
	case nearA == 0 || !nearB:
		return 8
	case c.A.DType != c.Acc || c.bb.DType != c.Acc:
		return 16
	}
	return 24
}

// split divides k into about want chunks of whole steps.
func (t *SubgroupChoice) split(c *Contraction, want int64) {
	t.Chunk, t.Splits = c.chunks(want, int64(t.Shape.K))
}

func (t SubgroupChoice) String() string {
	s := t.Shape
	return fmt.Sprintf("tile %dx%dx%d sub-groups %dx%d of %d", s.Rows, s.Columns(), s.K, s.X, s.Y, s.Lanes) + splitText(t.Splits)
}

func (c *Contraction) PlanSubgroup(t SubgroupChoice) (*variant.Plan, error) {
	s := t.Shape
	tilesM, tilesN := variant.CeilDiv(c.m, int64(s.Rows*s.Y)), variant.CeilDiv(c.n, int64(s.Columns()*s.X))
	groups := tilesM * tilesN * c.Batches * t.Splits
	a, readsA := c.subgroupA(s)
	b, nearB := c.subgroupB()
	past := max(access.Abs(a.step)*int64(s.Rows+s.K), access.Abs(b.step)*int64(s.Columns()+s.K)) // positions are counted past the end
	g := c.program(true, true, t.Splits == 1, groups, c.m+int64(s.Rows*s.Y), c.n+int64(s.Columns()*s.X), c.K+int64(s.K), c.blockEnd()+past)
	file := "contract/gpu_subgroup_intel.cl"
	if c.Device.SubgroupLanes == 0 {
		file = "contract/gpu_subgroup_emulated.cl"
		g.Macro("SHOWS", s.Registers())
	}
	g.Macro("LANES", s.Lanes)
	c.sums(t.Chunk).macros(g)
	g.Macro("RM", s.Rows)
	g.Macro("RN", s.Vectors)
	g.Macro("TK", s.K)
	g.Macro("SX", s.X)
	g.Macro("SY", s.Y)
	g.Macro("BAND", tileBand)
	g.Macro("A_BY_K", codegen.OneIf(c.byK(c.A, aRow)))
	g.Macro("B_BY_K", codegen.OneIf(c.byK(c.bb, bColumn)))
	g.Macro("READS_A", readsA)
	g.Macro("NEAR_B", codegen.OneIf(nearB))
	if readsA > 0 {
		c.subgroupSide(g, "A", "m", a, aBatch, aRow, aSum)
	}
	if nearB {
		c.subgroupSide(g, "B", "n", b, bBatch, bColumn, bSum)
	}
	g.Size("TILES_M", tilesM)
	g.Size("TILES_N", tilesN)
	p := &variant.Plan{Params: t.String()}
	c.hookA(g)
	c.hookB(g)
	c.extents(g)
	c.fold(g, p, t.Splits, t.Chunk)
	p.Launches = append([]variant.Launch{{
		Program: g.Assemble(file, "lib/block_sums.cl", "contract/gpu_subgroup.cl"), Kernel: "contract_subgroup",
		Global: [3]int{int(groups) * s.Items()}, Local: [3]int{s.Items()},
	}}, p.Launches...)
	return p, nil
}

// subgroupBlock is how an operand is read by several neighbours at once, from
// addresses that are multiples of wide bytes, step elements apart.
type subgroupBlock struct {
	load OperandLoad
	wide int
	step int64
}

// subgroupA is how rows, in memory, of a block of A are read, and how many registers
// of a lane each fills: 0 where blocks are not read.
func (c *Contraction) subgroupA(s kernels.SubgroupShape) (b subgroupBlock, reads int) {
	byK := c.byK(c.A, aRow)
	along, other := aRow, aSum
	if byK {
		along, other = aSum, aRow
	}
	if b, ok := c.subgroupBlock(c.A, along, other, 4, aBatch, aRow, aSum); ok {
		return b, s.Reads(byK)
	}
	return b, 0
}

// subgroupB is how values of k of B are read by columns, or columns by four values of
// k where those adjoin.
func (c *Contraction) subgroupB() (subgroupBlock, bool) {
	if !c.byK(c.bb, bColumn) {
		return c.subgroupBlock(c.bb, bColumn, bSum, 4, bBatch, bColumn, bSum)
	}
	wide := 4
	if codegen.IsHalfType(c.bb.DType) {
		wide = 8 // all four
	}
	return c.subgroupBlock(c.bb, bSum, bColumn, wide, bBatch, bColumn, bSum)
}

// subgroupBlock reports whether neighbours along a group of axes are read as floats
// at once, with addresses that are multiples of wide bytes where the first one is.
func (c *Contraction) subgroupBlock(l OperandLoad, along, other, wide int, groups ...int) (b subgroupBlock, ok bool) {
	if c.Acc != tensor.Float32 || !l.Plain || l.DType != tensor.Float32 && !codegen.IsHalfType(l.DType) || len(c.Axes(other)) > 1 {
		return b, false
	}
	b = subgroupBlock{load: l, wide: wide}
	adjoin, _ := c.Neighbours(l, along, 1, groups...)
	for _, g := range groups {
		for _, a := range c.Axes(g) {
			adjoin = adjoin && (g == along || l.Coef[a]*int64(l.DType.Size())%int64(wide) == 0)
		}
	}
	for _, a := range c.Axes(other) {
		b.step = l.Coef[a]
	}
	return b, adjoin
}

// subgroupSide defines how blocks of an operand are found and read.
func (c *Contraction) subgroupSide(g *codegen.Builder, side, coordinate string, b subgroupBlock, batch, own, sum int) {
	g.Macro("READ_"+side, fmt.Sprintf("READ_%v", b.load.DType))
	if side == "B" {
		g.Macro("FOUR_B", fmt.Sprintf("FOUR_%v", b.load.DType))
	}
	g.Macro(side+"_WIDE", b.wide)
	g.Size(side+"_STEP", b.step)
	c.positions(g, side, coordinate, b.load, batch, own, sum)
}

// blockEnd is the length of the longest operand that may be read in blocks.
func (c *Contraction) blockEnd() (n int64) {
	for _, l := range []OperandLoad{c.A, c.bb} {
		if l.Plain {
			n = max(n, c.Task.Ins[l.input].Len)
		}
	}
	return n
}
