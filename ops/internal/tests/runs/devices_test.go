package runs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

func TestPlacesNameDevices(t *testing.T) {
	t.Parallel()
	require.Equal(t, OnDevice, Device(0))
	require.Equal(t, "device device:1 device:2 cpu auto", strings.Join([]string{Device(0).String(), Device(1).String(), Device(2).String(), OnCPU.String(), Auto.String()}, " "))
	r := opstest.NewOverlapRig(t, "queue", "queue")
	g := NewGraph("named")
	x := g.Input("x", tensor.Float32, 2)
	y := r.Kernel(g, "c", OnCPU, nil, r.Kernel(g, "b", Device(1), nil, r.Kernel(g, "a", Device(0), nil, x)))
	exe, err := g.Compile(t.Context(), r.Runtime, Target{Outputs: []*Node{y}})
	require.NoError(t, err)
	require.Equal(t, []string{"a on queue0", "b on queue1", "c on cpu"}, opstest.Wheres(exe))
	out, err := exe.Run(t.Context(), Feeds{x: opstest.Pair(3, 4)})
	require.NoError(t, err)
	require.Equal(t, []float32{3, 4}, opstest.FloatsOf(t, out[0]))
	exe, err = g.Compile(t.Context(), r.Runtime, Target{Outputs: []*Node{Exp(x)}, Place: Device(1)})
	require.NoError(t, err)
	require.Equal(t, []string{"exp on queue1"}, opstest.Wheres(exe))
	_, err = g.Compile(t.Context(), r.Runtime, Target{Outputs: []*Node{Exp(x)}, Place: Device(2)})
	require.ErrorContains(t, err, "device 2 was asked for, and the last is 1, queue1")
}

// acrossDevices runs one graph whose parts are put on all devices that specs name, with a variable that one
// device updates and others read, and compares it with the CPU path.
func acrossDevices(t *testing.T, specs ...string) {
	t.Helper()
	var engines []engine.Engine
	var host engine.Engine
	for _, spec := range specs {
		rt, err := Open(t.Context(), &Options{Device: spec})
		if err != nil && strings.Contains(err.Error(), "no such") {
			t.Skipf("SKIP: %v", err)
		}
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, rt.Close()) })
		engines, host = append(engines, inside.Machine(rt).Engines[0]), inside.Machine(rt).Engines[1]
	}
	rt := NewRuntime(append(engines, host)...)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	train := func(rt *Runtime, place func(i int) Place) (all [][]float32) {
		g := NewGraph("spread")
		x := g.Input("x", tensor.Float32, 16, 8)
		w := g.Variable("w", opstest.Random(t, 8, 8))
		a := Put(Tanh(MatMul(x, w)), place(1))
		b := Put(Softmax(MatMul(a, Transpose(w)), 1), place(0))
		loss := Put(Mean(Square(Sub(b, a))), OnCPU)
		update := Assign(w, Put(Sub(w, Mul(Gradients(loss, w)[0], ScalarLike(w, 0.5))), place(0)))
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{loss, b}, Updates: []*Node{update}})
		require.NoError(t, err)
		for range 4 {
			out, err := exe.Run(t.Context(), Feeds{x: opstest.Random(t, 16, 8)})
			require.NoError(t, err)
			v, err := Value(t.Context(), w)
			require.NoError(t, err)
			all = append(all, opstest.FloatsOf(t, out[0]), opstest.FloatsOf(t, out[1]), opstest.FloatsOf(t, v))
		}
		require.NoError(t, exe.Close())
		return all
	}
	got := train(rt, Device)
	want := train(opstest.CPUOnly(t), func(int) Place { return OnCPU })
	for i := range want {
		require.InDeltaSlice(t, want[i], got[i], 1e-5)
	}
}

func TestOneGraphOverTwoDevicesOfAPlatform(t *testing.T) {
	if !Inside() {
		Again(t, "POCL_DEVICES=pthread pthread")
		return
	}
	acrossDevices(t, "pocl:0", "pocl:1")
}

func TestOneGraphOverTwoPartsOfADevice(t *testing.T) {
	t.Parallel()
	acrossDevices(t, "pocl/2:0", "pocl/2:1")
}

func TestOneGraphOverTwoPlatforms(t *testing.T) {
	if !Inside() {
		Again(t, TwoPlatforms(t)...)
		return
	}
	acrossDevices(t, "pocl", "llvmpipe")
}
