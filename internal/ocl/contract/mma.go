package contract

import (
	"fmt"

	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// MMAChoice is how contract/gpu_mma.cl is used for one contraction.
type MMAChoice struct {
	Shape         kernels.MMAShape
	Chunk, Splits int64
}

// mmaLegal reports whether both operands are values of the same half type and
// the device has groups of at least one warp.
func (c *Contraction) mmaLegal() bool {
	dt := c.Task.A.DType
	_, fits := c.mmaShape()
	return fits && dt.IsFloat() && dt.Size() == 2 && dt == c.Task.B.DType && c.Acc == tensor.Float32
}

// hasUnits reports whether the device has shown that it multiplies matrices of
// the operands' type.
func (c *Contraction) hasUnits() bool {
	return c.Device.MMA >= 80 || c.Device.MMA > 0 && c.Task.A.DType == tensor.Float16
}

// units are the files of the matrix units: those of the device, or their emulation.
func (c *Contraction) units(s kernels.MMAShape) []string {
	kind := "emulated"
	if c.hasUnits() {
		kind = "ptx"
	}
	files := []string{"contract/gpu_mma_" + kind + ".cl"}
	if s.Warpgroups {
		files = append(files, "contract/gpu_wgmma_"+kind+".cl", "contract/gpu_wgmma.cl")
	}
	return files
}

// hasWarpgroups reports whether four warps can multiply together: on the device's units, or on their emulation.
func (c *Contraction) hasWarpgroups() bool { return c.Device.MMA >= 90 || !c.hasUnits() }

// unitsBytes is the local memory that the units need for a group.
func (c *Contraction) unitsBytes(s kernels.MMAShape) int64 {
	return c.itemBytes() * int64(s.Items())
}

func (c *Contraction) itemBytes() int64 {
	if c.hasUnits() {
		return 0
	}
	return 32
}

func (c *Contraction) mmaShape() (kernels.MMAShape, bool) {
	if c.Device.MMA >= 90 {
		if s, ok := kernels.Warpgroups(c.m, c.n, c.Batches, c.Device.Units, c.Device.WorkGroup, min(c.Device.LocalMem, 48<<10),
			c.itemBytes()); ok {
			return s, true
		}
	}
	return kernels.MMA(c.m, c.n, c.Batches, c.Device.Units, c.Device.WorkGroup, min(c.Device.LocalMem, 48<<10), c.itemBytes())
}

// chooseMMA fills the device: with smaller tiles first, then by splitting k.
func (c *Contraction) chooseMMA() MMAChoice {
	s, _ := c.mmaShape()
	t := MMAChoice{Shape: s}
	tiles := variant.CeilDiv(c.m, int64(s.M)) * variant.CeilDiv(c.n, int64(s.N)) * c.Batches
	want := int64(1)
	if units := int64(c.Device.Units); tiles < units {
		want = max(1, min(variant.CeilDiv(units, tiles), c.K/512, 1024))
	}
	t.split(c, want)
	return t
}

// split divides k into about want chunks of whole steps.
func (t *MMAChoice) split(c *Contraction, want int64) {
	t.Chunk, t.Splits = c.chunks(want, int64(t.Shape.K))
}

func (t MMAChoice) String() string {
	s := t.Shape
	together := ""
	if s.Warpgroups {
		together = " by warpgroups"
	}
	return fmt.Sprintf("tile %dx%dx%d warps %dx%d stages %d", s.M, s.N, s.K, s.X, s.Y, s.Stages) + together + splitText(t.Splits)
}

// tileBand is how many rows of groups share their reads: 8 groups of 128 x 128 and those beside
// them read 2 x 8 strips of the operands for 64 of them.
const tileBand = 8

func (c *Contraction) PlanMMA(t MMAChoice) (*variant.Plan, error) {
	s := t.Shape
	tilesM, tilesN := variant.CeilDiv(c.m, int64(s.M)), variant.CeilDiv(c.n, int64(s.N))
	groups := tilesM * tilesN * c.Batches * t.Splits
	g := c.program(true, true, t.Splits == 1, groups, c.m+int64(s.M), c.n+int64(s.N), c.K+int64((s.Stages+1)*s.K))
	g.Macro("TM", s.M)
	g.Macro("TN", s.N)
	g.Macro("TK", s.K)
	g.Macro("WX", s.X)
	g.Macro("WY", s.Y)
	g.Macro("WG", "(32 * WX * WY)")
	g.Macro("STAGES", s.Stages)
	g.Macro("WARPGROUPS", codegen.OneIf(s.Warpgroups))
	c.unitSums(t.Chunk).macros(g)
	g.Macro("SUMS_FROM", codegen.OpaqueZero)
	g.Macro("BAND", tileBand)
	g.Macro("BF16", codegen.OneIf(c.Task.A.DType == tensor.BFloat16))
	if c.hasUnits() {
		g.Macro("MMA_SM", c.Device.MMA)
	}
	c.mmaSide(g, "A", "m", c.A, aBatch, aRow, aSum)
	c.mmaSide(g, "B", "n", c.bb, bBatch, bColumn, bSum)
	g.Size("TILES_M", tilesM)
	g.Size("TILES_N", tilesN)
	p := &variant.Plan{Params: t.String()}
	c.hookA(g)
	c.hookB(g)
	c.extents(g)
	c.fold(g, p, t.Splits, t.Chunk)
	p.Launches = append([]variant.Launch{{
		Program: g.Assemble(append(c.units(s), "lib/block_sums.cl", "contract/gpu_mma_tile.cl", "contract/gpu_mma.cl")...),
		Kernel:  "contract_mma",
		Global:  [3]int{int(groups) * s.Items()}, Local: [3]int{s.Items()},
	}}, p.Launches...)
	return p, nil
}

// mmaSide says in which order the elements of an operand are loaded, and whether
// chunks of eight can be copied as they are.
func (c *Contraction) mmaSide(g *codegen.Builder, side, coordinate string, l OperandLoad, batch, own, sum int) {
	byK := c.byK(l, own)
	g.Macro(side+"_BY_K", codegen.OneIf(byK))
	along := own
	if byK {
		along = sum
	}
	adjoin, aligned := c.Neighbours(l, along, 8, batch, own, sum)
	copies := adjoin && l.DType == c.Task.A.DType
	g.Macro("COPY_"+side, codegen.OneIf(copies))
	g.Macro("STEADY_"+side, codegen.OneIf(copies && c.steady(l, sum)))
	if copies {
		c.wideSide(g, side, coordinate, l, aligned, batch, own, sum)
	}
}
