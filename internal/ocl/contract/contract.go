// Package contract plans contractions: matrix products and convolutions with their fused epilogues.
// Products of matrices in the host's memory, whose sizes come with each call, use the same kernels.
package contract

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
)

// Every variant runs every contraction; item is the simplest.
func init() {
	variant.Register(variant.Family{
		Name: engine.Contract.String(), Kind: engine.Contract, Choose: contractVariants, Class: contractClass, Saves: saves,
		Variants: []string{"item", "tile", "panel", "block", "row", "dot", "stream", "mma", "subgroup", "winograd", "strip", "lines"},
	})
}

// contractVariants lists the variants that may run t, best first.
func contractVariants(d *facts.Device, t *engine.Task) []variant.Variant {
	plain := inBoth(func(swap bool) *Contraction { return Separate(d, t, swap) })
	c := plain(swapBetter(d, t, plain)).cheaperOrientation(plain)
	item := variant.Variant{Name: "item", Why: "any contraction", Plan: c.PlanItem}
	if c.K == 0 {
		item.Why = "an empty sum"
		return []variant.Variant{item}
	}
	few := c // with the fewer outputs as rows, for the kernel that takes few
	if c.n < c.m && !d.CPU {
		few = plain(!c.swapped)
	}
	all := []variant.Variant{eitherOrientation(few, plain, (*Contraction).row), item}
	// Products of bytes by an instruction for four of them, in the kernels that it suits.
	v, inVectors := c, plain
	if w := vectorWords(d, t, c.swapped); w != nil {
		v, inVectors = w, func(swap bool) *Contraction { return vectorWords(d, t, swap) }
	}
	s, inScalars := c, plain
	if w := scalarWords(d, t, c.swapped); w != nil {
		s, inScalars = w, func(swap bool) *Contraction { return scalarWords(d, t, swap) }
	}
	all = append(all, eitherOrientation(v, inVectors, (*Contraction).panel), eitherOrientation(s, inScalars, (*Contraction).tile))
	if c.AlongK() {
		all = append(all, eitherOrientation(c, plain, (*Contraction).dot))
	}
	if c.StreamLegal() {
		all = append(all, eitherOrientation(c, plain, (*Contraction).stream))
	}
	if v.blockLegal() {
		all = append(all, eitherOrientation(v, inVectors, (*Contraction).block))
	}
	if c.mmaLegal() {
		all = append(all, eitherOrientation(c, plain, (*Contraction).mma))
	}
	if c.subgroupLegal() {
		all = append(all, eitherOrientation(c, plain, (*Contraction).subgroup))
	}
	w, windows := winogradOrientation(c, plain)
	if windows {
		all = append(all, w.winograd())
	}
	along, lines := stripOrientation(c, plain)
	if lines {
		all = append(all, along.strip())
	}
	terms, runs := linesOrientation(c, plain)
	if runs {
		all = append(all, terms.linesOf())
	}
	switch {
	case !d.CPU && few.readsMatrix():
		return prefer("row", fmt.Sprintf("a GPU: %d rows of outputs, for which a matrix is read once", few.m), all)
	case c.hasUnits() && c.mmaLegal():
		return prefer("mma", "matrix units", all)
	case d.CPU && lines && along.stripFits():
		return prefer("strip", "a CPU driver: windows along lines, read where they lie", all)
	case d.CPU && runs && terms.linesFit():
		return prefer("lines", "a CPU driver: terms that are lines of pixels, laid out in the cache of one core", all)
	case d.CPU && windows && w.winogradFits():
		return prefer("winograd", "a CPU driver: windows of 3 x 3 that move by one, with fewer multiplications", all)
	case d.CPU && v.unit != nil && v.blockFits():
		return prefer("block", "a CPU driver: four products of bytes at a time, in the cache of one core", all)
	case d.CPU && v.unit != nil:
		return prefer("panel", "a CPU driver: four products of bytes at a time", all)
	case d.CPU && c.dotFits():
		return prefer("dot", fmt.Sprintf("%d x %d outputs of %d terms, which adjoin in memory", c.m, c.n, c.K), all)
	case d.CPU && c.streamFits():
		return prefer("stream", "a CPU driver: one row, and a matrix that is read once, row by row", all)
	case d.CPU && c.blockFits():
		return prefer("block", "a CPU driver: blocks in the cache of one core", all)
	case d.CPU:
		return prefer("panel", "a CPU driver: vectors over panels of columns", all)
	case c.m*c.n*c.Batches < 64 && c.K >= 1024:
		return prefer("row", fmt.Sprintf("few outputs (%d) of many terms (%d)", c.m*c.n*c.Batches, c.K), all)
	case c.subgroupFits():
		return prefer("subgroup", "a GPU with sub-groups: tiles in registers that lanes share", all)
	default:
		return prefer("tile", "a GPU: tiles in local memory", all)
	}
}

