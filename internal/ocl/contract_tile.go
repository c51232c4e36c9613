package ocl

import (
	"fmt"

	"github.com/anycl/anycl/kernels"
)

// tileChoice is how contract_tile.cl is used for one contraction.
type tileChoice struct {
	shape         kernels.TileShape
	chunk, splits int64
}

// chooseTile fills the device: with smaller tiles first, then by splitting k.
func (c *contraction) chooseTile() tileChoice {
	t := tileChoice{shape: kernels.Tile(c.m, c.n, c.b, c.dev.units, c.dev.workGroup, c.dev.localMem, int(c.accSize))}
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
	step := int64(t.shape.K)
	t.chunk = ceilDiv(ceilDiv(c.k, want), step) * step
	t.splits = ceilDiv(c.k, t.chunk)
}

func (t tileChoice) String() string {
	s := fmt.Sprintf("tile %dx%dx%d items %dx%d", t.shape.M, t.shape.N, t.shape.K, t.shape.X, t.shape.Y)
	if t.splits > 1 {
		s += fmt.Sprintf(" split k %d", t.splits)
	}
	return s
}

func (c *contraction) planTile(t tileChoice) (*plan, error) {
	s := t.shape
	tilesM, tilesN := ceilDiv(c.m, int64(s.M)), ceilDiv(c.n, int64(s.N))
	groups := tilesM * tilesN * c.b * t.splits
	g := c.program(true, true, t.splits == 1, groups)
	g.macro("TM", s.M)
	g.macro("TN", s.N)
	g.macro("TK", s.K)
	g.macro("TX", s.X)
	g.macro("TY", s.Y)
	g.macro("VW", s.Vector)
	g.macro("VEC", fmt.Sprintf("%s%d", c.accC, s.Vector))
	g.macro("SPREAD(v, p)", fmt.Sprintf("vstore%d(v, 0, p)", s.Vector))
	g.macro("A_BY_K", oneIf(c.byK(c.a, aRow)))
	g.macro("B_BY_K", oneIf(c.byK(c.bb, bColumn)))
	g.size("TILES_M", tilesM)
	g.size("TILES_N", tilesN)
	p := &plan{params: t.String()}
	c.hookA(g)
	c.hookB(g)
	c.extents(g)
	c.fold(g, p, t.splits, t.chunk)
	p.launches = append([]launch{{
		prog: g.assemble("contract_tile.cl"), kernel: "contract_tile",
		global: [3]int{int(groups) * s.Items()}, local: [3]int{s.Items()},
	}}, p.launches...)
	return p, nil
}
