package ocl

import (
	"fmt"

	"github.com/anycl/anycl/engine"
)

// contractVariants are the ways to run a contraction, best first. All but
// panel run every contraction; item is the floor.
func contractVariants(d *deviceFacts, t *engine.Task) []variant {
	c := separate(d, t, swapBetter(d, t))
	item := variant{"item", "any contraction", c.planItem}
	if c.k == 0 {
		item.why = "an empty sum"
		return []variant{item}
	}
	row := variant{"row", "any contraction", func() (*plan, error) { return c.planRow(c.chooseRow()) }}
	tile := variant{"tile", "any contraction", func() (*plan, error) { return c.planTile(c.chooseTile()) }}
	panel := variant{"panel", "any contraction of floats", func() (*plan, error) { return c.planPanel(c.choosePanel()) }}

	var best []variant
	switch {
	case c.rowFits():
		row.why = fmt.Sprintf("%d x %d outputs of %d terms, which adjoin in memory", c.m, c.n, c.k)
		best = []variant{row, panel, tile, item}
	case d.cpu && t.Acc.IsFloat():
		panel.why = "a CPU driver: vectors over panels of columns"
		best = []variant{panel, tile, row, item}
	case d.cpu:
		item.why = "a CPU driver and integers"
		best = []variant{item, tile, row}
	case c.m*c.n*c.b < 64 && c.k >= 1024:
		row.why = fmt.Sprintf("few outputs (%d) of many terms (%d)", c.m*c.n*c.b, c.k)
		best = []variant{row, tile, panel, item}
	default:
		tile.why = "a GPU: tiles in local memory"
		best = []variant{tile, panel, row, item}
	}
	if !t.Acc.IsFloat() {
		kept := best[:0]
		for _, v := range best {
			if v.name != "panel" {
				kept = append(kept, v)
			}
		}
		best = kept
	}
	return best
}

// swapBetter reports whether A and B should change places: the panel and row
// kernels want the direction with more outputs in n.
func swapBetter(d *deviceFacts, t *engine.Task) bool {
	m, n := t.Size(1), t.Size(2)
	return d.cpu && t.Acc.IsFloat() && n < m && n < int64(max(d.vector, 4))
}

// rowFits reports whether the contraction is dot products of long rows: both
// operands lie along k, and too few rows share a column of B to make packing it
// pay.
func (c *contraction) rowFits() bool {
	along := func(l operandLoad) bool { return l.plain && l.step == 1 && (l.run == 0 || l.run >= 64) }
	return along(c.a) && along(c.bb) && c.k >= 64 && min(c.m, c.n) <= 8
}
