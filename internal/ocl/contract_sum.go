package ocl

import "fmt"

// sumSpan is how many neighbouring columns one work-item of contract/any_sum.cl
// folds: vectors on a CPU, neighbours in one access on a GPU.
func (c *contraction) sumSpan() int64 {
	if c.dev.cpu {
		return 64
	}
	return 1
}

// sumLaunch folds the partial sums in scratch buffer part.
func (c *contraction) sumLaunch(part int, splits int64) launch {
	span := c.sumSpan()
	g := c.program(false, false, true)
	g.macro("SPAN", span)
	g.macro("LEVELS", oneIf(c.manySums(splits)))
	g.size("M", c.m)
	g.size("N", c.n)
	g.size("BATCHES", c.b)
	g.size("SPLITS", splits)
	g.scratchArg("PART", part, c.accC)
	c.hookOut(g)
	items := ceilDiv(c.n, span) * c.m * c.b
	global, local := c.flat(items, 64)
	return launch{prog: g.assemble("lib/block_sums.cl", "contract/any_sum.cl"), kernel: "contract_sum", global: global, local: local}
}

// chunks divides k into about want chunks of whole steps.
func (c *contraction) chunks(want, step int64) (chunk, splits int64) {
	chunk = roundUp(ceilDiv(c.k, max(want, 1)), step)
	return chunk, ceilDiv(c.k, chunk)
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
func (c *contraction) flat(items int64, group int) (global, local [3]int) {
	if c.dev.cpu {
		group = 1
	}
	group = max(min(group, c.dev.workGroup), 1)
	return [3]int{int(ceilDiv(items, int64(group))) * group}, [3]int{group}
}

// extents passes the sizes that every kernel but the panels' takes.
func (c *contraction) extents(g *gen) {
	g.size("M", c.m)
	g.size("N", c.n)
	g.size("K", c.k)
	g.size("BATCHES", c.b)
}

// fold ends a kernel that computes whole sums: with OUT, or where k is split
// with scratch buffer 0 and the kernel that folds it.
func (c *contraction) fold(g *gen, p *plan, splits, chunk int64) {
	g.macro("SPLIT", oneIf(splits > 1))
	if splits == 1 {
		c.hookOut(g)
		return
	}
	g.size("CHUNK", chunk)
	g.scratchArg("PART", 0, c.accC)
	p.scratch = []int64{splits * c.b * c.m * c.n * c.accSize}
	p.launches = append(p.launches, c.sumLaunch(0, splits))
}
