package ocl

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

var errNoLines = errors.New("the columns are no windows along lines")

// What contract/cpu_strip.cl keeps in local memory: where taps and vectors lie, at most
// so many.
const stripTaps, stripSpan = 4096, 1024

// stripChoice is how contract/cpu_strip.cl is used for one contraction.
type stripChoice struct {
	rows, vectors int64 // MR and NV
	lanes         int64
	span, tiles   int64 // vectors and tiles of rows of a work-item
	line, lines   int64 // windows of a line, and how many lines
	step          int64
	near, far     int64 // the least and the largest position of a tap
	keep          bool  // A is steady: it is packed once
}

// stripWay is c or its transposed product, whichever has windows along lines in
// B and in the result.
func stripWay(c *contraction, d *deviceFacts, t *engine.Task) (*contraction, bool) {
	legal := c.stripLegal()
	if legal && !c.columnsApart() {
		return c, true
	}
	if other := separate(d, t, !c.swapped); other.stripLegal() {
		return other, true
	}
	return c, legal
}

func (c *contraction) stripLegal() bool {
	p := c.anyStrip()
	if !c.bb.plain || p.step < 1 || p.step > 4 || p.line < 2 || c.k > min(stripTaps, c.dev.localMem/16) {
		return false
	}
	return c.task.Ins[c.bb.input].Len >= p.far-p.near+p.step*p.lanes && c.b*roundUp(c.m, 8)*c.k*c.accSize <= c.dev.maxAlloc/4
}

// stripFits reports whether strips beat what else computes windows on a CPU driver,
// by a count of cycles. Windows read elements more than once, or not all of them:
// a plain product is not among them.
func (c *contraction) stripFits() bool {
	p := c.chooseStrip()
	read := c.n * c.k
	if !c.sharedB {
		read *= c.b
	}
	plain := p.step == 1 && 2*read < 3*c.task.Ins[c.bb.input].Len || c.bb.alongK() && p.step >= c.k
	if c.columnsApart() || plain {
		return false
	}
	const kept, begin = 180, 26 // a block of a panel that is stored; a run of taps
	lanes, runs := int64(c.panelLanes()), int64(1)
	if c.bb.run > 0 {
		runs = c.k / c.bb.run
	}
	rows, columns := c.m, c.n
	if !c.directB(c.panelShape()) { // the panels are of what is multiplied with the windows
		rows, columns = columns, rows
	}
	vectors := ceilDiv(columns, lanes)
	panels := c.b * ceilDiv(rows, 8) * (vectors*c.k*8*4/5 + ceilDiv(vectors, 2)*(runs*begin+kept)) / int64(c.dev.units)
	return p.cycles(c) < panels
}

// anyStrip is what all strips of c have in common.
func (c *contraction) anyStrip() stripChoice {
	p := stripChoice{lanes: int64(c.panelLanes()), keep: steady(c.task, c.task.A)}
	columns := c.axes(bColumn)
	if !c.bb.plain || len(columns) == 0 {
		return p
	}
	last := columns[len(columns)-1]
	p.step, p.line = c.bb.coef[last], int64(c.task.Axes[last])
	p.lines = c.n / max(p.line, 1)
	for _, a := range c.axes(bSum) {
		reach := c.bb.coef[a] * int64(c.task.Axes[a]-1)
		p.near, p.far = p.near+min(reach, 0), p.far+max(reach, 0)
	}
	return p
}

// ofLine and all are the vectors of a line and of a batch.
func (p stripChoice) ofLine() int64 { return ceilDiv(p.line, p.lanes) }
func (p stripChoice) all() int64    { return p.ofLine() * p.lines }

// chooseStrip is what searchStrip finds, which is looked for once.
func (c *contraction) chooseStrip() stripChoice {
	if c.bestStrip == nil {
		p := c.searchStrip()
		c.bestStrip = &p
	}
	return *c.bestStrip
}

// searchStrip takes the block of registers that cycles finds cheapest, and items
// large enough to hide how each begins.
func (c *contraction) searchStrip() stripChoice {
	p := c.anyStrip()
	least, best := int64(math.MaxInt64), p
	for _, p.rows = range []int64{1, 2, 3, 4, 5, 6, 8, 10, 12, 14} {
		for p.vectors = 1; p.vectors <= 8; p.vectors++ {
			if !kernels.StripFits(p.rows, p.vectors, p.step, int(p.lanes*c.accSize)) {
				continue
			}
			p.share(c)
			if t := p.cycles(c); t < least {
				least, best = t, p
			}
		}
	}
	return best
}

// share divides the work into some items a core.
func (p *stripChoice) share(c *contraction) {
	want := int64(8 * c.dev.units)
	p.tiles = ceilDiv(c.m, p.rows)
	blocks := ceilDiv(p.all(), p.vectors)
	parts := max(min(ceilDiv(want, c.b), blocks), 1)
	p.span = min(ceilDiv(blocks, parts), stripSpan/p.vectors) * p.vectors
	if few := c.b * ceilDiv(blocks, p.span/p.vectors); few < want {
		p.tiles = ceilDiv(p.tiles, min(ceilDiv(want, few), p.tiles))
	}
}

