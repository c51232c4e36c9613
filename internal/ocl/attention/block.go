package attention

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// blockFeatures is the most features of a position that the kernels by blocks take: sums of all of them are in registers.
const blockFeatures = 128

// blockBytes is how much local memory a group may take, where the device has it.
const blockBytes = 48 << 10

// blockChoice is how the work is cut for the kernels by blocks.
type blockChoice struct {
	lanes, block  int64 // positions a group, and of the other side at once
	rows, columns int64 // those of an item
}

func (t *blockChoice) Knobs() []variant.Knob {
	return []variant.Knob{variant.Counter("lanes", &t.lanes), variant.Counter("block", &t.block), variant.Counter("rows", &t.rows),
		variant.Counter("columns", &t.columns)}
}

func (t blockChoice) items() int64 { return t.lanes / t.rows * (t.block / t.columns) }

// blocks are the shapes to choose from, the best first of those that fit.
func (x *attention) blocks() []blockChoice {
	small := []blockChoice{{32, 32, 4, 4}, {32, 16, 4, 2}, {16, 16, 2, 2}}
	if x.a.Pass == engine.AttentionForward {
		return append([]blockChoice{{32, 64, 4, 4}, {64, 32, 4, 4}}, small...)
	}
	return small
}

// blockLocal is the local memory of a group.
func (x *attention) blockLocal(t blockChoice) int64 {
	row := func(features int64) int64 { return 16 * (variant.CeilDiv(features, 4) | 1) }
	d, e := row(x.d), row(x.e)
	switch x.a.Pass {
	case engine.AttentionGradQ:
		return (t.lanes+t.block)*(d+e) + 4*t.lanes*t.block
	case engine.AttentionGradKV:
		return (t.lanes+t.block)*(d+e) + 8*t.lanes*t.block + 12*t.block
	}
	return t.lanes*d + max(t.block*d, 4*t.lanes*t.block) + t.block*e + 4*t.lanes*t.block/t.columns
}

func (x *attention) settleBlock(t *blockChoice) error {
	switch {
	case t.lanes%t.rows != 0 || t.block%t.columns != 0 || t.items() > int64(x.Device.WorkGroup):
		return errors.New("no whole number of items")
	case x.blockLocal(*t) > min(x.Device.LocalMem, blockBytes):
		return errLocalMem
	}
	return nil
}

// blockable reports whether the kernels by blocks take the task: sums of floats, and positions enough.
func (x *attention) blockable() bool {
	t := x.chooseBlock()
	return x.Acc == tensor.Float32 && min(x.d, x.e) >= 16 && max(x.d, x.e) <= blockFeatures && x.owned() >= 16 && x.settleBlock(&t) == nil
}

// chooseBlock takes the first shape that fits whose items all have features.
func (x *attention) chooseBlock() blockChoice {
	all := x.blocks()
	for _, t := range all {
		if x.settleBlock(&t) == nil && t.block/t.columns*4 <= min(x.d, x.e) {
			return t
		}
	}
	return all[len(all)-1]
}

// wideSides says of each operand whether four features are one access.
func (x *attention) wideSides(g *codegen.Builder) {
	rows := []int{engine.AttentionBatch, engine.AttentionGroup, engine.AttentionQueries}
	keys := []int{engine.AttentionBatch, engine.AttentionKeys}
	for _, s := range []struct {
		name   string
		e      *engine.Expr
		groups []int
		row    string
		head   int
	}{
		{"Q", x.a.Q, rows, "r", engine.AttentionHead}, {"K", x.a.K, keys, "n", engine.AttentionHead},
		{"V", x.a.V, keys, "n", engine.AttentionValue}, {"DO", x.a.DO, rows, "r", engine.AttentionValue},
	} {
		if s.e == nil {
			g.Macro("L_"+s.name, 0)
			continue
		}
		l := x.Contraction.Load(s.e, s.head)
		groups := append(slices.Clone(s.groups), s.head)
		adjoin, aligned := x.Neighbours(l, s.head, 4, groups...)
		wide := adjoin && l.DType == tensor.Float32
		g.Macro("L_"+s.name, codegen.OneIf(wide))
		if !wide {
			continue
		}
		features := x.d
		if s.head == engine.AttentionValue {
			features = x.e
		}
		x.Pointer(g, s.name, l)
		g.Size(s.name+"_WIDE", int64(codegen.OneIf(aligned && features%4 == 0)))
		feature := map[int]string{engine.AttentionHead: "d", engine.AttentionValue: "e"}[s.head]
		g.Hook(s.name+"_AT", x.at("b", s.row, feature), x.Part(l, true, groups...), tensor.Invalid)
	}
}

// planBlock plans the kernel of the pass by blocks.
func (x *attention) planBlock(t blockChoice) (*variant.Plan, error) {
	kernel := x.kernel("block")
	g := codegen.New(x.Device, x.Task, x.batch*(max(x.rows, x.n)+t.lanes))
	blocks := variant.CeilDiv(x.owned(), t.lanes)
	x.constants(g)
	g.Macro("BM", t.lanes)
	g.Macro("BN", t.block)
	g.Macro("RM", t.rows)
	g.Macro("RN", t.columns)
	g.Macro("SUMS_FROM", codegen.OpaqueZero)
	x.sums(g, t.block, false)
	x.hooks(g)
	x.wideSides(g)
	x.stores(g)
	g.Size("BLOCKS", blocks)
	if x.banded() {
		// A few groups a unit find room at once.
		units := int64(x.Device.Units)
		g.Size("BATCHES", x.batch)
		g.Size("AT_ONCE", int64(codegen.OneIf(blocks*x.batch <= 4*units)))
		g.Size("UNITS", units)
		g.Size("ALL_GROUPS", blocks*x.batch)
	}
	g.AskForRegisters()
	return &variant.Plan{
		Params: fmt.Sprintf("%d x %d of %d x %d an item, %d features", t.lanes, t.block, t.rows, t.columns, x.d),
		Launches: []variant.Launch{{
			Program: g.Assemble(filesForGPU("attention/gpu_block_shared.cl", kernel)...), Kernel: kernel,
			Global: variant.Grid(blocks*x.batch*t.items(), 1), Local: variant.Grid(t.items(), 1),
		}},
	}, nil
}
