package ocl

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

func scatterVariants(d *deviceFacts, t *engine.Task) []variant {
	plain := func(cpu bool) func() (*plan, error) {
		return func() (*plan, error) { return planScatter(d, t, cpu) }
	}
	rows := variant{name: "rows", why: "a CPU driver: an item owns rows, columns in vectors", plan: plain(true)}
	item := variant{name: "item", why: "an item owns one column of some rows", plan: plain(false)}
	if d.cpu {
		return []variant{rows, item}
	}
	return []variant{item, rows}
}

func planScatter(d *deviceFacts, t *engine.Task, cpu bool) (*plan, error) {
	rows, count, cols := t.Size(0), t.Size(1), t.Size(2)
	v, n, col := axesOf(t, 0), axesOf(t, 1), axesOf(t, 2)
	m := kernels.ScatterAdd(rows, cols, cpu, d.units, d.workGroup)
	g := newGen(d, t)
	g.size("ROWS", rows)
	g.size("COLS", cols)
	g.size("COUNT", count)
	g.size("VSPAN", m.Rows)
	g.size("DSPAN", m.Columns)
	g.hook("AT", []coord{{"n", n}}, t.At, tensor.Invalid)
	g.hook("INIT", []coord{{"v", v}, {"d", col}}, t.Values[0], tensor.Invalid)
	g.hook("UPDATE", []coord{{"n", n}, {"d", col}}, t.Update, tensor.Invalid)
	g.store("STORE", "INIT", t.Values[0])

	dt := t.Values[0].DType
	p := &plan{
		params:  fmt.Sprintf("rows=%d columns=%d of %dx%d, %d updates", m.Rows, m.Columns, rows, cols, count),
		scratch: []int64{max(count, 1) * 8},
	}
	g.scratchArg("KEYS", 0, g.idx)
	g.macro("VAL", regType(dt))
	ring := regType(dt)
	if !dt.IsFloat() {
		ring = ringType(dt)
	}
	g.macro("RING", ring)
	direct := storageType(t.Outs[0].DType) == regType(dt)
	g.macro("DIRECT", number01(direct))
	if direct {
		g.macro("SUM(i)", "(y0_ + o_y0)[i]")
	} else {
		g.scratchArg("SUMS", 1, regType(dt))
		g.macro("SUM(i)", "SUMS[i]")
		p.scratch = append(p.scratch, rows*cols*regSize(dt))
	}
	prog := g.assemble("scatter.cl")
	if count > 0 {
		wg := kernels.Group(count, d.workGroup)
		p.launches = append(p.launches, launch{
			prog: prog, kernel: "scatter_keys",
			global: grid(roundUp(count, int64(wg))), local: grid(int64(wg)),
		})
	}
	p.launches = append(p.launches, launch{prog: prog, kernel: "scatter_add", global: m.Global, local: m.Local})
	return p, nil
}
