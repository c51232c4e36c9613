package contract

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// PackBytes bounds each scratch buffer of packed operands. It stays in the
// outer cache of a desktop CPU.
const PackBytes = 16 << 20

// coreBytes is about the size of one core's cache.
const coreBytes = 512 << 10

// innerBytes is about the size of a core's innermost cache, whose misses the next one hides.
const innerBytes = 64 << 10

// thin is the length of sums that take no longer than storing them.
const thin = 32

// packK is how many values of k one work-item of a packing kernel takes.
const packK = 64

// panelChoice is how contract/cpu_panel.cl is used for one contraction.
type panelChoice struct {
	Shape        kernels.PanelShape
	PackA, PackB bool
	keepB        bool  // B is steady: it is packed whole, once
	chunk        int64 // of k in one split; the whole k when there is one
	Splits       int64
	Limit        int64 // bytes of a pack
	Tiles        int64 // of rows a work-item
	Across       bool  // neighbours take panels of the same rows
	Far          bool  // rows of A that are read directly are asked for ahead
}

// PanelLanes is how many accumulators a vector of panels holds.
func (c *Contraction) PanelLanes() int {
	lanes := max(c.Device.VectorLanes, 4)
	if c.AccSize == 8 {
		lanes /= 2
	}
	return min(lanes, 16)
}

// panelShape is the register block for all of the contraction.
func (c *Contraction) panelShape() kernels.PanelShape {
	n := c.n
	if run := c.columnRun(); c.K <= thin && run >= int64(c.PanelLanes()) { // whole panels in a run
		n = run / int64(c.PanelLanes()) * int64(c.PanelLanes())
	}
	return kernels.Panel(c.PanelLanes(), int(c.AccSize), c.m, n)
}

// directA reports whether rows of A can be read where they are: an element at
// a time, which does not pay where it has to be widened, nor where every
// element comes from another page.
func (c *Contraction) directA() bool {
	if c.unit != nil && (!c.A.AlongK() || c.A.flip || c.partly) {
		return false
	}
	far := access.Abs(c.A.step) >= 256 && c.K >= 256 && c.n > 64
	return c.A.Plain && !codegen.IsHalfType(c.A.DType) && !far
}

// directB reports whether panels of B can be read where they are: runs of columns
// that adjoin, of which the last panel does not do much twice.
func (c *Contraction) directB(s kernels.PanelShape) bool {
	run, width := c.columnRun(), int64(s.Columns())
	return c.unit == nil && run >= width && (run == c.n || 4*run >= 3*variant.RoundUp(run, width))
}

// run is the number of values of k over which the address of whatever is read
// directly has one stride, 0 for all.
func (p panelChoice) run(c *Contraction) int64 {
	var run int64
	if !p.PackA {
		run = c.A.run
	}
	if !p.PackB {
		run = access.GCD(run, c.bb.run)
	}
	return run
}

// Split divides k into about want chunks of whole runs, each of some length.
func (p *panelChoice) Split(c *Contraction, want int64) {
	p.chunk, p.Splits = c.chunks(want, max(p.run(c), 1))
}

