package routine_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// Matrices side by side are those of a loop over rows, on both engines, also where a kernel takes few arguments.
func TestManyMatricesSideBySide(t *testing.T) {
	ocltest.NumbersOnly(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, argBytes := range []int{1024, 256} {
		e := device(t, "", func(f *facts.Device) { f.ArgBytes = argBytes })
		for _, c := range []struct {
			dt     tensor.DType
			rows   int64
			widths []int64
		}{
			{tensor.Float32, 1, []int64{5}},
			{tensor.Float32, 1, slices.Repeat([]int64{1000}, 40)},
			{tensor.Int8, 7, slices.Repeat([]int64{1, 0, 3}, 30)},
			{tensor.Float16, 300, slices.Repeat([]int64{1}, 70)},
			{tensor.Int64, 3, []int64{20_000, 1, 4096, 4097, 1, 1, 1, 9}},
			{tensor.Bool, 0, slices.Repeat([]int64{3}, 20)},
		} {
			task := sample.Join(c.dt, c.rows, c.widths...)
			require.NoError(t, e.Check(task))
			var ins [][]byte
			var want []byte
			for _, o := range task.Ins {
				ins = append(ins, ocltest.RandomBytes(r, c.dt, o.Len))
			}
			for row := range c.rows {
				for k, w := range c.widths {
					size := int64(c.dt.Size()) * w
					want = append(want, ins[k][row*size:(row+1)*size]...)
				}
			}
			got, plan := ocltest.Execute(t, e, task, ins, 0)
			require.True(t, bytes.Equal(want, got[0]), "%v", plan)
			require.True(t, bytes.Equal(want, ocltest.OnCPUPath(t, task, ins)[0]))
		}
	}
}
