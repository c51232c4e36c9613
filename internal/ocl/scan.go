package ocl

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

func scanVariants(d *deviceFacts, t *engine.Task, a *engine.Scan) []variant {
	s := &scanning{d, t, a}
	column := variant{name: "column", why: "an axis that is not the last: columns side by side", plan: s.column}
	if a.Inner > 1 {
		return []variant{column}
	}
	row := variant{name: "row", why: "a CPU driver: sixteen elements at a time", plan: s.row}
	group := variant{name: "group", why: "a work-group sums a part of a row", plan: s.group}
	if d.cpu {
		return []variant{row, group, column}
	}
	return []variant{group, column, row}
}

// scanning is a scan for a device.
type scanning struct {
	dev  *deviceFacts
	task *engine.Task
	*engine.Scan
}

// program starts the program of any variant, whose rows are cut into parts.
func (s *scanning) program(parts, span int64) *gen {
	g := newGen(s.dev, s.task)
	dt := s.task.Ins[0].DType
	acc := bitType(dt)
	if dt.IsFloat() {
		acc = regType(dt)
	}
	g.macro("ACC", acc)
	g.macro("VT", acc+"16")
	g.macro("EXACT", oneIf(dt.IsFloat()))
	g.macro("EXCLUSIVE", oneIf(s.Exclusive))
	g.macro("REVERSE", oneIf(s.Reverse))
	g.macro("SPLIT", oneIf(parts > 1))
	g.size("LENGTH", s.Length)
	g.size("PARTS", parts)
	g.size("SPAN", span)
	g.scratchArg("SUMS", 0, acc)
	x, y := g.start(0, acc), g.start(1, acc)
	if isHalfType(dt) {
		x, y = g.start(0, storageType(dt)), g.start(1, storageType(dt))
		g.macro("TAKE(i)", fmt.Sprintf("LOAD_%v(%s, i)", dt, x))
		g.macro("PUT(i, v)", fmt.Sprintf("STORE_%v(%s, i, v)", dt, y))
		return g
	}
	g.macro("TAKE(i)", x+"[i]")
	g.macro("PUT(i, v)", y+"[i] = (v)")
	return g
}

// vectors adds the hooks for sixteen neighbours.
func (s *scanning) vectors(g *gen) {
	dt := s.task.Ins[0].DType
	streamed := s.dev.streamed(s.task, s.task.Outs[0].Bytes()) && !isHalfType(dt)
	g.macro("STREAMED", oneIf(streamed))
	x, y := g.start(0, storageType(dt)), g.start(1, storageType(dt))
	switch dt {
	case tensor.Float16:
		g.macro("TAKES(i)", "vload_half16(0, "+x+" + (i))")
	case tensor.BFloat16:
		g.macro("TAKES(i)", "as_float16(convert_uint16(vload16(0, "+x+" + (i))) << 16)")
	default:
		x = g.start(0, bitType(dt))
		y = g.start(1, bitType(dt))
		if dt.IsFloat() {
			x, y = g.start(0, regType(dt)), g.start(1, regType(dt))
		}
		g.macro("TAKES(i)", "(*(__global const ANYWHERE *)("+x+" + (i)))")
		g.macro("PUTS(i, v)", "scan_put("+y+" + (i), v)")
		return
	}
	g.macro("PUTS(i, v)", fmt.Sprintf("do { ACC lanes_[16]; vstore16(v, 0, lanes_); for (int k_ = 0; k_ < 16; k_++) STORE_%v(%s, (i) + k_, lanes_[k_]); } while (0)", dt, y))
}

// cut divides rows of length into parts where there are fewer rows than want, of at least so
// many elements.
func cutScan(rows, length, want, least int64) (parts, span int64) {
	parts = min(ceilDiv(want, max(rows, 1)), length/least)
	if rows >= want || parts <= 1 {
		return 1, max(length, 1)
	}
	span = roundUp(ceilDiv(length, parts), 16)
	return ceilDiv(length, span), span
}

func (s *scanning) scratch(parts int64) []int64 {
	if parts <= 1 {
		return []int64{16}
	}
	return []int64{2 * parts * s.Outer * s.Inner * regSize(s.task.Ins[0].DType)}
}

// launches are the sums of parts, where there are any, and the scan.
func (s *scanning) launches(g *gen, parts int64, m kernels.Grid, sums, scan string, files ...string) *plan {
	prog := g.assemble(append([]string{"scan/any_sums.cl"}, files...)...)
	p := &plan{scratch: s.scratch(parts), params: fmt.Sprintf("parts=%d of %dx%dx%d", parts, s.Outer, s.Length, s.Inner)}
	if parts > 1 {
		p.launches = append(p.launches, launch{prog: prog, kernel: sums, global: m.Global, local: m.Local})
	}
	p.launches = append(p.launches, launch{prog: prog, kernel: scan, global: m.Global, local: m.Local})
	return p
}

func (s *scanning) row() (*plan, error) {
	units := int64(s.dev.units)
	parts, span := cutScan(s.Outer, s.Length, 4*units, 1<<12)
	g := s.program(parts, span)
	s.vectors(g)
	rows := max(min(ceilDiv(1<<14, span), ceilDiv(s.Outer, 4*units)), 1)
	g.size("ROWS", s.Outer)
	g.size("RSPAN", rows)
	m := kernels.Grid{Global: grid(parts, ceilDiv(s.Outer, rows)), Local: [3]int{1, 1}}
	return s.launches(g, parts, m, "scan_sums", "scan_row", "scan/cpu_row.cl"), nil
}

func (s *scanning) group() (*plan, error) {
	wg := kernels.Group(1<<10, s.dev.workGroup)
	parts, span := cutScan(s.Outer, s.Length, int64(s.dev.units)*8, int64(wg)*64)
	g := s.program(parts, span)
	g.macro("WG", wg)
	m := kernels.Grid{Global: grid(parts*int64(wg), s.Outer), Local: [3]int{wg, 1}}
	return s.launches(g, parts, m, "scan_group_sums", "scan_group_rows", "scan/gpu_group.cl"), nil
}

// scanColumns is how many columns an item of a CPU driver takes: their sums stay in the nearest cache.
const scanColumns = 256

func (s *scanning) column() (*plan, error) {
	columns, wg, want := int64(1), kernels.Group(s.Inner, s.dev.workGroup), int64(s.dev.units)*2048
	across := roundUp(s.Inner, int64(wg))
	if s.dev.cpu {
		wg, want = 1, 4*int64(s.dev.units)
		for columns = 16; columns < min(s.Inner, scanColumns); {
			columns *= 2
		}
		across = ceilDiv(s.Inner, columns)
	}
	parts, span := cutScan(s.Outer*across, s.Length, want, 1<<6)
	g := s.program(parts, span)
	g.macro("COLUMNS", columns)
	g.size("OUTER", s.Outer)
	g.size("INNER", s.Inner)
	m := kernels.Grid{Global: grid(across, parts, s.Outer), Local: [3]int{wg, 1, 1}}
	return s.launches(g, parts, m, "scan_column_sums", "scan_column", "scan/any_column.cl"), nil
}
