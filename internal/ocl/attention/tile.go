package attention

import (
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

// PlanTile plans the kernel of the pass for GPUs: one position of its own side an
// item, or a few items that divide its features, and the other side in local memory.
func (x *attention) planTile() (*variant.Plan, error) {
	kernel, owned := "attention_tile", x.rows
	kept, sums, more := x.d+x.e, int64(1), int64(0)
	switch x.a.Pass {
	case engine.AttentionGradQ:
		kernel, kept, sums = "attention_tile_dq", 2*x.d+x.e, 2
	case engine.AttentionGradKV:
		kernel, kept, sums, more = "attention_tile_dkv", 2*(x.d+x.e), 2, 2
		owned = x.n
	}
	group := int64(min(x.Device.WorkGroup, 256))
	parts := int64(1)
	for kept*x.AccSize > keptFeatures*4*parts && parts < min(16, group) {
		parts *= 2
	}
	lanes := min(64, group/parts)
	// Few positions are more items each, and small groups: those that see few of the other side end early.
	for items := owned * x.batch; parts < 8 && 2*parts*lanes <= group && 2*parts <= kept/16 && 2*parts*items <= 512*int64(x.Device.Units); {
		parts *= 2
	}
	for lanes > 32 && variant.CeilDiv(owned, lanes)*x.batch < 2*int64(x.Device.Units) && owned > lanes/2 {
		lanes /= 2
	}
	row := variant.RoundUp(x.d, parts) + variant.RoundUp(max(x.e, 1), parts) + more
	if parts > 1 {
		row += sums * parts * lanes
	}
	block := max(min(min(x.Device.LocalMem, 32<<10)/(row*x.AccSize), 32), 1)
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
			Program: g.Assemble("lib/block_sums.cl", "attention/any_sums.cl", "attention/gpu_shared.cl", kernels.FileOf(kernel)), Kernel: kernel,
			Global: variant.Grid(variant.CeilDiv(owned, lanes)*lanes*parts, x.batch), Local: variant.Grid(lanes*parts, 1),
		}},
	}, nil
}
