package ocl

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/anycl/anycl/tensor"
)

// dotChoice is how contract/cpu_dot.cl is used for one contraction.
type dotChoice struct {
	rows, cols, unroll int
	chunk, splits      int64
}

// alongK reports whether the elements of l adjoin along the whole of k.
func (l operandLoad) alongK() bool { return l.plain && l.step == 1 && l.run == 0 }

func (c *contraction) alongK() bool { return c.a.alongK() && c.bb.alongK() }

// chooseDot reuses each vector as often as there are rows and columns, up to
// 4 x 4: 16 sums and 5 operands in registers.
func (c *contraction) chooseDot() dotChoice {
	d := dotChoice{rows: 1, cols: 1, unroll: 1}
	for d.rows < 4 && int64(d.rows) < c.m {
		d.rows *= 2
	}
	for d.rows*d.cols < 16 && d.cols < 8 && int64(d.cols) < c.n {
		d.cols *= 2
	}
	if c.dev.vector < 16 && d.rows*d.cols > 8 {
		d.cols = 8 / d.rows // 16 registers, not 32
	}
	for d.rows*d.cols*d.unroll < 8 {
		d.unroll *= 2
	}
	want := int64(1)
	items := c.b * ceilDiv(c.m, int64(d.rows)) * ceilDiv(c.n, int64(d.cols))
	if enough := int64(4 * c.dev.units); items < enough {
		want = max(1, min(ceilDiv(enough, items), c.k/2048))
	}
	d.split(c, max(want, c.cachedChunks(packBytes)))
	return d
}

// split divides k into about want chunks of whole steps.
func (d *dotChoice) split(c *contraction, want int64) {
	d.chunk, d.splits = c.chunks(want, int64(d.unroll*c.panelLanes()))
}

func (d dotChoice) String() string {
	return fmt.Sprintf("block %dx%d unroll %d", d.rows, d.cols, d.unroll) + splitText(d.splits)
}

func (c *contraction) planDot(d dotChoice) (*plan, error) {
	g := c.program(true, true, d.splits == 1)
	lanes := c.panelLanes()
	d.macros(g, c)
	d.sums(c, d.chunk).macros(g)
	c.vectors(g, "A", "A_ROW", c.a, aBatch, aRow, lanes)
	c.vectors(g, "B", "B_COLUMN", c.bb, bBatch, bColumn, lanes)
	p := &plan{params: d.String()}
	c.extents(g)
	c.fold(g, p, d.splits, d.chunk)
	p.launches = append([]launch{{
		prog: g.assemble("lib/block_sums.cl", "contract/cpu_dot.cl"), kernel: "contract_dot", local: [3]int{1, 1, 1},
		global: grid(ceilDiv(c.m, int64(d.rows)), ceilDiv(c.n, int64(d.cols)), c.b*d.splits),
	}}, p.launches...)
	return p, nil
}

// sums is how those of chunk terms are taken.
func (d dotChoice) sums(c *contraction, chunk int64) sumBlocks {
	return c.sums(chunk / int64(d.unroll*c.panelLanes()))
}

// macros defines the shape of d.
func (d dotChoice) macros(g *gen, c *contraction) {
	lanes := c.panelLanes()
	g.macro("ROWS", d.rows)
	g.macro("COLS", d.cols)
	g.macro("UNROLL", d.unroll)
	g.macro("VL", lanes)
	g.macro("VT", fmt.Sprintf("%s%d", c.accC, lanes))
	g.macro("VSTORE", fmt.Sprintf("vstore%d", lanes))
	g.macro("LAST(v, n)", lastLanes(c.acc, lanes))
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
