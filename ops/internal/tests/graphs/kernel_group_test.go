package graphs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// Whether a launch is divided among threads or left to the driver's, which would choose a group of another shape.
func TestOpenWorkGroupsOnACPULieAlongRows(t *testing.T) {
	rt := opstest.Device(t)
	if rt.Device().Class != platform.CPU {
		t.Skip("the driver has the choice on a GPU")
	}
	for name, head := range map[string]string{"divided": "", "whole": "#define PASTE(a, b) a ## b\n"} {
		g := NewGraph(name)
		x := g.Input("x", tensor.Int32, 1)
		y := Kernel(g, KernelOptions{
			Entry: "k", Global: [3]int{65, 66}, Results: []Result{{DType: tensor.Int32, Shape: []int{66, 65}}},
			Source: head + "kernel void k(global const int *x, global int *y) {\n" +
				"y[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_local_size(0); }",
		}, x)
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: y, Place: OnDevice})
		require.NoError(t, err)
		out, err := exe.Run(t.Context(), Feeds{x: tensor.Must(tensor.New(tensor.Int32, 1))})
		require.NoError(t, err)
		for _, v := range out[0].All() {
			require.Equal(t, 65.0, v, name)
		}
		require.NoError(t, exe.Close())
	}
}

// A driver for CPUs may keep the variables of all items of a group on one stack, which ends the process where it is too small.
func TestItemsWithManyVariablesDoNotEndTheProcess(t *testing.T) {
	rt := opstest.Device(t)
	const n = 1 << 18
	g := NewGraph("private")
	x := g.Input("x", tensor.Float32, 1)
	y := Kernel(g, KernelOptions{
		Entry: "k", Results: []Result{{DType: tensor.Float32, Shape: []int{n}}},
		Source: `kernel void k(global const float *x, global float *y) {
	float a[1024]; // 4 KiB, which live from one loop to the next
	const int count = 8 * (int)x[0];
	for (int i = 0; i < count; i++) a[i] = x[0] + i + get_global_id(0);
	float sum = 0;
	for (int i = 0; i < count; i++) sum += a[count - 1 - i];
	y[get_global_id(0)] = sum;
}`,
	}, x)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: y, Place: OnDevice})
	require.NoError(t, err)
	defer exe.Close()
	out, err := exe.Run(t.Context(), Feeds{x: tensor.Must(tensor.FromSlice([]float32{2}))})
	require.NoError(t, err)
	require.Equal(t, 16*2+120+16*1000.0, out[0].Float64At(1000))
}
