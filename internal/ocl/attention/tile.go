package attention

import (
	"errors"
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
)

// keptFeatures is how many features an item keeps of all that it owns. Of 128, none
// spill in the 255 registers of NVIDIA's GPUs, but 60 to 99 do of the 128 that a
// work-item has on Intel's (dg2).
const keptFeatures = 64

var errLocalMem = errors.New("a step is larger than its share of local memory")

// tileChoice is how the work is cut for the kernels for GPUs.
type tileChoice struct {
	parts, lanes int64 // items a position, positions a group
	block        int64 // positions of the other side at once
}

func (t *tileChoice) Knobs() []variant.Knob {
	return []variant.Knob{variant.Counter("parts", &t.parts), variant.Counter("lanes", &t.lanes), variant.Counter("block", &t.block)}
}

// kept is how many features an item of all that a position needs keeps, sums how many a pair of positions has
// to add up, and more what else there is of each position of the other side.
func (x *attention) kept(pass engine.AttentionPass) (kept, sums, more int64) {
	switch pass {
	case engine.AttentionGradQ:
		return 2*x.d + x.e, 2, 0
	case engine.AttentionGradKV:
		return 2 * (x.d + x.e), 2, 3
	}
	return x.d + x.e, 1, 0
}

// tileBytes is the local memory of a group for each position of the other side.
func (x *attention) tileBytes(t tileChoice) int64 {
	_, sums, more := x.kept(x.a.Pass)
	row := variant.RoundUp(x.d, x.leaves(t)) + variant.RoundUp(max(x.e, 1), t.parts) + more
	if t.parts > 1 {
		row += sums * t.parts * t.lanes
	}
	return row * x.AccSize
}

// partsOf is among how many items a pass divides the features of a position, so that they stay in registers.
func (x *attention) partsOf(pass engine.AttentionPass) int64 {
	kept, _, _ := x.kept(pass)
	group, parts := int64(min(x.Device.WorkGroup, 256)), int64(1)
	for kept*x.AccSize > keptFeatures*4*parts && parts < min(16, group) {
		parts *= 2
	}
	// Few positions are more items each, and small groups: those that see few of the other side end early.
	lanes, units := min(64, group/parts), int64(x.Device.Units)
	for parts < 8 && 2*parts*lanes <= group && 2*parts <= kept/16 && 2*parts*x.ownedBy(pass)*x.batch <= 512*units {
		parts *= 2
	}
	return parts
}

// leaves is how many sums of features a score is added up of: as many as a pass has that divides them most, so that all have
// the same scores.
func (x *attention) leaves(t tileChoice) int64 {
	most := t.parts
	for pass := range engine.AttentionGradKV + 1 {
		most = max(most, x.partsOf(pass))
	}
	return most
}

// chooseTile divides the features of a position among the items that partsOf says.
func (x *attention) chooseTile() tileChoice {
	owned, group, units := x.owned(), int64(min(x.Device.WorkGroup, 256)), int64(x.Device.Units)
	t := tileChoice{parts: x.partsOf(x.a.Pass)}
	t.lanes = min(64, group/t.parts)
	for t.lanes > 32 && variant.CeilDiv(owned, t.lanes)*x.batch < 2*units && owned > t.lanes/2 {
		t.lanes /= 2
	}
	t.block = max(min(min(x.Device.LocalMem, 32<<10)/x.tileBytes(t), 32), 1)
	return t
}

func (x *attention) settleTile(t *tileChoice) error {
	if t.block*x.tileBytes(*t) > x.Device.LocalMem {
		return errLocalMem
	}
	return nil
}

// planTile plans the kernel of the pass for GPUs: one position of its own side an
// item, or a few items that divide its features, and the other side in local memory.
func (x *attention) planTile(t tileChoice) (*variant.Plan, error) {
	kernel := x.kernel("tile")
	parts, lanes, block, owned := t.parts, t.lanes, t.block, x.owned()
	g := codegen.New(x.Device, x.Task, x.batch*(max(x.rows, x.n)+lanes))
	x.constants(g)
	g.Macro("LANES", lanes)
	g.Macro("PARTS", parts)
	g.Macro("LEAVES", x.leaves(t))
	g.Macro("BN", block)
	x.sums(g, block, false)
	x.hooks(g)
	x.stores(g)
	g.AskForRegisters()
	return &variant.Plan{
		Params: fmt.Sprintf("%d items in %d parts, %d at a time of %d features", lanes*parts, parts, block, x.d),
		Launches: []variant.Launch{{
			Program: g.Assemble(filesForGPU("attention/gpu_shared.cl", kernel)...), Kernel: kernel,
			Global: variant.Grid(variant.CeilDiv(owned, lanes)*lanes*parts, x.batch), Local: variant.Grid(lanes*parts, 1),
		}},
	}, nil
}
