package ocl

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/tensor"
)

func TestSmallProductsShareAWorkItemAsLongAsCoresAreBusy(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	task := matmul(tensor.Float32, 71, 9, 33, 12, false, false)
	p := contract.Separate(cpuFacts(16), task, false).ChooseBlock()
	require.Equal(t, int64(4), p.Lots)
	verify(t, device(t, "contract=block", nil), task, randomInputs(task, 8), 1e-5, 1)

	for name, alone := range map[string]contract.BlockChoice{
		"too few":   contract.Separate(cpuFacts(16), matmul(tensor.Float32, 31, 9, 33, 12, false, false), false).ChooseBlock(),
		"too large": contract.Separate(cpuFacts(16), matmul(tensor.Float32, 71, 256, 256, 64, false, false), false).ChooseBlock(),
	} {
		require.Equal(t, int64(1), alone.Lots, name)
	}
}

func TestTheLastPanelMayBeHalfAPanel(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	dev := device(t, "contract=block", func(f *facts.Device) { f.LocalMem = 16 << 10 })
	wide := contract.Separate(dev.facts, matmul(tensor.Float32, 1, 9, 1000, 70, false, false), false).PanelShape().Columns()
	for _, more := range []int{1, wide/2 - 1, wide / 2, wide/2 + 1, wide - 1} {
		for k, n := range map[int]int{70: wide + more, 12: 2*wide + more} { // in steps, in one
			task := matmul(tensor.Float32, 1, 9, n, k, false, false)
			verify(t, dev, task, randomInputs(task, uint64(n)), 1e-5, 1)
			bytes := quantised(tensor.Uint8, tensor.Int8, 1, 9, n, k, false, false)
			verify(t, dev, bytes, randomInputs(bytes, uint64(n)), 0, 0)
		}
	}
}