// ChoosePanel takes the panel that was measured to be best on a CPU driver.
func (c *Contraction) ChoosePanel() panelChoice {
	p := panelChoice{Shape: c.panelShape().Thrice(int(c.AccSize), c.m, c.n), Limit: min(PackBytes, c.Device.MaxAlloc/4)}
	for c.ownPanels() && p.Shape.Vectors > 4 && c.n < 4*int64(c.Device.Units*p.Shape.Columns()) {
		p.Shape.Vectors /= 2 // shares that can be evened out
	}
	p.PackA = !c.directA()
	// A panel is used once for every tile of rows; packing costs about as much
	// as two tiles, and makes cache lines and pages adjoin.
	// Windows of an image, of which only runs adjoin, would be packed element by element.
	p.PackB = !c.directB(p.Shape) || c.m > 256 && c.columnsAdjoin() || c.ownPanels() || c.m > 1 && c.worthKeeping(p.Shape)
	p.keepB = p.PackB && c.canKeepB(p.Shape)
	high, wide := variant.CeilDiv(c.m, int64(p.Shape.Rows)), variant.CeilDiv(c.n, int64(p.Shape.Columns()))
	tiles := high * wide * c.Batches
	want := int64(1)
	if enough := int64(4 * c.Device.Units); tiles < enough {
		want = min(variant.CeilDiv(enough, tiles), c.K/512)
	}
	if !p.PackB {
		want = max(want, c.cachedChunks(p.Limit))
	}
	want = max(want, p.leastSplits(c))
	p.Split(c, want)
	p.Tiles = min(max(tiles*p.Splits/int64(16*c.Device.Units), 1), 16)
	p.Tiles = variant.CeilDiv(high, variant.CeilDiv(high, p.Tiles)) // shares that are about equal
	p.Far = c.A.AlongK() && p.rowBytes(c) > coreBytes               // the processor alone is about a line of each row ahead
	p.Across = c.Device.Cache > 0 && p.rowBytes(c) > c.Device.Cache/4 && p.besidePanels(c)
	return p
}

// linesAhead is how many lines a row of a panel that is read directly lies in, where they are asked for: of pieces
// of rows that are pages apart the processor alone asks for none ahead.
func (p panelChoice) linesAhead(c *Contraction) int {
	if p.PackB || c.m == 1 || c.bb.run > 0 || c.n*c.K*c.AccSize <= innerBytes {
		return 0
	}
	return p.Shape.Vectors + codegen.OneIf(c.bb.step%int64(p.Shape.Lanes) != 0)
}

// rowBytes is how much there is to read of A.
func (p panelChoice) rowBytes(c *Contraction) int64 {
	rows := c.m * c.K * c.AccSize
	if !p.PackA { // windows overlap
		rows = min(rows, c.Task.Ins[c.A.input].Bytes())
	}
	return rows
}

// besidePanels reports whether the part of A that a work-item reads stays in its core's cache beside all panels.
func (p panelChoice) besidePanels(c *Contraction) bool {
	taken := p.Tiles * int64(p.Shape.Rows) * c.K * c.AccSize
	panels := variant.RoundUp(c.n, int64(p.Shape.Columns())) * c.K * c.AccSize
	return taken+panels <= coreBytes/2
}

// leastSplits is into how many chunks k must be cut so that a panel, and a tile
// of rows, fits its scratch.
func (p panelChoice) leastSplits(c *Contraction) int64 {
	least := int64(1)
	if p.PackB && !p.keepB {
		least = max(least, variant.CeilDiv(c.K*int64(p.Shape.Columns())*c.AccSize, p.Limit))
	}
	if p.PackA {
		least = max(least, variant.CeilDiv(c.K*int64(p.Shape.Rows)*c.AccSize, p.Limit))
	}
	return least
}

// canKeepB reports whether a pack of all of B can be kept between runs.
func (c *Contraction) canKeepB(s kernels.PanelShape) bool {
	nr := int64(s.Columns())
	return c.sharedB && access.Steady(c.Task, c.Task.B) && variant.RoundUp(c.n, nr)*c.K*c.AccSize <= c.Device.MaxAlloc/4
}

// worthKeeping reports whether a pack of B that is kept is better than columns that adjoin and are read where they
// lie: a pack is read from end to end, pieces of rows are pages apart. Both are alike where the innermost cache holds B.
func (c *Contraction) worthKeeping(s kernels.PanelShape) bool {
	return c.columnsAdjoin() && c.bb.DType == c.Acc && c.canKeepB(s) &&
		(c.m == 2 || c.bb.step%int64(s.Lanes) != 0 || c.n*c.K*c.AccSize > innerBytes)
}

