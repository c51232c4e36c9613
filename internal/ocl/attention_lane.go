package ocl

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// farSide is an operand of the side that a lane kernel walks: rows of features
// that are read an element at a time.
type farSide struct {
	name   string // in the kernel file
	e      *engine.Expr
	coords []coord // b, row, feature
	groups []int   // of the rows
	head   int     // group of the features
	count  int64   // rows of a batch
	width  int64

	load    operandLoad
	step    int64 // between rows in place
	scratch int   // where it is packed, or -1
}

// laneSpan is how many rows an item of attention/cpu_pack.cl takes.
const laneSpan = 16

// readable reports whether the features of a row adjoin, and are what sums are made of.
func (x *attention) readable(s *farSide) bool {
	head := x.axes(s.head)
	return s.load.plain && s.load.dtype == x.acc && (len(head) == 0 || len(head) == 1 && s.load.coef[head[0]] == 1)
}

// inPlace finds how far apart rows lie where their features adjoin and are what
// sums are made of.
func (x *attention) inPlace(s *farSide) bool {
	if s.load = x.contraction.load(s.e, s.head); !x.readable(s) {
		return false
	}
	var rows []int
	for _, g := range s.groups {
		rows = append(rows, x.axes(g)...)
	}
	extent := int64(1)
	for i, a := range slices.Backward(rows) {
		if i == len(rows)-1 {
			s.step = s.load.coef[a]
		}
		if s.load.coef[a] != s.step*extent {
			return false
		}
		extent *= int64(x.task.Axes[a])
	}
	return s.step >= 0
}

// farSides are the operands that the pass walks.
func (x *attention) farSides() []*farSide {
	keys := []int{engine.AttentionKeys}
	rows := []int{engine.AttentionGroup, engine.AttentionQueries}
	sides := []*farSide{
		{name: "K", e: x.a.K, coords: x.at("b", "n", "d"), groups: keys, head: engine.AttentionHead, count: x.n, width: x.d},
		{name: "V", e: x.a.V, coords: x.at("b", "n", "e"), groups: keys, head: engine.AttentionValue, count: x.n, width: x.e},
	}
	if x.a.Pass == engine.AttentionGradKV {
		sides = []*farSide{
			{name: "Q", e: x.a.Q, coords: x.at("b", "r", "d"), groups: rows, head: engine.AttentionHead, count: x.rows, width: x.d},
			{name: "DO", e: x.a.DO, coords: x.at("b", "r", "e"), groups: rows, head: engine.AttentionValue, count: x.rows, width: x.e},
		}
	}
	for i, s := range sides {
		if s.scratch = i; x.inPlace(s) {
			s.scratch = -1
		}
	}
	return sides
}

// laneChoice is how the work is cut for the lane kernels.
type laneChoice struct{ kernels.AttentionTile }

func (c *laneChoice) knobs() []knob {
	return []knob{counter("vectors", &c.Vectors), counter("rows", &c.Rows), counter("block", &c.Block)}
}

// owned is how many positions the side has that work-items own.
func (x *attention) owned() int64 {
	if x.a.Pass == engine.AttentionGradKV {
		return x.n
	}
	return x.rows
}

func (x *attention) chooseLane() laneChoice {
	return laneChoice{kernels.AttentionLane(x.panelLanes(), x.owned())}
}

// planLane plans the kernel of the pass for CPU drivers, and what packs for it.
func (x *attention) planLane(tile laneChoice) (*plan, error) {
	kernel := map[engine.AttentionPass]string{
		engine.AttentionForward: "attention_lane", engine.AttentionGradQ: "attention_lane_dq", engine.AttentionGradKV: "attention_lane_dkv",
	}[x.a.Pass]
	tiles := ceilDiv(x.owned(), int64(tile.Positions()))
	sides := x.farSides()
	p := &plan{params: fmt.Sprintf("tile %d of %d features, blocks of %d", tile.Positions(), x.d, tile.Block), scratch: make([]int64, len(sides))}

	lots := x.batch
	for _, s := range sides {
		if s.scratch >= 0 {
			p.params += " pack " + s.name
			lots = min(lots, max(min(packBytes, x.dev.maxAlloc)/(s.count*s.width*x.accSize+1), 1))
		}
	}
	main := x.laneProgram(kernel, tile.AttentionTile, tiles, sides)
	for b := int64(0); b < x.batch; b += lots {
		n := min(lots, x.batch-b)
		from := map[string]int64{"B_FROM": b}
		for _, s := range sides {
			if s.scratch < 0 || s.count*s.width == 0 {
				continue
			}
			p.scratch[s.scratch] = lots * s.count * s.width * x.accSize
			p.launches = append(p.launches, launch{
				prog: x.packProgram(s), kernel: "attention_pack", sizes: from,
				global: grid(ceilDiv(s.count, laneSpan), n), local: [3]int{1, 1},
			})
		}
		p.launches = append(p.launches, launch{prog: main, kernel: kernel, sizes: from, global: grid(tiles, n), local: [3]int{1, 1}})
	}
	return p, nil
}

// only is the task with some of its expressions only.
func (x *attention) only(es ...*engine.Expr) *engine.Task {
	return x.task.Rewrite(func(e *engine.Expr) *engine.Expr {
		if slices.Contains(es, e) {
			return e
		}
		return nil
	})
}

