package attention

import (
	"errors"
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
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
func (x *attention) kept() (kept, sums, more int64) {
	switch x.a.Pass {
	case engine.AttentionGradQ:
		return 2*x.d + x.e, 2, 0
	case engine.AttentionGradKV:
		return 2 * (x.d + x.e), 2, 2
	}
	return x.d + x.e, 1, 0
}

// tileBytes is the local memory of a group for each position of the other side.
func (x *attention) tileBytes(t tileChoice) int64 {
	_, sums, more := x.kept()
	row := variant.RoundUp(x.d, t.parts) + variant.RoundUp(max(x.e, 1), t.parts) + more
	if t.parts > 1 {
		row += sums * t.parts * t.lanes
	}
	return row * x.AccSize
}

// chooseTile divides the features of a position among so many items that they stay in registers.
func (x *attention) chooseTile() tileChoice {
	kept, _, _ := x.kept()
	owned, group := x.owned(), int64(min(x.Device.WorkGroup, 256))
	t := tileChoice{parts: 1}
	for kept*x.AccSize > keptFeatures*4*t.parts && t.parts < min(16, group) {
		t.parts *= 2
	}
	t.lanes = min(64, group/t.parts)
	// Few positions are more items each, and small groups: those that see few of the other side end early.
	units := int64(x.Device.Units)
	for t.parts < 8 && 2*t.parts*t.lanes <= group && 2*t.parts <= kept/16 && 2*t.parts*owned*x.batch <= 512*units {
		t.parts *= 2
	}
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
	g.Macro("BN", block)
	x.sums(g, block, false)
	x.hooks(g)
	x.stores(g)
	g.AskForRegisters()
	return &variant.Plan{
		Params: fmt.Sprintf("%d items in %d parts, %d at a time of %d features", lanes*parts, parts, block, x.d),
		Launches: []variant.Launch{{
			Program: g.Assemble("lib/block_sums.cl", "attention/any_sums.cl", "attention/gpu_weight.cl", "attention/gpu_shared.cl", kernels.FileOf(kernel)), Kernel: kernel,
			Global: variant.Grid(variant.CeilDiv(owned, lanes)*lanes*parts, x.batch), Local: variant.Grid(lanes*parts, 1),
		}},
	}, nil
}