// cachedChunks is into how many chunks to split a long k whose operands are read
// in place: once for every tile, but from memory only once where a chunk of
// them fits the cache. The partial sums must stay within limit bytes.
func (c *Contraction) cachedChunks(limit int64) int64 {
	if n := c.K / 2048; n >= 4 && n*c.Batches*c.m*c.n*c.AccSize <= limit {
		return n
	}
	return 1
}

func (p panelChoice) String() string {
	s := fmt.Sprintf("block %dx%d", p.Shape.Rows, p.Shape.Columns())
	if p.PackA {
		s += " pack a"
	}
	if p.PackB {
		s += " pack b"
	}
	if p.keepB {
		s += " once"
	}
	if p.Across {
		s += " across"
	}
	return s + splitText(p.Splits)
}

// Scratch buffers of a panel plan.
const (
	scratchA = iota
	scratchB
	scratchPart
)

// PlanPanel plans contract/cpu_panel.cl, the kernels that pack for it and the one
// that folds its splits.
func (c *Contraction) PlanPanel(p panelChoice) (*variant.Plan, error) {
	mr, nr := int64(p.Shape.Rows), int64(p.Shape.Columns())
	w := p.blocks(c)
	main := p.panelProgram(c)
	out := &variant.Plan{Params: p.String(), Scratch: make([]int64, 3)}
	var packA, packB *codegen.Program
	if p.PackA {
		packA = p.packProgram(c, "a", mr, w.planeA)
		out.Scratch[scratchA] = w.lots * w.m * w.k * c.AccSize
		if c.sharedA {
			out.Scratch[scratchA] /= w.lots
		}
	}
	if p.PackB {
		packB = p.packProgram(c, "b", nr, w.planeB)
		bytes := w.lots * w.n * w.k * c.AccSize
		if c.sharedB {
			bytes /= w.lots
		}
		if p.keepB {
			out.Kept = []int64{bytes}
		} else {
			out.Scratch[scratchB] = bytes
		}
	}
	if p.Splits > 1 {
		out.Scratch[scratchPart] = p.Splits * c.Batches * c.m * c.n * c.AccSize
	}

	pack := func(prog *codegen.Program, name string, x, y, lots int64, at map[string]int64) {
		out.Launches = append(out.Launches, variant.Launch{Program: prog, Kernel: name, Sizes: at, Global: variant.Grid(x, y, lots),
			Local: [3]int{1, 1, 1}})
	}
	one := func(shared bool, lots int64) int64 {
		if shared {
			return 1
		}
		return lots
	}
	for b := int64(0); b < c.Batches; b += w.lots {
		lots := min(w.lots, c.Batches-b)
		for k := int64(0); k < c.K; k += w.k {
			depth := min(w.k, c.K-k)
			for n := int64(0); n < c.n; n += w.n {
				panels := variant.CeilDiv(min(w.n, c.n-n), nr)
				if !p.PackB {
					panels = c.n / c.columnRun() * variant.CeilDiv(c.columnRun(), nr)
				}
				at := func(m int64) map[string]int64 {
					return map[string]int64{
						"B_FROM": b, "LOTS": lots, "M_FROM": m, "N_FROM": n,
						"K_FROM": k, "K_TO": k + depth, "S_FROM": k / p.chunk,
					}
				}
				if p.PackB && (b == 0 || !c.sharedB || w.n < c.n || w.k < c.K) {
					pack(packB, "contract_pack_b", variant.CeilDiv(depth, packK), panels, one(c.sharedB, lots), at(0))
					out.Launches[len(out.Launches)-1].Once = p.keepB
				}
				for m := int64(0); m < c.m; m += w.m {
					rows := variant.CeilDiv(min(w.m, c.m-m), mr)
					if p.PackA && (n == 0 || w.m < c.m) {
						pack(packA, "contract_pack_a", rows, variant.CeilDiv(depth, packK), one(c.sharedA, lots), at(m))
					}
					sizes := at(m)
					sizes["ROW_TILES"], sizes["TILES"] = rows, p.Tiles
					out.Launches = append(out.Launches, variant.Launch{
						Program: main, Kernel: "contract_panel", Sizes: sizes,
						Global: p.grid(variant.CeilDiv(rows, p.Tiles), panels, lots*variant.CeilDiv(depth, p.chunk)), Local: [3]int{1, 1, 1},
					})
				}
			}
		}
	}
	if p.Splits > 1 {
		out.Launches = append(out.Launches, c.sumLaunch(scratchPart, p.Splits))
	}
	return out, nil
}

