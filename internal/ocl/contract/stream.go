package contract

import (
	"fmt"

	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// streamChoice is how contract/cpu_stream.cl is used for one contraction.
type streamChoice struct {
	columns       int64 // of a work-item
	steps         int   // rows of B at a time
	chunk, splits int64
}

// StreamLegal reports whether B can be read row by row where it lies.
func (c *Contraction) StreamLegal() bool {
	return c.columnsAdjoin() && c.streamSpace() >= int64(c.PanelLanes())
}

// streamSpace is how many sums of c there are in local memory, thrice where they have totals.
func (c *Contraction) streamSpace() int64 {
	local := c.Device.LocalMem
	if c.Acc.IsFloat() && c.K > fewTerms {
		local /= 3
	}
	return kernels.StreamSpace(local, int(c.AccSize))
}

// streamFits reports whether there is one row for a B too large for the cache of
// a core, with rows long enough to be read from end to end.
func (c *Contraction) streamFits() bool {
	return c.m == 1 && c.StreamLegal() && c.n >= 256 && c.K >= 64 && c.K*c.n*c.AccSize >= 1<<20 && !c.ownPanels()
}

// ownPanels reports whether one row is multiplied with panels of a steady B that are packed for it
// alone: read from end to end too, but with the sums in registers. A larger B, which comes from
// memory, is no faster that way.
func (c *Contraction) ownPanels() bool {
	return c.m == 1 && c.canKeepB(c.panelShape()) && c.K*c.n*c.AccSize <= PackBytes
}

// ChooseStream gives every core an equal share of the columns, or of k where a
// share of the columns is less than a page. Four rows at a time were faster than
// eight but for such narrow matrices.
func (c *Contraction) ChooseStream() streamChoice {
	const page = 4096
	s := streamChoice{steps: 4}
	lanes := int64(c.PanelLanes())
	space := c.streamSpace()
	across := int64(1)
	if rows := c.Batches * c.m; rows < 4*int64(c.Device.Units) {
		across = variant.CeilDiv(int64(c.Device.Units), access.GCD(rows, int64(c.Device.Units)))
	}
	across *= variant.CeilDiv(c.n, across*space)
	s.columns = min(variant.RoundUp(variant.CeilDiv(c.n, across), lanes), space)
	splits := int64(1)
	if s.columns < c.n && s.columns*c.AccSize < page && c.n <= space {
		s.columns, s.steps, splits = c.n, 8, across
	}
	s.Split(c, splits)
	return s
}

// Split divides k into about want chunks.
func (s *streamChoice) Split(c *Contraction, want int64) {
	s.chunk, s.splits = c.chunks(want, 1)
}

// sums says how the sums of a work-item are taken. They lie in memory: a block goes to totals at once, in a pass
// over all columns that costs about as much as a row.
func (s streamChoice) sums(c *Contraction) sumBlocks {
	b := c.sums(s.chunk)
	b.levels = min(b.levels, 1)
	return b
}

func (s streamChoice) String() string {
	return fmt.Sprintf("%d columns, %d rows at a time", s.columns, s.steps) + splitText(s.splits)
}

func (c *Contraction) PlanStream(s streamChoice) (*variant.Plan, error) {
	lanes := c.PanelLanes()
	g := c.program(true, true, s.splits == 1)
	g.Macro("VL", lanes)
	g.Macro("VT", fmt.Sprintf("%s%d", c.AccType, lanes))
	g.Macro("STEPS", s.steps)
	s.sums(c).macros(g)
	g.Macro("SPACE", c.streamSpace())
	c.hookA(g)
	c.hookB(g)
	c.Pointer(g, "B", c.bb)
	g.Macro("B_LOAD(p)", c.vectorLoad(c.bb.DType, lanes))
	g.Hook("B_ROW", []codegen.Coord{{Name: "b", Axes: c.Axes(bBatch)}, {Name: "k", Axes: c.Axes(bSum)}}, c.Part(c.bb, true, bBatch, bSum),
		tensor.Invalid)
	c.extents(g)
	g.Size("COLUMNS", s.columns)
	p := &variant.Plan{Params: s.String()}
	c.fold(g, p, s.splits, s.chunk)
	p.Launches = append([]variant.Launch{{
		Program: g.Assemble("lib/block_sums.cl", "contract/cpu_stream.cl"), Kernel: "contract_stream", Local: [3]int{1, 1, 1},
		Global: variant.Grid(variant.CeilDiv(c.n, s.columns), c.m, c.Batches*s.splits),
	}}, p.Launches...)
	return p, nil
}
