package routine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// joinSpan is how many neighbours an item of a CPU driver copies.
const joinSpan = 1 << 12

// joinInputs is how many inputs one launch takes: what leaves room for the result and a table of numbers among the arguments.
func joinInputs(d *facts.Device) int { return max(min(d.Operands()-1, 16), 1) }

// joinOperands is the number of operands of one launch, the result included.
func joinOperands(d *facts.Device, t *engine.Task) int {
	return min(len(t.Algorithm.(*engine.Join).Widths), joinInputs(d)) + 1
}

func init() {
	variant.Register(variant.Family{
		Name: "join", Kind: engine.Routine, Algorithm: (*engine.Join)(nil), Variants: []string{"inputs"},
		Choose: joinVariants, Operands: joinOperands,
		Cost: joinCost,
	})
}

func joinVariants(d *facts.Device, t *engine.Task) []variant.Variant {
	a := t.Algorithm.(*engine.Join)
	return []variant.Variant{{Name: "inputs", Why: "a few inputs a launch, each copied to its place",
		Plan: func() (*variant.Plan, error) { return planJoin(d, t, a) }}}
}

// planJoin makes one program, which all launches have, each with inputs of its own. Inputs of about the same
// width go together, so that few items have nothing to do.
func planJoin(d *facts.Device, t *engine.Task, a *engine.Join) (*variant.Plan, error) {
	var order []int
	from := make([]int64, len(a.Widths))
	for k, w := range a.Widths {
		if k > 0 {
			from[k] = from[k-1] + a.Widths[k-1]
		}
		if a.Rows*w > 0 {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(a.Widths[y], a.Widths[x]) })
	span := int64(1)
	if d.CPU {
		span = joinSpan
	}
	per := joinInputs(d)
	one := joinProgram(d, t, a, per, span)
	p := &variant.Plan{Params: fmt.Sprintf("inputs=%d span=%d", per, span)}
	for batch := range slices.Chunk(order, per) {
		l := variant.Launch{Kernel: "join_inputs", Sizes: map[string]int64{}}
		prog := *one
		prog.Args = slices.Clone(one.Args)
		for i, arg := range prog.Args {
			if arg.Kind != codegen.ArgBuffer && arg.Kind != codegen.ArgOffset {
				continue
			}
			prog.Args[i].Index = len(t.Ins) // the result
			if arg.Index < per {
				prog.Args[i].Index = batch[min(arg.Index, len(batch)-1)]
			}
		}
		for i := range per {
			width, first := joinSizes(i)
			if l.Sizes[width], l.Sizes[first] = 0, 0; i < len(batch) {
				l.Sizes[width], l.Sizes[first] = a.Widths[batch[i]], from[batch[i]]
			}
		}
		items := a.Rows * variant.CeilDiv(a.Widths[batch[0]], span)
		wg := kernels.Group(items, d.WorkGroup)
		if d.CPU && a.Widths[batch[0]] >= span { // an item is work enough
			wg = 1
		}
		l.Program, l.Global, l.Local = &prog, variant.Grid(variant.RoundUp(items, int64(wg)), int64(len(batch))), [3]int{wg, 1}
		p.Launches = append(p.Launches, l)
	}
	return p, nil
}

// joinSizes are the names of the sizes of input i of a launch.
func joinSizes(i int) (width, from string) { return fmt.Sprint("WIDTH", i), fmt.Sprint("FROM", i) }

// joinProgram is the program for the given number of inputs a launch, of a task that has as many. Elements are moved as they are.
func joinProgram(d *facts.Device, t *engine.Task, a *engine.Join, inputs int, span int64) *codegen.Program {
	dt := map[int]tensor.DType{1: tensor.Uint8, 2: tensor.Uint16, 4: tensor.Uint32, 8: tensor.Uint64}[t.Outs[0].DType.Size()]
	few := &engine.Task{Kind: engine.Routine, Name: t.Name, Caller: t.Caller, Algorithm: a,
		Outs: []engine.Operand{{DType: dt, Len: t.Outs[0].Len}}}
	few.Ins = slices.Repeat([]engine.Operand{{DType: dt, Len: t.Outs[0].Len}}, inputs)
	g := codegen.New(d, few, t.Outs[0].Len+span)
	elem := codegen.BitType(dt)
	g.Macro("ELEM", elem)
	g.Macro("SPAN", span)
	g.Macro("RESULT", g.Start(inputs, elem))
	g.Size("ROWS", a.Rows)
	g.Size("ALL", a.Width())
	var cases strings.Builder
	for i := range inputs {
		width, from := joinSizes(i)
		g.Size(width, 0)
		g.Size(from, 0)
		label := fmt.Sprintf("case %d:", i)
		if i == inputs-1 {
			label = "default:"
		}
		fmt.Fprintf(&cases, " %s x = %s; width = %s; from = %s; break;", label, g.Start(i, elem), width, from)
	}
	g.Macro("PICK(k, x, width, from)", "switch (k) {"+cases.String()+" }")
	return g.Assemble("join/any_inputs.cl")
}

func joinCost(t *engine.Task, l variant.AlgorithmCost) variant.AlgorithmCost {
	l.Nanoseconds, l.Launches = 0.3*t.Cost().Flops, math.Ceil(float64(len(t.Algorithm.(*engine.Join).Widths))/16)
	return l
}
