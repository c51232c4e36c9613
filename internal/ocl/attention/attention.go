// Package attention plans attention and its gradients, without a matrix of scores in memory.
package attention

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// attention is an Attention task as its kernels see it: for each batch, rows of
// queries, those of all groups, against n keys.
type attention struct {
	*contract.Contraction // for its methods about operands
	a                     *engine.AttentionTask
	batch, rows           int64
	m, n                  int64 // queries of a group, keys
	d, e                  int64 // features
}

func init() {
	variant.Register(variant.Family{
		Name: engine.Attention.String(), Kind: engine.Attention, Variants: []string{"lane", "tile", "block"}, Choose: attentionVariants,
		Class: func(_ *facts.Device, t *engine.Task) string {
			return fmt.Sprintf("%s pass%d", variant.DTypes(t), t.Attention.Pass) + variant.GroupSizes(t)
		},
	})
}

func attentionVariants(d *facts.Device, t *engine.Task) []variant.Variant {
	x := &attention{
		Contraction: &contract.Contraction{Device: d, Task: t, Acc: t.Acc, AccType: codegen.RegType(t.Acc), AccSize: int64(t.Acc.Size())},
		a:           t.Attention, batch: t.Size(engine.AttentionBatch), m: t.Size(engine.AttentionQueries),
		n: t.Size(engine.AttentionKeys), d: t.Size(engine.AttentionHead), e: t.Size(engine.AttentionValue),
	}
	x.rows = t.Size(engine.AttentionGroup) * x.m
	lane := variant.Tunable[laneChoice](variant.Chooser[laneChoice]{
		Name: "lane", Why: "a CPU driver: vectors over positions", Kind: engine.Attention,
		Limits: d.Limits(x.PanelLanes(), x.AccSize), ByRule: x.chooseLane, Plan: x.planLane,
	})
	tile := variant.Tunable[tileChoice](variant.Chooser[tileChoice]{
		Name: "tile", Why: "a GPU: a position an item, the other side in local memory", Kind: engine.Attention,
		Limits: d.Limits(x.PanelLanes(), x.AccSize), ByRule: x.chooseTile, Settle: x.settleTile, Plan: x.planTile,
	})
	block := variant.Tunable[blockChoice](variant.Chooser[blockChoice]{
		Name: "block", Why: "a GPU: products of blocks of positions, sums in registers", Kind: engine.Attention,
		Limits: d.Limits(x.PanelLanes(), x.AccSize), ByRule: x.chooseBlock, Settle: x.settleBlock, Plan: x.planBlock,
	})
	all := []variant.Variant{tile, lane}
	if d.CPU {
		all = []variant.Variant{lane, tile}
	}
	if !x.blockable() {
		return all
	}
	if d.CPU {
		return append(all, block)
	}
	return append([]variant.Variant{block}, all...)
}

// The coordinates of hooks.
func (x *attention) at(names ...string) []codegen.Coord {
	groups := map[string][]int{
		"b": x.Axes(engine.AttentionBatch), "n": x.Axes(engine.AttentionKeys),
		"r": append(x.Axes(engine.AttentionGroup), x.Axes(engine.AttentionQueries)...),
		"d": x.Axes(engine.AttentionHead), "e": x.Axes(engine.AttentionValue),
	}
	var coords []codegen.Coord
	for _, name := range names {
		coords = append(coords, codegen.Coord{Name: name, Axes: groups[name]})
	}
	return coords
}

