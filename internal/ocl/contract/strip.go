package contract

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

var errNoLines = errors.New("the columns are no windows along lines")

// Limits of the tables that an item of contract/cpu_strip.cl has: of taps, and of vectors.
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

// stripOrientation is c or its transposed product, whichever has windows along lines in
// B and in the result.
func stripOrientation(c *Contraction, plain orientations) (*Contraction, bool) {
	legal := c.stripLegal()
	if legal && !c.columnsApart() {
		return c, true
	}
	if other := plain(!c.swapped); other.stripLegal() {
		return other, true
	}
	return c, legal
}

func (c *Contraction) stripLegal() bool {
	p := c.anyStrip()
	if !c.bb.Plain || p.step < 1 || p.step > 4 || p.line < 2 || c.K > stripTaps {
		return false
	}
	return c.Task.Ins[c.bb.input].Len >= p.far-p.near+p.step*p.lanes && c.Batches*variant.RoundUp(c.m, 8)*c.K*c.AccSize <= c.Device.MaxAlloc/4
}

// stripFits reports whether strips beat the other variants for windows on a CPU driver, by a count of
// cycles. Windows read elements more than once, or not all of them: a plain product is not among them.
func (c *Contraction) stripFits() bool {
	p := c.chooseStrip()
	read := c.n * c.K
	if !c.sharedB {
		read *= c.Batches
	}
	plain := p.step == 1 && 2*read < 3*c.Task.Ins[c.bb.input].Len || c.bb.AlongK() && p.step >= c.K
	if c.columnsApart() || plain {
		return false
	}
	const kept, begin = 180, 26 // a block of a panel that is stored; a run of taps
	lanes, runs := int64(c.PanelLanes()), int64(1)
	if c.bb.run > 0 {
		runs = c.K / c.bb.run
	}
	rows, columns := c.m, c.n
	if !c.directB(c.panelShape()) { // the panels are of the operand that is multiplied with the windows
		rows, columns = columns, rows
	}
	vectors := variant.CeilDiv(columns, lanes)
	panels := c.Batches * variant.CeilDiv(rows, 8) * (vectors*c.K*8*4/5 + variant.CeilDiv(vectors, 2)*(runs*begin+kept)) / int64(c.Device.Units)
	return p.cycles(c) < panels
}

// anyStrip has the fields that are the same for all strips of c.
func (c *Contraction) anyStrip() stripChoice {
	p := stripChoice{lanes: int64(c.PanelLanes()), keep: access.Steady(c.Task, c.Task.A)}
	columns := c.Axes(bColumn)
	if !c.bb.Plain || len(columns) == 0 {
		return p
	}
	last := columns[len(columns)-1]
	p.step, p.line = c.bb.Coef[last], int64(c.Task.Axes[last])
	p.lines = c.n / max(p.line, 1)
	for _, a := range c.Axes(bSum) {
		reach := c.bb.Coef[a] * int64(c.Task.Axes[a]-1)
		p.near, p.far = p.near+min(reach, 0), p.far+max(reach, 0)
	}
	return p
}

// ofLine and all are the vectors of a line and of a batch.
func (p stripChoice) ofLine() int64 { return variant.CeilDiv(p.line, p.lanes) }
func (p stripChoice) all() int64    { return p.ofLine() * p.lines }

// chooseStrip is the result of searchStrip, which is called once.
func (c *Contraction) chooseStrip() stripChoice {
	if c.bestStrip == nil {
		p := c.searchStrip()
		c.bestStrip = &p
	}
	return *c.bestStrip
}

