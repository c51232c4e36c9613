package contract

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
)

var errNoWindows = errors.New("the rows are no windows of 3 x 3 that move by one over channels")

// windows3x3 says where A is images whose windows of 3 x 3 are the rows: channels
// adjoin, and a row of the product is the next window across.
type windows3x3 struct {
	h, w, c     int64 // windows down and across, channels
	down, right int64 // elements from one to the next
}

// windows finds out whether c is a convolution of that kind.
func (c *Contraction) windows() (x windows3x3, ok bool) {
	rows, sums := c.Axes(aRow), c.Axes(aSum)
	if !c.A.Plain || !c.Acc.IsFloat() || len(rows) < 2 || len(sums) < 2 || len(sums) > 3 {
		return x, false
	}
	h, w := rows[len(rows)-2], rows[len(rows)-1]
	extent := func(a int) int64 { return int64(c.Task.Axes[a]) }
	x = windows3x3{h: extent(h), w: extent(w), c: c.K / 9, down: c.A.Coef[h], right: c.A.Coef[w]}
	last := sums[len(sums)-1]
	ok = extent(sums[0]) == 3 && c.A.Coef[sums[0]] == x.down && c.A.Coef[last] == 1
	if len(sums) == 3 {
		return x, ok && extent(sums[1]) == 3 && c.A.Coef[sums[1]] == x.right
	}
	return x, ok && extent(last) == 3*x.right // taps across and channels are one axis
}

// winogradChoice is how contract/cpu_winograd.cl is used for one contraction.
type winogradChoice struct {
	image  windows3x3
	shape  kernels.PanelShape // tiles x columns
	tiles  int64              // of a work-item
	panels int64              // of a work-item
	depth  int64              // channels in local memory at a time
	keep   bool               // B is steady: it is transformed once
}

// winogradOrientation is c or its transposed product, whichever has the windows in A.
func winogradOrientation(c *Contraction, plain orientations) (*Contraction, bool) {
	if _, ok := c.windows(); ok {
		return c, c.winogradLegal()
	}
	c = plain(!c.swapped)
	_, ok := c.windows()
	return c, ok && c.winogradLegal()
}

func (c *Contraction) winogradLegal() bool {
	p := c.chooseWinograd()
	return p.fits(c) && (c.K <= 9*manyTerms || !c.Acc.IsFloat()) // steps of channels are added up as they are
}

// winogradFits reports whether Winograd's way beats the plain product on a CPU
// driver.
func (c *Contraction) winogradFits() bool {
	own, plain := c.winogradCycles()
	return c.K >= leastWinograd && c.n >= 8 && own < plain
}

// leastWinograd is the least number of terms for which Winograd's way pays.
const leastWinograd = 9 * 8

// saves is whether t may be computed with fewer multiplications: only windows of 3 x 3 over channels are.
func saves(d *facts.Device, t *engine.Task) bool {
	k := t.Size(3)
	return d.CPU && k%9 == 0 && k >= leastWinograd
}

// winogradCycles counts the cycles of Winograd's way and of the plain product on a CPU driver.
func (c *Contraction) winogradCycles() (own, plain int64) {
	p := c.chooseWinograd()
	lanes := int64(c.PanelLanes())
	plain = c.Batches * variant.RoundUp(c.m, 8) * variant.RoundUp(c.n, 2*lanes) / (2 * lanes) * c.K * 10 / 9 / int64(c.Device.Units)
	if !p.keep {
		plain += c.Batches * c.n * c.K / int64(c.Device.Units)
	}
	return p.cycles(c), plain
}

// Constants of contract/cpu_winograd_transform.cl: windows of a tile down and across, and products of a tile.
const winogradTile, winogradPoints = 2, 16

// all is the number of tiles of all images.
func (p winogradChoice) all(c *Contraction) int64 {
	return c.m / (p.image.h * p.image.w) * variant.CeilDiv(p.image.h, winogradTile) * variant.CeilDiv(p.image.w, winogradTile)
}

func (p winogradChoice) allPanels(c *Contraction) int64 {
	return variant.CeilDiv(c.n, int64(p.shape.Columns()))
}

// planes are the elements that local memory holds of each point: of images and
// of sums. A vector more than needed keeps the points out of each other's way in
// the cache.
func (p winogradChoice) planes() (image, sum int64) {
	rows := variant.RoundUp(p.tiles, int64(p.shape.Rows))
	return rows*p.depth + int64(p.shape.Lanes), rows*p.panels*int64(p.shape.Columns()) + int64(p.shape.Lanes)
}