// cycles estimates how long the busiest core computes, with what was measured on
// one that does a multiply-add of vectors and an aligned load a cycle.
func (p stripChoice) cycles(c *contraction) int64 {
	const begin, tile, store, pieces = 400, 20, 1, 10
	loads := min(p.step, 2)
	if p.step > 2 {
		loads = 2 * p.lanes
	}
	each := c.k*max(p.rows*p.vectors, 3*p.vectors*loads+p.rows, 8) + tile + store*p.rows*p.vectors
	if p.line%p.lanes != 0 {
		each += pieces * p.rows * ceilDiv(p.vectors, p.ofLine())
	}
	item := begin + 3*c.k + ceilDiv(p.span, p.vectors)*p.tiles*each
	items := c.b * ceilDiv(p.all(), p.span) * ceilDiv(ceilDiv(c.m, p.rows), p.tiles)
	return ceilDiv(items, int64(c.dev.units)) * item
}

func (p stripChoice) String() string {
	s := fmt.Sprintf("%d rows x %d vectors of %d, step %d, %d x %d an item", p.rows, p.vectors, p.lanes, p.step, p.rows*p.tiles, p.span)
	if p.keep {
		s += ", rows once"
	}
	return s
}

func (c *contraction) strip() variant {
	v := tunable[stripChoice](contractChooser(c, "strip", c.chooseStrip, c.settleStrip, c.planStrip))
	v.why = "windows along lines"
	return v
}

func (p *stripChoice) knobs() []knob {
	return []knob{counter("rows", &p.rows), counter("vectors", &p.vectors), counter("span", &p.span), counter("tiles", &p.tiles)}
}

func (c *contraction) settleStrip(p *stripChoice) error {
	if !c.stripLegal() {
		return errNoLines
	}
	p.span = roundUp(min(p.span, p.all()), p.vectors)
	p.tiles = min(p.tiles, ceilDiv(c.m, p.rows))
	return nil
}

func (c *contraction) planStrip(p stripChoice) (*plan, error) {
	tiles := ceilDiv(c.m, p.rows)
	plane, lots := tiles*p.rows*c.k, c.b
	if c.sharedA {
		lots = 1
	}
	made := &plan{params: p.String()}
	if bytes := lots * plane * c.accSize; p.keep {
		made.kept = []int64{bytes}
	} else {
		made.scratch = []int64{bytes}
	}
	packed := func(g *gen) { g.packArg("A_PACK", p.keep, 0, c.accC) }
	stride := plane
	if c.sharedA {
		stride = 0
	}
	made.launches = []launch{
		{
			prog: c.packRows(p.rows, stride, lots*plane, packed), kernel: "contract_pack_a", once: p.keep,
			sizes:  map[string]int64{"LOTS": lots, "K_TO": c.k},
			global: grid(tiles, ceilDiv(c.k, packK), lots), local: [3]int{1, 1, 1},
		},
		{
			prog: c.stripProgram(p, stride, lots*plane, packed), kernel: "contract_strip", local: [3]int{1, 1, 1},
			global: grid(ceilDiv(p.all(), p.span), ceilDiv(tiles, p.tiles), c.b),
		},
	}
	return made, nil
}

func (c *contraction) stripProgram(p stripChoice, stride, pack int64, packed func(*gen)) *program {
	g := c.program(false, true, true, pack)
	lanes := int(p.lanes)
	g.macro("MR", p.rows)
	g.macro("NV", p.vectors)
	c.sums(c.k).macros(g)
	g.macro("TAPS", tableSize(c.k))
	g.macro("SPACE", tableSize(p.span))
	c.pointer(g, "B", c.bb)
	c.lineLoads(g, c.bb, p.step, lanes)
	columns := c.axes(bColumn)
	inner := len(columns) - 1
	g.hook("B_AT", []coord{{"b", c.axes(bBatch)}, {"r", columns[:inner]}, {"i", columns[inner:]}}, c.part(c.bb, true, bBatch, bColumn), tensor.Invalid)
	g.hook("B_TAP", []coord{{"k", c.axes(bSum)}}, c.part(c.bb, false, bSum), tensor.Invalid)
	c.hookOut(g)
	g.macro("WHOLE", oneIf(c.vectorOut(g, lanes, 1, "") && p.line >= p.lanes && c.task.Alias == nil))
	packed(g)
	for _, s := range []struct {
		name string
		v    int64
	}{
		{"M", c.m}, {"K", c.k}, {"WINDOWS", p.line}, {"LINE_VECTORS", p.ofLine()}, {"VECTORS", p.all()},
		{"SPAN", p.span}, {"TILES", p.tiles}, {"A_PLANE", stride},
		{"LAST", c.task.Ins[c.bb.input].Len - 1 - p.far - p.step*(p.lanes-1)},
	} {
		g.size(s.name, s.v)
	}
	return g.assemble("contract/cpu_line.cl", "lib/block_sums.cl", "contract/cpu_strip.cl")
}

// tableSize is room for n entries, and the same for others of about as many, so
// that they share a program.
func tableSize(n int64) int64 {
	size := int64(64)
	for size < n {
		size *= 2
	}
	return size
}