// hooks defines the loads that kernel files name, but for those in skip, and
// the mask.
func (x *attention) hooks(g *codegen.Builder, skip ...string) {
	for _, h := range []struct {
		name string
		e    *engine.Expr
		at   []codegen.Coord
	}{
		{"LOAD_Q", x.a.Q, x.at("b", "r", "d")}, {"LOAD_K", x.a.K, x.at("b", "n", "d")}, {"LOAD_V", x.a.V, x.at("b", "n", "e")},
		{"LOAD_DO", x.a.DO, x.at("b", "r", "e")}, {"LOAD_TOP", x.a.Top, x.at("b", "r")}, {"LOAD_SHARE", x.a.Share, x.at("b", "r")},
		{"LOAD_DELTA", x.a.D, x.at("b", "r")},
	} {
		if h.e != nil && !slices.Contains(skip, h.name) {
			g.Hook(h.name, h.at, h.e, tensor.Invalid)
		}
	}
	mask := 0
	if e := x.a.Mask; e != nil {
		if mask = 1; access.Uses(e, append(x.Axes(engine.AttentionGroup), x.Axes(engine.AttentionQueries)...)) {
			mask = 2
		}
		g.Hook("MASK_OF", x.at("b", "r", "n"), e, tensor.Invalid)
		text := "(" + x.AccType + ")MASK_OF(b, r, n) * LOG2E"
		if e.DType == tensor.Bool {
			text = "(MASK_OF(b, r, n) ? (" + x.AccType + ")0 : (" + x.AccType + ")-INFINITY)"
		}
		g.Macro("MASK(b, r, n)", text)
	}
	g.Macro("HAS_MASK", mask)
}

// constants defines the constants of all kernels.
func (x *attention) constants(g *codegen.Builder) {
	number := func(v float64) string { return "(" + codegen.Literal(x.Acc, v, 0) + ")" }
	g.Macro("ACC", x.AccType)
	g.Macro("D", x.d)
	g.Macro("E", x.e)
	g.Macro("SCALE", number(x.a.Scale))
	g.Macro("SCALE2", number(x.a.Scale*math.Log2E))
	g.Macro("LOG2E", number(math.Log2E))
	g.Macro("LN2", number(math.Ln2))
	g.Size("M", x.m)
	g.Size("ROWS", x.rows)
	g.Size("N", x.n)
	g.Macro("BANDED", codegen.OneIf(x.banded()))
	if x.banded() {
		g.Size("LOW", x.a.Low)
		g.Size("HIGH", x.a.High)
	}
}

// kernel is the name of the kernel of the pass in a variant.
func (x *attention) kernel(variant string) string {
	return "attention_" + variant + map[engine.AttentionPass]string{engine.AttentionGradQ: "_dq", engine.AttentionGradKV: "_dkv"}[x.a.Pass]
}

// filesForGPU are those of a kernel for GPUs, which has shared in common with the other passes.
func filesForGPU(shared, kernel string) []string {
	common := []string{"lib/block_sums.cl", "attention/any_sums.cl", "attention/any_top.cl", "attention/gpu_weight.cl"}
	return append(common, shared, kernels.FileOf(kernel))
}

// banded reports whether rows see only keys near them.
func (x *attention) banded() bool { return x.a.Low > 1-x.m || x.a.High < x.n-1 }

// stores defines how the outputs are written, under the names of kernel files.
func (x *attention) stores(g *codegen.Builder) {
	names := map[engine.AttentionPass][]string{
		engine.AttentionForward: {"STORE_O", "STORE_TOP", "STORE_SHARE"}, engine.AttentionGradQ: {"STORE_DQ"},
		engine.AttentionGradKV: {"STORE_DK", "STORE_DV"},
	}[x.a.Pass]
	for i, o := range x.Task.Outs {
		y, _, _ := g.Operand(len(x.Task.Ins) + i)
		g.Macro(names[i]+"(i, v)", fmt.Sprintf("STORE_%v(%s_ + o_%s, i, v)", o.DType, y, y))
	}
	g.Macro("WITH_TOPS", codegen.OneIf(x.a.Pass == engine.AttentionForward && len(x.Task.Outs) > 1))
}

// sums says how sums over the other side are taken, whose positions come in blocks. Where blocks are not
// summed apart, terms are those of several.
func (x *attention) sums(g *codegen.Builder, block int64, apart bool) {
	const few, steps, terms = 2048, 64, 128
	group, groups := x.n, int64(1)
	if x.a.Pass == engine.AttentionGradKV {
		group, groups = x.m, x.rows/max(x.m, 1)
	}
	long, step := group*groups > few, max(terms/block, 1)
	if apart {
		long, step = groups*variant.CeilDiv(group, block) > steps, steps
	}
	g.Macro("LONG", codegen.OneIf(long))
	if long {
		g.Macro("STEPS", step)
	}
}
