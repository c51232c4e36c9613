package ocl

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
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
func (c *contraction) windows() (x windows3x3, ok bool) {
	rows, sums := c.axes(aRow), c.axes(aSum)
	if !c.a.plain || !c.acc.IsFloat() || len(rows) < 2 || len(sums) < 2 || len(sums) > 3 {
		return x, false
	}
	h, w := rows[len(rows)-2], rows[len(rows)-1]
	extent := func(a int) int64 { return int64(c.task.Axes[a]) }
	x = windows3x3{h: extent(h), w: extent(w), c: c.k / 9, down: c.a.coef[h], right: c.a.coef[w]}
	last := sums[len(sums)-1]
	ok = extent(sums[0]) == 3 && c.a.coef[sums[0]] == x.down && c.a.coef[last] == 1
	if len(sums) == 3 {
		return x, ok && extent(sums[1]) == 3 && c.a.coef[sums[1]] == x.right
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

// winogradWay is c or its transposed product, whichever has the windows in A.
func winogradWay(c *contraction, d *deviceFacts, t *engine.Task) (*contraction, bool) {
	if _, ok := c.windows(); ok {
		return c, c.winogradLegal()
	}
	c = separate(d, t, !c.swapped)
	_, ok := c.windows()
	return c, ok && c.winogradLegal()
}

func (c *contraction) winogradLegal() bool {
	p := c.chooseWinograd()
	return p.fits(c) && (c.k <= 9*manyTerms || !c.acc.IsFloat()) // steps of channels are added up as they are
}

// winogradFits reports whether Winograd's way beats the plain product on a CPU
// driver: by a count of cycles of both.
func (c *contraction) winogradFits() bool {
	p := c.chooseWinograd()
	if c.k < 9*8 || c.n < 8 {
		return false
	}
	lanes := int64(c.panelLanes())
	plain := c.b * roundUp(c.m, 8) * roundUp(c.n, 2*lanes) / (2 * lanes) * c.k * 10 / 9 / int64(c.dev.units)
	if !p.keep {
		plain += c.b * c.n * c.k / int64(c.dev.units)
	}
	return p.cycles(c) < plain
}

// Of contract/cpu_winograd_transform.cl: windows of a tile down and across, and products of a tile.
const winogradTile, winogradPoints = 2, 16

// all is the number of tiles of all images.
func (p winogradChoice) all(c *contraction) int64 {
	return c.m / (p.image.h * p.image.w) * ceilDiv(p.image.h, winogradTile) * ceilDiv(p.image.w, winogradTile)
}

func (p winogradChoice) allPanels(c *contraction) int64 {
	return ceilDiv(c.n, int64(p.shape.Columns()))
}

// planes are the elements that local memory holds of each point: of images and
// of sums. A vector more than needed keeps the points out of each other's way in
// the cache.
func (p winogradChoice) planes() (image, sum int64) {
	rows := roundUp(p.tiles, int64(p.shape.Rows))
	return rows*p.depth + int64(p.shape.Lanes), rows*p.panels*int64(p.shape.Columns()) + int64(p.shape.Lanes)
}

func (p winogradChoice) fits(c *contraction) bool {
	image, sum := p.planes()
	return winogradPoints*(image+sum) <= int64(kernels.WinogradSpace(c.dev.localMem, int(c.accSize)))
}

// chooseWinograd is what searchWinograd finds, which is looked for once.
func (c *contraction) chooseWinograd() winogradChoice {
	if c.bestWinograd == nil {
		p := c.searchWinograd()
		c.bestWinograd = &p
	}
	return *c.bestWinograd
}

// searchWinograd takes the block that cycles finds cheapest.
func (c *contraction) searchWinograd() winogradChoice {
	x, _ := c.windows()
	p := winogradChoice{image: x, shape: kernels.Panel(c.panelLanes(), int(c.accSize), math.MaxInt64, c.n)}
	p.keep = steady(c.task, c.task.B) && c.b*p.kernelBytes(c) <= c.dev.maxAlloc/4
	lanes := int64(p.shape.Lanes)
	p.tiles, p.panels, p.depth = 1, 1, min(roundUp(x.c, lanes), 2*lanes)
	least, best := int64(math.MaxInt64), p
	all, panels := p.all(c), p.allPanels(c)
	for rows := p.shape.Rows; rows >= 5; rows-- {
		p.shape.Rows = rows
		for _, depth := range []int64{x.c, 256, 128, 64} {
			p.depth = roundUp(min(depth, x.c), lanes)
			for across := range shares(panels) {
				p.panels = ceilDiv(panels, across)
				for down := range shares(ceilDiv(all, int64(rows))) {
					p.tiles = min(ceilDiv(ceilDiv(all, int64(rows)), down)*int64(rows), all)
					if t := p.cycles(c); p.fits(c) && t < least {
						least, best = t, p
					}
				}
			}
		}
	}
	return best
}

func (p winogradChoice) kernelBytes(c *contraction) int64 {
	return p.allPanels(c) * int64(p.shape.Columns()) * winogradPoints * p.image.c * c.accSize
}

// cycles estimates how long the busiest core computes, with what was measured on
// one that does two multiply-adds of vectors a cycle.
func (p winogradChoice) cycles(c *contraction) int64 {
	const keep, fromFar, begin, launch = 60, 20, 2000, 30_000
	rows := int64(p.shape.Rows)
	lanes, vectors := int64(p.shape.Lanes), int64(p.shape.Vectors)
	down := ceilDiv(min(p.tiles, p.all(c)), rows)
	chunks := ceilDiv(p.image.c, p.depth)
	each := down * p.panels * winogradPoints * (p.image.c*rows*vectors/2 + chunks*keep) // products
	each += p.panels * vectors * lanes * winogradPoints * p.image.c * c.accSize / fromFar
	each += down * rows * ceilDiv(p.image.c, lanes) * 4 * winogradPoints // images
	each += down * rows * p.panels * vectors * 5 * winogradPoints        // sums
	items := ceilDiv(p.all(c), p.tiles) * ceilDiv(p.allPanels(c), p.panels) * c.b
	total := ceilDiv(items, int64(c.dev.units)) * (each + begin)
	if !p.keep {
		total += launch + c.b*c.n*p.image.c*3*winogradPoints/int64(c.dev.units)
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

func (c *contraction) winograd() variant {
	v := tunable[winogradChoice](contractChooser(c, "winograd", c.chooseWinograd, c.settleWinograd, c.planWinograd))
	v.why = "windows of 3 x 3 that move by one"
	return v
}

func (p *winogradChoice) knobs() []knob {
	return []knob{counter("rows", &p.shape.Rows), counter("tiles", &p.tiles), counter("panels", &p.panels), counter("depth", &p.depth)}
}

func (c *contraction) settleWinograd(p *winogradChoice) error {
	if _, ok := c.windows(); !ok {
		return errNoWindows
	}
	lanes := int64(p.shape.Lanes)
	p.depth = roundUp(min(p.depth, p.image.c), lanes)
	p.tiles, p.panels = min(p.tiles, p.all(c)), min(p.panels, p.allPanels(c))
	if !p.fits(c) {
		return errLocalMem
	}
	return nil
}

func (c *contraction) planWinograd(p winogradChoice) (*plan, error) {
	made := &plan{params: p.String()}
	if bytes := c.b * p.kernelBytes(c); p.keep {
		made.kept = []int64{bytes}
	} else {
		made.scratch = []int64{bytes}
	}
	made.launches = []launch{
		{
			prog: p.kernelsProgram(c), kernel: "contract_winograd_kernels", local: [3]int{1, 1, 1}, once: p.keep,
			global: grid(ceilDiv(p.image.c, p.packChannels(c)), p.allPanels(c), c.b),
		},
		{
			prog: p.mainProgram(c), kernel: "contract_winograd", local: [3]int{1, 1, 1},
			global: grid(ceilDiv(p.all(c), p.tiles), ceilDiv(p.allPanels(c), p.panels), c.b),
		},
	}
	return made, nil
}

// packChannels is how many channels one item of the transform of kernels takes.
func (p winogradChoice) packChannels(c *contraction) int64 {
	return min(max(p.image.c*p.allPanels(c)*c.b/int64(8*c.dev.units), 4), packK)
}

// start begins a program with what both kernels know.
func (p winogradChoice) start(c *contraction, main bool) *gen {
	g := c.program(main, true, main, winogradPoints*p.image.c*roundUp(c.n, int64(p.shape.Columns())))
	g.macro("NR", p.shape.Columns())
	g.size("N", c.n)
	g.size("C", p.image.c)
	g.size("ALL_PANELS", p.allPanels(c))
	g.packArg("KERNELS", p.keep, 0, c.accC)
	return g
}

func (p winogradChoice) kernelsProgram(c *contraction) *program {
	g := p.start(c, false)
	g.size("PACK_K", p.packChannels(c))
	c.hookB(g)
	return g.assemble("contract/cpu_winograd_transform.cl", "contract/cpu_winograd_kernels.cl")
}

func (p winogradChoice) mainProgram(c *contraction) *program {
	g := p.start(c, true)
	lanes := p.shape.Lanes
	g.macro("MR", p.shape.Rows)
	g.macro("NV", p.shape.Vectors)
	g.macro("VL", lanes)
	g.macro("VT", fmt.Sprintf("%s%d", c.accC, lanes))
	g.macro("SPACE", kernels.WinogradSpace(c.dev.localMem, int(c.accSize)))
	g.macro("ROWS_ADJOIN", oneIf(c.rowsAdjoin()))
	c.vectors(g, "A", "A_ROW", c.a, aBatch, aRow, lanes)
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
		{"ALL_TILES", p.all(c)}, {"DOWN", ceilDiv(p.image.h, winogradTile)}, {"ACROSS", ceilDiv(p.image.w, winogradTile)},
		{"TILES", p.tiles}, {"PANELS", p.panels}, {"DEPTH", p.depth}, {"PLANE_IMAGE", image}, {"PLANE_SUM", sum},
	} {
		g.size(s.name, s.v)
	}
	if c.rowsAdjoin() {
		return g.assemble("lib/cpu_transpose.cl", "contract/cpu_winograd_transform.cl", "lib/block_sums.cl", "contract/cpu_winograd.cl")
	}
	return g.assemble("contract/cpu_winograd_transform.cl", "lib/block_sums.cl", "contract/cpu_winograd.cl")
}
