package contract

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

var errNoRuns = errors.New("the terms are no lines that local memory holds")

// linesChoice is how contract/cpu_lines.cl is used for one contraction.
type linesChoice struct {
	shape         kernels.LinesShape
	space         kernels.BlockSpace
	line, lines   int64 // terms of a line, lines in local memory at a time
	step          int64
	taps, apart   int64 // rows of A that are one line, and how far apart
	phases, reach int64
	columns       int64 // of a work-item
	direct        bool  // lines of B lie side by side
	chunk, splits int64
}

// linesOrientation is c or its transposed product, whichever has lines in A that cost less.
func linesOrientation(c *Contraction, plain orientations) (*Contraction, bool) {
	legal := c.linesLegal()
	other := plain(!c.swapped)
	if !other.linesLegal() {
		return c, legal
	}
	if legal && c.chooseLines().cycles(c) <= other.chooseLines().cycles(other) {
		return c, true
	}
	return other, true
}

func (c *Contraction) linesLegal() bool {
	p := c.anyLines()
	if !c.A.Plain || p.line < 2 || p.step < 1 || p.step > 4 || c.m > stripTaps {
		return false
	}
	return c.leastLines(p).fits(c)
}

// leastLines is the choice that takes least local memory.
func (c *Contraction) leastLines(p linesChoice) linesChoice {
	shapes := kernels.LinesShapes(c.PanelLanes() * int(c.AccSize))
	p.shape, p.lines, p.columns = shapes[len(shapes)-1], 1, 1
	p.split(c, 1)
	return p
}

// anyLines has the fields that are the same for all choices of c.
func (c *Contraction) anyLines() linesChoice {
	p := linesChoice{space: kernels.Lines(c.Device.LocalMem, int(c.AccSize)), taps: 1}
	sum, rows := c.Axes(aSum), c.Axes(aRow)
	if !c.A.Plain || len(sum) == 0 {
		return p
	}
	p.line, p.step = int64(c.Task.Axes[sum[len(sum)-1]]), c.A.step
	if p.step < 1 {
		return p
	}
	if len(rows) > 0 {
		last := rows[len(rows)-1]
		if n, apart := int64(c.Task.Axes[last]), c.A.Coef[last]; apart > 0 && (n-1)*apart < p.line*p.step {
			p.taps, p.apart = n, apart
		}
	}
	p.direct = c.bb.Plain && c.bb.step == 1 && (c.bb.run == 0 || c.bb.run%p.line == 0)
	p.phases = 1
	if p.apart%p.step != 0 {
		p.phases = min(p.step, (p.taps-1)*p.apart+1)
	}
	p.reach = (p.taps - 1) * p.apart / p.step
	return p
}

// pitch is how far lines in local memory lie apart, planes what rows of A and
// columns of B take there.
func (p linesChoice) pitch() int64 { return p.line + p.reach }

func (p linesChoice) planes(c *Contraction) (a, b int64) {
	lanes, run := int64(c.PanelLanes()), p.lines*p.pitch()
	return c.m/p.taps*p.phases*run + p.reach + 2*lanes, p.columns * variant.RoundUp(run, lanes)
}

// group is how many columns stay in the innermost cache beside the lines of a tile.
func (p linesChoice) group(c *Contraction) int64 {
	const room = 24 << 10
	width := int64(p.shape.Columns)
	return max(room/(variant.RoundUp(p.lines*p.pitch(), int64(c.PanelLanes()))*c.AccSize)/width, 1) * width
}

// inner is how many bytes a tile of sums reads, some rows being the same line.
func (p linesChoice) inner(c *Contraction) int64 {
	return p.lines * p.pitch() * c.AccSize * int64(p.shape.Columns+3)
}

func (p linesChoice) tiles(c *Contraction) int64 {
	return variant.CeilDiv(c.m, max(int64(p.shape.Rows), 1)) * variant.CeilDiv(p.columns, max(int64(p.shape.Columns), 1))
}

// compensates reports whether the rounding errors of sums of runs are kept beside them.
func (p linesChoice) compensates(c *Contraction) bool {
	return c.manySums(variant.CeilDiv(p.chunk, max(p.lines*p.line, 1)))
}

