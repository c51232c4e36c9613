package routine

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

func init() {
	variant.Register(variant.Family{
		Name: "scan", Kind: engine.Routine, Algorithm: (*engine.Scan)(nil), Variants: []string{"row", "group", "column"},
		Choose: scanVariants, Cost: scanCost,
	})
}

func scanVariants(d *facts.Device, t *engine.Task) []variant.Variant {
	a := t.Algorithm.(*engine.Scan)
	s := &scanning{d, t, a}
	column := variant.Variant{Name: "column", Why: "an axis that is not the last: columns side by side", Plan: s.column}
	if a.Inner > 1 {
		return []variant.Variant{column}
	}
	row := variant.Variant{Name: "row", Why: "a CPU driver: sixteen elements at a time", Plan: s.row}
	group := variant.Variant{Name: "group", Why: "a work-group sums a part of a row", Plan: s.group}
	if d.CPU {
		return []variant.Variant{row, group, column}
	}
	return []variant.Variant{group, column, row}
}

// scanning is a scan for a device.
type scanning struct {
	dev  *facts.Device
	task *engine.Task
	*engine.Scan
}

// program starts the program of any variant, whose rows are cut into parts.
func (s *scanning) program(parts, span int64) *codegen.Builder {
	g := codegen.New(s.dev, s.task)
	dt := s.task.Ins[0].DType
	acc := codegen.BitType(dt)
	if dt.IsFloat() {
		acc = codegen.RegType(dt)
	}
	g.Macro("ACC", acc)
	g.Macro("VT", acc+"16")
	g.Macro("EXACT", codegen.OneIf(dt.IsFloat()))
	g.Macro("EXCLUSIVE", codegen.OneIf(s.Exclusive))
	g.Macro("REVERSE", codegen.OneIf(s.Reverse))
	g.Macro("SPLIT", codegen.OneIf(parts > 1))
	g.Size("LENGTH", s.Length)
	g.Size("PARTS", parts)
	g.Size("SPAN", span)
	g.ScratchArg("SUMS", 0, acc)
	x, y := g.Start(0, acc), g.Start(1, acc)
	if codegen.IsHalfType(dt) {
		x, y = g.Start(0, codegen.StorageType(dt)), g.Start(1, codegen.StorageType(dt))
		g.Macro("TAKE(i)", fmt.Sprintf("LOAD_%v(%s, i)", dt, x))
		g.Macro("PUT(i, v)", fmt.Sprintf("STORE_%v(%s, i, v)", dt, y))
		return g
	}
	g.Macro("TAKE(i)", x+"[i]")
	g.Macro("PUT(i, v)", y+"[i] = (v)")
	return g
}

// vectors adds the hooks for sixteen neighbours.
func (s *scanning) vectors(g *codegen.Builder) {
	dt := s.task.Ins[0].DType
	streamed := s.dev.Streamed(s.task, s.task.Outs[0].Bytes()) && !codegen.IsHalfType(dt)
	g.Macro("STREAMED", codegen.OneIf(streamed))
	x, y := g.Start(0, codegen.StorageType(dt)), g.Start(1, codegen.StorageType(dt))
	switch dt {
	case tensor.Float16:
		g.Macro("TAKES(i)", "vload_half16(0, "+x+" + (i))")
	case tensor.BFloat16:
		g.Macro("TAKES(i)", "as_float16(convert_uint16(vload16(0, "+x+" + (i))) << 16)")
	default:
		x = g.Start(0, codegen.BitType(dt))
		y = g.Start(1, codegen.BitType(dt))
		if dt.IsFloat() {
			x, y = g.Start(0, codegen.RegType(dt)), g.Start(1, codegen.RegType(dt))
		}
		g.Macro("TAKES(i)", "(*(__global const ANYWHERE *)("+x+" + (i)))")
		g.Macro("PUTS(i, v)", "scan_put("+y+" + (i), v)")
		return
	}
	g.Macro("PUTS(i, v)", fmt.Sprintf("do { ACC lanes_[16]; vstore16(v, 0, lanes_); for (int k_ = 0; k_ < 16; k_++) STORE_%v(%s, (i) + k_, lanes_[k_]); } while (0)", dt, y))
}

