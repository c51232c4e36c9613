package contract_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/tensor"
)

// A GPU computes the product of a matrix with few rows or columns by reading the matrix once, along either axis.
func TestGPUsReadTheMatrixOfFewRowsOnce(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for i, dt := range []tensor.DType{tensor.Float32, tensor.Float16, tensor.Int8, tensor.Float64} {
		if dt == tensor.Float64 && !device(t, "", nil).Opened().Caps().FP64 {
			continue
		}
		for j, s := range []struct {
			b, m, n, k     int
			transA, transB bool
		}{
			{1, 1, 100, 300, false, false},
			{1, 1, 100, 300, false, true},
			{1, 130, 1, 257, false, false},
			{1, 130, 1, 257, true, false},
			{2, 3, 70, 200, false, false},
			{2, 4, 65, 1100, true, true},
			{1, 70, 2, 1000, true, true},
		} {
			if dt != tensor.Float32 && !ocltest.OneIn(i+j, 2) {
				continue
			}
			t.Run(fmt.Sprint(dt, s), func(t *testing.T) {
				t.Parallel()
				task := sample.Matmul(dt, s.b, s.m, s.n, s.k, s.transA, s.transB)
				ins := ocltest.RandomInputs(task, 1)
				want, err := taskref.Eval(task, ins)
				require.NoError(t, err)
				got, p := ocltest.Execute(t, device(t, "", ocltest.LargeForItems), task, ins, 3)
				require.Contains(t, p.Variant, "row ")
				ocltest.RequireClose(t, task.Outs[0].DType, int64(s.k), want[0], got[0])
			})
		}
	}
}
