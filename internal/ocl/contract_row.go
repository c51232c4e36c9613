package ocl

import "fmt"

// rowChoice is how contract/gpu_row.cl is used for one contraction.
type rowChoice struct {
	group, lanes  int
	rows          int // outputs of a column that one group computes
	chunk, splits int64
}

// chooseRow gives every output a group and, where outputs are few, several.
func (c *contraction) chooseRow() rowChoice {
	r := rowChoice{group: 1, lanes: 64, rows: 1}
	for int64(r.rows) < min(c.m, 8) {
		r.rows *= 2
	}
	r.lanes /= r.rows
	enough := int64(4 * c.dev.units)
	if !c.dev.cpu {
		r.lanes, r.group = max(1, 4/r.rows), 64
		for r.group > 16 && int64(r.group) > c.k/2 || r.group > c.dev.workGroup {
			r.group /= 2
		}
		enough = int64(16 * c.dev.units)
	}
	want := int64(1)
	if outs := c.b * ceilDiv(c.m, int64(r.rows)) * c.n; outs < enough {
		want = max(1, min(ceilDiv(enough, outs), c.k/int64(r.group*r.lanes*16)))
	}
	r.split(c, want)
	return r
}

// split divides k into about want chunks of whole strides.
func (r *rowChoice) split(c *contraction, want int64) {
	r.chunk, r.splits = c.chunks(want, int64(r.group*r.lanes))
}

func (r rowChoice) String() string {
	return fmt.Sprintf("group %d rows %d lanes %d", r.group, r.rows, r.lanes) + splitText(r.splits)
}

func (c *contraction) planRow(r rowChoice) (*plan, error) {
	groups := c.b * ceilDiv(c.m, int64(r.rows)) * c.n * r.splits
	g := c.program(true, true, r.splits == 1, groups)
	g.macro("WG", r.group)
	g.macro("LANES", r.lanes)
	g.macro("ROWS", r.rows)
	c.sums(r.chunk / int64(r.group*r.lanes)).macros(g)
	p := &plan{params: r.String()}
	c.hookA(g)
	c.hookB(g)
	c.extents(g)
	c.fold(g, p, r.splits, r.chunk)
	p.launches = append([]launch{{
		prog: g.assemble("lib/block_sums.cl", "contract/gpu_row.cl"), kernel: "contract_row",
		global: [3]int{int(groups) * r.group}, local: [3]int{r.group},
	}}, p.launches...)
	return p, nil
}

// planItem is one work-item an output: the floor, always legal.
func (c *contraction) planItem() (*plan, error) {
	g := c.program(true, true, true)
	p := &plan{params: "item"}
	count := c.b * c.m * c.n
	g.size("COUNT", count)
	c.sums(c.k).macros(g)
	c.hookA(g)
	c.hookB(g)
	c.extents(g)
	c.fold(g, p, 1, c.k)
	group := max(1, min(64, c.dev.workGroup))
	p.launches = []launch{{
		prog: g.assemble("lib/block_sums.cl", "contract/any_item.cl"), kernel: "contract_item",
		global: [3]int{int(ceilDiv(count, int64(group))) * group}, local: [3]int{group},
	}}
	return p, nil
}
