package ocl

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// The test checks the engine's own handling of memory and arguments: operands inside larger
// memories, tables of numbers, parts of memories for callers' own kernels, copies of matrices. The
// engine writes memory in parts, and Oclgrind then forgets the state of the rest, so that these
// cells run without its check for uninitialised memory.
func TestCheckerFindsNothingInTheHost(t *testing.T) {
	k := useChecker(t)
	engineAs := func(t *testing.T, force string, d *facts.Device) *Engine {
		e := New(k.Dev)
		e.host, e.force = nil, force
		if d != nil {
			d.Name = e.facts.Name
			e.facts, e.queue.to.facts = d, d
		}
		t.Cleanup(func() { require.NoError(t, e.Close()) })
		return e
	}
	t.Run("tasks", func(t *testing.T) {
		for i, c := range []struct {
			d    *facts.Device
			task *engine.Task
		}{
			{tinyGPU(), sample.Matmul(tensor.Float32, 1, 9, 17, 11, false, false)}, {tinyCPU(), sample.Matmul(tensor.Float32, 1, 9, 17, 11, false, true)},
			{tinyCPU(), sample.Softmax(tensor.Float32, 5, 33)}, {tinyGPU(), sample.Softmax(tensor.Float32, 5, 33)},
			{tinyCPU(fewArguments), sample.Transposed(tensor.Float32, 2, 5, 19)}, {tinyGPU(longPositions, fewArguments), sample.Transposed(tensor.Float32, 2, 5, 19)},
			{tinyGPU(), sample.ScaledColumns(tensor.Float16, engine.Domain{3, 37})},
		} {
			ocltest.Verify(t, engineAs(t, "", c.d), c.task, ocltest.RandomInputs(c.task, uint64(i)), 1e-4, 1)
			k.clean(t)
		}
	})
	t.Run("callers' kernels", func(t *testing.T) {
		task := saxpyTask(70)
		ocltest.Verify(t, engineAs(t, "", nil), task, ocltest.RandomInputs(task, 1), 1e-6, 1)
		k.clean(t)
	})
	t.Run("a row that is stored in a list", func(t *testing.T) {
		const rows = 3
		cols := []int{5, 2, 19, 8}
		at := engine.Operand{DType: tensor.Int64, Len: 1}
		for n := 1; n <= len(cols); n++ {
			custom := &engine.CustomKernel{
				Source: kernels.Text("custom/any_store_row.cl"), Entry: "store_row", Options: fmt.Sprintf("-DARRAYS=%d", n), Args: []any{int64(rows)},
				Global: [3]int{(slices.Max(cols[:n]) + 7) / 8},
			}
			task := &engine.Task{Kind: engine.Custom, Name: "store_row", Custom: custom}
			var ins [][]byte
			for i, c := range cols[:n] {
				custom.Options += fmt.Sprintf(" -DELEM%d=uint", i)
				custom.Args = append(custom.Args, int64(c))
				task.Ins = append(task.Ins, engine.Operand{DType: tensor.Float32, Len: int64(c)})
				task.Outs = append(task.Outs, engine.Operand{DType: tensor.Float32, Len: int64(rows * c)})
				ins = append(ins, make([]byte, 4*c))
			}
			task.Ins = append(task.Ins, at)
			_, _ = ocltest.Execute(t, engineAs(t, "", nil), task, append(ins, make([]byte, 8)), 0)
			k.clean(t)
		}
	})
	for _, class := range []string{"cpu", "gpu"} {
		t.Run("products, "+class, func(t *testing.T) {
			d := tinyGPU()
			if class == "cpu" {
				d = tinyCPU()
				d.LocalMem = 64 << 10
			}
			x := NewProducts(engineAs(t, "", d))
			defer func() { require.NoError(t, x.Close()) }()
			r := rand.New(rand.NewPCG(1, 2))
			for i, s := range [][3]int{{5, 19, 11}, {17, 35, 9}, {1, 20, 30}, {30, 1, 20}} {
				for j := range 4 {
					if class == "gpu" && (i+j)%4 != 0 {
						continue // large tiles
					}
					checkProduct[float32](t, x, productCase{dtype: tensor.Float32, m: s[0], n: s[1], k: s[2], aT: j&1 != 0, bT: j&2 != 0, alpha: 1, beta: float64(i % 2), extra: r.IntN(3)})
					k.clean(t)
				}
			}
		})
	}
}