func (p winogradChoice) fits(c *Contraction) bool {
	image, sum := p.planes()
	return winogradPoints*(image+sum) <= int64(kernels.WinogradSpace(c.Device.LocalMem, int(c.AccSize)))
}

// chooseWinograd is the result of searchWinograd, which is called once.
func (c *Contraction) chooseWinograd() winogradChoice {
	if c.bestWinograd == nil {
		p := c.searchWinograd()
		c.bestWinograd = &p
	}
	return *c.bestWinograd
}

// searchWinograd takes the block that cycles finds cheapest.
func (c *Contraction) searchWinograd() winogradChoice {
	x, _ := c.windows()
	p := winogradChoice{image: x, shape: kernels.Panel(c.PanelLanes(), int(c.AccSize), math.MaxInt64, c.n)}
	p.keep = access.Steady(c.Task, c.Task.B) && c.Batches*p.kernelBytes(c) <= c.Device.MaxAlloc/4
	lanes := int64(p.shape.Lanes)
	p.tiles, p.panels, p.depth = 1, 1, min(variant.RoundUp(x.c, lanes), 2*lanes)
	least, best := int64(math.MaxInt64), p
	all, panels := p.all(c), p.allPanels(c)
	for rows := p.shape.Rows; rows >= 5; rows-- {
		p.shape.Rows = rows
		for _, depth := range []int64{x.c, 256, 128, 64} {
			p.depth = variant.RoundUp(min(depth, x.c), lanes)
			for across := range shares(panels) {
				p.panels = variant.CeilDiv(panels, across)
				for down := range shares(variant.CeilDiv(all, int64(rows))) {
					p.tiles = min(variant.CeilDiv(variant.CeilDiv(all, int64(rows)), down)*int64(rows), all)
					if t := p.cycles(c); p.fits(c) && t < least {
						least, best = t, p
					}
				}
			}
		}
	}
	return best
}

func (p winogradChoice) kernelBytes(c *Contraction) int64 {
	return p.allPanels(c) * int64(p.shape.Columns()) * winogradPoints * p.image.c * c.AccSize
}

// cycles estimates how long the busiest core computes, with constants measured on one that does two
// multiply-adds of vectors a cycle.
func (p winogradChoice) cycles(c *Contraction) int64 {
	const keep, fromFar, begin, launch = 60, 20, 2000, 30_000
	rows := int64(p.shape.Rows)
	lanes, vectors := int64(p.shape.Lanes), int64(p.shape.Vectors)
	down := variant.CeilDiv(min(p.tiles, p.all(c)), rows)
	chunks := variant.CeilDiv(p.image.c, p.depth)
	each := down * p.panels * winogradPoints * (p.image.c*rows*vectors/2 + chunks*keep) // products
	each += p.panels * vectors * lanes * winogradPoints * p.image.c * c.AccSize / fromFar
	each += down * rows * variant.CeilDiv(p.image.c, lanes) * 4 * winogradPoints // images
	each += down * rows * p.panels * vectors * 5 * winogradPoints                // sums
	items := variant.CeilDiv(p.all(c), p.tiles) * variant.CeilDiv(p.allPanels(c), p.panels) * c.Batches
	total := variant.CeilDiv(items, int64(c.Device.Units)) * (each + begin)
	if !p.keep {
		total += launch + c.Batches*c.n*p.image.c*3*winogradPoints/int64(c.Device.Units)
	}
	return total
}

func (p winogradChoice) String() string {
	s := fmt.Sprintf("%d tiles of %d x %d columns of %dx%d, %d channels",
		p.tiles, p.shape.Rows, p.panels*int64(p.shape.Columns()), p.shape.Vectors, p.shape.Lanes, p.depth)
	if p.keep {
		s += ", kernels once"
	}
	return s
}

func (c *Contraction) winograd() variant.Variant {
	v := variant.Tunable[winogradChoice](contractChooser(c, "winograd", c.chooseWinograd, c.settleWinograd, c.planWinograd))
	v.Why = "windows of 3 x 3 that move by one"
	v.Effort = func() float64 {
		own, all := c.winogradCycles()
		return float64(own) / float64(all)
	}
	return v
}

