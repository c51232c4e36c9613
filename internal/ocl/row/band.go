package row

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
)

// bandBytes is the most memory of a band of rows with all values kept of it, so that it stays in
// its core's cache in every pass: most of 48 KiB.
const bandBytes = 40 << 10

// ownLength is how many elements are worth a program for rows of just their length, which is a tenth faster where that is not a
// multiple of a vector. Fewer share one with rows up to the same multiple: as many as there are tokens so far, say, are rarely as many
// again, and to compile takes as long as thousands of runs.
const ownLength = 1 << 18

// narrow reports whether row/cpu_band.cl takes rows so long, and such folds.
func (p *rowPlan) narrow() bool {
	bytes := int64(0)
	for _, in := range p.original.Ins {
		if in.Len >= p.rows*p.cols {
			bytes += int64(in.DType.Size())
		}
	}
	for _, e := range p.stages {
		bytes += codegen.RegSize(e.DType)
	}
	for _, f := range p.task.Folds {
		if f.Monoid.IsArg() {
			return false
		}
	}
	return p.cols > 0 && variant.RoundUp(p.cols, codegen.VectorLanes)*bandRows*bytes <= bandBytes
}

// lined reports whether rows of every output over them end with a line of memory.
func (p *rowPlan) lined() bool {
	for _, i := range p.over {
		if p.cols*int64(p.original.Outs[i].DType.Size())%64 != 0 {
			return false
		}
	}
	return true
}

// rereads reports whether two loops of a pass, of stages or outputs, read the same.
func (p *rowPlan) rereads() bool {
	staged := 0
	for k, pass := range p.passes {
		loops := slices.Clone(p.stages[staged:pass.stages])
		staged = pass.stages
		for _, e := range p.pass(k) {
			loops = append(loops, *e)
		}
		seen := map[string]int{}
		for i, e := range loops {
			for s := range e.Walk() {
				if s.Op != engine.OpLoad && !p.isStage(s) {
					continue
				}
				if first, ok := seen[s.Key()]; ok && first != i {
					return true
				}
				seen[s.Key()] = i
			}
		}
	}
	return false
}

// isStage reports whether e is the value of a stage.
func (p *rowPlan) isStage(e *engine.Expr) bool {
	return e.Op == engine.OpAcc && e.Input >= len(p.task.Folds)+len(p.hoists)
}

func (p *rowPlan) band() (*variant.Plan, error) {
	past := p.beyondCaches()
	m := kernels.RowBand(p.rows, p.cols, bandRows, p.dev.Units, past)
	out := &variant.Plan{Params: fmt.Sprintf("view=%dx%d rows=%d stages=%d", p.rows, p.cols, m.Rows, len(p.stages))}
	g := codegen.New(p.dev, p.original, p.rows*p.cols)
	g.InlineHooks()
	g.Passes = true
	pitch := variant.RoundUp(p.cols, codegen.VectorLanes)
	g.Macro("PITCH", pitch)
	g.Macro("PADDED", "PITCH")
	g.Macro("WHOLE", p.cols/codegen.VectorLanes*codegen.VectorLanes)
	if p.cols == pitch || p.rows*p.cols >= ownLength {
		g.Macro("COLS", p.cols)
	} else {
		g.Size("COLS", p.cols)
	}
	g.Macro("VEC", rowVec)
	g.Macro("STREAMED", codegen.OneIf(past))
	g.Macro("LINED", codegen.OneIf(p.lined()))
	if p.cols%codegen.VectorLanes != 0 && p.rereads() {
		g.Macro("APART(i)", "((i) * ZERO)")
		g.Size("ZERO", 0)
	} else {
		g.Macro("APART(i)", "0")
	}
	g.Size("ROWS", p.rows)
	g.Size("RSPAN", m.Rows)
	p.program(g, byBands)
	out.Launches = []variant.Launch{{Program: g.Assemble("row/cpu_band.cl"), Kernel: "row_band", Global: m.Global, Local: m.Local}}
	return out, nil
}
