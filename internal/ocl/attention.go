package ocl

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// attention is an Attention task as its kernels see it: for each batch, rows of
// queries, those of all groups, against n keys.
type attention struct {
	*contraction // for what it knows of operands
	a            *engine.AttentionTask
	batch, rows  int64
	m, n         int64 // queries of a group, keys
	d, e         int64 // features
}

func init() {
	register(family{
		name: engine.Attention.String(), kind: engine.Attention, variants: []string{"lane", "tile"}, choose: attentionVariants,
		class: func(_ *deviceFacts, t *engine.Task) string {
			return fmt.Sprintf("%s pass%d", dtypes(t), t.Attention.Pass) + groupSizes(t)
		},
	})
}

func attentionVariants(d *deviceFacts, t *engine.Task) []variant {
	x := &attention{
		contraction: &contraction{dev: d, task: t, acc: t.Acc, accC: regType(t.Acc), accSize: int64(t.Acc.Size())},
		a:           t.Attention, batch: t.Size(engine.AttentionBatch), m: t.Size(engine.AttentionQueries),
		n: t.Size(engine.AttentionKeys), d: t.Size(engine.AttentionHead), e: t.Size(engine.AttentionValue),
	}
	x.rows = t.Size(engine.AttentionGroup) * x.m
	lane := tunable[laneChoice](chooser[laneChoice]{
		name: "lane", why: "a CPU driver: vectors over positions", kind: engine.Attention,
		limits: d.limits(x.panelLanes(), x.accSize), byRule: x.chooseLane, plan: x.planLane,
	})
	tile := variant{name: "tile", why: "a GPU: a position an item, the other side in local memory", plan: x.planTile}
	if d.cpu {
		return []variant{lane, tile}
	}
	return []variant{tile, lane}
}

// The coordinates of hooks.
func (x *attention) at(names ...string) []coord {
	groups := map[string][]int{
		"b": x.axes(engine.AttentionBatch), "n": x.axes(engine.AttentionKeys),
		"r": append(x.axes(engine.AttentionGroup), x.axes(engine.AttentionQueries)...),
		"d": x.axes(engine.AttentionHead), "e": x.axes(engine.AttentionValue),
	}
	var coords []coord
	for _, name := range names {
		coords = append(coords, coord{name, groups[name]})
	}
	return coords
}

// hooks defines the loads that kernel files name, but for those in skip, and
// the mask.
func (x *attention) hooks(g *gen, skip ...string) {
	for _, h := range []struct {
		name string
		e    *engine.Expr
		at   []coord
	}{
		{"LOAD_Q", x.a.Q, x.at("b", "r", "d")}, {"LOAD_K", x.a.K, x.at("b", "n", "d")}, {"LOAD_V", x.a.V, x.at("b", "n", "e")},
		{"LOAD_DO", x.a.DO, x.at("b", "r", "e")}, {"LOAD_L", x.a.L, x.at("b", "r")}, {"LOAD_DELTA", x.a.D, x.at("b", "r")},
	} {
		if h.e != nil && !slices.Contains(skip, h.name) {
			g.hook(h.name, h.at, h.e, tensor.Invalid)
		}
	}
	mask := 0
	if e := x.a.Mask; e != nil {
		if mask = 1; uses(e, append(x.axes(engine.AttentionGroup), x.axes(engine.AttentionQueries)...)) {
			mask = 2
		}
		g.hook("MASK_OF", x.at("b", "r", "n"), e, tensor.Invalid)
		text := "(" + x.accC + ")MASK_OF(b, r, n) * LOG2E"
		if e.DType == tensor.Bool {
			text = "(MASK_OF(b, r, n) ? (" + x.accC + ")0 : (" + x.accC + ")-INFINITY)"
		}
		g.macro("MASK(b, r, n)", text)
	}
	g.macro("HAS_MASK", mask)
}

// constants defines what all kernels know.
func (x *attention) constants(g *gen) {
	number := func(v float64) string { return "(" + literal(x.acc, v, 0) + ")" }
	g.macro("ACC", x.accC)
	g.macro("D", x.d)
	g.macro("E", x.e)
	g.macro("SCALE", number(x.a.Scale))
	g.macro("SCALE2", number(x.a.Scale*math.Log2E))
	g.macro("LOG2E", number(math.Log2E))
	g.macro("LN2", number(math.Ln2))
	g.size("M", x.m)
	g.size("ROWS", x.rows)
	g.size("N", x.n)
	banded := x.a.Low > 1-x.m || x.a.High < x.n-1
	g.macro("BANDED", oneIf(banded))
	if banded {
		g.size("LOW", x.a.Low)
		g.size("HIGH", x.a.High)
	}
}

// stores defines how the outputs are written, under the names of kernel files.
func (x *attention) stores(g *gen) {
	names := map[engine.AttentionPass][]string{
		engine.AttentionForward: {"STORE_O", "STORE_L"}, engine.AttentionGradQ: {"STORE_DQ"}, engine.AttentionGradKV: {"STORE_DK", "STORE_DV"},
	}[x.a.Pass]
	for i, o := range x.task.Outs {
		y, _, _ := g.operand(len(x.task.Ins) + i)
		g.macro(names[i]+"(i, v)", fmt.Sprintf("STORE_%v(%s_ + o_%s, i, v)", o.DType, y, y))
	}
	g.macro("WITH_L", oneIf(x.a.Pass == engine.AttentionForward && len(x.task.Outs) > 1))
}

// sums says how sums over the other side are taken, whose positions come in blocks. Where blocks are not
// summed apart, terms are those of several.
func (x *attention) sums(g *gen, block int64, apart bool) {
	const few, steps, terms = 2048, 64, 128
	group, groups := x.n, int64(1)
	if x.a.Pass == engine.AttentionGradKV {
		group, groups = x.m, x.rows/max(x.m, 1)
	}
	long, step := group*groups > few, max(terms/block, 1)
	if apart {
		long, step = groups*ceilDiv(group, block) > steps, steps
	}
	g.macro("LONG", oneIf(long))
	if long {
		g.macro("STEPS", step)
	}
}
