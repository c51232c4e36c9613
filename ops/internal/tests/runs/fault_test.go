package runs_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/clfault"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// rig opens a device whose driver can be made to fail, and what runs on it.
type rig struct {
	faults *clfault.Injector
	lib    *cl.Library
	opts   platform.Options
	direct bool // transfers are plain copies
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{faults: new(clfault.Injector)}
	lib, err := cl.Open(&cl.Options{Wrap: r.faults.Wrap})
	if err != nil {
		t.Skipf("no OpenCL library: %v", err)
	}
	r.lib, r.opts = lib, platform.Options{Library: lib, CacheDir: filepath.Join(t.TempDir(), "cache")}
	rt, closeAll, err := r.open(t.Context())
	if errors.Is(err, platform.ErrNoDevice) || errors.Is(err, platform.ErrNone) {
		t.Skipf("no OpenCL device: %v", err)
	}
	require.NoError(t, err)
	require.NoError(t, errors.Join(rt.Close(), closeAll()))
	return r
}

func (r *rig) open(ctx context.Context) (rt *ops.Runtime, closeAll func() error, err error) {
	m, err := platform.Discover(ctx, &r.opts)
	if err != nil {
		return nil, nil, err
	}
	d, err := m.Select("")
	if err != nil {
		return nil, nil, err
	}
	dev, err := d.Open(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	r.direct = dev.Caps().Direct
	e, cpu := ocl.New(dev), fallback.New(nil)
	return ops.NewRuntime(e, cpu), func() error { return errors.Join(e.Close(), cpu.Close(), dev.Close()) }, nil
}

// program is a whole program: a variable that is updated, a user's kernel, a
// contraction, a sum. Every step that fails is noted and tried once more.
func (r *rig) program(ctx context.Context) (out float64, steps []error, closing error) {
	again := func(f func() error) bool {
		err := f()
		if err == nil {
			return true
		}
		steps = append(steps, err)
		if err = f(); err != nil {
			steps = append(steps, err)
		}
		return err == nil
	}
	var rt *ops.Runtime
	var closeAll func() error
	if !again(func() (err error) { rt, closeAll, err = r.open(ctx); return err }) {
		return 0, steps, nil
	}
	defer func() { closing = errors.Join(closing, closeAll()) }()
	defer func() { closing = errors.Join(closing, rt.Close()) }()

	g := ops.NewGraph("faulty")
	x := g.Input("x", tensor.Float32, 2, 3)
	start, err := tensor.FromSlice([]float32{1, 2, 3}, 3, 1)
	if err != nil {
		return 0, append(steps, err, err), nil
	}
	w := g.Variable("w", start)
	y := ops.Kernel(g, ops.KernelOptions{
		Source: "kernel void twice(global const float *x, global float *y) { size_t i = get_global_id(0); y[i] = 2 * x[i]; }",
		Entry:  "twice", Results: []ops.Result{{DType: tensor.Float32, Shape: []int{2, 3}}},
	}, x)[0]
	loss := ops.Sum(ops.MatMul(y, w))
	target := ops.Target{
		Outputs: []*ops.Node{loss}, Place: ops.OnDevice,
		Updates: []*ops.Node{ops.Assign(w, ops.Add(w, w))},
	}
	ones, err := tensor.FromSlice([]float32{1, 1, 1, 1, 1, 1}, 2, 3)
	if err != nil {
		return 0, append(steps, err, err), nil
	}
	var exe *ops.Executable
	if !again(func() (err error) { exe, err = g.Compile(ctx, rt, target); return err }) {
		return 0, steps, nil
	}
	ok := again(func() error {
		if err := ops.Set(ctx, w, start); err != nil {
			return err
		}
		res, err := exe.Run(ctx, ops.Feeds{x: ones})
		if err == nil {
			out = res[0].Float64At(0)
		}
		return err
	}) && again(func() error {
		v, err := ops.Value(ctx, w)
		if err == nil {
			out += v.Float64At(2)
		}
		return err
	})
	closing = exe.Close()
	if !ok {
		return 0, steps, closing
	}
	return out, steps, closing
}

// absorbed calls may fail once and nobody is told: what a device says of itself
// has a safe default, another platform may have devices, memory is asked for
// again after the pool has given back what it held, parts that do not build
// together are built alone, without pinned memory transfers wait, without a context for
// both a device does without its inline device, without the cache on disk everything is built, and of what drivers
// say of a kernel's work-groups only the largest size must be known.
func absorbed(call string) bool {
	return strings.HasPrefix(call, "Info platform") || strings.HasPrefix(call, "Info device") ||
		slices.Contains([]string{"Devices", "NewContext", "NewQueue", "NewBuffer", "map", "Build", "ProgramFromBinary", "Binaries", "Info program", "Info kernel work-group"}, call)
}

func TestAFaultAtAnyDriverCallSurfacesAndTheNextStepWorks(t *testing.T) {
	r := newRig(t)
	const right = 24 + 6
	r.program(t.Context()) // what is kept on disk is there from now on
	r.faults.Off()
	out, steps, closing := r.program(t.Context())
	require.NoError(t, errors.Join(append(steps, closing)...))
	require.EqualValues(t, right, out)
	calls := r.faults.Calls()
	tried := 0
	for n, call := range calls {
		if n > 0 && n+1 < len(calls) && calls[n-1] == call && calls[n+1] == call {
			continue // of a row of equal calls the first and the last
		}
		r.faults.FailAt(n+1, cl.OutOfResources, "")
		out, steps, closing := r.program(t.Context())
		fired, done := r.faults.Fired(), r.faults.Calls()
		r.faults.Off()
		require.Equal(t, 1, fired)
		call = done[n] // programs are built side by side: the order may differ
		require.Zero(t, r.lib.Stats().Total(), "call %d, %s: %+v", n+1, call, r.lib.Stats())
		err := errors.Join(append(steps, closing)...)
		require.EqualValues(t, right, out, "call %d, %s: %v", n+1, call, err)
		tried++
		if err == nil {
			require.True(t, absorbed(call), "call %d, %s, failed and nobody was told", n+1, call)
			continue
		}
		require.ErrorIs(t, err, cl.OutOfResources, "call %d, %s", n+1, call)
		require.LessOrEqual(t, len(steps), 1, "call %d, %s", n+1, call)
		if call == "launch" || call == "set argument" || call == "NewKernel" {
			require.Regexp(t, `twice|matmul|sum|add`, err.Error(), "the task")
			require.Contains(t, err.Error(), "fault_test.go:", "where it comes from")
		}
	}
	require.Greater(t, tried, 50)
}

func TestALostDeviceLeaksNothingAndTheCPUPathGoesOn(t *testing.T) {
	r := newRig(t)
	for _, from := range []string{"NewKernel", "write", "launch", "read", "finish"} {
		if r.direct && (from == "write" || from == "read") {
			continue // no commands here
		}
		rt, closeAll, err := r.open(t.Context())
		require.NoError(t, err)
		g := ops.NewGraph("lost")
		one, err := tensor.FromSlice([]float32{1, 2}, 2)
		require.NoError(t, err)
		w := g.Variable("w", one)
		double := []*ops.Node{ops.Assign(w, ops.Add(w, w))}
		lost := func() error {
			exe, err := g.Compile(t.Context(), rt, ops.Target{Updates: double, Place: ops.OnDevice})
			if err == nil {
				_, err = exe.Run(t.Context(), nil)
				err = errors.Join(err, exe.Close())
			}
			return err
		}
		require.NoError(t, lost(), "not lost yet")
		r.faults.FailFrom(1, cl.DeviceNotAvailable, from)
		err = lost()
		require.Positive(t, r.faults.Fired())
		require.ErrorIs(t, err, cl.DeviceNotAvailable, from)

		require.NoError(t, ops.Set(t.Context(), w, one), "its value may be lost with the device")
		exe, err := g.Compile(t.Context(), rt, ops.Target{Updates: double, Place: ops.OnCPU})
		require.NoError(t, err, from)
		_, err = exe.Run(t.Context(), nil)
		require.NoError(t, err, from)
		v, err := ops.Value(t.Context(), w)
		require.NoError(t, err, from)
		require.Equal(t, 4.0, v.Float64At(1), from)
		_ = errors.Join(rt.Close(), closeAll()) // says again that the device is lost
		r.faults.Off()
		require.Zero(t, r.lib.Stats().Total(), "%s: %+v", from, r.lib.Stats())
	}
}
