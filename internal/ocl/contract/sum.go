package contract

import (
	"fmt"

	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
)

// sumSpan is how many neighbouring columns one work-item of contract/any_sum.cl
// folds: vectors on a CPU, neighbours in one access on a GPU.
func (c *Contraction) sumSpan() int64 {
	if c.Device.CPU {
		return 64
	}
	return 1
}

// sumLaunch folds the partial sums in scratch buffer part.
func (c *Contraction) sumLaunch(part int, splits int64) variant.Launch {
	span := c.sumSpan()
	g := c.program(false, false, true)
	g.Passes = true
	g.Macro("SPAN", span)
	g.Macro("LEVELS", codegen.OneIf(c.manySums(splits)))
	g.Size("M", c.m)
	g.Size("N", c.n)
	g.Size("BATCHES", c.Batches)
	g.Size("SPLITS", splits)
	g.ScratchArg("PART", part, c.AccType)
	c.hookOut(g)
	items := variant.CeilDiv(c.n, span) * c.m * c.Batches
	global, local := c.flat(items, 64)
	return variant.Launch{Program: g.Assemble("lib/block_sums.cl", "contract/any_sum.cl"), Kernel: "contract_sum", Global: global,
		Local: local}
}

// chunks divides k into about want chunks of whole steps.
func (c *Contraction) chunks(want, step int64) (chunk, splits int64) {
	chunk = variant.RoundUp(variant.CeilDiv(c.K, max(want, 1)), step)
	return chunk, variant.CeilDiv(c.K, chunk)
}

// splitText says into how many chunks k is divided, where it is.
func splitText(splits int64) string {
	if splits <= 1 {
		return ""
	}
	return fmt.Sprintf(" split k %d", splits)
}

// flat is the launch of items work-items in groups of about group, on a CPU of
// one: a driver there makes a loop of a group, and a long one only costs registers.
func (c *Contraction) flat(items int64, group int) (global, local [3]int) {
	if c.Device.CPU {
		group = 1
	}
	group = max(min(group, c.Device.WorkGroup), 1)
	return [3]int{int(variant.CeilDiv(items, int64(group))) * group}, [3]int{group}
}

// extents passes the sizes that every kernel but the panels' takes.
func (c *Contraction) extents(g *codegen.Builder) {
	g.Size("M", c.m)
	g.Size("N", c.n)
	g.Size("K", c.K)
	g.Size("BATCHES", c.Batches)
}

// fold ends a kernel that computes whole sums: with OUT, or where k is split
// with scratch buffer 0 and the kernel that folds it.
func (c *Contraction) fold(g *codegen.Builder, p *variant.Plan, splits, chunk int64) {
	g.Macro("SPLIT", codegen.OneIf(splits > 1))
	if splits == 1 {
		c.hookOut(g)
		return
	}
	g.Size("CHUNK", chunk)
	g.ScratchArg("PART", 0, c.AccType)
	p.Scratch = []int64{splits * c.Batches * c.m * c.n * c.AccSize}
	p.Launches = append(p.Launches, c.sumLaunch(0, splits))
}
