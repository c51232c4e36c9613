package contract

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// tileChoice is how contract/gpu_tile.cl is used for one contraction.
type tileChoice struct {
	Shape         kernels.TileShape
	Wide          bool // neighbours are loaded by four where they can be
	chunk, splits int64
}

// ChooseTile fills the device: with smaller tiles first, then by splitting k.
func (c *Contraction) ChooseTile() tileChoice {
	t := tileChoice{Shape: c.tileShape(c.m, c.n, c.Batches, c.Acc.IsFloat() || c.unit != nil), Wide: !c.Device.CPU}
	tiles := variant.CeilDiv(c.m, int64(t.Shape.M)) * variant.CeilDiv(c.n, int64(t.Shape.N)) * c.Batches
	want := int64(1)
	if units := int64(c.Device.Units); 2*tiles <= units && !c.Device.CPU {
		want = max(1, min(variant.CeilDiv(2*units, tiles), c.K/256, 1024))
	}
	t.Split(c, want)
	return t
}

// tileShape is the shape for groups of m x n outputs on the device.
func (c *Contraction) tileShape(m, n, groups int64, float bool) kernels.TileShape {
	d := c.Device
	s := kernels.Tile(m, n, groups, d.Units, d.WorkGroup, d.LocalMem, int(c.AccSize), float)
	return s.Deepened(d.RegisterCap != "", d.LocalMem, int(c.AccSize))
}

// Split divides k into about want chunks of whole steps.
func (t *tileChoice) Split(c *Contraction, want int64) {
	t.chunk, t.splits = c.chunks(want, int64(t.Shape.K))
}

func (t tileChoice) String() string {
	s := fmt.Sprintf("tile %dx%dx%d items %dx%d", t.Shape.M, t.Shape.N, t.Shape.K, t.Shape.X, t.Shape.Y)
	if t.Shape.Stages > 1 {
		s += fmt.Sprintf(" stages %d", t.Shape.Stages)
	}
	if t.Shape.Slices > 1 {
		s += fmt.Sprintf(" slices %d", t.Shape.Slices)
	}
	return s + splitText(t.splits)
}

func (c *Contraction) PlanTile(t tileChoice) (*variant.Plan, error) {
	s := t.Shape
	tilesM, tilesN := variant.CeilDiv(c.m, int64(s.M)), variant.CeilDiv(c.n, int64(s.N))
	groups := tilesM * tilesN * c.Batches * t.splits
	g := c.program(true, true, t.splits == 1, groups)
	c.tileMacros(g, s)
	c.sums(t.chunk).macros(g)
	steadyA := c.tileSide(g, t, "A", "m", c.A, c.Task.A, s.M, aBatch, aRow, aSum)
	steadyB := c.tileSide(g, t, "B", "n", c.bb, c.Task.B, s.N, bBatch, bColumn, bSum)
	g.Macro("STEADY", codegen.OneIf(steadyA && steadyB))
	g.Size("TILES_M", tilesM)
	g.Size("TILES_N", tilesN)
	p := &variant.Plan{Params: t.String()}
	if c.alignable(c.A) {
		c.wordHook(g, "A", []codegen.Coord{{Name: "b", Axes: c.Axes(aBatch)}, {Name: "m", Axes: c.Axes(aRow)}, {Name: "k", Axes: c.Axes(aSum)}},
			c.A, c.Task.A, aBatch, aRow, aSum)
	} else {
		c.hookA(g)
	}
	if c.alignable(c.bb) {
		c.wordHook(g, "B", []codegen.Coord{{Name: "b", Axes: c.Axes(bBatch)}, {Name: "k", Axes: c.Axes(bSum)},
			{Name: "n", Axes: c.Axes(bColumn)}}, c.bb, c.Task.B, bBatch, bColumn, bSum)
	} else {
		c.hookB(g)
	}
	c.extents(g)
	c.fold(g, p, t.splits, t.chunk)
	if s.Many(int(c.AccSize)) {
		g.CapRegisters()
	} else {
		g.AskForRegisters()
	}
	p.Launches = append([]variant.Launch{{
		Program: g.Assemble("lib/block_sums.cl", "contract/gpu_tile.cl"), Kernel: "contract_tile",
		Global: [3]int{int(groups) * s.Items()}, Local: [3]int{s.Items()},
	}}, p.Launches...)
	return p, nil
}

