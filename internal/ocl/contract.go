package ocl

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
)

// contractVariants are the ways to run a contraction, best first. Every one
// runs every contraction; item is the simplest.
func init() {
	register(family{
		name: engine.Contract.String(), kind: engine.Contract, choose: contractVariants, class: contractClass,
		variants: []string{"item", "tile", "panel", "block", "row", "dot", "stream", "mma", "subgroup", "winograd", "strip", "lines"},
	})
}

func contractVariants(d *deviceFacts, t *engine.Task) []variant {
	c := separate(d, t, swapBetter(d, t)).cheaperWay(t)
	item := variant{name: "item", why: "any contraction", plan: c.planItem}
	if c.k == 0 {
		item.why = "an empty sum"
		return []variant{item}
	}
	plain := func(swap bool) *contraction { return separate(d, t, swap) }
	all := []variant{eitherWay(c, plain, (*contraction).row), item}
	// Products of bytes by an instruction for four of them, in the kernels that it suits.
	v, inVectors := c, plain
	if w := vectorWords(d, t, c.swapped); w != nil {
		v, inVectors = w, func(swap bool) *contraction { return vectorWords(d, t, swap) }
	}
	s, inScalars := c, plain
	if w := scalarWords(d, t, c.swapped); w != nil {
		s, inScalars = w, func(swap bool) *contraction { return scalarWords(d, t, swap) }
	}
	all = append(all, eitherWay(v, inVectors, (*contraction).panel), eitherWay(s, inScalars, (*contraction).tile))
	if c.alongK() {
		all = append(all, eitherWay(c, plain, (*contraction).dot))
	}
	if c.streamLegal() {
		all = append(all, eitherWay(c, plain, (*contraction).stream))
	}
	if v.blockLegal() {
		all = append(all, eitherWay(v, inVectors, (*contraction).block))
	}
	if c.mmaLegal() {
		all = append(all, eitherWay(c, plain, (*contraction).mma))
	}
	if c.subgroupLegal() {
		all = append(all, eitherWay(c, plain, (*contraction).subgroup))
	}
	w, windows := winogradWay(c, d, t)
	if windows {
		all = append(all, w.winograd())
	}
	along, lines := stripWay(c, d, t)
	if lines {
		all = append(all, along.strip())
	}
	terms, runs := linesWay(c, d, t)
	if runs {
		all = append(all, terms.linesOf())
	}
	switch {
	case c.hasUnits() && c.mmaLegal():
		return prefer("mma", "matrix units", all)
	case d.cpu && lines && along.stripFits():
		return prefer("strip", "a CPU driver: windows along lines, read where they lie", all)
	case d.cpu && runs && terms.linesFit():
		return prefer("lines", "a CPU driver: terms that are lines of pixels, laid out in the cache of one core", all)
	case d.cpu && windows && w.winogradFits():
		return prefer("winograd", "a CPU driver: windows of 3 x 3 that move by one, with fewer multiplications", all)
	case d.cpu && v.unit != nil && v.blockFits():
		return prefer("block", "a CPU driver: four products of bytes at a time, in the cache of one core", all)
	case d.cpu && v.unit != nil:
		return prefer("panel", "a CPU driver: four products of bytes at a time", all)
	case d.cpu && c.dotFits():
		return prefer("dot", fmt.Sprintf("%d x %d outputs of %d terms, which adjoin in memory", c.m, c.n, c.k), all)
	case d.cpu && c.streamFits():
		return prefer("stream", "a CPU driver: one row, and a matrix that is read once, row by row", all)
	case d.cpu && c.blockFits():
		return prefer("block", "a CPU driver: blocks in the cache of one core", all)
	case d.cpu:
		return prefer("panel", "a CPU driver: vectors over panels of columns", all)
	case c.m*c.n*c.b < 64 && c.k >= 1024:
		return prefer("row", fmt.Sprintf("few outputs (%d) of many terms (%d)", c.m*c.n*c.b, c.k), all)
	case c.subgroupFits():
		return prefer("subgroup", "a GPU with sub-groups: tiles in registers that lanes share", all)
	default:
		return prefer("tile", "a GPU: tiles in local memory", all)
	}
}

// prefer puts the variant called name first, for the reason why.
func prefer(name, why string, all []variant) []variant {
	i := slices.IndexFunc(all, func(v variant) bool { return v.name == name })
	v := all[i]
	v.why = why
	return slices.Insert(slices.Delete(all, i, i+1), 0, v)
}

// swapBetter reports whether A and B should change places. The panel and row
// kernels want the direction with more outputs in n; and a B whose columns
// adjoin can be read in place, or packed without gathering.
func swapBetter(d *deviceFacts, t *engine.Task) bool {
	m, n := t.Size(1), t.Size(2)
	if !d.cpu {
		return d.lanes > 0 && swapForLanes(d, t)
	}
	if narrow := int64(max(d.vector, 4)); n < narrow || m < narrow {
		swap := n < m
		return swap != (separate(d, t, swap).gathersB() && separate(d, t, !swap).a.plain)
	}
	as, swapped := vectorWords(d, t, false), vectorWords(d, t, true)
	if as == nil {
		as, swapped = separate(d, t, false), separate(d, t, true)
	}
	switch {
	case as.columnsAdjoin() && as.b > 1 && as.n < 256 && steady(t, t.A):
		return true // batches of narrow panels; swapped, B is packed once
	case as.columnsAdjoin() || swapped.columnsAdjoin():
		return t.Size(3) >= 64 && !as.columnsAdjoin() && as.bb.plain
	case as.thinRuns() != swapped.thinRuns(): // stored as vectors
		return swapped.thinRuns()
	case as.windowRuns() != swapped.windowRuns(): // read where they lie
		return swapped.windowRuns()
	case steady(t, t.A) != steady(t, t.B): // packed once
		return steady(t, t.A)
	}
	// One of the two is packed: the other one where this is much larger and not
	// packed by vectors, as the windows of a convolution.
	return swapped.a.plain && !as.bb.alongK() && 4*m <= n
}

// swapForLanes reports whether A and B should change places on a device whose
// lanes share A: each of them has columns of its own, which it reads best from rows
// of B.
func swapForLanes(d *deviceFacts, t *engine.Task) bool {
	m, n := t.Size(1), t.Size(2)
	if narrow := int64(2 * d.lanes); n < narrow || m < narrow {
		return n < m
	}
	return !separate(d, t, false).columnsAdjoin() && separate(d, t, true).columnsAdjoin()
}

// gathersB reports whether B is neither read where it lies nor copied in runs: an
// element at a time, which takes as long as several vectors of sums do, so that even
// columns that fill few lanes of a vector are better (measured, windows of 227 channels
// against 3 kernels: 5 times).
func (c *contraction) gathersB() bool {
	return !c.bb.alongK() && !c.columnsAdjoin() && !c.directB(c.panelShape())
}

// windowRuns reports whether B is read where it lies although only runs of its
// columns adjoin, and no pack of it can be kept.
func (c *contraction) windowRuns() bool {
	return len(c.axes(bColumn)) > 1 && c.directB(c.panelShape()) && !steady(c.task, c.task.B)
}

// thinRuns reports whether sums are so short that storing them decides, columns
// adjoin in the output, and runs of them in B.
func (c *contraction) thinRuns() bool {
	_, column := c.outSteps()
	return c.k <= thin && column == 1 && len(c.axes(bColumn)) > 1 && c.directB(c.panelShape())
}
