package ocl

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
)

func mapVariants(d *deviceFacts, t *engine.Task) []variant {
	item := variant{name: "item", why: "one work-item a point", plan: func() (*plan, error) { return planMap(d, t, false) }}
	block := variant{name: "block", why: "a CPU driver: long inner loops become vectors", plan: func() (*plan, error) { return planMap(d, t, true) }}
	if d.cpu {
		return []variant{block, item}
	}
	return []variant{item, block}
}

// mapView chooses how t's axes are seen: all as one row, or the last axis as
// columns. Two coordinates save the division that an address over several axes
// needs, which pays when a row is long enough to fill the device's vectors.
func mapView(t *engine.Task) (rows, cols []int) {
	all := axesOf(t, 0)
	if n := len(all); n > 1 && t.Axes[all[n-1]] >= 16 {
		return all[:n-1], all[n-1:]
	}
	return nil, all
}

func planMap(d *deviceFacts, t *engine.Task, block bool) (*plan, error) {
	rowAxes, colAxes := mapView(t)
	rows, cols := extent(t, rowAxes), extent(t, colAxes)
	g := newGen(d, t)
	g.size("ROWS", rows)
	g.size("COLS", cols)
	g.hookOf("VALUE", []coord{{"r", rowAxes}, {"c", colAxes}}, t.Values, nil)
	g.store("STORE", "VALUE", t.Values...)
	if !block {
		m := kernels.MapItem(rows, cols, d.workGroup)
		return &plan{
			params:   fmt.Sprintf("view=%dx%d wg=%d", rows, cols, m.Local[0]),
			launches: []launch{{prog: g.assemble("map.cl"), kernel: "map_item", global: m.Global, local: m.Local}},
		}, nil
	}
	near := true
	for _, a := range colAxes {
		for _, e := range t.Values {
			d := step(e, a)
			near = near && d >= 0 && (a != colAxes[len(colAxes)-1] || d <= 4)
		}
	}
	m := kernels.MapBlock(rows, cols, d.units, near)
	g.size("RSPAN", m.Rows)
	g.size("CSPAN", m.Columns)
	g.macro("MAP_BLOCK", 1)
	g.macro("OUT", g.valueType("VALUE", t.Values))
	if t.Alias != nil {
		g.macro("BUFFERED", 1)
	}
	return &plan{
		params:   fmt.Sprintf("view=%dx%d block=%dx%d", rows, cols, m.Rows, m.Columns),
		launches: []launch{{prog: g.assemble("map.cl"), kernel: "map_block", global: m.Global, local: m.Local}},
	}, nil
}

// extent is the number of points over axes.
func extent(t *engine.Task, axes []int) int64 {
	n := int64(1)
	for _, a := range axes {
		n *= int64(t.Axes[a])
	}
	return n
}
