package ocl

import (
	"fmt"

	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// tileChoice is how contract/gpu_tile.cl is used for one contraction.
type tileChoice struct {
	shape         kernels.TileShape
	wide          bool // neighbours are loaded by four where they can be
	chunk, splits int64
}

// chooseTile fills the device: with smaller tiles first, then by splitting k.
func (c *contraction) chooseTile() tileChoice {
	t := tileChoice{shape: kernels.Tile(c.m, c.n, c.b, c.dev.units, c.dev.workGroup, c.dev.localMem, int(c.accSize), c.acc.IsFloat() || c.unit != nil), wide: !c.dev.cpu}
	tiles := ceilDiv(c.m, int64(t.shape.M)) * ceilDiv(c.n, int64(t.shape.N)) * c.b
	want := int64(1)
	if enough := int64(2 * c.dev.units); tiles < enough && !c.dev.cpu {
		want = max(1, min(ceilDiv(enough, tiles), c.k/256, 1024))
	}
	t.split(c, want)
	return t
}

// split divides k into about want chunks of whole steps.
func (t *tileChoice) split(c *contraction, want int64) {
	t.chunk, t.splits = c.chunks(want, int64(t.shape.K))
}

func (t tileChoice) String() string {
	s := fmt.Sprintf("tile %dx%dx%d items %dx%d", t.shape.M, t.shape.N, t.shape.K, t.shape.X, t.shape.Y)
	if t.shape.Stages > 1 {
		s += fmt.Sprintf(" stages %d", t.shape.Stages)
	}
	return s + splitText(t.splits)
}

func (c *contraction) planTile(t tileChoice) (*plan, error) {
	s := t.shape
	tilesM, tilesN := ceilDiv(c.m, int64(s.M)), ceilDiv(c.n, int64(s.N))
	groups := tilesM * tilesN * c.b * t.splits
	g := c.program(true, true, t.splits == 1, groups)
	c.tileMacros(g, s)
	c.sums(t.chunk).macros(g)
	c.tileSide(g, t, "A", "m", c.a, s.M, aBatch, aRow, aSum)
	c.tileSide(g, t, "B", "n", c.bb, s.N, bBatch, bColumn, bSum)
	g.size("TILES_M", tilesM)
	g.size("TILES_N", tilesN)
	p := &plan{params: t.String()}
	if c.alignable(c.a) {
		c.wordHook(g, "A", []coord{{"b", c.axes(aBatch)}, {"m", c.axes(aRow)}, {"k", c.axes(aSum)}}, c.a, c.task.A, aBatch, aRow, aSum)
	} else {
		c.hookA(g)
	}
	if c.alignable(c.bb) {
		c.wordHook(g, "B", []coord{{"b", c.axes(bBatch)}, {"k", c.axes(bSum)}, {"n", c.axes(bColumn)}}, c.bb, c.task.B, bBatch, bColumn, bSum)
	} else {
		c.hookB(g)
	}
	c.extents(g)
	c.fold(g, p, t.splits, t.chunk)
	g.manyValues()
	p.launches = append([]launch{{
		prog: g.assemble("lib/block_sums.cl", "contract/gpu_tile.cl"), kernel: "contract_tile",
		global: [3]int{int(groups) * s.Items()}, local: [3]int{s.Items()},
	}}, p.launches...)
	return p, nil
}

// tileMacros defines the shape of a tile.
func (c *contraction) tileMacros(g *gen, s kernels.TileShape) {
	g.macro("TM", s.M)
	g.macro("TN", s.N)
	g.macro("TK", s.K)
	g.macro("TX", s.X)
	g.macro("TY", s.Y)
	g.macro("VW", s.Vector)
	g.macro("VEC", fmt.Sprintf("%s%d", c.accC, s.Vector))
	g.macro("SPREAD(v, p)", fmt.Sprintf("vstore%d(v, 0, p)", s.Vector))
	g.macro("STAGES", max(s.Stages, 1))
}

// tileSide says how the elements of an operand are loaded: in which order, and
// whether by four.
func (c *contraction) tileSide(g *gen, t tileChoice, side, coordinate string, l operandLoad, length, batch, own, sum int) {
	byK := c.byK(l, own)
	g.macro(side+"_BY_K", oneIf(byK))
	along := own
	if byK {
		along = sum
	}
	adjoin, aligned := c.neighbours(l, along, 4, batch, own, sum)
	if !t.wide || !adjoin || l.dtype != tensor.Float32 || c.acc != tensor.Float32 || !t.shape.Wide(length, byK) {
		g.macro("L"+side, 1)
		return
	}
	g.macro("L"+side, 4)
	c.wideSide(g, side, coordinate, l, aligned, batch, own, sum)
}

// wideSide defines how to read several neighbours of an operand at once: its
// pointer, positions from there, and whether those of neighbours are aligned.
func (c *contraction) wideSide(g *gen, side, coordinate string, l operandLoad, aligned bool, batch, own, sum int) {
	g.size(side+"_WIDE", int64(oneIf(aligned)))
	c.positions(g, side, coordinate, l, batch, own, sum)
}

// positions defines an operand's pointer, SIDE_PTR, and positions from there on,
// SIDE_AT.
func (c *contraction) positions(g *gen, side, coordinate string, l operandLoad, batch, own, sum int) {
	c.pointer(g, side, l)
	g.hook(side+"_AT", []coord{{"b", c.axes(batch)}, {coordinate, c.axes(own)}, {"k", c.axes(sum)}}, c.part(l, true, batch, own, sum), tensor.Invalid)
}

// neighbours reports whether neighbours along a group of axes adjoin in memory,
// and whether every width of them, counted from 0, begin at a multiple of width:
// nothing else that moves them is in the way.
func (c *contraction) neighbours(l operandLoad, along int, width int64, groups ...int) (adjoin, aligned bool) {
	axes := c.axes(along)
	if !l.plain || len(axes) != 1 || l.coef[axes[0]] != 1 {
		return false, false
	}
	aligned = l.addr.Const%width == 0
	for _, g := range groups {
		for _, a := range c.axes(g) {
			aligned = aligned && (l.coef[a]%width == 0 || a == axes[0])
		}
	}
	return true, aligned
}