// searchStrip takes the block of registers that cycles finds cheapest, and items
// large enough to hide how each begins.
func (c *Contraction) searchStrip() stripChoice {
	p := c.anyStrip()
	least, best := int64(math.MaxInt64), p
	for _, p.rows = range []int64{1, 2, 3, 4, 5, 6, 8, 10, 12, 14} {
		for p.vectors = 1; p.vectors <= 8; p.vectors++ {
			if !kernels.StripFits(p.rows, p.vectors, p.step, int(p.lanes*c.AccSize)) {
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
func (p *stripChoice) share(c *Contraction) {
	want := int64(8 * c.Device.Units)
	p.tiles = variant.CeilDiv(c.m, p.rows)
	blocks := variant.CeilDiv(p.all(), p.vectors)
	parts := max(min(variant.CeilDiv(want, c.Batches), blocks), 1)
	p.span = min(variant.CeilDiv(blocks, parts), stripSpan/p.vectors) * p.vectors
	if few := c.Batches * variant.CeilDiv(blocks, p.span/p.vectors); few < want {
		p.tiles = variant.CeilDiv(p.tiles, min(variant.CeilDiv(want, few), p.tiles))
	}
}

// cycles estimates how long the busiest core computes, with constants measured on one that does a
// multiply-add of vectors and an aligned load a cycle.
func (p stripChoice) cycles(c *Contraction) int64 {
	const begin, tile, store, pieces = 400, 20, 1, 10
	loads := min(p.step, 2)
	if p.step > 2 {
		loads = 2 * p.lanes
	}
	each := c.K*max(p.rows*p.vectors, 3*p.vectors*loads+p.rows, 8) + tile + store*p.rows*p.vectors
	if p.line%p.lanes != 0 {
		each += pieces * p.rows * variant.CeilDiv(p.vectors, p.ofLine())
	}
	item := begin + 3*c.K + variant.CeilDiv(p.span, p.vectors)*p.tiles*each
	items := c.Batches * variant.CeilDiv(p.all(), p.span) * variant.CeilDiv(variant.CeilDiv(c.m, p.rows), p.tiles)
	return variant.CeilDiv(items, int64(c.Device.Units)) * item
}

func (p stripChoice) String() string {
	s := fmt.Sprintf("%d rows x %d vectors of %d, step %d, %d x %d an item", p.rows, p.vectors, p.lanes, p.step, p.rows*p.tiles, p.span)
	if p.keep {
		s += ", rows once"
	}
	return s
}

func (c *Contraction) strip() variant.Variant {
	v := variant.Tunable[stripChoice](contractChooser(c, "strip", c.chooseStrip, c.settleStrip, c.planStrip))
	v.Why = "windows along lines"
	return v
}

func (p *stripChoice) Knobs() []variant.Knob {
	return []variant.Knob{variant.Counter("rows", &p.rows), variant.Counter("vectors", &p.vectors), variant.Counter("span", &p.span), variant.Counter("tiles", &p.tiles)}
}

func (c *Contraction) settleStrip(p *stripChoice) error {
	if !c.stripLegal() {
		return errNoLines
	}
	p.span = variant.RoundUp(min(p.span, p.all()), p.vectors)
	p.tiles = min(p.tiles, variant.CeilDiv(c.m, p.rows))
	return nil
}

func (c *Contraction) planStrip(p stripChoice) (*variant.Plan, error) {
	tiles := variant.CeilDiv(c.m, p.rows)
	plane, lots := tiles*p.rows*c.K, c.Batches
	if c.sharedA {
		lots = 1
	}
	made := packing(p.String(), lots*plane*c.AccSize, p.keep)
	packed := func(g *codegen.Builder) { g.PackArg("A_PACK", p.keep, 0, c.AccType) }
	stride := plane
	if c.sharedA {
		stride = 0
	}
	made.Launches = []variant.Launch{
		{
			Program: c.packRows(p.rows, stride, lots*plane, packed), Kernel: "contract_pack_a", Once: p.keep,
			Sizes:  map[string]int64{"LOTS": lots, "K_TO": c.K},
			Global: variant.Grid(tiles, variant.CeilDiv(c.K, packK), lots), Local: [3]int{1, 1, 1},
		},
		{
			Program: c.stripProgram(p, stride, lots*plane, packed), Kernel: "contract_strip", Local: [3]int{1, 1, 1},
			Global: variant.Grid(variant.CeilDiv(p.all(), p.span), variant.CeilDiv(tiles, p.tiles), c.Batches),
		},
	}
	return made, nil
}

func (c *Contraction) stripProgram(p stripChoice, stride, pack int64, packed func(*codegen.Builder)) *codegen.Program {
	g := c.program(false, true, true, pack)
	g.Passes = true
	lanes := int(p.lanes)
	g.Macro("MR", p.rows)
	g.Macro("NV", p.vectors)
	c.sums(c.K).macros(g)
	g.Macro("TAPS", tableSize(c.K))
	g.Macro("SPACE", tableSize(p.span))
	c.Pointer(g, "B", c.bb)
	c.lineLoads(g, c.bb, p.step, lanes)
	columns := c.Axes(bColumn)
	inner := len(columns) - 1
	g.Hook("B_AT", []codegen.Coord{{Name: "b", Axes: c.Axes(bBatch)}, {Name: "r", Axes: columns[:inner]}, {Name: "i", Axes: columns[inner:]}}, c.Part(c.bb, true, bBatch, bColumn), tensor.Invalid)
	g.Hook("B_TAP", []codegen.Coord{{Name: "k", Axes: c.Axes(bSum)}}, c.Part(c.bb, false, bSum), tensor.Invalid)
	c.hookOut(g)
	g.Macro("WHOLE", codegen.OneIf(c.vectorOut(g, lanes, 1, "") && p.line >= p.lanes && c.Task.Alias == nil))
	packed(g)
	for _, s := range []struct {
		name string
		v    int64
	}{
		{"M", c.m}, {"K", c.K}, {"WINDOWS", p.line}, {"LINE_VECTORS", p.ofLine()}, {"VECTORS", p.all()},
		{"SPAN", p.span}, {"TILES", p.tiles}, {"A_PLANE", stride},
		{"LAST", c.Task.Ins[c.bb.input].Len - 1 - p.far - p.step*(p.lanes-1)},
	} {
		g.Size(s.name, s.v)
	}
	return g.Assemble("contract/cpu_line.cl", "lib/block_sums.cl", "contract/cpu_strip.cl")
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
