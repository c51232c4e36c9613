package contract

import (
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
)

// orientations are the two ways to see a task: as it is, and with A and B exchanged.
type orientations func(swap bool) *Contraction

// inBoth is make, called once for each way: choosing a variant compares them often.
func inBoth(make func(swap bool) *Contraction) orientations {
	var made [2]*Contraction
	return func(swap bool) *Contraction {
		i := codegen.OneIf(swap)
		if made[i] == nil {
			made[i] = make(swap)
		}
		return made[i]
	}
}

// cheaperOrientation is c or its transposed product, whichever blocks compute in fewer cycles. It stays c where something
// else decides: panels that are kept or read where they lie, one row, dot products, operands that no vector copies.
func (c *Contraction) cheaperOrientation(plain orientations) *Contraction {
	if !c.blocksCompete() || c.readsPanels() || c.dotFits() {
		return c
	}
	other := plain(!c.swapped)
	if other.blocksCompete() && other.blockCycles() < c.blockCycles() {
		return other
	}
	return c
}

// blocksCompete reports whether counting cycles tells how the blocks of c compare with others.
func (c *Contraction) blocksCompete() bool {
	return c.Device.CPU && c.unit == nil && min(c.m, c.n) > 1 && c.K > 0 && !c.canKeepB(c.panelShape()) && c.copiesInVectors()
}

// copiesInVectors reports whether blocks can be had, and both operands are copied at the speed of vectors.
func (c *Contraction) copiesInVectors() bool {
	return c.blockLegal() && c.Device.LocalMem >= 16<<10 &&
		(c.A.AlongK() || c.adjoin(c.A, aRow)) && (c.bb.AlongK() || c.columnsAdjoin())
}

// readsPanels reports whether rows are too few for a copy of panels that can be read where they lie: fewer of a matrix that is
// large, or whose rows do not begin with cache lines.
func (c *Contraction) readsPanels() bool {
	if c.bb.run != 0 || c.bb.DType != c.Acc || !c.directB(c.panelShape()) {
		return false
	}
	few := int64(64)
	if c.n*c.K*c.AccSize > 2<<20 || c.n*c.AccSize%facts.LineBytes > 0 {
		few = 40
	}
	return c.m <= few
}

// blockCycles is the cost of the best block, as cycles counts it.
func (c *Contraction) blockCycles() int64 {
	c.ChooseBlock()
	return c.blockCost
}

// dotCycles estimates how long the busiest core computes dot products.
func (c *Contraction) dotCycles() int64 {
	const fold, begin = 8, 30 // of one output; of a work-item
	d, lanes := c.ChooseDot(), int64(c.PanelLanes())
	rows, cols := int64(d.rows), int64(d.cols)
	terms := variant.CeilDiv(d.chunk, lanes) * max(rows*cols, rows+cols)
	if c.K%lanes > 0 { // loads that cross lines
		terms = terms * 7 / 5
	}
	item := terms/2 + fold*rows*cols + begin
	return variant.CeilDiv(variant.CeilDiv(c.m, rows)*variant.CeilDiv(c.n, cols)*c.Batches*d.splits, int64(c.Device.Units)) * item
}

// dotFits reports whether dot products beat kernels that pack: few rows share a column of B, and
// the sums are long enough to hide that a vector of them is folded at the end.
func (c *Contraction) dotFits() bool {
	few := min(c.m, c.n)
	switch {
	case !c.AlongK():
		return false
	case c.blocksCompete() && few > 2:
		plain := c.A.DType == c.Acc && c.bb.DType == c.Acc && c.AccSize == 4
		return (plain || few <= 16) && c.dotCycles() < c.blockCycles()
	case few <= 16:
		return c.K >= 64 || 8*few <= c.K
	case c.canKeepB(c.panelShape()) || c.blockFits():
		return false
	}
	return few <= 256 && 8*few <= c.K
}

// blockFits reports whether blocks beat panels: there are enough rows to pay for the copies, both
// operands are copied at the speed of vectors, and no pack of B can be kept from run to run.
func (c *Contraction) blockFits() bool {
	return c.m > 4 && c.copiesInVectors() && !c.canKeepB(c.panelShape()) && !c.readsPanels()
}