func (x *attention) packProgram(s *farSide) *program {
	g := newGen(x.dev, x.only(s.e), s.count*x.batch)
	g.macro("ACC", x.accC)
	g.macro("WIDTH", s.width)
	g.macro("SPAN", laneSpan)
	g.hook("LOAD", []coord{s.coords[0], {"r", s.coords[1].axes}, {"x", s.coords[2].axes}}, s.e, tensor.Invalid)
	g.size("COUNT", s.count)
	g.size("B_FROM", 0)
	g.scratchArg("PACK", s.scratch, x.accC)
	return g.assemble("attention/cpu_pack.cl")
}

func (x *attention) laneProgram(kernel string, tile kernels.AttentionTile, tiles int64, sides []*farSide) *program {
	g := newGen(x.dev, x.task, x.batch*max(x.rows, x.n)+int64(tile.Positions()))
	vt := fmt.Sprintf("%s%d", x.accC, tile.Lanes)
	x.constants(g)
	g.macro("QV", tile.Vectors)
	g.macro("VL", tile.Lanes)
	g.macro("KR", tile.Rows)
	g.macro("KB", tile.Block)
	x.sums(g, int64(tile.Block), true)
	g.macro("VT", vt)
	g.macro("FLOAT_EXP2", oneIf(x.acc == tensor.Float32))
	g.macro("AS_VT", "as_"+vt)
	g.macro("AS_IT", fmt.Sprintf("as_int%d", tile.Lanes))
	g.size("TILES", tiles)
	g.size("B_FROM", 0)
	read := x.turns(g, tile.Lanes)
	for _, s := range sides {
		read = append(read, "LOAD_"+s.name)
		step := s.step
		if s.scratch < 0 {
			x.pointer(g, s.name, s.load)
			g.hook(s.name+"_START", s.coords[:1], x.part(s.load, true, engine.AttentionBatch), tensor.Invalid)
			g.macro(s.name+"_AT(b)", fmt.Sprintf("(%s_PTR + %s_START(b))", s.name, s.name))
		} else {
			step = s.width
			g.scratchArg(s.name+"_PACK", s.scratch, x.accC)
			g.macro(s.name+"_AT(b)", fmt.Sprintf("(%s_PACK + (size_t)((b) - B_FROM) * %d * %s_ROWS)", s.name, s.width, s.name))
			g.size(s.name+"_ROWS", s.count)
		}
		g.size(s.name+"_STEP", step)
	}
	x.hooks(g, read...)
	x.stores(g)
	return g.assemble("lib/block_sums.cl", "attention/any_sums.cl", "attention/cpu_shared.cl", "lib/cpu_transpose.cl", "attention/cpu_load_store.cl", kernels.FileOf(kernel))
}

// turns defines how the side that an item owns comes into the lanes of its
// tiles, and how results come out of them. It returns the loads that need no hook.
func (x *attention) turns(g *gen, lanes int) []string {
	var read []string
	g.macro("VLOAD(p)", fmt.Sprintf("vload%d(0, p)", lanes))
	g.macro("VSTORE", fmt.Sprintf("vstore%d", lanes))
	rows := []int{engine.AttentionGroup, engine.AttentionQueries}
	keys := []int{engine.AttentionKeys}
	q := &farSide{name: "Q", e: x.a.Q, coords: x.at("b", "r"), groups: rows, head: engine.AttentionHead}
	slope := &farSide{name: "DO", e: x.a.DO, coords: x.at("b", "r"), groups: rows, head: engine.AttentionValue}
	k := &farSide{name: "K", e: x.a.K, coords: x.at("b", "n"), groups: keys, head: engine.AttentionHead}
	v := &farSide{name: "V", e: x.a.V, coords: x.at("b", "n"), groups: keys, head: engine.AttentionValue}
	for _, s := range map[engine.AttentionPass][]*farSide{
		engine.AttentionForward: {q}, engine.AttentionGradQ: {q, slope}, engine.AttentionGradKV: {k, v},
	}[x.a.Pass] {
		fill := fmt.Sprintf("FILL_EACH(LOAD_%s", s.name)
		if s.load = x.contraction.load(s.e, s.head); x.readable(s) {
			x.pointer(g, s.name, s.load)
			g.hook(s.name+"_START", s.coords, x.part(s.load, true, append(s.groups, engine.AttentionBatch)...), tensor.Invalid)
			g.macro(fmt.Sprintf("%s_ROW(b, r)", s.name), fmt.Sprintf("(%s_PTR + %s_START(b, r))", s.name, s.name))
			fill = fmt.Sprintf("FILL_ROWS(%s_ROW", s.name)
			read = append(read, "LOAD_"+s.name)
		}
		g.macro(fmt.Sprintf("FILL_%s(tile, depth, b, first, count, factor)", s.name), fill+", tile, depth, b, first, count, factor)")
	}
	for i, name := range map[engine.AttentionPass][]string{
		engine.AttentionForward: {"O"}, engine.AttentionGradQ: {"DQ"}, engine.AttentionGradKV: {"DK", "DV"},
	}[x.a.Pass] {
		spill := fmt.Sprintf("SPILL_EACH(STORE_%s", name)
		if x.task.Outs[i].DType == x.acc {
			spill = fmt.Sprintf("SPILL_ROWS((%s)", g.pointer(len(x.task.Ins)+i))
		}
		g.macro(fmt.Sprintf("SPILL_%s(tile, depth, i0, have, factor)", name), spill+", tile, depth, i0, have, factor)")
	}
	return read
}
