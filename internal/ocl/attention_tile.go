package ocl

import (
	"fmt"

	"github.com/anycl/anycl/engine"
)

// planTile plans the kernel of the pass for GPUs: one position of its own side
// an item, the other side in local memory.
func (x *attention) planTile() (*plan, error) {
	kernel, owned := "attention_tile", x.rows
	switch x.a.Pass {
	case engine.AttentionGradQ:
		kernel = "attention_tile_dq"
	case engine.AttentionGradKV:
		kernel, owned = "attention_tile_dkv", x.n
	}
	items := int64(min(x.dev.workGroup, 64))
	block := max(min(min(x.dev.localMem, 32<<10)/((x.d+max(x.e, 1)+2)*x.accSize), 32), 1)
	g := newGen(x.dev, x.task, x.batch*(max(x.rows, x.n)+items))
	x.constants(g)
	g.macro("WG", items)
	g.macro("BN", block)
	x.hooks(g)
	x.stores(g)
	return &plan{
		params: fmt.Sprintf("%d items, %d at a time of %d features", items, block, x.d),
		launches: []launch{{
			prog: g.assemble("attention_seen.cl", kernel+".cl"), kernel: kernel,
			global: grid(roundUp(owned, items), x.batch), local: grid(items, 1),
		}},
	}, nil
}