// grid is the range of a launch over the given number of strips of rows.
func (p panelChoice) grid(strips, panels, z int64) [3]int {
	if p.Across {
		strips, panels = panels, strips
	}
	return variant.Grid(strips, panels, z)
}

// blocks is how much of each direction one round of launches covers.
type blocks struct {
	lots, m, n, k  int64
	planeA, planeB int64 // elements of a packed batch, 0 where shared
}

func (p panelChoice) blocks(c *Contraction) blocks {
	w := blocks{lots: c.Batches, m: c.m, n: c.n, k: c.K}
	mr, nr := int64(p.Shape.Rows), int64(p.Shape.Columns())
	room := max(p.Limit/c.AccSize, 1) // elements
	if p.Splits > 1 && (p.PackA || p.PackB) && !p.keepB {
		widest := int64(1)
		if p.PackA {
			widest = mr
		}
		if p.PackB {
			widest = max(widest, nr)
		}
		w.k = min(c.K, max(room/widest/p.chunk, 1)*p.chunk)
	}
	if p.PackA {
		w.m = min(variant.CeilDiv(c.m, mr), max(room/(w.k*mr), 1)) * mr
		if !c.sharedA {
			w.planeA = w.m * w.k
			w.lots = min(w.lots, max(room/w.planeA, 1))
		}
	}
	switch {
	case p.keepB:
		w.n = variant.RoundUp(c.n, nr)
	case p.PackB:
		w.n = min(variant.CeilDiv(c.n, nr), max(room/(w.k*nr), 1)) * nr
		if !c.sharedB {
			w.planeB = w.n * w.k
			w.lots = min(w.lots, max(room/w.planeB, 1))
		}
	}
	return w
}

// launchSizes are the arguments that launches change.
func launchSizes(g *codegen.Builder) {
	for _, name := range []string{"B_FROM", "LOTS", "M_FROM", "N_FROM", "K_FROM", "K_TO", "S_FROM", "ROW_TILES", "TILES"} {
		g.Size(name, 0)
	}
}

func (p panelChoice) packProgram(c *Contraction, side string, width, plane int64) *codegen.Program {
	if side == "a" {
		return c.packRows(width, plane, p.Limit/c.AccSize, func(g *codegen.Builder) { g.ScratchArg("A_PACK", scratchA, c.AccType) })
	}
	g := c.program(false, true, false, p.Limit/c.AccSize)
	g.Passes = true
	g.Macro("PACK_K", packK)
	launchSizes(g)
	c.hookB(g)
	g.Macro("NR", width)
	g.Macro("ALONG_K", codegen.OneIf(c.bb.AlongK()))
	files := []string{"contract/cpu_pack_b.cl"}
	if c.bb.AlongK() {
		files = []string{"lib/cpu_transpose.cl", "contract/cpu_pack_b.cl"}
		lanes := p.Shape.Lanes
		g.Macro("VL", lanes)
		g.Macro("VT", fmt.Sprintf("%s%d", c.AccType, lanes))
		g.Macro("VSTORE", fmt.Sprintf("vstore%d", lanes))
		c.vectors(g, "B", "B_COLUMN", c.bb, bBatch, bColumn, lanes)
	}
	g.Size("N", c.n)
	g.Size("B_PLANE", plane)
	p.packedB(g, c)
	return g.Assemble(files...)
}

