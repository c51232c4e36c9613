package reduce_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// Folds of transposed tensors load neighbours in memory as vectors, and store results where these lie: few and many, in parts, positions,
// with an epilogue that reads at its own place, and where lanes of a vector would share places of the nearest cache.
func TestFoldsOfTransposedTensors(t *testing.T) {
	ocltest.NumbersOnly(t)
	for _, c := range []struct {
		variant string
		dom     engine.Domain
		order   []int // of axes in memory
	}{
		{"lanes", engine.Domain{3, 37, 21, 9}, []int{0, 3, 2, 1}},
		{"lanes", engine.Domain{40, 2, 128, 4}, []int{3, 1, 2, 0}}, // results of neighbours are 1 KiB apart
		{"lanes", engine.Domain{24, 1, 1024, 3}, []int{3, 2, 1, 0}},
		{"lanes", engine.Domain{17, 3, 2, 900}, []int{3, 2, 1, 0}},
		{"lanes", engine.Domain{21, 2, 3001}, []int{2, 1, 0}}, // in parts
		{"stripe", engine.Domain{3, 37, 21, 40}, []int{0, 3, 2, 1}},
		{"stripe", engine.Domain{150, 7, 19}, []int{2, 1, 0}},
		{"stripe", engine.Domain{150, 2, 701}, []int{2, 1, 0}}, // in parts
		{"stripe", engine.Domain{33, 2, 3001}, []int{1, 2, 0}}, // columns side by side, in parts
		{"stripe", engine.Domain{33, 20, 500}, []int{1, 2, 0}}, // and whole
	} {
		t.Run(fmt.Sprint(c.variant, c.dom), func(t *testing.T) {
			t.Parallel()
			e := device(t, "reduce="+c.variant, nil)
			r := rand.New(rand.NewPCG(31, uint64(c.dom[0])))
			for i, f := range []engine.Monoid{engine.Sum, engine.Max, engine.ArgMin} {
				dt := []tensor.DType{tensor.Float32, tensor.Float16, tensor.Int32}[(i+c.dom[0])%3]
				n := len(c.dom) - 1
				task := sample.Reduce(c.dom, n, f, engine.Load(0, dt, sample.DenseAt(c.dom, c.order...), nil),
					engine.Operand{DType: dt, Len: c.dom.Size()})
				rows := task.Outs[0]
				kept := make([]int, n)
				for a := range kept {
					kept[a] = a
				}
				own := engine.Load(1, rows.DType, sample.DenseAt(c.dom, kept...), nil)
				task.Ins = append(task.Ins, rows)
				task.Values = append(task.Values, engine.Apply(sample.Add, rows.DType, task.Values[0], own))
				task.Outs = append(task.Outs, rows)
				var ins [][]byte
				for _, in := range task.Ins {
					ins = append(ins, ocltest.RandomBytes(r, in.DType, in.Len))
				}
				p := ocltest.Verify(t, e, task, ins, 1e-3, 30)
				if e.Facts().CPU {
					require.Contains(t, p.Variant, c.variant)
					require.Contains(t, p.Source, "index_of_hook")
				}
			}
		})
	}
}

// Axes that are folded are taken in the order in which they lie in memory, but for positions, which count in the order of the axes.
func TestFoldsGoAlongMemory(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	dom := engine.Domain{5, 20, 130}
	e := device(t, "reduce=block", nil)
	for _, f := range []engine.Monoid{engine.Sum, engine.Min, engine.ArgMax} {
		v := engine.Load(0, tensor.Float32, sample.DenseAt(dom, 0, 2, 1), nil)
		task := sample.Reduce(dom, 1, f, v, engine.Operand{DType: tensor.Float32, Len: dom.Size()})
		p := ocltest.Verify(t, e, task, ocltest.RandomInputs(task, 7), 1e-4, 50)
		if e.Facts().CPU {
			plain := "#define PLAIN 1"
			if f.IsArg() {
				plain = "#define PLAIN 0"
			}
			require.Contains(t, p.Source, plain, f)
		}
	}
}
