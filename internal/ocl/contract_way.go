package ocl

import "github.com/anycl/anycl/engine"

// cheaperWay is c or its transposed product, whichever blocks compute in fewer cycles. It stays c where something
// else decides: panels that are kept or read where they lie, one row, dot products, operands that no vector copies.
func (c *contraction) cheaperWay(t *engine.Task) *contraction {
	if !c.blocksCompete() || c.readsPanels() || c.dotFits() {
		return c
	}
	other := separate(c.dev, t, !c.swapped)
	if other.blocksCompete() && other.blockCycles() < c.blockCycles() {
		return other
	}
	return c
}

// blocksCompete reports whether counting cycles tells how the blocks of c compare with others.
func (c *contraction) blocksCompete() bool {
	return c.dev.cpu && c.unit == nil && min(c.m, c.n) > 1 && c.k > 0 && !c.canKeepB(c.panelShape()) && c.copiesInVectors()
}

// copiesInVectors reports whether blocks can be had, and both operands are copied at the speed of vectors.
func (c *contraction) copiesInVectors() bool {
	return c.blockLegal() && c.dev.localMem >= 16<<10 &&
		(c.a.alongK() || c.adjoin(c.a, aRow)) && (c.bb.alongK() || c.columnsAdjoin())
}

// readsPanels reports whether rows are too few for a copy of panels that can be read where they lie.
// Measured on two cores of Zen 4, such panels asked for ahead and blocks: 16 x 512 x 512 76 us and 148, 64 x 784 x 512
// 246 and 307, 128 x 784 x 512 888 and 557; of Zen 5: 16 x 512 x 512 25 and 36, 64 x 784 x 512 157 and 157,
// 48 x 1024 x 1024 422 and 338, 63 x 327 x 947, where no row begins on a line, 142 and 123.
func (c *contraction) readsPanels() bool {
	if c.bb.run != 0 || c.bb.dtype != c.acc || !c.directB(c.panelShape()) {
		return false
	}
	few := int64(64)
	if c.n*c.k*c.accSize > 2<<20 || c.n*c.accSize%lineBytes > 0 {
		few = 40
	}
	return c.m <= few
}

// blockCycles is the cost of the best block, as cycles counts it.
func (c *contraction) blockCycles() int64 {
	c.chooseBlock()
	return c.blockCost
}

// dotCycles estimates how long the busiest core computes dot products.
func (c *contraction) dotCycles() int64 {
	const fold, begin = 8, 30 // of one output; of a work-item
	d, lanes := c.chooseDot(), int64(c.panelLanes())
	rows, cols := int64(d.rows), int64(d.cols)
	terms := ceilDiv(d.chunk, lanes) * max(rows*cols, rows+cols)
	if c.k%lanes > 0 { // loads that cross lines
		terms = terms * 7 / 5
	}
	item := terms/2 + fold*rows*cols + begin
	return ceilDiv(ceilDiv(c.m, rows)*ceilDiv(c.n, cols)*c.b*d.splits, int64(c.dev.units)) * item
}

// dotFits reports whether dot products beat what packs: few rows share a column
// of B, and the sums are long enough to hide that a vector of them is folded at the end.
func (c *contraction) dotFits() bool {
	few := min(c.m, c.n)
	switch {
	case !c.alongK():
		return false
	case c.blocksCompete() && few > 2:
		plain := c.a.dtype == c.acc && c.bb.dtype == c.acc && c.accSize == 4
		return (plain || few <= 16) && c.dotCycles() < c.blockCycles()
	case few <= 16:
		return c.k >= 64 || 8*few <= c.k
	case c.canKeepB(c.panelShape()) || c.blockFits():
		return false
	}
	return few <= 256 && 8*few <= c.k
}

// blockFits reports whether blocks beat panels: there are enough rows for what is
// copied, both operands are copied at the speed of vectors, and no pack of B can
// be kept from run to run.
func (c *contraction) blockFits() bool {
	return c.m > 4 && c.copiesInVectors() && !c.canKeepB(c.panelShape()) && !c.readsPanels()
}
