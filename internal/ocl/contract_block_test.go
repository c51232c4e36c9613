package ocl

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

func TestSmallProductsShareAWorkItemAsLongAsCoresAreBusy(t *testing.T) {
	t.Parallel()
	task := matmul(tensor.Float32, 71, 9, 33, 12, false, false)
	p := separate(cpuFacts(16), task, false).chooseBlock()
	require.Equal(t, int64(4), p.lots)
	verify(t, device(t, "contract=block", nil), task, randomInputs(task, 8), 1e-5, 1)

	for name, alone := range map[string]blockChoice{
		"too few":   separate(cpuFacts(16), matmul(tensor.Float32, 31, 9, 33, 12, false, false), false).chooseBlock(),
		"too large": separate(cpuFacts(16), matmul(tensor.Float32, 71, 256, 256, 64, false, false), false).chooseBlock(),
	} {
		require.Equal(t, int64(1), alone.lots, name)
	}
}
