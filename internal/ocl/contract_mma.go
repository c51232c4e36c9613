package ocl

import (
	"fmt"

	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// mmaChoice is how contract/gpu_mma.cl is used for one contraction.
type mmaChoice struct {
	shape         kernels.MMAShape
	chunk, splits int64
}

// mmaLegal reports whether both operands are values of the same half type and
// the device has groups of at least one warp.
func (c *contraction) mmaLegal() bool {
	dt := c.task.A.DType
	_, fits := c.mmaShape()
	return fits && dt.IsFloat() && dt.Size() == 2 && dt == c.task.B.DType && c.acc == tensor.Float32
}

// hasUnits reports whether the device has shown that it multiplies matrices of
// the operands' type.
func (c *contraction) hasUnits() bool {
	return c.dev.mma >= 80 || c.dev.mma > 0 && c.task.A.DType == tensor.Float16
}

// units is the file of the matrix units: those of the device, or what stands in for them.
func (c *contraction) units() string {
	if c.hasUnits() {
		return "contract/gpu_mma_ptx.cl"
	}
	return "contract/gpu_mma_emulated.cl"
}

// unitsBytes is the local memory that the units need for a group.
func (c *contraction) unitsBytes(s kernels.MMAShape) int64 {
	return c.itemBytes() * int64(s.Items())
}

func (c *contraction) itemBytes() int64 {
	if c.hasUnits() {
		return 0
	}
	return 32
}

func (c *contraction) mmaShape() (kernels.MMAShape, bool) {
	return kernels.MMA(c.m, c.n, c.b, c.dev.units, c.dev.workGroup, min(c.dev.localMem, 48<<10), c.itemBytes())
}

// chooseMMA fills the device: with smaller tiles first, then by splitting k.
func (c *contraction) chooseMMA() mmaChoice {
	s, _ := c.mmaShape()
	t := mmaChoice{shape: s}
	tiles := ceilDiv(c.m, int64(s.M)) * ceilDiv(c.n, int64(s.N)) * c.b
	want := int64(1)
	if units := int64(c.dev.units); tiles < units {
		want = max(1, min(ceilDiv(units, tiles), c.k/512, 1024))
	}
	t.split(c, want)
	return t
}

// split divides k into about want chunks of whole steps.
func (t *mmaChoice) split(c *contraction, want int64) {
	t.chunk, t.splits = c.chunks(want, int64(t.shape.K))
}

func (t mmaChoice) String() string {
	s := t.shape
	return fmt.Sprintf("tile %dx%dx%d warps %dx%d stages %d", s.M, s.N, s.K, s.X, s.Y, s.Stages) + splitText(t.splits)
}

// tileBand is how many rows of groups share what they read: 8 groups of 128 x 128
// and those beside them read 2 x 8 strips of the operands for 64 of them.
const tileBand = 8

func (c *contraction) planMMA(t mmaChoice) (*plan, error) {
	s := t.shape
	tilesM, tilesN := ceilDiv(c.m, int64(s.M)), ceilDiv(c.n, int64(s.N))
	groups := tilesM * tilesN * c.b * t.splits
	g := c.program(true, true, t.splits == 1, groups, c.m+int64(s.M), c.n+int64(s.N), c.k+int64((s.Stages+1)*s.K))
	g.macro("TM", s.M)
	g.macro("TN", s.N)
	g.macro("TK", s.K)
	g.macro("WX", s.X)
	g.macro("WY", s.Y)
	g.macro("WG", "(32 * WX * WY)")
	g.macro("STAGES", s.Stages)
	c.sums(t.chunk).macros(g)
	g.macro("BAND", tileBand)
	g.macro("BF16", oneIf(c.task.A.DType == tensor.BFloat16))
	if c.hasUnits() {
		g.macro("MMA_SM", c.dev.mma)
	}
	c.mmaSide(g, "A", "m", c.a, aBatch, aRow, aSum)
	c.mmaSide(g, "B", "n", c.bb, bBatch, bColumn, bSum)
	g.size("TILES_M", tilesM)
	g.size("TILES_N", tilesN)
	p := &plan{params: t.String()}
	c.hookA(g)
	c.hookB(g)
	c.extents(g)
	c.fold(g, p, t.splits, t.chunk)
	p.launches = append([]launch{{
		prog: g.assemble(c.units(), "lib/block_sums.cl", "contract/gpu_mma.cl"), kernel: "contract_mma",
		global: [3]int{int(groups) * s.Items()}, local: [3]int{s.Items()},
	}}, p.launches...)
	return p, nil
}

// mmaSide says in which order the elements of an operand are loaded, and whether
// chunks of eight can be copied as they are.
func (c *contraction) mmaSide(g *gen, side, coordinate string, l operandLoad, batch, own, sum int) {
	byK := c.byK(l, own)
	g.macro(side+"_BY_K", oneIf(byK))
	along := own
	if byK {
		along = sum
	}
	adjoin, aligned := c.neighbours(l, along, 8, batch, own, sum)
	copies := adjoin && l.dtype == c.task.A.DType
	g.macro("COPY_"+side, oneIf(copies))
	if copies {
		c.wideSide(g, side, coordinate, l, aligned, batch, own, sum)
	}
}
