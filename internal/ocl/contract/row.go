package contract

import (
	"fmt"

	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/variant"
)

// rowChoice is how contract/gpu_row.cl is used for one contraction.
type rowChoice struct {
	group, lanes  int
	rows          int // outputs of a column that one group computes
	columns       int // of one group
	chunk, splits int64
}

// fewRows is the most rows of outputs that contract/gpu_row.cl is the best for on a GPU: every element of B is used so often.
const fewRows = 4

// readsMatrix reports whether the contraction is little more than reading B once.
func (c *Contraction) readsMatrix() bool {
	down, across := c.stridesOfB()
	return c.m <= fewRows && c.n >= 64 && c.K >= 128 && down >= 0 && across >= 0 && min(down, across) <= 1
}

// stridesOfB is how far apart neighbours of B lie down the sum and across columns; -1 where that is not one distance.
func (c *Contraction) stridesOfB() (down, across int64) {
	sum, columns := c.Axes(bSum), c.Axes(bColumn)
	if len(sum) != 1 || len(columns) != 1 {
		return -1, -1
	}
	return access.Stride(c.Task.B, sum[0]), access.Stride(c.Task.B, columns[0])
}

// ChooseRow gives every output a group and, where outputs are few, several; outputs whose columns adjoin share one.
func (c *Contraction) ChooseRow() rowChoice {
	r := rowChoice{group: 1, lanes: 64, rows: 1, columns: 1}
	for int64(r.rows) < min(c.m, 8) {
		r.rows *= 2
	}
	r.lanes /= r.rows
	enough, steps := int64(4*c.Device.Units), int64(16)
	if !c.Device.CPU {
		r.lanes, r.group = max(1, int(32/c.AccSize)/r.rows), 64 // more are kept in memory by some compilers
		if down, across := c.stridesOfB(); c.n >= 32 && across >= 0 && across < down {
			r.group, r.columns, steps = 256, 32, 4
		} else if c.K >= 4096 {
			r.group = 128
		}
		for r.columns == 1 && r.group > 16 && int64(r.group) > c.K/2 || r.group > c.Device.WorkGroup {
			r.group /= 2
		}
		r.columns = min(r.columns, r.group)
		enough = int64(16 * c.Device.Units)
		if r.columns > 1 {
			enough = int64(8 * c.Device.Units)
		}
	}
	want := int64(1)
	if outs := c.Batches * variant.CeilDiv(c.m, int64(r.rows)) * variant.CeilDiv(c.n, int64(r.columns)); outs < enough {
		want = max(1, min(variant.CeilDiv(enough, outs), c.K/(int64(r.group/r.columns*r.lanes)*steps)))
	}
	r.Split(c, want)
	return r
}

// Split divides k into about want chunks of whole strides.
func (r *rowChoice) Split(c *Contraction, want int64) {
	r.chunk, r.splits = c.chunks(want, r.stride())
}

// stride is how many terms of a sum a group takes at once.
func (r *rowChoice) stride() int64 { return int64(r.group / r.columns * r.lanes) }

func (r rowChoice) String() string {
	return fmt.Sprintf("group %d rows %d columns %d lanes %d", r.group, r.rows, r.columns, r.lanes) + splitText(r.splits)
}

func (c *Contraction) PlanRow(r rowChoice) (*variant.Plan, error) {
	groups := c.Batches * variant.CeilDiv(c.m, int64(r.rows)) * variant.CeilDiv(c.n, int64(r.columns)) * r.splits
	g := c.program(true, true, r.splits == 1, groups)
	g.Macro("WG", r.group)
	g.Macro("LANES", r.lanes)
	g.Macro("ROWS", r.rows)
	g.Macro("COLUMNS", r.columns)
	c.sums(r.chunk / r.stride()).macros(g)
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
