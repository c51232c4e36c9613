package maps_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

func TestAMapWritesSeveralOutputsAlsoOverItsInputs(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for _, force := range []string{"block", "item"} {
		for name, alias := range map[string][]int{"apart": nil, "in place": {1, -1, 0}} {
			t.Run(force+"/"+name, func(t *testing.T) {
				t.Parallel()
				task := sample.SeveralValues(engine.Domain{37, 301})
				task.Alias = alias
				p := ocltest.Verify(t, device(t, "map="+force, nil), task, ocltest.RandomInputs(task, 1), 1e-6, 1)
				require.Contains(t, p.Variant, force)
			})
		}
	}
}

func TestAReduceWritesSeveralOutputsOfItsFold(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	const f32 = tensor.Float32
	for _, dom := range []engine.Domain{{33, 257}, {3, 40001}, {1, 1}, {5, 0}} {
		task := sample.Reduce(dom, 1, engine.Sum, engine.Load(0, f32, sample.DenseAt(dom, 0, 1), nil),
			engine.Operand{DType: f32, Len: dom.Size()})
		task.Values = append(task.Values, engine.Apply(sample.Mul, f32, engine.Acc(0, f32), sample.Constant(f32, 0.5)))
		task.Outs = append(task.Outs, task.Outs[0])
		for _, force := range []string{"item", "group", "block", "column"} {
			t.Run(fmt.Sprint(force, dom), func(t *testing.T) {
				t.Parallel()
				p := ocltest.Verify(t, device(t, "reduce="+force, nil), task, ocltest.RandomInputs(task, 2), 1e-5, 30)
				require.Contains(t, p.Variant, force)
			})
		}
	}
}
