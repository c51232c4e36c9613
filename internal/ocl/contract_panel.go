package ocl

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// packBytes bounds each scratch buffer of packed operands. It stays in the
// outer cache of a desktop CPU.
const packBytes = 16 << 20

// coreBytes is about what the cache of one core holds.
const coreBytes = 512 << 10

// innerBytes is about what its innermost cache holds, and the one after it hides.
const innerBytes = 64 << 10

// thin is the length of sums that take no longer than storing them.
const thin = 32

// packK is how many values of k one work-item of a packing kernel takes.
const packK = 64

// panelChoice is how contract/cpu_panel.cl is used for one contraction.
type panelChoice struct {
	shape        kernels.PanelShape
	packA, packB bool
	keepB        bool  // B is steady: it is packed whole, once
	chunk        int64 // of k in one split; the whole k when there is one
	splits       int64
	limit        int64 // bytes of a pack
	tiles        int64 // of rows a work-item
	across       bool  // neighbours take panels of the same rows
	far          bool  // rows of A that are read directly are asked for ahead
}

func (c *contraction) panelLanes() int {
	lanes := max(c.dev.vector, 4)
	if c.accSize == 8 {
		lanes /= 2
	}
	return min(lanes, 16)
}

// panelShape is the register block for all of the contraction.
func (c *contraction) panelShape() kernels.PanelShape {
	n := c.n
	if run := c.columnRun(); c.k <= thin && run >= int64(c.panelLanes()) { // whole panels in a run
		n = run / int64(c.panelLanes()) * int64(c.panelLanes())
	}
	return kernels.Panel(c.panelLanes(), int(c.accSize), c.m, n)
}

// directA reports whether rows of A can be read where they are: an element at
// a time, which does not pay where it has to be widened, nor where every
// element comes from another page.
func (c *contraction) directA() bool {
	if c.unit != nil && (!c.a.alongK() || c.a.flip || c.partly) {
		return false
	}
	far := magnitude(c.a.step) >= 256 && c.k >= 256 && c.n > 64
	return c.a.plain && !isHalfType(c.a.dtype) && !far
}

// directB reports whether panels of B can be read where they are: runs of columns
// that adjoin, of which the last panel does not do much twice.
func (c *contraction) directB(s kernels.PanelShape) bool {
	run, width := c.columnRun(), int64(s.Columns())
	return c.unit == nil && run >= width && (run == c.n || 4*run >= 3*roundUp(run, width))
}

