package fft

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/ocl/hostrun"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Launches of all kernels here may be divided, which a part of any source forbids for all.
func TestLaunchesAreDivided(t *testing.T) {
	for _, c := range checkedKernels(tensor.Float32) {
		require.Empty(t, hostrun.Indivisible(c.k.Source, c.k.CPU.Options), c.name)
	}
}

// Rows have the results of the CPU path one by one, side by side, as where vectors of sixteen floats have registers, and in groups of GPUs.
func TestRowsInEveryForm(t *testing.T) {
	lib, err := cl.Open(nil)
	if err != nil {
		t.Skip(err)
	}
	platforms, err := lib.Platforms()
	require.NoError(t, err)
	for _, p := range platforms {
		devices, err := p.Devices(cl.DeviceCPU)
		if err != nil || len(devices) == 0 {
			continue
		}
		context, err := lib.NewContext(devices[0])
		require.NoError(t, err)
		defer context.Close()
		queue, err := context.NewQueue(devices[0], cl.QueueOptions{})
		require.NoError(t, err)
		defer queue.Close()
		for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
			var rows []checkedKernel
			for _, c := range checkedKernels(dt) {
				if strings.Contains(c.k.CPU.Options, "-DROWS") {
					rows = append(rows, c)
				}
			}
			require.Len(t, rows, 5)
			launchForms(t, context, queue, rows, func(k *ops.KernelOptions) []*ops.KernelForm {
				forms := []*ops.KernelForm{k.CPU, groupForm(k)}
				if strings.Contains(k.CPU.Options, "-DSIDE_BY_SIDE") {
					wide := *k.CPU
					wide.Options += " -D__AVX512F__"
					forms = append(forms, &wide)
				}
				for _, form := range forms {
					form.Options += " -cl-opt-disable"
				}
				return forms
			})
		}
		return
	}
	t.Skip("no driver for a processor")
}
