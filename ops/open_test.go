package ops

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/clfault"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

func TestADeviceThatCannotBeOpenedIsDoneWithoutUnlessItWasAskedFor(t *testing.T) {
	t.Setenv(platform.EnvDevice, "")
	faults := new(clfault.Injector)
	lib, err := cl.Open(&cl.Options{Wrap: faults.Wrap})
	if err != nil {
		t.Skipf("no OpenCL library: %v", err)
	}
	po := &platform.Options{Library: lib, CacheDir: platform.CacheOff}
	m, err := platform.Discover(t.Context(), po)
	require.NoError(t, err)
	d, err := m.Select("")
	if err != nil {
		t.Skipf("no OpenCL device: %v", err)
	}
	faults.FailFrom(1, cl.OutOfHostMemory, "NewContext")

	rt, err := open(t.Context(), &Options{}, po)
	require.NoError(t, err)
	require.Positive(t, faults.Fired())
	require.Contains(t, rt.Why(), "the CPU path")
	require.Contains(t, rt.Why(), d.ID)
	require.Nil(t, rt.Device())
	g := NewGraph("alone")
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Add(g.Full(tensor.Float32, 1), g.Full(tensor.Float32, 2))}})
	require.NoError(t, err)
	out, err := exe.Run(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 3.0, out[0].Float64At(0))
	require.NoError(t, rt.Close())

	asked := *po
	asked.Spec = d.ID
	_, err = open(t.Context(), &Options{Device: d.ID}, &asked)
	require.ErrorIs(t, err, cl.OutOfHostMemory)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = open(ended, &Options{}, po)
	require.ErrorIs(t, err, context.Canceled)
}

func TestSlicesByAnExtentThatNoInputHas(t *testing.T) {
	t.Parallel()
	for _, r := range []Range{To(0, Dim("rows")), From(0, Dim("rows")), To(0, Dim("rows")-1)} {
		g := NewGraph("slice")
		Slice(g.Input("x", tensor.Float32, 6), r)
		require.ErrorContains(t, g.Err(), "axis 0 is that of no input", "%+v", r)
	}
	g := NewGraph("slice")
	require.Equal(t, []int{6}, Slice(g.Input("x", tensor.Float32, 6), From(0, math.MinInt)).Shape(), "cut off")
	require.NoError(t, g.Err())
}

// A shape may be the first thing in a graph that is open, and a number may look like one that is.
func TestReshapesWithTheFirstOpenExtent(t *testing.T) {
	t.Parallel()
	for want, shape := range map[string][]int{"6 elements cannot become 2*n": {Dim("n"), 2}, "calculated with one that is open": {math.MinInt, 2}} {
		g := NewGraph("reshape")
		Reshape(g.Input("x", tensor.Float32, 6), shape...)
		require.ErrorContains(t, g.Err(), want)
	}
}
