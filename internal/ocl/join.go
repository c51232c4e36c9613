package ocl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// joinSpan is how many neighbours an item of a CPU driver copies.
const joinSpan = 1 << 12

// joinInputs is how many inputs one launch takes: what leaves room for the result and a table of numbers among the arguments.
func (d *deviceFacts) joinInputs() int {
	return max(min((d.argBytes-otherBytes)/operandBytes-1, 16), 1)
}

func joinVariants(d *deviceFacts, t *engine.Task, a *engine.Join) []variant {
	return []variant{{name: "inputs", why: "a few inputs a launch, each copied to its place", plan: func() (*plan, error) { return planJoin(d, t, a) }}}
}

// planJoin makes one program, which all launches have, each with inputs of its own. Inputs of about the same
// width go together, so that few items have nothing to do.
func planJoin(d *deviceFacts, t *engine.Task, a *engine.Join) (*plan, error) {
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
	if d.cpu {
		span = joinSpan
	}
	per := d.joinInputs()
	one := joinProgram(d, t, a, per, span)
	p := &plan{params: fmt.Sprintf("inputs=%d span=%d", per, span)}
	for batch := range slices.Chunk(order, per) {
		l := launch{kernel: "join_inputs", sizes: map[string]int64{}}
		prog := *one
		prog.args = slices.Clone(one.args)
		for i, arg := range prog.args {
			if arg.kind != argBuffer && arg.kind != argOffset {
				continue
			}
			prog.args[i].index = len(t.Ins) // the result
			if arg.index < per {
				prog.args[i].index = batch[min(arg.index, len(batch)-1)]
			}
		}
		for i := range per {
			width, first := joinSizes(i)
			if l.sizes[width], l.sizes[first] = 0, 0; i < len(batch) {
				l.sizes[width], l.sizes[first] = a.Widths[batch[i]], from[batch[i]]
			}
		}
		items := a.Rows * ceilDiv(a.Widths[batch[0]], span)
		wg := kernels.Group(items, d.workGroup)
		if d.cpu && a.Widths[batch[0]] >= span { // an item is work enough
			wg = 1
		}
		l.prog, l.global, l.local = &prog, grid(roundUp(items, int64(wg)), int64(len(batch))), [3]int{wg, 1}
		p.launches = append(p.launches, l)
	}
	return p, nil
}

// joinSizes are the names of the sizes of input i of a launch.
func joinSizes(i int) (width, from string) { return fmt.Sprint("WIDTH", i), fmt.Sprint("FROM", i) }

// joinProgram is the program for so many inputs a launch, of a task that has as many. Elements are moved as they are.
func joinProgram(d *deviceFacts, t *engine.Task, a *engine.Join, inputs int, span int64) *program {
	dt := map[int]tensor.DType{1: tensor.Uint8, 2: tensor.Uint16, 4: tensor.Uint32, 8: tensor.Uint64}[t.Outs[0].DType.Size()]
	few := &engine.Task{Kind: engine.Routine, Name: t.Name, Caller: t.Caller, Algorithm: a, Outs: []engine.Operand{{DType: dt, Len: t.Outs[0].Len}}}
	few.Ins = slices.Repeat([]engine.Operand{{DType: dt, Len: t.Outs[0].Len}}, inputs)
	g := newGen(d, few, t.Outs[0].Len+span)
	elem := bitType(dt)
	g.macro("ELEM", elem)
	g.macro("SPAN", span)
	g.macro("RESULT", g.start(inputs, elem))
	g.size("ROWS", a.Rows)
	g.size("ALL", a.Width())
	var cases strings.Builder
	for i := range inputs {
		width, from := joinSizes(i)
		g.size(width, 0)
		g.size(from, 0)
		label := fmt.Sprintf("case %d:", i)
		if i == inputs-1 {
			label = "default:"
		}
		fmt.Fprintf(&cases, " %s x = %s; width = %s; from = %s; break;", label, g.start(i, elem), width, from)
	}
	g.macro("PICK(k, x, width, from)", "switch (k) {"+cases.String()+" }")
	return g.assemble("join/any_inputs.cl")
}