// run is the number of values of k over which the address of whatever is read
// directly has one stride, 0 for all.
func (p panelChoice) run(c *contraction) int64 {
	var run int64
	if !p.packA {
		run = c.a.run
	}
	if !p.packB {
		run = gcd(run, c.bb.run)
	}
	return run
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// split divides k into about want chunks of whole runs, each of some length.
func (p *panelChoice) split(c *contraction, want int64) {
	p.chunk, p.splits = c.chunks(want, max(p.run(c), 1))
}

// choosePanel takes what was measured to be best on a CPU driver.
func (c *contraction) choosePanel() panelChoice {
	p := panelChoice{shape: c.panelShape(), limit: min(packBytes, c.dev.maxAlloc/4)}
	for c.ownPanels() && p.shape.Vectors > 4 && c.n < 4*int64(c.dev.units*p.shape.Columns()) {
		p.shape.Vectors /= 2 // shares that can be evened out
	}
	p.packA = !c.directA()
	// A panel is used once for every tile of rows; packing costs about as much
	// as two tiles, and what it buys are neighbouring cache lines and pages.
	// Windows of an image, of which only runs adjoin, would be packed element by element.
	p.packB = !c.directB(p.shape) || c.m > 256 && c.columnsAdjoin() || c.ownPanels() || c.m > 1 && c.worthKeeping(p.shape)
	p.keepB = p.packB && c.canKeepB(p.shape)
	high, wide := ceilDiv(c.m, int64(p.shape.Rows)), ceilDiv(c.n, int64(p.shape.Columns()))
	tiles := high * wide * c.b
	want := int64(1)
	if enough := int64(4 * c.dev.units); tiles < enough {
		want = min(ceilDiv(enough, tiles), c.k/512)
	}
	if !p.packB {
		want = max(want, c.cachedChunks(p.limit))
	}
	want = max(want, p.leastSplits(c))
	p.split(c, want)
	p.tiles = min(max(tiles*p.splits/int64(16*c.dev.units), 1), 16)
	p.tiles = ceilDiv(high, ceilDiv(high, p.tiles))   // shares that are about equal
	p.far = c.a.alongK() && p.rowBytes(c) > coreBytes // the processor alone is about a line of each row ahead
	p.across = c.dev.cache > 0 && p.rowBytes(c) > c.dev.cache/4 && p.besidePanels(c)
	return p
}

// linesAhead is how many lines a row of a panel that is read directly lies in, where they are asked for: of pieces
// of rows that are pages apart the processor alone asks for none ahead (measured, 8 x 1024 x 1024: 4 times).
func (p panelChoice) linesAhead(c *contraction) int {
	if p.packB || c.m == 1 || c.bb.run > 0 || c.n*c.k*c.accSize <= innerBytes {
		return 0
	}
	return p.shape.Vectors + oneIf(c.bb.step%int64(p.shape.Lanes) != 0)
}

// rowBytes is how much there is to read of A.
func (p panelChoice) rowBytes(c *contraction) int64 {
	rows := c.m * c.k * c.accSize
	if !p.packA { // windows overlap
		rows = min(rows, c.task.Ins[c.a.input].Bytes())
	}
	return rows
}

// besidePanels reports whether what a work-item reads of A stays in its core's cache beside all panels.
func (p panelChoice) besidePanels(c *contraction) bool {
	taken := p.tiles * int64(p.shape.Rows) * c.k * c.accSize
	panels := roundUp(c.n, int64(p.shape.Columns())) * c.k * c.accSize
	return taken+panels <= coreBytes/2
}

// leastSplits is into how many chunks k must be cut so that a panel, and a tile
// of rows, fits its scratch.
func (p panelChoice) leastSplits(c *contraction) int64 {
	least := int64(1)
	if p.packB && !p.keepB {
		least = max(least, ceilDiv(c.k*int64(p.shape.Columns())*c.accSize, p.limit))
	}
	if p.packA {
		least = max(least, ceilDiv(c.k*int64(p.shape.Rows)*c.accSize, p.limit))
	}
	return least
}

// canKeepB reports whether a pack of all of B can be kept between runs.
func (c *contraction) canKeepB(s kernels.PanelShape) bool {
	nr := int64(s.Columns())
	return c.sharedB && steady(c.task, c.task.B) && roundUp(c.n, nr)*c.k*c.accSize <= c.dev.maxAlloc/4
}

// worthKeeping reports whether a pack of B that is kept is better than columns that adjoin and are read where they
// lie: a pack is read from end to end, pieces of rows are pages apart. Measured on two cores of Zen 5, where
// it lies and from a pack: 4 x 1024 x 1024 79 and 39 us, 32 x 1024 x 1024 309 and 181, 128 x 784 x 512 361 and
// 269, 8 x 2048 x 8192 2.3 and 1.1 ms; alike where the innermost cache holds B.
func (c *contraction) worthKeeping(s kernels.PanelShape) bool {
	return c.columnsAdjoin() && c.bb.dtype == c.acc && c.canKeepB(s) && (c.m == 2 || c.bb.step%int64(s.Lanes) != 0 || c.n*c.k*c.accSize > innerBytes)
}

// steady reports whether e is the same in every run: it reads steady inputs only.
func steady(t *engine.Task, e *engine.Expr) bool {
	reads := false
	for s := range e.Walk() {
		if s.Op == engine.OpRun || s.Op == engine.OpLoad && !t.Ins[s.Input].Steady {
			return false
		}
		reads = reads || s.Op == engine.OpLoad
	}
	return reads
}

// cachedChunks is into how many chunks to split a long k whose operands are read
// in place: once for every tile, but from memory only once where a chunk of
// them fits the cache. The partial sums must stay within limit bytes.
func (c *contraction) cachedChunks(limit int64) int64 {
	if n := c.k / 2048; n >= 4 && n*c.b*c.m*c.n*c.accSize <= limit {
		return n
	}
	return 1
}

func (p panelChoice) String() string {
	s := fmt.Sprintf("block %dx%d", p.shape.Rows, p.shape.Columns())
	if p.packA {
		s += " pack a"
	}
	if p.packB {
		s += " pack b"
	}
	if p.keepB {
		s += " once"
	}
	if p.across {
		s += " across"
	}
	return s + splitText(p.splits)
}

// Scratch buffers of a panel plan.
const (
	scratchA = iota
	scratchB
	scratchPart
)

// planPanel plans contract/cpu_panel.cl, the kernels that pack for it and the one
// that folds its splits.
func (c *contraction) planPanel(p panelChoice) (*plan, error) {
	mr, nr := int64(p.shape.Rows), int64(p.shape.Columns())
	w := p.blocks(c)
	main := p.panelProgram(c)
	out := &plan{params: p.String(), scratch: make([]int64, 3)}
	var packA, packB *program
	if p.packA {
		packA = p.packProgram(c, "a", mr, w.planeA)
		out.scratch[scratchA] = w.lots * w.m * w.k * c.accSize
		if c.sharedA {
			out.scratch[scratchA] /= w.lots
		}
	}
	if p.packB {
		packB = p.packProgram(c, "b", nr, w.planeB)
		bytes := w.lots * w.n * w.k * c.accSize
		if c.sharedB {
			bytes /= w.lots
		}
		if p.keepB {
			out.kept = []int64{bytes}
		} else {
			out.scratch[scratchB] = bytes
		}
	}
	if p.splits > 1 {
		out.scratch[scratchPart] = p.splits * c.b * c.m * c.n * c.accSize
	}

	pack := func(prog *program, name string, x, y, lots int64, at map[string]int64) {
		out.launches = append(out.launches, launch{prog: prog, kernel: name, sizes: at, global: grid(x, y, lots), local: [3]int{1, 1, 1}})
	}
	one := func(shared bool, lots int64) int64 {
		if shared {
			return 1
		}
		return lots
	}
	for b := int64(0); b < c.b; b += w.lots {
		lots := min(w.lots, c.b-b)
		for k := int64(0); k < c.k; k += w.k {
			depth := min(w.k, c.k-k)
			for n := int64(0); n < c.n; n += w.n {
				panels := ceilDiv(min(w.n, c.n-n), nr)
				if !p.packB {
					panels = c.n / c.columnRun() * ceilDiv(c.columnRun(), nr)
				}
				at := func(m int64) map[string]int64 {
					return map[string]int64{
						"B_FROM": b, "LOTS": lots, "M_FROM": m, "N_FROM": n,
						"K_FROM": k, "K_TO": k + depth, "S_FROM": k / p.chunk,
					}
				}
				if p.packB && (b == 0 || !c.sharedB || w.n < c.n || w.k < c.k) {
					pack(packB, "contract_pack_b", ceilDiv(depth, packK), panels, one(c.sharedB, lots), at(0))
					out.launches[len(out.launches)-1].once = p.keepB
				}
				for m := int64(0); m < c.m; m += w.m {
					rows := ceilDiv(min(w.m, c.m-m), mr)
					if p.packA && (n == 0 || w.m < c.m) {
						pack(packA, "contract_pack_a", rows, ceilDiv(depth, packK), one(c.sharedA, lots), at(m))
					}
					sizes := at(m)
					sizes["ROW_TILES"], sizes["TILES"] = rows, p.tiles
					out.launches = append(out.launches, launch{
						prog: main, kernel: "contract_panel", sizes: sizes,
						global: p.grid(ceilDiv(rows, p.tiles), panels, lots*ceilDiv(depth, p.chunk)), local: [3]int{1, 1, 1},
					})
				}
			}
		}
	}
	if p.splits > 1 {
		out.launches = append(out.launches, c.sumLaunch(scratchPart, p.splits))
	}
	return out, nil
}

// grid is the range of a launch over so many strips of rows.
func (p panelChoice) grid(strips, panels, z int64) [3]int {
	if p.across {
		strips, panels = panels, strips
	}
	return grid(strips, panels, z)
}

// blocks is how much of each direction one round of launches covers.
type blocks struct {
	lots, m, n, k  int64
	planeA, planeB int64 // elements of a packed batch, 0 where shared
}

func (p panelChoice) blocks(c *contraction) blocks {
	w := blocks{lots: c.b, m: c.m, n: c.n, k: c.k}
	mr, nr := int64(p.shape.Rows), int64(p.shape.Columns())
	room := max(p.limit/c.accSize, 1) // elements
	if p.splits > 1 && (p.packA || p.packB) && !p.keepB {
		widest := int64(1)
		if p.packA {
			widest = mr
		}
		if p.packB {
			widest = max(widest, nr)
		}
		w.k = min(c.k, max(room/widest/p.chunk, 1)*p.chunk)
	}
	if p.packA {
		w.m = min(ceilDiv(c.m, mr), max(room/(w.k*mr), 1)) * mr
		if !c.sharedA {
			w.planeA = w.m * w.k
			w.lots = min(w.lots, max(room/w.planeA, 1))
		}
	}
	switch {
	case p.keepB:
		w.n = roundUp(c.n, nr)
	case p.packB:
		w.n = min(ceilDiv(c.n, nr), max(room/(w.k*nr), 1)) * nr
		if !c.sharedB {
			w.planeB = w.n * w.k
			w.lots = min(w.lots, max(room/w.planeB, 1))
		}
	}
	return w
}

// launchSizes are the arguments that launches change.
func launchSizes(g *gen) {
	for _, name := range []string{"B_FROM", "LOTS", "M_FROM", "N_FROM", "K_FROM", "K_TO", "S_FROM", "ROW_TILES", "TILES"} {
		g.size(name, 0)
	}
}

func (p panelChoice) packProgram(c *contraction, side string, width, plane int64) *program {
	if side == "a" {
		return c.packRows(width, plane, p.limit/c.accSize, func(g *gen) { g.scratchArg("A_PACK", scratchA, c.accC) })
	}
	g := c.program(false, true, false, p.limit/c.accSize)
	g.macro("PACK_K", packK)
	launchSizes(g)
	c.hookB(g)
	g.macro("NR", width)
	g.macro("ALONG_K", oneIf(c.bb.alongK()))
	files := []string{"contract/cpu_pack_b.cl"}
	if c.bb.alongK() {
		files = []string{"lib/cpu_transpose.cl", "contract/cpu_pack_b.cl"}
		lanes := p.shape.Lanes
		g.macro("VL", lanes)
		g.macro("VT", fmt.Sprintf("%s%d", c.accC, lanes))
		g.macro("VSTORE", fmt.Sprintf("vstore%d", lanes))
		c.vectors(g, "B", "B_COLUMN", c.bb, bBatch, bColumn, lanes)
	}
	g.size("N", c.n)
	g.size("B_PLANE", plane)
	p.packedB(g, c)
	return g.assemble(files...)
}

// packRows is the program of contract/cpu_pack_a.cl for tiles of so many rows; pack
// passes where they are laid out, of which plane elements are of one batch.
func (c *contraction) packRows(rows, plane, limit int64, pack func(*gen)) *program {
	g := c.program(true, false, false, limit)
	g.macro("PACK_K", packK)
	launchSizes(g)
	c.hookA(g)
	g.macro("MR", rows)
	g.size("M", c.m)
	g.size("A_PLANE", plane)
	pack(g)
	return g.assemble("contract/cpu_pack_a.cl")
}

// packedB passes the pack of B.
func (p panelChoice) packedB(g *gen, c *contraction) {
	g.packArg("B_PACK", p.keepB, scratchB, c.accC)
}

func (p panelChoice) panelProgram(c *contraction) *program {
	g := c.program(!p.packA, !p.packB, p.splits == 1, p.limit/c.accSize, p.splits*c.b)
	vt := fmt.Sprintf("%s%d", c.accC, p.shape.Lanes)
	g.macro("MR", p.shape.Rows)
	g.macro("NV", p.shape.Vectors)
	g.macro("VL", p.shape.Lanes)
	g.macro("NR", p.shape.Columns())
	g.macro("VT", vt)
	g.macro("VLOAD", fmt.Sprintf("vload%d", p.shape.Lanes))
	g.macro("A_DIRECT", oneIf(!p.packA))
	g.macro("B_DIRECT", oneIf(!p.packB))
	g.macro("SPLIT", oneIf(p.splits > 1))
	g.macro("ACROSS", oneIf(p.across))
	sums, run := c.sums(p.chunk), p.run(c)
	switch {
	case run > 0:
	case sums.levels > 0:
		run = sums.terms
	default:
		run = min(p.chunk, math.MaxInt32)
	}
	sums.macros(g)
	g.macro("LONG_RUNS", oneIf(sums.levels > 0 && run > sums.terms))
	launchSizes(g)
	g.size("M", c.m)
	g.size("N", c.n)
	g.size("RUN", run)
	if p.splits > 1 {
		g.size("CHUNK", p.chunk)
		g.size("BATCHES", c.b)
		g.scratchArg("PART", scratchPart, c.accC)
	} else {
		g.macro("BY_COLUMN", oneIf(c.columnsApart()))
		c.hookOut(g)
	}
	files := []string{"lib/block_sums.cl", "contract/cpu_panel.cl"}
	if p.splits == 1 && c.columnsApart() && p.shape.Rows > 1 && p.shape.Rows&(p.shape.Rows-1) == 0 && p.shape.Rows <= p.shape.Lanes {
		g.macro("TURNED", 1)
		c.rowsOut(g, p.shape.Rows)
		files = []string{"lib/cpu_transpose.cl", "lib/block_sums.cl", "contract/cpu_panel.cl"}
	}
	c.vectorOut(g, p.shape.Lanes, p.splits, "S_FROM + s")
	if p.packA {
		g.scratchArg("A_PACK", scratchA, c.accC)
		g.size("A_PLANE", p.blocks(c).planeA)
	} else {
		c.pointer(g, "A", c.a)
		g.macro("A_LOAD(p, i)", c.oneLoad(c.a))
		g.hook("A_ROW", []coord{{"b", c.axes(aBatch)}, {"m", c.axes(aRow)}}, c.part(c.a, true, aBatch, aRow), tensor.Invalid)
		g.hook("A_COL", []coord{{"k", c.axes(aSum)}}, c.part(c.a, false, aSum), tensor.Invalid)
		step := c.a.step
		if c.a.word {
			step *= 4
		}
		g.size("A_STEP", step)
		g.macro("FAR", oneIf(p.far))
	}
	if p.packB {
		p.packedB(g, c)
		g.size("B_PLANE", p.blocks(c).planeB)
	} else {
		c.pointer(g, "B", c.bb)
		g.macro("B_LOAD(p)", c.vectorLoad(c.bb.dtype, p.shape.Lanes))
		g.hook("B_BATCH", []coord{{"b", c.axes(bBatch)}}, c.part(c.bb, true, bBatch), tensor.Invalid)
		g.hook("B_ROW", []coord{{"k", c.axes(bSum)}}, c.part(c.bb, false, bSum), tensor.Invalid)
		g.hook("B_COLUMN", []coord{{"n", c.axes(bColumn)}}, c.part(c.bb, false, bColumn), tensor.Invalid)
		g.size("B_STEP", c.bb.step)
		g.macro("FAR_B", p.linesAhead(c))
		g.size("RUN_COLUMNS", c.columnRun())
		g.size("RUN_PANELS", ceilDiv(c.columnRun(), int64(p.shape.Columns())))
	}
	return g.assemble(files...)
}

// pointer defines SIDE_PTR, where the operand that l loads from starts, and
// SIDE_TYPE, what it points to.
func (c *contraction) pointer(g *gen, side string, l operandLoad) {
	_, o, _ := g.operand(l.input)
	g.macro(side+"_TYPE", storageType(o.DType))
	g.macro(side+"_PTR", "("+g.pointer(l.input)+")")
}

// vectors defines how to load lanes neighbours along k: SIDE_LOAD(p) where
// p = SIDE_PTR + position(b, i) + k, and SIDE_ONE(p, i), one of them.
func (c *contraction) vectors(g *gen, side, position string, l operandLoad, batch, other, lanes int) {
	c.pointer(g, side, l)
	c.loads(g, side, l, lanes)
	g.macro(side+"_ONE(p, i)", c.oneLoad(l))
	g.hook(position, []coord{{"b", c.axes(batch)}, {"i", c.axes(other)}}, c.part(l, true, batch, other), tensor.Invalid)
}

// loads defines SIDE_LOAD(p), lanes neighbours at p.
func (c *contraction) loads(g *gen, side string, l operandLoad, lanes int) {
	if !l.word {
		g.macro(side+"_LOAD(p)", c.vectorLoad(l.dtype, lanes))
		return
	}
	if l.step != 1 {
		g.size(side+"_APART", l.step)
	}
	g.macro(side+"_LOAD(p)", l.wordLoad(lanes, side+"_APART"))
}

// oneLoad is the text of the element i from p on.
func (c *contraction) oneLoad(l operandLoad) string {
	if l.word {
		return l.oneWord()
	}
	return fmt.Sprintf("LOAD_%v(p, i)", l.dtype)
}

// vectorLoad is the text that loads neighbouring elements at p and widens them
// to the accumulator type.
func (c *contraction) vectorLoad(dt tensor.DType, lanes int) string {
	return wideLoad(dt, c.acc, c.accC, lanes)
}

// wideLoad is the text that loads neighbouring elements of dtype dt at p and
// widens them to dtype to, whose C type is ctype.
func wideLoad(dt, to tensor.DType, ctype string, lanes int) string {
	switch {
	case isHalfType(dt):
		return widening(dt, lanes)
	case dt == to && dt.IsFloat():
		return fmt.Sprintf("vload%d(0, p)", lanes)
	}
	return fmt.Sprintf("convert_%s%d(vload%d(0, p))", ctype, lanes, lanes)
}

// widening is the text that loads neighbouring elements of 16 bits at p as floats.
func widening(dt tensor.DType, lanes int) string {
	if dt == tensor.Float16 {
		return fmt.Sprintf("vload_half%d(0, p)", lanes)
	}
	return fmt.Sprintf("as_float%d(convert_uint%d(vload%d(0, p)) << 16)", lanes, lanes, lanes)
}