// packRows is the program of contract/cpu_pack_a.cl for tiles of the given number of rows; pack
// passes where they are laid out, of which plane elements are of one batch.
func (c *Contraction) packRows(rows, plane, limit int64, pack func(*codegen.Builder)) *codegen.Program {
	g := c.program(true, false, false, limit)
	g.Passes = true
	g.Macro("PACK_K", packK)
	launchSizes(g)
	c.hookA(g)
	g.Macro("MR", rows)
	g.Size("M", c.m)
	g.Size("A_PLANE", plane)
	pack(g)
	return g.Assemble("contract/cpu_pack_a.cl")
}

// packedB passes the pack of B.
func (p panelChoice) packedB(g *codegen.Builder, c *Contraction) {
	g.PackArg("B_PACK", p.keepB, scratchB, c.AccType)
}

func (p panelChoice) panelProgram(c *Contraction) *codegen.Program {
	g := c.program(!p.PackA, !p.PackB, p.Splits == 1, p.Limit/c.AccSize, p.Splits*c.Batches)
	g.Passes = true
	vt := fmt.Sprintf("%s%d", c.AccType, p.Shape.Lanes)
	g.Macro("MR", p.Shape.Rows)
	g.Macro("NV", p.Shape.Vectors)
	g.Macro("VL", p.Shape.Lanes)
	g.Macro("NR", p.Shape.Columns())
	g.Macro("VT", vt)
	g.Macro("VLOAD", fmt.Sprintf("vload%d", p.Shape.Lanes))
	g.Macro("A_DIRECT", codegen.OneIf(!p.PackA))
	g.Macro("B_DIRECT", codegen.OneIf(!p.PackB))
	g.Macro("HALF", codegen.OneIf(p.PackB && p.Shape.Vectors > 1)) // of any size: a new one is not to compile again
	g.Macro("SPLIT", codegen.OneIf(p.Splits > 1))
	g.Macro("ACROSS", codegen.OneIf(p.Across))
	sums, run := c.sums(p.chunk), p.run(c)
	switch {
	case run > 0:
	case sums.levels > 0:
		run = sums.terms
	default:
		run = min(p.chunk, math.MaxInt32)
	}
	sums.macros(g)
	g.Macro("LONG_RUNS", codegen.OneIf(sums.levels > 0 && run > sums.terms))
	launchSizes(g)
	g.Size("M", c.m)
	g.Size("N", c.n)
	g.Size("RUN", run)
	if p.Splits > 1 {
		g.Size("CHUNK", p.chunk)
		g.Size("BATCHES", c.Batches)
		g.ScratchArg("PART", scratchPart, c.AccType)
	} else {
		g.Macro("BY_COLUMN", codegen.OneIf(c.columnsApart()))
		c.hookOut(g)
	}
	files := []string{"lib/block_sums.cl", "contract/cpu_panel.cl"}
	if p.Splits == 1 && c.columnsApart() && p.Shape.Rows > 1 && p.Shape.Rows&(p.Shape.Rows-1) == 0 && p.Shape.Rows <= p.Shape.Lanes {
		g.Macro("TURNED", 1)
		c.rowsOut(g, p.Shape.Rows)
		files = []string{"lib/cpu_transpose.cl", "lib/block_sums.cl", "contract/cpu_panel.cl"}
	}
	c.vectorOut(g, p.Shape.Lanes, p.Splits, "S_FROM + s")
	if p.PackA {
		g.ScratchArg("A_PACK", scratchA, c.AccType)
		g.Size("A_PLANE", p.blocks(c).planeA)
	} else {
		c.Pointer(g, "A", c.A)
		g.Macro("A_LOAD(p, i)", c.oneLoad(c.A))
		g.Hook("A_ROW", []codegen.Coord{{Name: "b", Axes: c.Axes(aBatch)}, {Name: "m", Axes: c.Axes(aRow)}}, c.Part(c.A, true, aBatch, aRow),
			tensor.Invalid)
		g.Hook("A_COL", []codegen.Coord{{Name: "k", Axes: c.Axes(aSum)}}, c.Part(c.A, false, aSum), tensor.Invalid)
		step := c.A.step
		if c.A.word {
			step *= 4
		}
		g.Size("A_STEP", step)
		g.Macro("FAR", codegen.OneIf(p.Far))
	}
	if p.PackB {
		p.packedB(g, c)
		g.Size("B_PLANE", p.blocks(c).planeB)
	} else {
		c.Pointer(g, "B", c.bb)
		g.Macro("B_LOAD(p)", c.vectorLoad(c.bb.DType, p.Shape.Lanes))
		g.Hook("B_BATCH", []codegen.Coord{{Name: "b", Axes: c.Axes(bBatch)}}, c.Part(c.bb, true, bBatch), tensor.Invalid)
		g.Hook("B_ROW", []codegen.Coord{{Name: "k", Axes: c.Axes(bSum)}}, c.Part(c.bb, false, bSum), tensor.Invalid)
		g.Hook("B_COLUMN", []codegen.Coord{{Name: "n", Axes: c.Axes(bColumn)}}, c.Part(c.bb, false, bColumn), tensor.Invalid)
		g.Size("B_STEP", c.bb.step)
		g.Macro("FAR_B", p.linesAhead(c))
		g.Size("RUN_COLUMNS", c.columnRun())
		g.Size("RUN_PANELS", variant.CeilDiv(c.columnRun(), int64(p.Shape.Columns())))
	}
	return g.Assemble(files...)
}

