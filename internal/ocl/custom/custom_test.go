package custom

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// The geometry {4, 0} of a table of no rows is not that of a launch of one dimension, which would write a first row.
func TestKernelsThatHaveNothingToWriteAreNotLaunched(t *testing.T) {
	for rows, launches := range []int{0, 1} {
		task := &engine.Task{
			Kind: engine.Custom, Outs: []engine.Operand{{DType: tensor.Float32, Len: int64(4 * rows)}},
			Custom: &engine.CustomKernel{Source: "kernel void k(global float *y) { y[4 * get_global_id(1) + get_global_id(0)] = 1; }", Entry: "k",
				Global: [3]int{4, rows}},
		}
		p, err := planCustom(task, true)
		require.NoError(t, err)
		require.Len(t, p.Launches, launches, "%d rows", rows)
	}
}