// prefer puts the variant called name first, for the reason why.
func prefer(name, why string, all []variant.Variant) []variant.Variant {
	i := slices.IndexFunc(all, func(v variant.Variant) bool { return v.Name == name })
	v := all[i]
	v.Why = why
	return slices.Insert(slices.Delete(all, i, i+1), 0, v)
}

// swapBetter reports whether A and B should change places. The panel and row
// kernels want the direction with more outputs in n; and a B whose columns
// adjoin can be read in place, or packed without gathering.
func swapBetter(d *facts.Device, t *engine.Task, plain orientations) bool {
	m, n := t.Size(1), t.Size(2)
	switch {
	case !d.CPU && d.SubgroupLanes > 0:
		return swapForLanes(d, t, plain)
	case !d.CPU: // neighbouring items store neighbouring columns
		return m > 1 && plain(false).rowsAdjoin()
	}
	if narrow := int64(max(d.VectorLanes, 4)); n < narrow || m < narrow {
		swap := n < m
		return swap != (plain(swap).gathersB() && plain(!swap).A.Plain)
	}
	as, swapped := vectorWords(d, t, false), vectorWords(d, t, true)
	if as == nil {
		as, swapped = plain(false), plain(true)
	}
	switch {
	case as.columnsAdjoin() && as.Batches > 1 && as.n < 256 && access.Steady(t, t.A):
		return true // batches of narrow panels; swapped, B is packed once
	case as.columnsAdjoin() || swapped.columnsAdjoin():
		return t.Size(3) >= 64 && !as.columnsAdjoin() && as.bb.Plain
	case as.thinRuns() != swapped.thinRuns(): // stored as vectors
		return swapped.thinRuns()
	case as.windowRuns() != swapped.windowRuns(): // read where they lie
		return swapped.windowRuns()
	case access.Steady(t, t.A) != access.Steady(t, t.B): // packed once
		return access.Steady(t, t.A)
	}
	// One of the two is packed: the other one where this is much larger and not
	// packed by vectors, as the windows of a convolution.
	return swapped.A.Plain && !as.bb.AlongK() && 4*m <= n
}

// swapForLanes reports whether A and B should change places on a device whose
// lanes share A: each of them has columns of its own, which it reads best from rows
// of B.
func swapForLanes(d *facts.Device, t *engine.Task, plain orientations) bool {
	m, n := t.Size(1), t.Size(2)
	if narrow := int64(2 * d.SubgroupLanes); n < narrow || m < narrow {
		return n < m
	}
	return !plain(false).columnsAdjoin() && plain(true).columnsAdjoin()
}

// gathersB reports whether B is neither read where it lies nor copied in runs: an
// element at a time, which takes as long as several vectors of sums do, so that even
// columns that fill few lanes of a vector are better, as with many
// channels and few kernels. A pack that is kept is not made in a run.
func (c *Contraction) gathersB() bool {
	return !c.bb.AlongK() && !c.columnsAdjoin() && !c.directB(c.panelShape()) && !c.canKeepB(c.panelShape())
}

// windowRuns reports whether B is read where it lies although only runs of its
// columns adjoin, and no pack of it can be kept.
func (c *Contraction) windowRuns() bool {
	return len(c.Axes(bColumn)) > 1 && c.directB(c.panelShape()) && !access.Steady(c.Task, c.Task.B)
}

// thinRuns reports whether sums are so short that storing them decides, columns
// adjoin in the output, and runs of them in B.
func (c *Contraction) thinRuns() bool {
	_, column := c.outSteps()
	return c.K <= thin && column == 1 && len(c.Axes(bColumn)) > 1 && c.directB(c.panelShape())
}
