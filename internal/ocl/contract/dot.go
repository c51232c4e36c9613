package contract

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// dotChoice is how contract/cpu_dot.cl is used for one contraction.
type dotChoice struct {
	rows, cols, unroll int
	chunk, splits      int64
}

// AlongK reports whether the elements of l adjoin along the whole of k.
func (l OperandLoad) AlongK() bool { return l.Plain && l.step == 1 && l.run == 0 }

// AlongK reports whether both operands lie along k.
func (c *Contraction) AlongK() bool { return c.A.AlongK() && c.bb.AlongK() }

// ChooseDot reuses each vector as often as there are rows and columns, up to
// 4 x 4: 16 sums and 5 operands in registers.
func (c *Contraction) ChooseDot() dotChoice {
	d := dotChoice{rows: 1, cols: 1, unroll: 1}
	for d.rows < 4 && int64(d.rows) < c.m {
		d.rows *= 2
	}
	for d.rows*d.cols < 16 && d.cols < 8 && int64(d.cols) < c.n {
		d.cols *= 2
	}
	if c.Device.VectorLanes < 16 && d.rows*d.cols > 8 {
		d.cols = 8 / d.rows // 16 registers, not 32
	}
	for d.rows*d.cols*d.unroll < 8 {
		d.unroll *= 2
	}
	want := int64(1)
	items := c.Batches * variant.CeilDiv(c.m, int64(d.rows)) * variant.CeilDiv(c.n, int64(d.cols))
	if enough := int64(4 * c.Device.Units); items < enough {
		want = max(1, min(variant.CeilDiv(enough, items), c.K/2048))
	}
	d.Split(c, max(want, c.cachedChunks(PackBytes)))
	return d
}

// Split divides k into about want chunks of whole steps.
func (d *dotChoice) Split(c *Contraction, want int64) {
	d.chunk, d.splits = c.chunks(want, int64(d.unroll*c.PanelLanes()))
}

func (d dotChoice) String() string {
	return fmt.Sprintf("block %dx%d unroll %d", d.rows, d.cols, d.unroll) + splitText(d.splits)
}

func (c *Contraction) PlanDot(d dotChoice) (*variant.Plan, error) {
	g := c.program(true, true, d.splits == 1)
	lanes := c.PanelLanes()
	d.macros(g, c)
	d.sums(c, d.chunk).macros(g)
	c.vectors(g, "A", "A_ROW", c.A, aBatch, aRow, lanes)
	c.vectors(g, "B", "B_COLUMN", c.bb, bBatch, bColumn, lanes)
	p := &variant.Plan{Params: d.String()}
	c.extents(g)
	c.fold(g, p, d.splits, d.chunk)
	p.Launches = append([]variant.Launch{{
		Program: g.Assemble("lib/block_sums.cl", "contract/cpu_dot.cl"), Kernel: "contract_dot", Local: [3]int{1, 1, 1},
		Global: variant.Grid(variant.CeilDiv(c.m, int64(d.rows)), variant.CeilDiv(c.n, int64(d.cols)), c.Batches*d.splits),
	}}, p.Launches...)
	return p, nil
}

// sums says how chunk terms are summed.
func (d dotChoice) sums(c *Contraction, chunk int64) sumBlocks {
	return c.sums(chunk / int64(d.unroll*c.PanelLanes()))
}

// macros defines the shape of d.
func (d dotChoice) macros(g *codegen.Builder, c *Contraction) {
	lanes := c.PanelLanes()
	g.Macro("ROWS", d.rows)
	g.Macro("COLS", d.cols)
	g.Macro("UNROLL", d.unroll)
	g.Macro("VL", lanes)
	g.Macro("VT", fmt.Sprintf("%s%d", c.AccType, lanes))
	g.Macro("VSTORE", fmt.Sprintf("vstore%d", lanes))
	g.Macro("LAST(v, n)", lastLanes(c.Acc, lanes))
}

// lastLanes is the text of v whose first n lanes are 0.
func lastLanes(acc tensor.DType, lanes int) string {
	numbers := make([]string, lanes)
	for i := range numbers {
		numbers[i] = strconv.Itoa(i)
	}
	integer := fmt.Sprintf("%s%d", map[int]string{4: "int", 8: "long"}[acc.Size()], lanes)
	return fmt.Sprintf("((%s)(%s) < (%s)(n) ? (VT)(0) : (v))", integer, strings.Join(numbers, ", "), integer)
}