// cutScan divides rows of length into parts where there are fewer rows than want, of at least so
// many elements.
func cutScan(rows, length, want, least int64) (parts, span int64) {
	parts = min(variant.CeilDiv(want, max(rows, 1)), length/least)
	if rows >= want || parts <= 1 {
		return 1, max(length, 1)
	}
	span = variant.RoundUp(variant.CeilDiv(length, parts), 16)
	return variant.CeilDiv(length, span), span
}

func (s *scanning) scratch(parts int64) []int64 {
	if parts <= 1 {
		return []int64{16}
	}
	return []int64{2 * parts * s.Outer * s.Inner * codegen.RegSize(s.task.Ins[0].DType)}
}

// launches are the sums of parts, where there are any, and the scan.
func (s *scanning) launches(g *codegen.Builder, parts int64, m kernels.Grid, sums, scan string, files ...string) *variant.Plan {
	prog := g.Assemble(append([]string{"scan/any_sums.cl"}, files...)...)
	p := &variant.Plan{Scratch: s.scratch(parts), Params: fmt.Sprintf("parts=%d of %dx%dx%d", parts, s.Outer, s.Length, s.Inner)}
	if parts > 1 {
		p.Launches = append(p.Launches, variant.Launch{Program: prog, Kernel: sums, Global: m.Global, Local: m.Local})
	}
	p.Launches = append(p.Launches, variant.Launch{Program: prog, Kernel: scan, Global: m.Global, Local: m.Local})
	return p
}

func (s *scanning) row() (*variant.Plan, error) {
	units := int64(s.dev.Units)
	parts, span := cutScan(s.Outer, s.Length, 4*units, 1<<12)
	g := s.program(parts, span)
	s.vectors(g)
	rows := max(min(variant.CeilDiv(1<<14, span), variant.CeilDiv(s.Outer, 4*units)), 1)
	g.Passes = true
	g.Size("ROWS", s.Outer)
	g.Size("RSPAN", rows)
	m := kernels.Grid{Global: variant.Grid(parts, variant.CeilDiv(s.Outer, rows)), Local: [3]int{1, 1}}
	return s.launches(g, parts, m, "scan_sums", "scan_row", "scan/cpu_row.cl"), nil
}

func (s *scanning) group() (*variant.Plan, error) {
	wg := kernels.Group(1<<10, s.dev.WorkGroup)
	parts, span := cutScan(s.Outer, s.Length, int64(s.dev.Units)*8, int64(wg)*64)
	g := s.program(parts, span)
	g.Macro("WG", wg)
	m := kernels.Grid{Global: variant.Grid(parts*int64(wg), s.Outer), Local: [3]int{wg, 1}}
	return s.launches(g, parts, m, "scan_group_sums", "scan_group_rows", "scan/gpu_group.cl"), nil
}

// scanColumns is how many columns an item of a CPU driver takes: their sums stay in the nearest cache.
const scanColumns = 256

func (s *scanning) column() (*variant.Plan, error) {
	columns, wg, want := int64(1), kernels.Group(s.Inner, s.dev.WorkGroup), int64(s.dev.Units)*2048
	across := variant.RoundUp(s.Inner, int64(wg))
	if s.dev.CPU {
		wg, want = 1, 4*int64(s.dev.Units)
		for columns = 16; columns < min(s.Inner, scanColumns); {
			columns *= 2
		}
		across = variant.CeilDiv(s.Inner, columns)
	}
	parts, span := cutScan(s.Outer*across, s.Length, want, 1<<6)
	g := s.program(parts, span)
	g.Macro("COLUMNS", columns)
	g.Size("OUTER", s.Outer)
	g.Size("INNER", s.Inner)
	m := kernels.Grid{Global: variant.Grid(across, parts, s.Outer), Local: [3]int{wg, 1, 1}}
	return s.launches(g, parts, m, "scan_column_sums", "scan_column", "scan/any_column.cl"), nil
}

func scanCost(t *engine.Task, l variant.AlgorithmCost) variant.AlgorithmCost {
	a, c := t.Algorithm.(*engine.Scan), t.Cost()
	l.Nanoseconds = 0.3 * c.Flops
	if l.Parts = max(l.Parts, c.Flops/(1<<12)); a.Inner == 1 && c.Parts < 8 && a.Length > 1<<13 { // a row that is cut is read twice
		l.Nanoseconds, l.Launches, l.Bytes = 2*l.Nanoseconds, 2, l.Bytes+c.BytesRead
	}
	return l
}
