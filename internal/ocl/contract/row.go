package contract

import (
	"fmt"

	"github.com/anycl/anycl/internal/ocl/variant"
)

// rowChoice is how contract/gpu_row.cl is used for one contraction.
type rowChoice struct {
	group, lanes  int
	rows          int // outputs of a column that one group computes
	chunk, splits int64
}

// ChooseRow gives every output a group and, where outputs are few, several.
func (c *Contraction) ChooseRow() rowChoice {
	r := rowChoice{group: 1, lanes: 64, rows: 1}
	for int64(r.rows) < min(c.m, 8) {
		r.rows *= 2
	}
	r.lanes /= r.rows
	enough := int64(4 * c.Device.Units)
	if !c.Device.CPU {
		r.lanes, r.group = max(1, 4/r.rows), 64
		for r.group > 16 && int64(r.group) > c.K/2 || r.group > c.Device.WorkGroup {
			r.group /= 2
		}
		enough = int64(16 * c.Device.Units)
	}
	want := int64(1)
	if outs := c.Batches * variant.CeilDiv(c.m, int64(r.rows)) * c.n; outs < enough {
		want = max(1, min(variant.CeilDiv(enough, outs), c.K/int64(r.group*r.lanes*16)))
	}
	r.Split(c, want)
	return r
}

// Split divides k into about want chunks of whole strides.
func (r *rowChoice) Split(c *Contraction, want int64) {
	r.chunk, r.splits = c.chunks(want, int64(r.group*r.lanes))
}

func (r rowChoice) String() string {
	return fmt.Sprintf("group %d rows %d lanes %d", r.group, r.rows, r.lanes) + splitText(r.splits)
}

func (c *Contraction) PlanRow(r rowChoice) (*variant.Plan, error) {
	groups := c.Batches * variant.CeilDiv(c.m, int64(r.rows)) * c.n * r.splits
	g := c.program(true, true, r.splits == 1, groups)
	g.Macro("WG", r.group)
	g.Macro("LANES", r.lanes)
	g.Macro("ROWS", r.rows)
	c.sums(r.chunk / int64(r.group*r.lanes)).macros(g)
	p := &variant.Plan{Params: r.String()}
	c.hookA(g)
	c.hookB(g)
	c.extents(g)
	c.fold(g, p, r.splits, r.chunk)
	p.Launches = append([]variant.Launch{{
		Program: g.Assemble("lib/block_sums.cl", "contract/gpu_row.cl"), Kernel: "contract_row",
		Global: [3]int{int(groups) * r.group}, Local: [3]int{r.group},
	}}, p.Launches...)
	return p, nil
}

// PlanItem is one work-item an output: the floor, always legal.
func (c *Contraction) PlanItem() (*variant.Plan, error) {
	g := c.program(true, true, true)
	p := &variant.Plan{Params: "item"}
	count := c.Batches * c.m * c.n
	g.Size("COUNT", count)
	c.sums(c.K).macros(g)
	c.hookA(g)
	c.hookB(g)
	c.extents(g)
	c.fold(g, p, 1, c.K)
	group := max(1, min(64, c.Device.WorkGroup))
	p.Launches = []variant.Launch{{
		Program: g.Assemble("lib/block_sums.cl", "contract/any_item.cl"), Kernel: "contract_item",
		Global: [3]int{int(variant.CeilDiv(count, int64(group))) * group}, Local: [3]int{group},
	}}
	return p, nil
}