func (p *winogradChoice) Knobs() []variant.Knob {
	return []variant.Knob{variant.Counter("rows", &p.shape.Rows), variant.Counter("tiles", &p.tiles), variant.Counter("panels", &p.panels),
		variant.Counter("depth", &p.depth)}
}

func (c *Contraction) settleWinograd(p *winogradChoice) error {
	if _, ok := c.windows(); !ok {
		return errNoWindows
	}
	lanes := int64(p.shape.Lanes)
	p.depth = variant.RoundUp(min(p.depth, p.image.c), lanes)
	p.tiles, p.panels = min(p.tiles, p.all(c)), min(p.panels, p.allPanels(c))
	if !p.fits(c) {
		return errLocalMem
	}
	return nil
}

func (c *Contraction) planWinograd(p winogradChoice) (*variant.Plan, error) {
	made := packing(p.String(), c.Batches*p.kernelBytes(c), p.keep)
	made.Launches = []variant.Launch{
		{
			Program: p.kernelsProgram(c), Kernel: "contract_winograd_kernels", Local: [3]int{1, 1, 1}, Once: p.keep,
			Global: variant.Grid(variant.CeilDiv(p.image.c, p.packChannels(c)), p.allPanels(c), c.Batches),
		},
		{
			Program: p.mainProgram(c), Kernel: "contract_winograd", Local: [3]int{1, 1, 1},
			Global: variant.Grid(variant.CeilDiv(p.all(c), p.tiles), variant.CeilDiv(p.allPanels(c), p.panels), c.Batches),
		},
	}
	return made, nil
}

// packChannels is how many channels one item of the transform of kernels takes.
func (p winogradChoice) packChannels(c *Contraction) int64 {
	return min(max(p.image.c*p.allPanels(c)*c.Batches/int64(8*c.Device.Units), 4), packK)
}

// start begins a program with the definitions that both kernels share.
func (p winogradChoice) start(c *Contraction, main bool) *codegen.Builder {
	g := c.program(main, true, main, winogradPoints*p.image.c*variant.RoundUp(c.n, int64(p.shape.Columns())))
	g.Macro("NR", p.shape.Columns())
	g.Size("N", c.n)
	g.Size("C", p.image.c)
	g.Size("ALL_PANELS", p.allPanels(c))
	g.PackArg("KERNELS", p.keep, 0, c.AccType)
	return g
}

func (p winogradChoice) kernelsProgram(c *Contraction) *codegen.Program {
	g := p.start(c, false)
	g.Size("PACK_K", p.packChannels(c))
	c.hookB(g)
	return g.Assemble("contract/cpu_winograd_transform.cl", "contract/cpu_winograd_kernels.cl")
}

func (p winogradChoice) mainProgram(c *Contraction) *codegen.Program {
	g := p.start(c, true)
	lanes := p.shape.Lanes
	g.Macro("MR", p.shape.Rows)
	g.Macro("NV", p.shape.Vectors)
	g.Macro("VL", lanes)
	g.Macro("VT", fmt.Sprintf("%s%d", c.AccType, lanes))
	g.Macro("SPACE", kernels.WinogradSpace(c.Device.LocalMem, int(c.AccSize)))
	g.Macro("ROWS_ADJOIN", codegen.OneIf(c.rowsAdjoin()))
	c.vectors(g, "A", "A_ROW", c.A, aBatch, aRow, lanes)
	c.hookA(g)
	c.hookB(g)
	c.hookOut(g)
	c.vectorOut(g, lanes, 1, "")
	image, sum := p.planes()
	for _, s := range []struct {
		name string
		v    int64
	}{
		{"H", p.image.h}, {"W", p.image.w}, {"A_DOWN", p.image.down}, {"A_RIGHT", p.image.right},
		{"ALL_TILES", p.all(c)}, {"DOWN", variant.CeilDiv(p.image.h, winogradTile)}, {"ACROSS", variant.CeilDiv(p.image.w, winogradTile)},
		{"TILES", p.tiles}, {"PANELS", p.panels}, {"DEPTH", p.depth}, {"PLANE_IMAGE", image}, {"PLANE_SUM", sum},
	} {
		g.Size(s.name, s.v)
	}
	if c.rowsAdjoin() {
		return g.Assemble("lib/cpu_transpose.cl", "contract/cpu_winograd_transform.cl", "lib/block_sums.cl", "contract/cpu_winograd.cl")
	}
	return g.Assemble("contract/cpu_winograd_transform.cl", "lib/block_sums.cl", "contract/cpu_winograd.cl")
}
