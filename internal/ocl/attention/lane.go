package attention

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// farSide is an operand of the side that a lane kernel walks: rows of features
// that are read an element at a time.
type farSide struct {
	name   string // in the kernel file
	e      *engine.Expr
	coords []codegen.Coord // b, row, feature
	groups []int           // of the rows
	head   int             // group of the features
	count  int64           // rows of a batch
	width  int64

	load    contract.OperandLoad
	step    int64 // between rows in place
	scratch int   // where it is packed, or -1
}

// laneSpan is how many rows an item of attention/cpu_pack.cl takes.
const laneSpan = 16

// readable reports whether the features of a row adjoin and have the type of the sums.
func (x *attention) readable(s *farSide) bool {
	head := x.Axes(s.head)
	return s.load.Plain && s.load.DType == x.Acc && (len(head) == 0 || len(head) == 1 && s.load.Coef[head[0]] == 1)
}

// inPlace finds the distance of rows where their features adjoin and have the type of the sums.
func (x *attention) inPlace(s *farSide) bool {
	if s.load = x.Contraction.Load(s.e, s.head); !x.readable(s) {
		return false
	}
	var rows []int
	for _, g := range s.groups {
		rows = append(rows, x.Axes(g)...)
	}
	extent := int64(1)
	for i, a := range slices.Backward(rows) {
		if i == len(rows)-1 {
			s.step = s.load.Coef[a]
		}
		if s.load.Coef[a] != s.step*extent {
			return false
		}
		extent *= int64(x.Task.Axes[a])
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

func (c *laneChoice) Knobs() []variant.Knob {
	return []variant.Knob{variant.Counter("vectors", &c.Vectors), variant.Counter("rows", &c.Rows), variant.Counter("block", &c.Block)}
}

// owned is how many positions the side has that work-items own.
func (x *attention) owned() int64 { return x.ownedBy(x.a.Pass) }

func (x *attention) ownedBy(pass engine.AttentionPass) int64 {
	if pass == engine.AttentionGradKV {
		return x.n
	}
	return x.rows
}

func (x *attention) chooseLane() laneChoice {
	return laneChoice{kernels.AttentionLane(x.PanelLanes(), x.owned())}
}

// planLane plans the kernel of the pass for CPU drivers, and the one that packs for it.
func (x *attention) planLane(tile laneChoice) (*variant.Plan, error) {
	kernel := x.kernel("lane")
	tiles := variant.CeilDiv(x.owned(), int64(tile.Positions()))
	sides := x.farSides()
	p := &variant.Plan{Params: fmt.Sprintf("tile %d of %d features, blocks of %d", tile.Positions(), x.d, tile.Block),
		Scratch: make([]int64, len(sides))}

	lots := x.batch
	for _, s := range sides {
		if s.scratch >= 0 {
			p.Params += " pack " + s.name
			lots = min(lots, max(min(contract.PackBytes, x.Device.MaxAlloc)/(s.count*s.width*x.AccSize+1), 1))
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
			p.Scratch[s.scratch] = lots * s.count * s.width * x.AccSize
			p.Launches = append(p.Launches, variant.Launch{
				Program: x.packProgram(s), Kernel: "attention_pack", Sizes: from,
				Global: variant.Grid(variant.CeilDiv(s.count, laneSpan), n), Local: [3]int{1, 1},
			})
		}
		p.Launches = append(p.Launches, variant.Launch{Program: main, Kernel: kernel, Sizes: from, Global: variant.Grid(tiles, n),
			Local: [3]int{1, 1}})
	}
	return p, nil
}

// only is the task with some of its expressions only.
func (x *attention) only(es ...*engine.Expr) *engine.Task {
	return x.Task.Rewrite(func(e *engine.Expr) *engine.Expr {
		if slices.Contains(es, e) {
			return e
		}
		return nil
	})
}

func (x *attention) packProgram(s *farSide) *codegen.Program {
	g := codegen.New(x.Device, x.only(s.e), s.count*x.batch)
	g.Macro("ACC", x.AccType)
	g.Macro("WIDTH", s.width)
	g.Macro("SPAN", laneSpan)
	g.Hook("LOAD", []codegen.Coord{s.coords[0], {Name: "r", Axes: s.coords[1].Axes}, {Name: "x", Axes: s.coords[2].Axes}}, s.e, tensor.Invalid)
	g.Size("COUNT", s.count)
	g.Size("B_FROM", 0)
	g.ScratchArg("PACK", s.scratch, x.AccType)
	return g.Assemble("attention/cpu_pack.cl")
}

func (x *attention) laneProgram(kernel string, tile kernels.AttentionTile, tiles int64, sides []*farSide) *codegen.Program {
	g := codegen.New(x.Device, x.Task, x.batch*max(x.rows, x.n)+int64(tile.Positions()))
	vt := fmt.Sprintf("%s%d", x.AccType, tile.Lanes)
	x.constants(g)
	g.Macro("QV", tile.Vectors)
	g.Macro("VL", tile.Lanes)
	g.Macro("KR", tile.Rows)
	g.Macro("KB", tile.Block)
	x.sums(g, int64(tile.Block), true)
	g.Macro("VT", vt)
	g.Macro("FLOAT_EXP2", codegen.OneIf(x.Acc == tensor.Float32))
	g.Macro("AS_VT", "as_"+vt)
	g.Macro("AS_IT", fmt.Sprintf("as_int%d", tile.Lanes))
	g.Size("TILES", tiles)
	g.Size("B_FROM", 0)
	read := x.turns(g, tile.Lanes)
	for _, s := range sides {
		read = append(read, "LOAD_"+s.name)
		step := s.step
		if s.scratch < 0 {
			x.Pointer(g, s.name, s.load)
			g.Hook(s.name+"_START", s.coords[:1], x.Part(s.load, true, engine.AttentionBatch), tensor.Invalid)
			g.Macro(s.name+"_AT(b)", fmt.Sprintf("(%s_PTR + %s_START(b))", s.name, s.name))
		} else {
			step = s.width
			g.ScratchArg(s.name+"_PACK", s.scratch, x.AccType)
			g.Macro(s.name+"_AT(b)", fmt.Sprintf("(%s_PACK + (size_t)((b) - B_FROM) * %d * %s_ROWS)", s.name, s.width, s.name))
			g.Size(s.name+"_ROWS", s.count)
		}
		g.Size(s.name+"_STEP", step)
	}
	x.hooks(g, read...)
	x.stores(g)
	return g.Assemble(
		"lib/block_sums.cl", "attention/any_sums.cl", "attention/any_top.cl", "attention/cpu_shared.cl", "lib/cpu_transpose.cl",
		"attention/cpu_load_store.cl", kernels.FileOf(kernel),
	)
}

// turns defines how the side that an item owns comes into the lanes of its
// tiles, and how results come out of them. It returns the loads that need no hook.
func (x *attention) turns(g *codegen.Builder, lanes int) []string {
	var read []string
	g.Macro("VLOAD(p)", fmt.Sprintf("vload%d(0, p)", lanes))
	g.Macro("VSTORE", fmt.Sprintf("vstore%d", lanes))
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
		if s.load = x.Contraction.Load(s.e, s.head); x.readable(s) {
			x.Pointer(g, s.name, s.load)
			g.Hook(s.name+"_START", s.coords, x.Part(s.load, true, append(s.groups, engine.AttentionBatch)...), tensor.Invalid)
			g.Macro(fmt.Sprintf("%s_ROW(b, r)", s.name), fmt.Sprintf("(%s_PTR + %s_START(b, r))", s.name, s.name))
			fill = fmt.Sprintf("FILL_ROWS(%s_ROW", s.name)
			read = append(read, "LOAD_"+s.name)
		}
		g.Macro(fmt.Sprintf("FILL_%s(tile, depth, b, first, count)", s.name), fill+", tile, depth, b, first, count)")
	}
	for i, name := range map[engine.AttentionPass][]string{
		engine.AttentionForward: {"O"}, engine.AttentionGradQ: {"DQ"}, engine.AttentionGradKV: {"DK", "DV"},
	}[x.a.Pass] {
		spill := fmt.Sprintf("SPILL_EACH(STORE_%s", name)
		if x.Task.Outs[i].DType == x.Acc {
			spill = fmt.Sprintf("SPILL_ROWS((%s)", g.Pointer(len(x.Task.Ins)+i))
		}
		g.Macro(fmt.Sprintf("SPILL_%s(tile, depth, i0, have, factor)", name), spill+", tile, depth, i0, have, factor)")
	}
	return read
}
