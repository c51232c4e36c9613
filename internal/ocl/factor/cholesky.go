package factor

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
)

func init() {
	variant.Register(variant.Family{
		Name: "cholesky", Kind: engine.Routine, Algorithm: (*engine.Cholesky)(nil), Variants: []string{"halves"},
		Choose: choleskyVariants,
		Cost: func(t *engine.Task, l variant.AlgorithmCost) variant.AlgorithmCost {
			return factorCost(t, l, 4*blocks(t.Algorithm.(*engine.Cholesky).N, choleskyBlock))
		},
	})
}

func choleskyVariants(d *facts.Device, t *engine.Task) []variant.Variant {
	return []variant.Variant{{Name: "halves", Why: "halves of the matrix, until a group can hold a block",
		Plan: func() (*variant.Plan, error) {
			return newCholesky(d, t).write()
		}}}
}

// choleskyBlock is the order of the largest block that a group decomposes.
const choleskyBlock = 64

type cholesky struct {
	*job
	n      int64
	prog   *codegen.Program
	wg     int
	block  int64
	below  *solver
	update *contract.Update
}

func newCholesky(d *facts.Device, t *engine.Task) *cholesky {
	a := t.Algorithm.(*engine.Cholesky)
	c := &cholesky{job: newJob(d, t, a.Batch), n: a.N, block: choleskyBlock}
	c.scratch = []int64{4 * max(a.Batch, 1), 0}
	if !t.Reads(0) {
		c.scratch[1] = a.Batch * a.N * a.N * c.size()
	}
	for c.block > 16 && (c.block*(c.block+1)*c.size() > d.LocalMem*3/4 || c.block/2 >= a.N) {
		c.block /= 2
	}
	begin := func(g *codegen.Builder) string { return c.factor(g) }
	c.update = &contract.Update{Device: d, Task: t, DType: c.dt, BTrans: true, Longest: half(a.N, c.block),
		Begin: func(g *codegen.Builder) (string, string, string) {
			f := begin(g)
			return f, f, f
		}}
	c.below = &solver{job: c.job, row: a.N, column: 1, lower: true, turned: true, update: c.update, triangle: &contract.Triangle{
		Device: d, Task: t, DType: c.dt, Turned: true, Begin: func(g *codegen.Builder) (string, string) { f := begin(g); return f, f },
	}}
	return c
}

// factor is the text of where the factors begin: in the output, or in scratch memory where nobody reads that.
func (c *cholesky) factor(g *codegen.Builder) string {
	if c.task.Reads(0) {
		return c.output(g, 0, c.ctype())
	}
	g.ScratchArg("FACTOR", 1, c.ctype())
	return "FACTOR"
}

func (c *cholesky) write() (*variant.Plan, error) {
	c.wg = c.group(64)
	g := c.program(c.wg)
	g.Macro("W_MOST", c.block)
	g.Macro("IN", c.input(g, 0))
	g.Macro("F", c.factor(g))
	g.ScratchArg("INFO", 0, "int")
	g.Macro("SHOW(b, v)", c.show(g, 1, "b", "v"))
	for _, name := range []string{"N", "FROM", "W"} {
		g.Size(name, c.n)
	}
	c.prog = g.Assemble("factor/any_cholesky.cl")
	if c.n <= c.block {
		c.matrices(c.prog, "cholesky_whole", c.wg, nil)
		return c.plan(fmt.Sprintf("block=%d whole", c.block))
	}
	rows := max(c.n, 1) // info of empty matrices is stored too
	c.rows(c.prog, "cholesky_begin", c.wg, rows)
	c.decompose(0, c.n)
	c.rows(c.prog, "cholesky_end", c.wg, rows)
	return c.plan(fmt.Sprintf("block=%d launches=%d", c.block, len(c.launches)))
}

// part is where row i and column j of the factors lie.
func (c *cholesky) part(i, j int64) contract.Part {
	return contract.Part{From: i*c.n + j, LD: c.n, Step: c.n * c.n}
}

// decompose decomposes the w x w block on the diagonal from row k on.
func (c *cholesky) decompose(k, w int64) {
	if w <= c.block {
		if w > 0 {
			c.matrices(c.prog, "cholesky_block", c.wg, map[string]int64{"FROM": k, "W": w})
		}
		return
	}
	h := half(w, c.block)
	c.decompose(k, h)
	rest := w - h
	c.below.solve(h, rest, c.part(k, k), c.part(k+h, k))
	c.add(c.update.Launch(c.batch, rest, rest, h, c.part(k+h, k), c.part(k+h, k), c.part(k+h, k+h), true))
	c.decompose(k+h, rest)
}
