package ocl

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
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

// linesWay is c or its transposed product, whichever has lines in A that cost less.
func linesWay(c *contraction, d *deviceFacts, t *engine.Task) (*contraction, bool) {
	legal := c.linesLegal()
	other := separate(d, t, !c.swapped)
	if !other.linesLegal() {
		return c, legal
	}
	if legal && c.chooseLines().cycles(c) <= other.chooseLines().cycles(other) {
		return c, true
	}
	return other, true
}

func (c *contraction) linesLegal() bool {
	p := c.anyLines()
	if !c.a.plain || p.line < 2 || p.step < 1 || p.step > 4 || c.m > stripTaps {
		return false
	}
	return c.leastLines(p).fits(c)
}

// leastLines is the choice that takes least local memory.
func (c *contraction) leastLines(p linesChoice) linesChoice {
	shapes := kernels.LinesShapes(c.panelLanes() * int(c.accSize))
	p.shape, p.lines, p.columns = shapes[len(shapes)-1], 1, 1
	p.split(c, 1)
	return p
}

// anyLines is what all choices of c have in common.
func (c *contraction) anyLines() linesChoice {
	p := linesChoice{space: kernels.Lines(c.dev.localMem, int(c.accSize)), taps: 1}
	sum, rows := c.axes(aSum), c.axes(aRow)
	if !c.a.plain || len(sum) == 0 {
		return p
	}
	p.line, p.step = int64(c.task.Axes[sum[len(sum)-1]]), c.a.step
	if p.step < 1 {
		return p
	}
	if len(rows) > 0 {
		last := rows[len(rows)-1]
		if n, apart := int64(c.task.Axes[last]), c.a.coef[last]; apart > 0 && (n-1)*apart < p.line*p.step {
			p.taps, p.apart = n, apart
		}
	}
	p.direct = c.bb.plain && c.bb.step == 1 && (c.bb.run == 0 || c.bb.run%p.line == 0)
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

func (p linesChoice) planes(c *contraction) (a, b int64) {
	lanes, run := int64(c.panelLanes()), p.lines*p.pitch()
	return c.m/p.taps*p.phases*run + p.reach + 2*lanes, p.columns * roundUp(run, lanes)
}

// group is how many columns stay in the innermost cache beside the lines of a tile.
func (p linesChoice) group(c *contraction) int64 {
	const room = 24 << 10
	width := int64(p.shape.Columns)
	return max(room/(roundUp(p.lines*p.pitch(), int64(c.panelLanes()))*c.accSize)/width, 1) * width
}

// inner is how many bytes a tile of sums reads, some rows being the same line.
func (p linesChoice) inner(c *contraction) int64 {
	return p.lines * p.pitch() * c.accSize * int64(p.shape.Columns+3)
}

func (p linesChoice) tiles(c *contraction) int64 {
	return ceilDiv(c.m, max(int64(p.shape.Rows), 1)) * ceilDiv(p.columns, max(int64(p.shape.Columns), 1))
}

// rests reports whether the rounding errors of sums of runs are kept beside them.
func (p linesChoice) rests(c *contraction) bool {
	return c.manySums(ceilDiv(p.chunk, max(p.lines*p.line, 1)))
}

// fits reports whether what is laid out and the sums keep to local memory.
func (p linesChoice) fits(c *contraction) bool {
	lanes := int64(c.panelLanes())
	a, b := p.planes(c)
	sums := p.tiles(c) * roundUp(int64(max(p.shape.Rows*p.shape.Columns, 1)), lanes)
	if p.rests(c) {
		sums *= 2
	}
	return a <= int64(p.space.A) && b <= int64(p.space.B) && sums <= int64(p.space.Sum)
}

// linesFit reports whether lines beat panels, which read columns of B that adjoin along k only after
// laying them out, by a count of cycles.
func (c *contraction) linesFit() bool {
	const pack, kept = 3, 400 // an element that is laid out; a block of a panel that is stored
	p := c.chooseLines()
	if c.alongK() || p.taps == 1 && p.step == 1 || !c.bb.alongK() && c.columnsAdjoin() {
		return false // a plain product, or panels read B in place
	}
	lanes := int64(c.panelLanes())
	panel := c.b * c.k * (ceilDiv(c.m, 8)*ceilDiv(c.n, 2*lanes)*9 + pack*c.n) / int64(c.dev.units)
	return p.cycles(c) < panel+kept
}

// chooseLines takes what cycles finds cheapest, with some chunks a core.
func (c *contraction) chooseLines() linesChoice {
	p := c.anyLines()
	least, best := int64(math.MaxInt64), c.leastLines(p)
	for _, p.shape = range kernels.LinesShapes(c.panelLanes() * int(c.accSize)) {
		for slices := int64(1); slices <= c.n; slices *= 2 {
			p.columns = ceilDiv(c.n, slices)
			p.split(c, 8*int64(c.dev.units)/min(c.b*slices, 8*int64(c.dev.units)))
			of := p.chunk / p.line
			for parts := int64(1); parts <= of; parts++ {
				if p.lines = ceilDiv(of, parts); !p.fits(c) || p.lines > 1 && p.inner(c) > 48<<10 {
					continue
				}
				if t := p.cycles(c); t < least {
					least, best = t, p
				}
				if p.lines*p.pitch() < 256 {
					break
				}
			}
			if p.columns*int64(c.panelLanes()) < 64 {
				break
			}
		}
	}
	return best
}

// split divides k into about want chunks of whole lines.
func (p *linesChoice) split(c *contraction, want int64) {
	p.chunk, p.splits = c.chunks(want, p.line)
}

// cycles estimates how long the busiest core computes, with what was measured on
// one that does two multiply-adds of vectors and two aligned loads a cycle.
func (p linesChoice) cycles(c *contraction) int64 {
	const begin, copied, ended, tile, fold = 500, 3, 6, 40, 7
	if p.shape.Rows == 0 {
		return math.MaxInt64 / 2
	}
	lanes, rows, columns := int64(c.panelLanes()), int64(p.shape.Rows), int64(p.shape.Columns)
	line := ceilDiv(p.pitch(), lanes)*copied + ended
	lineB := line
	if !p.direct {
		lineB += 4 * p.line
	}
	laid := (c.m/p.taps*p.phases*min(p.step, 2)*line + p.columns*lineB) * p.lines
	vectors := ceilDiv(p.lines*p.pitch(), lanes)
	each := vectors*max(rows*columns, 2*rows+columns)/2 + tile + fold*roundUp(rows*columns, lanes)
	rounds := ceilDiv(p.chunk, p.lines*p.line)
	item := begin + rounds*(laid+p.tiles(c)*each) + c.m*p.columns*2
	items := c.b * p.splits * ceilDiv(c.n, p.columns)
	return ceilDiv(items, int64(c.dev.units))*item + p.splits*c.b*c.m*c.n/int64(4*c.dev.units)
}

func (p linesChoice) String() string {
	s := fmt.Sprintf("block %dx%d, %d x %d columns, %d lines of %d", p.shape.Rows, p.shape.Columns, p.taps, p.columns, p.lines, p.line)
	return s + splitText(p.splits)
}

func (c *contraction) linesOf() variant {
	v := tunable[linesChoice](contractChooser(c, "lines", c.chooseLines, c.settleLines, c.planLines))
	v.why = "terms that are lines of pixels"
	return v
}

func (p *linesChoice) knobs() []knob {
	return []knob{
		counter("rows", &p.shape.Rows), counter("cols", &p.shape.Columns), counter("lines", &p.lines),
		counter("columns", &p.columns), counter("splits", &p.splits),
	}
}

func (c *contraction) settleLines(p *linesChoice) error {
	p.split(c, p.splits)
	p.columns = min(p.columns, c.n)
	p.lines = min(p.lines, p.chunk/p.line)
	if !p.fits(c) {
		return errNoRuns
	}
	return c.partsFit(p.splits)
}

func (c *contraction) planLines(p linesChoice) (*plan, error) {
	g := c.program(true, true, p.splits == 1)
	lanes := c.panelLanes()
	g.macro("ROWS", p.shape.Rows)
	g.macro("COLS", p.shape.Columns)
	g.macro("SPACE_A", p.space.A)
	g.macro("SPACE_B", p.space.B)
	g.macro("SPACE_SUM", p.space.Sum)
	g.macro("TAPS", tableSize(c.m))
	g.macro("RESTS", oneIf(p.rests(c)))
	s := c.sums(ceilDiv(p.lines*p.pitch(), int64(lanes)))
	s.levels = min(s.levels, 1)
	s.macros(g)
	g.macro("MEND", oneIf(c.acc.IsFloat()))
	c.pointer(g, "A", c.a)
	c.lineLoads(g, c.a, p.step, lanes)
	row, sum := coord{"m", c.axes(aRow)}, coord{"k", c.axes(aSum)}
	g.hook("A_ROW", []coord{{"b", c.axes(aBatch)}, row}, c.part(c.a, true, aBatch, aRow), tensor.Invalid)
	g.hook("A_COL", []coord{sum}, c.part(c.a, false, aSum), tensor.Invalid)
	g.macro("B_PLAIN", oneIf(p.direct))
	if p.direct {
		c.pointer(g, "B", c.bb)
		c.loads(g, "B", c.bb, lanes)
		g.macro("B_ONE(p, i)", c.oneLoad(c.bb))
		g.hook("B_COLUMN", []coord{{"b", c.axes(bBatch)}, {"n", c.axes(bColumn)}}, c.part(c.bb, true, bBatch, bColumn), tensor.Invalid)
		g.hook("B_COL", []coord{{"k", c.axes(bSum)}}, c.part(c.bb, false, bSum), tensor.Invalid)
	}
	c.hookA(g)
	c.hookB(g)
	c.extents(g)
	for _, s := range []struct {
		name string
		v    int64
	}{
		{"LENGTH", p.line}, {"BAND", p.lines}, {"REACH", p.reach}, {"V", p.taps}, {"APART", p.apart}, {"PHASES", p.phases}, {"COLUMNS", p.columns}, {"GROUP", p.group(c)},
	} {
		g.size(s.name, s.v)
	}
	made := &plan{params: p.String()}
	c.fold(g, made, p.splits, p.chunk)
	made.launches = append([]launch{{
		prog: g.assemble("contract/cpu_line.cl", "lib/block_sums.cl", "contract/cpu_lines.cl"), kernel: "contract_lines", local: [3]int{1, 1, 1},
		global: grid(ceilDiv(c.n, p.columns), 1, c.b*p.splits),
	}}, made.launches...)
	return made, nil
}

// lineLoads defines what contract/cpu_line.cl takes, for elements of l that lie step apart.
func (c *contraction) lineLoads(g *gen, l operandLoad, step int64, lanes int) {
	g.macro("VL", lanes)
	g.macro("VT", fmt.Sprintf("%s%d", c.accC, lanes))
	g.macro("STEP", step)
	g.macro("LINE_TYPE", storageType(c.task.Ins[l.input].DType))
	if l.dtype == c.acc && c.acc.IsFloat() {
		g.macro("LINE_LOAD(p)", "(*(__global const VT_ANYWHERE *)(p))")
	} else {
		g.macro("LINE_LOAD(p)", c.vectorLoad(l.dtype, lanes))
	}
	g.macro("LINE_ONE(p, i)", fmt.Sprintf("LOAD_%v(p, i)", l.dtype))
}
