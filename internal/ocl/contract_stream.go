package ocl

import (
	"fmt"

	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// streamChoice is how contract/cpu_stream.cl is used for one contraction.
type streamChoice struct {
	columns       int64 // of a work-item
	steps         int   // rows of B at a time
	chunk, splits int64
}

// streamLegal reports whether B can be read row by row where it lies.
func (c *contraction) streamLegal() bool {
	return c.columnsAdjoin() && c.streamSpace() >= int64(c.panelLanes())
}

// streamSpace is how many sums of c there are in local memory, thrice where they have totals.
func (c *contraction) streamSpace() int64 {
	local := c.dev.localMem
	if c.acc.IsFloat() && c.k > fewTerms {
		local /= 3
	}
	return kernels.StreamSpace(local, int(c.accSize))
}

// streamFits reports whether there is one row for a B too large for the cache of
// a core, with rows long enough to be read from end to end.
func (c *contraction) streamFits() bool {
	return c.m == 1 && c.streamLegal() && c.n >= 256 && c.k >= 64 && c.k*c.n*c.accSize >= 1<<20 && !c.ownPanels()
}

// ownPanels reports whether one row is multiplied with panels of a steady B that are packed for it
// alone: read from end to end too, but with the sums in registers. What comes from memory
// comes no sooner that way.
func (c *contraction) ownPanels() bool {
	return c.m == 1 && c.canKeepB(c.panelShape()) && c.k*c.n*c.accSize <= packBytes
}

// chooseStream gives every core an equal share of the columns, or of k where a
// share of the columns is less than a page. Four rows at a time were faster than
// eight but for such narrow matrices.
func (c *contraction) chooseStream() streamChoice {
	const page = 4096
	s := streamChoice{steps: 4}
	lanes := int64(c.panelLanes())
	space := c.streamSpace()
	across := int64(1)
	if rows := c.b * c.m; rows < 4*int64(c.dev.units) {
		across = ceilDiv(int64(c.dev.units), gcd(rows, int64(c.dev.units)))
	}
	across *= ceilDiv(c.n, across*space)
	s.columns = min(roundUp(ceilDiv(c.n, across), lanes), space)
	splits := int64(1)
	if s.columns < c.n && s.columns*c.accSize < page && c.n <= space {
		s.columns, s.steps, splits = c.n, 8, across
	}
	s.split(c, splits)
	return s
}

// split divides k into about want chunks.
func (s *streamChoice) split(c *contraction, want int64) {
	s.chunk, s.splits = c.chunks(want, 1)
}

// sums is how those of a work-item are taken. They lie in memory: a block goes to totals at once, in a pass
// over all columns that costs about as much as a row.
func (s streamChoice) sums(c *contraction) sumBlocks {
	b := c.sums(s.chunk)
	b.levels = min(b.levels, 1)
	return b
}

func (s streamChoice) String() string {
	return fmt.Sprintf("%d columns, %d rows at a time", s.columns, s.steps) + splitText(s.splits)
}

func (c *contraction) planStream(s streamChoice) (*plan, error) {
	lanes := c.panelLanes()
	g := c.program(true, true, s.splits == 1)
	g.macro("VL", lanes)
	g.macro("VT", fmt.Sprintf("%s%d", c.accC, lanes))
	g.macro("STEPS", s.steps)
	s.sums(c).macros(g)
	g.macro("SPACE", c.streamSpace())
	c.hookA(g)
	c.hookB(g)
	c.pointer(g, "B", c.bb)
	g.macro("B_LOAD(p)", c.vectorLoad(c.bb.dtype, lanes))
	g.hook("B_ROW", []coord{{"b", c.axes(bBatch)}, {"k", c.axes(bSum)}}, c.part(c.bb, true, bBatch, bSum), tensor.Invalid)
	c.extents(g)
	g.size("COLUMNS", s.columns)
	p := &plan{params: s.String()}
	c.fold(g, p, s.splits, s.chunk)
	p.launches = append([]launch{{
		prog: g.assemble("lib/block_sums.cl", "contract/cpu_stream.cl"), kernel: "contract_stream", local: [3]int{1, 1, 1},
		global: grid(ceilDiv(c.n, s.columns), c.m, c.b*s.splits),
	}}, p.launches...)
	return p, nil
}
