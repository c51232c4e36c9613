package contract_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

func TestSmallProductsShareAWorkItemAsLongAsCoresAreBusy(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	task := sample.Matmul(tensor.Float32, 71, 9, 33, 12, false, false)
	p := contract.Separate(ocltest.CPU(16), task, false).ChooseBlock()
	require.Equal(t, int64(4), p.Lots)
	ocltest.Verify(t, device(t, "contract=block", nil), task, ocltest.RandomInputs(task, 8), 1e-5, 1)

	for name, alone := range map[string]contract.BlockChoice{
		"too few":   contract.Separate(ocltest.CPU(16), sample.Matmul(tensor.Float32, 31, 9, 33, 12, false, false), false).ChooseBlock(),
		"too large": contract.Separate(ocltest.CPU(16), sample.Matmul(tensor.Float32, 71, 256, 256, 64, false, false), false).ChooseBlock(),
	} {
		require.Equal(t, int64(1), alone.Lots, name)
	}
}

func TestTheLastPanelMayBeHalfAPanel(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	dev := device(t, "contract=block", func(f *facts.Device) { f.LocalMem = 16 << 10 })
	wide := contract.Separate(dev.Facts(), sample.Matmul(tensor.Float32, 1, 9, 1000, 70, false, false), false).PanelShape().Columns()
	for _, more := range []int{1, wide/2 - 1, wide / 2, wide/2 + 1, wide - 1} {
		for k, n := range map[int]int{70: wide + more, 12: 2*wide + more} { // in steps, in one
			task := sample.Matmul(tensor.Float32, 1, 9, n, k, false, false)
			ocltest.Verify(t, dev, task, ocltest.RandomInputs(task, uint64(n)), 1e-5, 1)
			bytes := sample.Bytes(tensor.Uint8, tensor.Int8, 1, 9, n, k, false, false)
			ocltest.Verify(t, dev, bytes, ocltest.RandomInputs(bytes, uint64(n)), 0, 0)
		}
	}
}