// fits reports whether the lines and the sums fit in local memory.
func (p linesChoice) fits(c *Contraction) bool {
	lanes := int64(c.PanelLanes())
	a, b := p.planes(c)
	sums := p.tiles(c) * variant.RoundUp(int64(max(p.shape.Rows*p.shape.Columns, 1)), lanes)
	if p.compensates(c) {
		sums *= 2
	}
	return a <= int64(p.space.A) && b <= int64(p.space.B) && sums <= int64(p.space.Sum)
}

// linesFit reports whether lines beat panels, which read columns of B that adjoin along k only after
// laying them out, by a count of cycles.
func (c *Contraction) linesFit() bool {
	const pack, kept = 3, 400 // an element that is laid out; a block of a panel that is stored
	p := c.chooseLines()
	if c.AlongK() || p.taps == 1 && p.step == 1 || !c.bb.AlongK() && c.columnsAdjoin() {
		return false // a plain product, or panels read B in place
	}
	lanes := int64(c.PanelLanes())
	panel := c.Batches * c.K * (variant.CeilDiv(c.m, 8)*variant.CeilDiv(c.n, 2*lanes)*9 + pack*c.n) / int64(c.Device.Units)
	return p.cycles(c) < panel+kept
}

// chooseLines takes the choice that cycles finds cheapest, with some chunks a core.
func (c *Contraction) chooseLines() linesChoice {
	p := c.anyLines()
	least, best := int64(math.MaxInt64), c.leastLines(p)
	for _, p.shape = range kernels.LinesShapes(c.PanelLanes() * int(c.AccSize)) {
		for slices := int64(1); slices <= c.n; slices *= 2 {
			p.columns = variant.CeilDiv(c.n, slices)
			p.split(c, 8*int64(c.Device.Units)/min(c.Batches*slices, 8*int64(c.Device.Units)))
			of := p.chunk / p.line
			for parts := int64(1); parts <= of; parts++ {
				if p.lines = variant.CeilDiv(of, parts); !p.fits(c) || p.lines > 1 && p.inner(c) > 48<<10 {
					continue
				}
				if t := p.cycles(c); t < least {
					least, best = t, p
				}
				if p.lines*p.pitch() < 256 {
					break
				}
			}
			if p.columns*int64(c.PanelLanes()) < 64 {
				break
			}
		}
	}
	return best
}

// split divides k into about want chunks of whole lines.
func (p *linesChoice) split(c *Contraction, want int64) {
	p.chunk, p.splits = c.chunks(want, p.line)
}

// cycles estimates how long the busiest core computes, with constants measured on one that does two
// multiply-adds of vectors and two aligned loads a cycle.
func (p linesChoice) cycles(c *Contraction) int64 {
	const begin, copied, ended, tile, fold = 500, 3, 6, 40, 7
	if p.shape.Rows == 0 {
		return math.MaxInt64 / 2
	}
	lanes, rows, columns := int64(c.PanelLanes()), int64(p.shape.Rows), int64(p.shape.Columns)
	line := variant.CeilDiv(p.pitch(), lanes)*copied + ended
	lineB := line
	if !p.direct {
		lineB += 4 * p.line
	}
	laid := (c.m/p.taps*p.phases*min(p.step, 2)*line + p.columns*lineB) * p.lines
	vectors := variant.CeilDiv(p.lines*p.pitch(), lanes)
	each := vectors*max(rows*columns, 2*rows+columns)/2 + tile + fold*variant.RoundUp(rows*columns, lanes)
	rounds := variant.CeilDiv(p.chunk, p.lines*p.line)
	item := begin + rounds*(laid+p.tiles(c)*each) + c.m*p.columns*2
	items := c.Batches * p.splits * variant.CeilDiv(c.n, p.columns)
	return variant.CeilDiv(items, int64(c.Device.Units))*item + p.splits*c.Batches*c.m*c.n/int64(4*c.Device.Units)
}

func (p linesChoice) String() string {
	s := fmt.Sprintf("block %dx%d, %d x %d columns, %d lines of %d", p.shape.Rows, p.shape.Columns, p.taps, p.columns, p.lines, p.line)
	return s + splitText(p.splits)
}

func (c *Contraction) linesOf() variant.Variant {
	v := variant.Tunable[linesChoice](contractChooser(c, "lines", c.chooseLines, c.settleLines, c.planLines))
	v.Why = "terms that are lines of pixels"
	return v
}

func (p *linesChoice) Knobs() []variant.Knob {
	return []variant.Knob{
		variant.Counter("rows", &p.shape.Rows), variant.Counter("cols", &p.shape.Columns), variant.Counter("lines", &p.lines),
		variant.Counter("columns", &p.columns), variant.Counter("splits", &p.splits),
	}
}