// tileMacros defines the shape of a tile.
func (c *Contraction) tileMacros(g *codegen.Builder, s kernels.TileShape) {
	g.Macro("TM", s.M)
	g.Macro("TN", s.N)
	g.Macro("TK", s.K)
	g.Macro("TX", s.X)
	g.Macro("TY", s.Y)
	g.Macro("VW", s.Vector)
	g.Macro("VEC", fmt.Sprintf("%s%d", c.AccType, s.Vector))
	g.Macro("SPREAD(v, p)", fmt.Sprintf("vstore%d(v, 0, p)", s.Vector))
	g.Macro("STAGES", max(s.Stages, 1))
	g.Macro("SLICES", max(s.Slices, 1))
	g.Macro("BAND", tileBand)
	g.Macro("SUMS_FROM", codegen.OpaqueZero)
}

// tileSide says how the elements of an operand are loaded: in which order, and
// whether by four. It reports whether they are, at positions that grow evenly with k.
func (c *Contraction) tileSide(g *codegen.Builder, t tileChoice, side, coordinate string, l OperandLoad, e *engine.Expr, length, batch, own,
	sum int) bool {
	byK := c.nearerAlongK(l, e, own, sum)
	g.Macro(side+"_BY_K", codegen.OneIf(byK))
	along := own
	if byK {
		along = sum
	}
	adjoin, aligned := c.Neighbours(l, along, 4, batch, own, sum)
	if !t.Wide || !adjoin || l.DType != tensor.Float32 || c.Acc != tensor.Float32 || !t.Shape.Wide(length, byK) {
		g.Macro("L"+side, 1)
		return false
	}
	g.Macro("L"+side, 4)
	c.wideSide(g, side, coordinate, l, aligned, batch, own, sum)
	return c.steady(l, sum)
}

// steady reports whether positions of an operand's elements grow evenly with k.
func (c *Contraction) steady(l OperandLoad, sum int) bool { return l.run == 0 && len(c.Axes(sum)) == 1 }

// nearerAlongK is byK for tiles: of windows, which may have conditions and whose neighbours adjoin
// in both directions, those along the own direction are longer, and k is then the same for all that an item loads.
func (c *Contraction) nearerAlongK(l OperandLoad, e *engine.Expr, own, sum int) bool {
	if l.Plain && l.run == 0 || l.word || e.Op != engine.OpLoad {
		return c.byK(l, own)
	}
	coef, ok := e.Addr.Affine(len(c.Task.Axes))
	rows, terms := c.Axes(own), c.Axes(sum)
	if !ok || len(rows) == 0 || len(terms) == 0 {
		return c.byK(l, own)
	}
	row, term := access.Abs(coef[rows[len(rows)-1]]), access.Abs(coef[terms[len(terms)-1]])
	return term != 0 && (row == 0 || term < row)
}

// wideSide defines how to read several neighbours of an operand at once: its
// pointer, positions from there, and whether those of neighbours are aligned.
func (c *Contraction) wideSide(g *codegen.Builder, side, coordinate string, l OperandLoad, aligned bool, batch, own, sum int) {
	g.Size(side+"_WIDE", int64(codegen.OneIf(aligned)))
	c.positions(g, side, coordinate, l, batch, own, sum)
}

// positions defines an operand's pointer, SIDE_PTR, and positions from there on,
// SIDE_AT.
func (c *Contraction) positions(g *codegen.Builder, side, coordinate string, l OperandLoad, batch, own, sum int) {
	c.Pointer(g, side, l)
	g.Hook(side+"_AT", []codegen.Coord{{Name: "b", Axes: c.Axes(batch)}, {Name: coordinate, Axes: c.Axes(own)},
		{Name: "k", Axes: c.Axes(sum)}}, c.Part(l, true, batch, own, sum), tensor.Invalid)
}

// Neighbours reports whether neighbours along a group of axes adjoin in memory,
// and whether every width of them, counted from 0, begin at a multiple of width:
// nothing else that moves them is in the way.
func (c *Contraction) Neighbours(l OperandLoad, along int, width int64, groups ...int) (adjoin, aligned bool) {
	axes := c.Axes(along)
	if !l.Plain || len(axes) != 1 || l.Coef[axes[0]] != 1 {
		return false, false
	}
	aligned = l.addr.Const%width == 0
	for _, g := range groups {
		for _, a := range c.Axes(g) {
			aligned = aligned && (l.Coef[a]%width == 0 || a == axes[0])
		}
	}
	return true, aligned
}
