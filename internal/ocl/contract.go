package ocl

import (
	"fmt"

	"github.com/anycl/anycl/engine"
)

// contractVariants are the ways to run a contraction, best first. Every one
// runs every contraction; item is the simplest.
func contractVariants(d *deviceFacts, t *engine.Task) []variant {
	c := separate(d, t, swapBetter(d, t))
	item := variant{"item", "any contraction", c.planItem}
	if c.k == 0 {
		item.why = "an empty sum"
		return []variant{item}
	}
	row := variant{"row", "any contraction", func() (*plan, error) { return c.planRow(c.chooseRow()) }}
	tile := variant{"tile", "any contraction", func() (*plan, error) { return c.planTile(c.chooseTile()) }}
	panel := variant{"panel", "any contraction", func() (*plan, error) { return c.planPanel(c.choosePanel()) }}

	switch {
	case c.rowFits():
		row.why = fmt.Sprintf("%d x %d outputs of %d terms, which adjoin in memory", c.m, c.n, c.k)
		return []variant{row, panel, tile, item}
	case d.cpu:
		panel.why = "a CPU driver: vectors over panels of columns"
		return []variant{panel, tile, row, item}
	case c.m*c.n*c.b < 64 && c.k >= 1024:
		row.why = fmt.Sprintf("few outputs (%d) of many terms (%d)", c.m*c.n*c.b, c.k)
		return []variant{row, tile, panel, item}
	default:
		tile.why = "a GPU: tiles in local memory"
		return []variant{tile, panel, row, item}
	}
}

// swapBetter reports whether A and B should change places. The panel and row
// kernels want the direction with more outputs in n; and a B whose columns
// adjoin can be read in place, or packed without gathering.
func swapBetter(d *deviceFacts, t *engine.Task) bool {
	m, n := t.Size(1), t.Size(2)
	if !d.cpu {
		return false
	}
	if narrow := int64(max(d.vector, 4)); n < narrow || m < narrow {
		return n < m
	}
	as, swapped := separate(d, t, false), separate(d, t, true)
	return t.Size(3) >= 64 && !as.columnsAdjoin() && as.bb.plain && swapped.columnsAdjoin()
}

// rowFits reports whether the contraction is dot products of long rows: both
// operands lie along k, and too few rows share a column of B to make packing it
// pay.
func (c *contraction) rowFits() bool {
	along := func(l operandLoad) bool { return l.plain && l.step == 1 && (l.run == 0 || l.run >= 64) }
	return along(c.a) && along(c.bb) && c.k >= 64 && min(c.m, c.n) <= 32
}
