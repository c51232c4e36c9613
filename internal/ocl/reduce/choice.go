package reduce

import (
	"errors"
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
)

// reduceChoice is how one of the kernels of reduce is used for one task.
type reduceChoice struct {
	variant string
	wg      int   // item, group
	vec     int64 // block, column
	rows    int64 // block: of an item
	parts   kernels.Parts
}

func (c *reduceChoice) Knobs() []variant.Knob {
	parts := variant.Counter("parts", &c.parts.Count)
	switch c.variant {
	case "item", "group":
		return []variant.Knob{variant.Counter("wg", &c.wg), parts}
	case "block":
		return []variant.Knob{variant.Counter("vec", &c.vec), variant.Counter("rows", &c.rows), parts}
	}
	return []variant.Knob{variant.Counter("vec", &c.vec), parts}
}

// align is the number that the span of a part is a multiple of.
func (c *reduceChoice) align() int64 {
	switch c.variant {
	case "group":
		return int64(c.wg)
	case "block":
		return c.vec
	}
	return 1
}

func (r *reduction) variant(name, why string) variant.Variant {
	return variant.Tunable[reduceChoice](variant.Chooser[reduceChoice]{
		Name: name, Why: why, Kind: engine.Reduce, Limits: r.dev.Limits(1, 8),
		ByRule: func() reduceChoice { return r.choose(name) }, Settle: r.settle, Plan: r.plan,
	})
}

// choose takes the variant that was measured to be best.
func (r *reduction) choose(variantName string) reduceChoice {
	c := reduceChoice{variant: variantName, vec: 64}
	units := int64(r.dev.Units)
	switch variantName {
	case "item":
		c.wg = kernels.Group(r.rows, r.dev.WorkGroup)
		c.parts = kernels.CutRows(r.rows, r.cols, units*512, 64, 1)
	case "group":
		c.wg = kernels.ReduceGroupSize(r.cols, r.dev.WorkGroup)
		c.parts = kernels.CutRows(r.rows, r.cols, units*4, int64(c.wg)*16, c.align())
	case "block":
		if r.cols <= 256 {
			c.vec = 16 // joining the states would take longer than filling them
		}
		c.parts = kernels.CutRows(r.rows, r.cols, units*4, 4096, c.align())
		c.rows = kernels.ReduceBlock(r.rows, c.parts, r.dev.Units).Rows
	case "column":
		c.parts = kernels.CutRows(variant.CeilDiv(r.rows, c.vec), r.cols, units*4, 64, 1)
	}
	return c
}

// settle cuts rows as the knobs say, into parts that are not empty.
func (r *reduction) settle(c *reduceChoice) error {
	c.parts = kernels.CutInto(r.cols, min(c.parts.Count, max(r.cols, 1)), c.align())
	if n := c.parts.Count; n > 1 && n*r.rows*8 > min(facts.MaxParts, r.dev.MaxAlloc) {
		return errors.New("the parts are too large")
	}
	return nil
}

// plan plans the kernel of a choice.
func (r *reduction) plan(c reduceChoice) (*variant.Plan, error) {
	if c.variant == "block" {
		return r.planBlock(c)
	}
	length := c.parts.Span
	if c.variant == "group" {
		length = variant.CeilDiv(length, int64(c.wg))
	}
	g := r.gen(c.parts, length, codegen.Coord{Name: "c", Axes: access.Axes(r.task, 1)})
	switch c.variant {
	case "item":
		m := kernels.ReduceItem(r.rows, c.parts, c.wg)
		return r.one(g, m, "reduce_item", fmt.Sprintf("wg=%d", m.Local[0]), c.parts)
	case "group":
		g.Macro("WG", c.wg)
		r.through(g, -1, codegen.Coord{Name: "c", Axes: access.Axes(r.task, 1)})
		return r.one(g, kernels.ReduceGroup(r.rows, c.parts, c.wg), "reduce_group", fmt.Sprintf("wg=%d", c.wg), c.parts)
	}
	g.Passes = true
	g.Macro("VEC", c.vec)
	return r.one(g, kernels.ReduceColumn(r.rows, c.parts, c.vec), "reduce_column", fmt.Sprintf("vec=%d", c.vec), c.parts)
}

func (r *reduction) planBlock(c reduceChoice) (*variant.Plan, error) {
	runs, within := r.runs()
	coords := []codegen.Coord{{Name: "f", Axes: runs}, {Name: "g", Axes: within}}
	length := variant.CeilDiv(c.parts.Span, c.vec)
	if len(runs) > 0 { // elements beside the vectors of a run, and those that fill no vector
		length = c.parts.Span
	}
	g := r.gen(c.parts, length, coords...)
	m := kernels.ReduceBlockOf(r.rows, c.parts, c.rows)
	g.Passes = true
	g.Macro("VEC", c.vec)
	g.Size("GOLDS", max(access.Extent(r.task, within), 1))
	g.Size("RSPAN", m.Rows)
	coords = append([]codegen.Coord{{Name: "r", Axes: access.Axes(r.task, 0)}}, coords...)
	plain := len(within) == 1 && c.vec%codegen.VectorLanes == 0 &&
		g.VectorHook("LOADS", coords, within[0], codegen.VectorLanes, r.fold.Value, r.val, 0)
	if plain {
		plain = r.through(g, within[0], coords[1:]...)
	} else {
		r.through(g, -1, coords[1:]...)
	}
	g.Macro("PLAIN", codegen.OneIf(plain))
	if !plain {
		g.Macro("LANES", codegen.LoopLanes(within, codegen.RegSize(r.val), r.fold.Value))
	}
	files := []string{"reduce/cpu_block.cl"}
	if plain {
		writeVectorMonoid(g, r.fold, r.val)
		files = []string{"reduce/cpu_monoid_vector.cl", "reduce/cpu_block.cl"}
	}
	return r.one(g, m.Grid, "reduce_block", fmt.Sprintf("vec=%d rows=%d", c.vec, m.Rows), c.parts, files...)
}