func (c *Contraction) settleLines(p *linesChoice) error {
	p.split(c, p.splits)
	p.columns = min(p.columns, c.n)
	p.lines = min(p.lines, p.chunk/p.line)
	if !p.fits(c) {
		return errNoRuns
	}
	return c.partsFit(p.splits)
}

func (c *Contraction) planLines(p linesChoice) (*variant.Plan, error) {
	g := c.program(true, true, p.splits == 1)
	lanes := c.PanelLanes()
	g.Macro("ROWS", p.shape.Rows)
	g.Macro("COLS", p.shape.Columns)
	g.Macro("SPACE_A", p.space.A)
	g.Macro("SPACE_B", p.space.B)
	g.Macro("SPACE_SUM", p.space.Sum)
	g.Macro("TAPS", tableSize(c.m))
	g.Macro("RESTS", codegen.OneIf(p.compensates(c)))
	s := c.sums(variant.CeilDiv(p.lines*p.pitch(), int64(lanes)))
	s.levels = min(s.levels, 1)
	s.macros(g)
	g.Macro("MEND", codegen.OneIf(c.Acc.IsFloat()))
	c.Pointer(g, "A", c.A)
	c.lineLoads(g, c.A, p.step, lanes)
	row, sum := codegen.Coord{Name: "m", Axes: c.Axes(aRow)}, codegen.Coord{Name: "k", Axes: c.Axes(aSum)}
	g.Hook("A_ROW", []codegen.Coord{{Name: "b", Axes: c.Axes(aBatch)}, row}, c.Part(c.A, true, aBatch, aRow), tensor.Invalid)
	g.Hook("A_COL", []codegen.Coord{sum}, c.Part(c.A, false, aSum), tensor.Invalid)
	g.Macro("B_PLAIN", codegen.OneIf(p.direct))
	if p.direct {
		c.Pointer(g, "B", c.bb)
		c.loads(g, "B", c.bb, lanes)
		g.Macro("B_ONE(p, i)", c.oneLoad(c.bb))
		g.Hook("B_COLUMN", []codegen.Coord{{Name: "b", Axes: c.Axes(bBatch)}, {Name: "n", Axes: c.Axes(bColumn)}},
			c.Part(c.bb, true, bBatch, bColumn), tensor.Invalid)
		g.Hook("B_COL", []codegen.Coord{{Name: "k", Axes: c.Axes(bSum)}}, c.Part(c.bb, false, bSum), tensor.Invalid)
	}
	c.hookA(g)
	c.hookB(g)
	c.extents(g)
	for _, s := range []struct {
		name string
		v    int64
	}{
		{"LENGTH", p.line}, {"BAND", p.lines}, {"REACH", p.reach}, {"V", p.taps}, {"APART", p.apart}, {"PHASES", p.phases},
		{"COLUMNS", p.columns}, {"GROUP", p.group(c)},
	} {
		g.Size(s.name, s.v)
	}
	made := &variant.Plan{Params: p.String()}
	c.fold(g, made, p.splits, p.chunk)
	made.Launches = append([]variant.Launch{{
		Program: g.Assemble("contract/cpu_line.cl", "lib/block_sums.cl", "contract/cpu_lines.cl"), Kernel: "contract_lines",
		Local:  [3]int{1, 1, 1},
		Global: variant.Grid(variant.CeilDiv(c.n, p.columns), 1, c.Batches*p.splits),
	}}, made.Launches...)
	return made, nil
}

// lineLoads defines the loads of contract/cpu_line.cl, for elements of l that lie step apart.
func (c *Contraction) lineLoads(g *codegen.Builder, l OperandLoad, step int64, lanes int) {
	g.Macro("VL", lanes)
	g.Macro("VT", fmt.Sprintf("%s%d", c.AccType, lanes))
	g.Macro("STEP", step)
	g.Macro("LINE_TYPE", codegen.StorageType(c.Task.Ins[l.input].DType))
	if l.DType == c.Acc && c.Acc.IsFloat() {
		g.Macro("LINE_LOAD(p)", "(*(__global const VT_ANYWHERE *)(p))")
	} else {
		g.Macro("LINE_LOAD(p)", c.vectorLoad(l.DType, lanes))
	}
	g.Macro("LINE_ONE(p, i)", fmt.Sprintf("LOAD_%v(p, i)", l.DType))
}
