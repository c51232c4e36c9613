package runs_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// onThread opens the rig's device with small graphs on a thread of the driver or the caller's.
func (r *rig) onThread(t *testing.T, thread string) *ops.Runtime {
	t.Helper()
	e, cpu := r.engines(t, thread)
	rt := ops.NewRuntime(e, cpu)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	return rt
}

// engines opens the two engines of onThread's runtime.
func (r *rig) engines(t *testing.T, thread string) (e *ocl.Engine, cpu *fallback.Engine) {
	t.Helper()
	m, err := platform.Discover(t.Context(), &r.opts)
	require.NoError(t, err)
	d, err := m.Select("")
	require.NoError(t, err)
	dev, err := d.Open(t.Context(), nil)
	require.NoError(t, err)
	e, cpu = ocl.NewForced(dev, "thread="+thread), fallback.New(nil)
	t.Cleanup(func() {
		require.NoError(t, errors.Join(e.Close(), cpu.Close(), dev.Close()))
		require.Zero(t, r.lib.Stats().Total())
	})
	if dev.InlineDevice() == nil {
		t.Skipf("%s has no inline device", d)
	}
	return e, cpu
}

// net is a small network with weights in a variable, a softmax, and values that share memory.
func net(t *testing.T, g *ops.Graph) (x, y, w *ops.Node) {
	t.Helper()
	values := make([]float32, 24*40)
	for i := range values {
		values[i] = float32(i%13-6) / 16
	}
	weights, err := tensor.FromSlice(values, 24, 40)
	require.NoError(t, err)
	x, w = g.Input("x", tensor.Float32, 3, 24), g.Variable("w", weights)
	h := ops.ReLU(ops.MatMul(x, w))
	return x, ops.Softmax(ops.Add(h, ops.Tanh(ops.MatMul(h, ops.Transpose(ops.MatMul(ops.Transpose(w), w))))), -1), w
}

func filled(t *testing.T, v float32) *tensor.Tensor {
	t.Helper()
	values := make([]float32, 3*24)
	for i := range values {
		values[i] = v + float32(i%5)/8
	}
	x, err := tensor.FromSlice(values, 3, 24)
	require.NoError(t, err)
	return x
}

func TestBothThreadsAgreeWithTheCPUPath(t *testing.T) {
	r := newRig(t)
	results := map[string]*tensor.Tensor{}
	for _, thread := range []string{"caller", "workers", "cpu"} {
		t.Run(thread, func(t *testing.T) {
			rt := r.onThread(t, thread)
			g := ops.NewGraph(thread)
			x, y, w := net(t, g)
			target := ops.Target{
				Outputs: []*ops.Node{y}, Place: ops.OnDevice,
				Updates: []*ops.Node{ops.Assign(w, ops.Sub(w, ops.Gradients(ops.Sum(ops.Mul(y, y)), w)[0]))},
			}
			if thread == "cpu" {
				target.Place = ops.OnCPU
			}
			exe, err := g.Compile(t.Context(), rt, target)
			require.NoError(t, err)
			for step := range 3 {
				out, err := exe.Run(t.Context(), ops.Feeds{x: filled(t, float32(step))})
				require.NoError(t, err)
				results[thread] = out[0]
			}
			for i := range results[thread].Len() {
				require.InDelta(t, results["caller"].Float64At(i), results[thread].Float64At(i), 1e-5)
			}
			require.Equal(t, thread == "caller", strings.Contains(exe.Explain(), "CPU threads: inline"))
		})
	}
}

// Runs of one small executable overlap: each has its own results, also while the weights
// are set and the executable is closed.
func TestRunsOfASmallGraphOverlap(t *testing.T) {
	r := newRig(t)
	rt := r.onThread(t, "caller")
	g := ops.NewGraph("served")
	x, y, w := net(t, g)
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{y}, Place: ops.OnDevice})
	require.NoError(t, err)
	const callers = 6
	var feeds [callers]*tensor.Tensor
	var want [callers]*tensor.Tensor
	for c := range callers {
		feeds[c] = filled(t, float32(c))
		out, err := exe.Run(t.Context(), ops.Feeds{x: feeds[c]})
		require.NoError(t, err)
		want[c] = out[0]
	}
	same, err := ops.Value(t.Context(), w)
	require.NoError(t, err)
	if runtime.GOMAXPROCS(0) > 1 {
		single := exe.Report().Memory[0].Arena
		release := inside.Executor(exe).Hold()
		out, err := exe.Run(t.Context(), ops.Feeds{x: feeds[1]})
		require.NoError(t, err)
		require.True(t, tensor.Equal(out[0], want[1]))
		release()
		require.Greater(t, exe.Report().Memory[0].Arena, single, "the second has memory of its own")
	}
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			for i := range 150 {
				out, err := exe.Run(t.Context(), ops.Feeds{x: feeds[c]})
				if err != nil || !tensor.Equal(out[0], want[c]) {
					t.Errorf("caller %d, run %d: %v", c, i, err)
					return
				}
				if c == 0 && i%10 == 0 {
					if err := ops.Set(t.Context(), w, same); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	for range callers {
		all.Go(func() {
			for {
				_, err := exe.Run(t.Context(), ops.Feeds{x: feeds[0]})
				if err == nil {
					continue
				}
				if !errors.Is(err, ops.ErrClosed) {
					t.Error(err)
				}
				return
			}
		})
	}
	require.NoError(t, exe.Close())
	all.Wait()
}

// A copy that cannot be made is done without.
func TestRunsGoOnWhereNoCopyCanBeMade(t *testing.T) {
	r := newRig(t)
	rt := r.onThread(t, "caller")
	g := ops.NewGraph("crowded")
	x, y, _ := net(t, g)
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{y}, Place: ops.OnDevice})
	require.NoError(t, err)
	feed := filled(t, 1)
	want, err := exe.Run(t.Context(), ops.Feeds{x: feed})
	require.NoError(t, err)
	r.faults.FailFrom(1, cl.OutOfResources, "NewKernel")
	defer r.faults.Off()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				out, err := exe.Run(t.Context(), ops.Feeds{x: feed})
				if err != nil || !tensor.Equal(out[0], want[0]) {
					t.Errorf("%v", err)
				}
			}
		})
	}
	all.Wait()
}

func TestARunWaitsForItsTurnNoLongerThanItsContext(t *testing.T) {
	r := newRig(t)
	rt := r.onThread(t, "caller")
	g := ops.NewGraph("ended")
	x, y, _ := net(t, g)
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{y}, Place: ops.OnDevice})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = exe.Run(ctx, ops.Feeds{x: filled(t, 1)})
	require.ErrorIs(t, err, context.Canceled)
	_, err = exe.Run(t.Context(), ops.Feeds{x: filled(t, 1)})
	require.NoError(t, err)
	n := 0
	for out, err := range exe.Each(t.Context(), func(yield func(ops.Feeds, error) bool) {
		for range 3 {
			if !yield(ops.Feeds{x: filled(t, 1)}, nil) {
				return
			}
		}
	}, ops.EachOptions{}) {
		require.NoError(t, err)
		require.Equal(t, 120, out[0].Len())
		n++
	}
	require.Equal(t, 3, n)
}
