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
		Name: "running", Kind: engine.Routine, Algorithm: (*engine.Running)(nil), Variants: []string{"fold"},
		Choose: func(d *facts.Device, t *engine.Task) []variant.Variant {
			r := &running{d, t, t.Algorithm.(*engine.Running)}
			return []variant.Variant{{Name: "fold", Why: "columns side by side, and parts of the axis where there are few", Plan: r.plan}}
		},
		Cost: func(t *engine.Task, l variant.AlgorithmCost) variant.AlgorithmCost {
			l.Nanoseconds = 1.2 * t.Cost().Flops
			return l
		},
	})
}

// running is a running fold for a device.
type running struct {
	dev  *facts.Device
	task *engine.Task
	*engine.Running
}

// runningColumns is how many columns an item of a CPU driver takes.
const runningColumns = 16

// runningParts is how many parts an axis has at most: each part folds those before it.
const runningParts = 512

func (r *running) plan() (*variant.Plan, error) {
	columns, wg, want := int64(1), kernels.Group(r.Inner, r.dev.WorkGroup), int64(r.dev.Units)*2048
	across := variant.RoundUp(r.Inner, int64(wg))
	if r.dev.CPU {
		wg, want, columns = 1, int64(r.dev.Units), min(r.Inner, runningColumns)
		across = variant.CeilDiv(r.Inner, max(columns, 1))
		if r.dev.Units < 4 { // to read everything twice is no faster
			want = 1
		}
	}
	parts, span := cutScan(r.Outer*across, r.Length, min(want, runningParts*r.Outer*across), 1<<6)
	g := r.program(parts)
	g.Macro("COLUMNS", max(columns, 1))
	g.Size("SPAN", span)
	prog := g.Assemble("running/any_fold.cl")
	states := parts * r.Outer * r.Inner
	p := &variant.Plan{Scratch: []int64{max(2*states*8, 16), max(states*8, 16)}, Params: fmt.Sprintf("parts=%d of %dx%dx%d", parts, r.Outer,
		r.Length, r.Inner)}
	launch := variant.Launch{Program: prog, Global: variant.Grid(across, parts, r.Outer), Local: [3]int{wg, 1, 1}}
	for _, k := range []string{"running_parts", "running_fold"}[codegen.OneIf(parts <= 1):] {
		launch.Kernel = k
		p.Launches = append(p.Launches, launch)
	}
	return p, nil
}

func (r *running) program(parts int64) *codegen.Builder {
	g := codegen.New(r.dev, r.task)
	dt := r.task.Ins[0].DType
	acc := codegen.RegType(dt)
	if r.Fold != engine.RunningMax && r.Fold != engine.RunningMin && dt.IsInt() {
		acc = codegen.RingType(dt) // wraps
	}
	g.Macro("ACC", acc)
	g.Macro("FOLD", int(r.Fold))
	g.Macro("NOTHING", fmt.Sprintf("((ACC)%s)", r.nothing(dt)))
	isNaN := "0"
	if dt.IsFloat() {
		isNaN = "((x) != (x))"
	}
	g.Macro("IS_NAN(x)", isNaN)
	g.Macro("EXCLUSIVE", codegen.OneIf(r.Exclusive))
	g.Macro("REVERSE", codegen.OneIf(r.Reverse))
	g.Macro("SPLIT", codegen.OneIf(parts > 1))
	if r.Fold == engine.RunningLogSum {
		kind := "wide"
		if dt == tensor.Float64 {
			kind = "double"
		}
		fmt.Fprintf(&g.Hooks, "#define M_EXP(x) %s_exp(x)\n#define M_LOG(x) %s_log(x)\n", kind, kind)
	}
	g.Size("OUTER", r.Outer)
	g.Size("LENGTH", r.Length)
	g.Size("INNER", r.Inner)
	g.Size("PARTS", parts)
	g.ScratchArg("FOLDS", 0, acc)
	g.ScratchArg("WHERE", 1, "long")
	stored := codegen.StorageType(dt)
	take := func(i int) string { return fmt.Sprintf("LOAD_%v(%s, i)", dt, g.Start(i, stored)) }
	last := len(r.task.Ins) - 1
	g.Macro("TAKE(i)", take(last))
	out := last + 1
	if r.Fold == engine.RunningLinear {
		g.Macro("FACTOR(i)", take(0))
	} else {
		g.Macro("FACTOR(i)", 0)
	}
	g.Macro("PUT(i, v)", ifRead(r.task, 0, fmt.Sprintf("STORE_%v(%s, i, (%s)(v))", dt, g.Start(out, stored), codegen.RegType(dt))))
	if r.Fold.Extreme() {
		g.Macro("POSITION(i, j)", ifRead(r.task, 1, g.Start(out+1, "long")+"[i] = (j)"))
	} else {
		g.Macro("POSITION(i, j)", "(void)0")
	}
	return g
}

// nothing is the fold of no elements.
func (r *running) nothing(dt tensor.DType) string {
	bits := 8*dt.Size() - 1
	lowest := map[engine.RunningFold]bool{engine.RunningMax: true, engine.RunningLogSum: true}[r.Fold]
	switch {
	case r.Fold == engine.RunningProd:
		return "1"
	case r.Fold == engine.RunningLinear:
		return "0"
	case dt.IsFloat() && lowest:
		return "-INFINITY"
	case dt.IsFloat():
		return "INFINITY"
	case dt.IsSigned() && lowest:
		return fmt.Sprintf("(-%dL - 1)", uint64(1)<<bits-1)
	case dt.IsSigned():
		return fmt.Sprintf("%dL", uint64(1)<<bits-1)
	case lowest:
		return "0"
	}
	return "-1" // all bits
}