// Pointer defines SIDE_PTR, where the operand that l loads from starts, and
// SIDE_TYPE, what it points to.
func (c *Contraction) Pointer(g *codegen.Builder, side string, l OperandLoad) {
	_, o, _ := g.Operand(l.input)
	g.Macro(side+"_TYPE", codegen.StorageType(o.DType))
	g.Macro(side+"_PTR", "("+g.Pointer(l.input)+")")
}

// vectors defines how to load lanes neighbours along k: SIDE_LOAD(p) where
// p = SIDE_PTR + position(b, i) + k, and SIDE_ONE(p, i), one of them.
func (c *Contraction) vectors(g *codegen.Builder, side, position string, l OperandLoad, batch, other, lanes int) {
	c.Pointer(g, side, l)
	c.loads(g, side, l, lanes)
	g.Macro(side+"_ONE(p, i)", c.oneLoad(l))
	g.Hook(position, []codegen.Coord{{Name: "b", Axes: c.Axes(batch)}, {Name: "i", Axes: c.Axes(other)}}, c.Part(l, true, batch, other),
		tensor.Invalid)
}

// loads defines SIDE_LOAD(p), lanes neighbours at p.
func (c *Contraction) loads(g *codegen.Builder, side string, l OperandLoad, lanes int) {
	if !l.word {
		g.Macro(side+"_LOAD(p)", c.vectorLoad(l.DType, lanes))
		return
	}
	if l.step != 1 {
		g.Size(side+"_APART", l.step)
	}
	g.Macro(side+"_LOAD(p)", l.wordLoad(lanes, side+"_APART"))
}

// oneLoad is the text of the element i from p on.
func (c *Contraction) oneLoad(l OperandLoad) string {
	if l.word {
		return l.oneWord()
	}
	return fmt.Sprintf("LOAD_%v(p, i)", l.DType)
}

// vectorLoad is the text that loads neighbouring elements at p and widens them
// to the accumulator type.
func (c *Contraction) vectorLoad(dt tensor.DType, lanes int) string {
	return codegen.WideLoad(dt, c.Acc, c.AccType, lanes)
}
