package factor

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

func init() {
	variant.Register(variant.Family{
		Name: "lu", Kind: engine.Routine, Algorithm: (*engine.LU)(nil), Variants: []string{"halves"},
		Choose: func(d *facts.Device, t *engine.Task) []variant.Variant {
			return []variant.Variant{{Name: "halves", Why: "halves of the columns, until a group can take a panel",
				Plan: func() (*variant.Plan, error) {
					return newLU(d, t).write()
				}}}
		},
		Cost: func(t *engine.Task, l variant.AlgorithmCost) variant.AlgorithmCost {
			a := t.Algorithm.(*engine.LU)
			return factorCost(t, l, 6*blocks(min(a.M, a.N), luPanel))
		},
	})
}

// luPanel is how many columns a group decomposes, and luSpan how many an item of a CPU exchanges.
const (
	luPanel = 64
	luSpan  = 64
)

// Scratch memory of an LU decomposition.
const (
	luPivot = iota
	luOrder
	luInfo
	luFactor
	luCopy
)

type lu struct {
	*job
	m, n, k int64
	prog    *codegen.Program
	wg      int
	span    int64
	ld      int64 // of a panel in memory of its own, by columns: on a CPU
	beside  *solver
	update  *contract.Update
}

func newLU(d *facts.Device, t *engine.Task) *lu {
	a := t.Algorithm.(*engine.LU)
	f := &lu{job: newJob(d, t, a.Batch), m: a.M, n: a.N, k: min(a.M, a.N), span: luSpan}
	if f.ld = a.M; d.CPU {
		f.ld = apart(a.M+2*f.lanes(), 2*f.lanes(), f.size()) // tiles may reach that far behind the last row
	} else {
		f.span = 1
	}
	f.scratch = []int64{4 * a.Batch * f.k, 4 * a.Batch * a.M, 4 * a.Batch, 0, max(a.Batch*f.ld*luPanel, 1) * f.size()}
	if !t.Reads(0) {
		f.scratch[luFactor] = a.Batch * a.M * a.N * f.size()
	}
	f.update = &contract.Update{Device: d, Task: t, DType: f.dt, Longest: half(f.k, luPanel),
		Begin: func(g *codegen.Builder) (string, string, string) {
			at := f.factor(g)
			return at, at, at
		}}
	f.beside = &solver{job: f.job, row: a.N, column: 1, lower: true, unit: true, update: f.update, triangle: &contract.Triangle{
		Device: d, Task: t, DType: f.dt, Begin: func(g *codegen.Builder) (string, string) { at := f.factor(g); return at, at },
	}}
	return f
}

// factor is the text of where the factors begin.
func (f *lu) factor(g *codegen.Builder) string {
	if f.task.Reads(0) {
		return f.output(g, 0, f.ctype())
	}
	g.ScratchArg("FACTOR", luFactor, f.ctype())
	return "FACTOR"
}

func (f *lu) write() (*variant.Plan, error) {
	f.wg = f.group(256)
	g := f.program(f.wg)
	g.Macro("IN", f.input(g, 0))
	g.Macro("F", f.factor(g))
	g.Macro("TINY", map[tensor.DType]string{tensor.Float32: "0x1p-126f", tensor.Float64: "0x1p-1022"}[f.dt])
	g.Macro("SPAN", f.span)
	files := []string{"factor/any_lu.cl", "factor/gpu_lu_panel.cl"}
	if f.dev.CPU {
		files = []string{"lib/cpu_transpose.cl", "factor/any_lu.cl", "factor/cpu_lu_panel.cl"}
		integer := map[tensor.DType]string{tensor.Float32: "int", tensor.Float64: "long"}[f.dt]
		g.Macro("VL", f.lanes())
		g.Macro("VT", fmt.Sprint(f.ctype(), f.lanes()))
		g.Macro("VI", integer)
		g.Macro("IT", fmt.Sprint(integer, f.lanes()))
		g.Macro("PANEL_LD", f.ld)
	} else {
		g.Macro("PW", luPanel)
	}
	g.ScratchArg("PANEL", luCopy, f.ctype())
	g.ScratchArg("PIVOT", luPivot, "int")
	g.ScratchArg("ORDER", luOrder, "int")
	g.ScratchArg("INFO", luInfo, "int")
	g.Macro("SHOW_PIVOT(i, v)", f.show(g, 1, "i", "v"))
	g.Macro("SHOW_ORDER(i, v)", f.show(g, 2, "i", "v"))
	g.Macro("SHOW_INFO(i, v)", f.show(g, 3, "i", "v"))
	g.Size("M", f.m)
	g.Size("N", f.n)
	g.Size("K", f.k)
	for _, name := range []string{"FROM", "W", "FIRST", "LAST"} {
		g.Size(name, 0)
	}
	f.prog = g.Assemble(files...)
	f.rows(f.prog, "lu_begin", f.wg, max(f.m, 1))
	f.decompose(0, f.k)
	f.finish(0, f.k, f.k, f.n)
	if f.batch > 0 {
		f.add(variant.Launch{Program: f.prog, Kernel: "lu_end", Global: variant.Grid(1, f.batch), Local: [3]int{1, 1}})
	}
	return f.plan(fmt.Sprintf("panel=%d launches=%d", luPanel, len(f.launches)))
}

// lanes is how many elements vectors of a CPU have.
func (f *lu) lanes() int64 { return max(int64(f.dev.VectorLanes)*4/f.size(), 2) }

// part is where row i and column j of the factors lie.
func (f *lu) part(i, j int64) contract.Part {
	return contract.Part{From: i*f.n + j, LD: f.n, Step: f.m * f.n}
}

// decompose decomposes w columns from row and column k on.
func (f *lu) decompose(k, w int64) {
	if w <= luPanel {
		if w > 0 {
			kernel := "lu_panel"
			if f.dev.CPU {
				kernel = "lu_columns"
			}
			f.matrices(f.prog, kernel, f.wg, map[string]int64{"FROM": k, "W": w})
		}
		return
	}
	h := half(w, luPanel)
	f.decompose(k, h)
	f.finish(k, h, k+h, k+w)
	f.decompose(k+h, w-h)
	f.exchange(k+h, w-h, k, k+h)
}

// finish brings columns from first to last up to date with the w columns decomposed from k on.
func (f *lu) finish(k, w, first, last int64) {
	if first == last || f.batch == 0 {
		return
	}
	f.exchange(k, w, first, last)
	f.beside.solve(w, last-first, f.part(k, k), f.part(k, first))
	if rest := f.m - k - w; rest > 0 {
		f.add(f.update.Launch(f.batch, rest, last-first, w, f.part(k+w, k), f.part(k, first), f.part(k+w, first), false))
	}
}

// exchange exchanges rows in columns from first to last as the w pivots from k on say.
func (f *lu) exchange(k, w, first, last int64) {
	if f.batch == 0 || w == 0 || first == last {
		return
	}
	wg := int64(f.wg)
	f.add(variant.Launch{
		Program: f.prog, Kernel: "lu_exchange", Sizes: map[string]int64{"FROM": k, "W": w, "FIRST": first, "LAST": last},
		Global: variant.Grid(variant.RoundUp(variant.CeilDiv(last-first, f.span), wg), f.batch), Local: [3]int{f.wg, 1},
	})
}
