package ocl

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// severalValues is a map of two inputs over dom to their sum, which takes the
// memory of the second, the first one's square in half precision, and the
// first one itself, which takes that of the first.
func severalValues(dom engine.Domain) *engine.Task {
	const f32, f16 = tensor.Float32, tensor.Float16
	at := denseAt(dom, 0, 1)
	a, b := engine.Load(0, f32, at, nil), engine.Load(1, f32, at, nil)
	n := dom.Size()
	t := mapTask(dom, engine.Apply(fnAdd, f32, a, b), engine.Operand{DType: f32, Len: n}, engine.Operand{DType: f32, Len: n})
	t.Values = append(t.Values, engine.Apply(fnCast, f16, engine.Apply(fnMul, f32, a, a)), b)
	t.Outs = append(t.Outs, engine.Operand{DType: f16, Len: n}, engine.Operand{DType: f32, Len: n})
	return t
}

func TestAMapWritesSeveralOutputsAlsoOverItsInputs(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	for _, force := range []string{"block", "item"} {
		for name, alias := range map[string][]int{"apart": nil, "in place": {1, -1, 0}} {
			t.Run(force+"/"+name, func(t *testing.T) {
				t.Parallel()
				task := severalValues(engine.Domain{37, 301})
				task.Alias = alias
				p := verify(t, device(t, "map="+force, nil), task, randomInputs(task, 1), 1e-6, 1)
				require.Contains(t, p.Variant, force)
			})
		}
	}
}

func TestAReduceWritesSeveralOutputsOfItsFold(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	const f32 = tensor.Float32
	for _, dom := range []engine.Domain{{33, 257}, {3, 40001}, {1, 1}, {5, 0}} {
		task := reduceTask(dom, 1, engine.Sum, engine.Load(0, f32, denseAt(dom, 0, 1), nil), engine.Operand{DType: f32, Len: dom.Size()})
		task.Values = append(task.Values, engine.Apply(fnMul, f32, engine.Acc(0, f32), constant(f32, 0.5)))
		task.Outs = append(task.Outs, task.Outs[0])
		for _, force := range []string{"item", "group", "block", "column"} {
			t.Run(fmt.Sprint(force, dom), func(t *testing.T) {
				t.Parallel()
				p := verify(t, device(t, "reduce="+force, nil), task, randomInputs(task, 2), 1e-5, 30)
				require.Contains(t, p.Variant, force)
			})
		}
	}
}
