package runs_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// openDevice is a runtime that has a device, or the test is skipped.
func openDevice(t *testing.T, o *ops.Options) *ops.Runtime {
	t.Helper()
	rt, err := ops.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	if rt.Device() == nil {
		t.Skip("no OpenCL device: " + rt.Why())
	}
	return rt
}

// sumOf compiles the sum of a vector of n bytes of ones.
func sumOf(t *testing.T, rt *ops.Runtime, n int) (*ops.Executable, *ops.Node, error) {
	g := ops.NewGraph("sum")
	x := g.Input("x", tensor.Uint8, n)
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{ops.Sum(ops.Cast(x, tensor.Uint32))}, Place: ops.OnDevice})
	return exe, x, err
}

func requireSum(t *testing.T, rt *ops.Runtime, n int) {
	t.Helper()
	exe, x, err := sumOf(t, rt, n)
	require.NoError(t, err)
	ones, err := tensor.New(tensor.Uint8, n)
	require.NoError(t, err)
	for i := range n {
		ones.SetFloat64(i, 1)
	}
	out, err := exe.Run(t.Context(), ops.Feeds{x: ones})
	require.NoError(t, err)
	require.Equal(t, float64(n), out[0].Float64At(0))
	require.NoError(t, exe.Close())
}

// A setting of PoCL limits its device to one GiB. PoCL reads the setting once
// in a process.
func TestOutOfDeviceMemoryIsTypedAndTheNextGraphWorks(t *testing.T) {
	const env = "POCL_MEMORY_LIMIT"
	rt := openDevice(t, nil)
	d := rt.Device()
	if os.Getenv(env) == "" {
		if d.Key != "pocl" {
			t.Skipf("%s takes no smaller limits", d)
		}
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
		c.Env = append(os.Environ(), env+"=1", platform.EnvDevice+"="+d.ID)
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "--- PASS: "+t.Name())
		return
	}
	require.LessOrEqual(t, d.GlobalMem, int64(1<<30))
	before := rt.Engines()[0].Stats()

	// More inputs than the device has memory: the fourth or fifth is too much.
	g := ops.NewGraph("too much")
	piece := int(d.MaxAlloc) / 4 * 3
	var sums []*ops.Node
	for range d.GlobalMem/int64(piece) + 1 {
		sums = append(sums, ops.Sum(ops.Cast(g.Input("", tensor.Uint8, piece), tensor.Uint32)))
	}
	_, err := g.Compile(t.Context(), rt, ops.Target{Outputs: sums, Place: ops.OnDevice})
	oom, ok := errors.AsType[*platform.OutOfMemory](err)
	require.True(t, ok, "%v", err)
	require.GreaterOrEqual(t, oom.Asked, int64(piece))
	require.Positive(t, oom.Held)
	require.Less(t, oom.Free, oom.Asked)
	require.ErrorIs(t, err, cl.MemObjectAllocationFailure)
	for _, part := range []string{`compile "too much"`, "out of memory", "asked for", "held", "free"} {
		require.Contains(t, err.Error(), part)
	}
	after := rt.Engines()[0].Stats()
	after.Launches = before.Launches
	require.Equal(t, before, after, "what was taken is given back")
	requireSum(t, rt, 1000)

	// One operand above the largest allocation: no device can have it.
	_, _, err = sumOf(t, rt, int(d.MaxAlloc)+1)
	require.ErrorIs(t, err, engine.ErrUnsupported)
	require.Contains(t, err.Error(), "largest allocation")
	requireSum(t, rt, 1000)

	// Results that fit one by one and not together lie in several arenas.
	requireThreeResults(t, rt, int(d.MaxAlloc)/8*3)
}

// requireThreeResults runs a graph of three results of n bytes.
func requireThreeResults(t *testing.T, rt *ops.Runtime, n int) {
	t.Helper()
	g := ops.NewGraph("three")
	x := g.Input("x", tensor.Uint8, n)
	var results []*ops.Node
	for i := range 3 {
		results = append(results, ops.Add(x, ops.ScalarLike(x, float64(i))))
	}
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: results})
	require.NoError(t, err)
	in, err := tensor.New(tensor.Uint8, n)
	require.NoError(t, err)
	in.SetFloat64(n-1, 7)
	out, err := exe.Run(t.Context(), ops.Feeds{x: in})
	require.NoError(t, err)
	for i, o := range out {
		require.Equal(t, []float64{float64(i), float64(7 + i)}, []float64{o.Float64At(0), o.Float64At(n - 1)})
	}
	require.NoError(t, exe.Close())
}

// limited is an engine that gives no memory above max bytes.
type limited struct {
	engine.Engine
	max int64
}

func (l limited) Traits() engine.Traits { return engine.Traits{MaxAlloc: l.max} }

func (l limited) Alloc(n int64) (engine.Memory, error) {
	if n > l.max {
		return nil, fmt.Errorf("%d bytes asked for, %d is the largest allocation", n, l.max)
	}
	return l.Engine.Alloc(n)
}

func TestArenasAreSplitBelowTheLargestAllocation(t *testing.T) {
	e := fallback.New(nil)
	rt := ops.NewRuntime(limited{e, 1 << 12})
	for _, n := range []int{2, 1000, 1 << 11, 1<<12 - 256, 1 << 12} {
		requireThreeResults(t, rt, n)
	}
	require.NoError(t, errors.Join(rt.Close(), e.Close()))
}

func TestAnyPoolCapGivesTheSameResults(t *testing.T) {
	for _, keep := range []int64{-1, 1 << 10, 1 << 20} {
		rt := openDevice(t, &ops.Options{PoolBytes: keep})
		for range 3 {
			requireSum(t, rt, 100_000)
		}
	}
}

// A feed is written anew by each run, so that its memory can serve others after
// its last reader.
func TestMemoryOfAFeedIsReused(t *testing.T) {
	cpu := fallback.New(nil)
	rt := ops.NewRuntime(cpu)
	defer func() { require.NoError(t, errors.Join(rt.Close(), cpu.Close())) }()
	g := ops.NewGraph("chain")
	x := g.Input("x", tensor.Float32, 64, 64)
	w := g.Variable("w", tensor.Must(tensor.New(tensor.Float32, 64, 64)))
	y := ops.MatMul(ops.MatMul(ops.MatMul(ops.MatMul(x, w), w), w), w)
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{ops.Sub(y, ops.ScalarLike(y, 1))}})
	require.NoError(t, err)
	m := exe.Report().Memory[0]
	const one = 64 * 64 * 4
	require.GreaterOrEqual(t, m.Values, int64(4*one))
	require.EqualValues(t, 2*one, m.Arena)
	require.Equal(t, m.Live, m.Arena)
	require.EqualValues(t, one, m.Variables)
	require.Zero(t, m.Fixed)
	require.Equal(t, m.Arena+m.Scratch+m.Variables, m.Peak())
}

// The runs before have written over it, in place where they could.
func TestAFeedIsWholeInEveryRunAndItsTensorStaysAsItWas(t *testing.T) {
	cpu := fallback.New(nil)
	rt := ops.NewRuntime(cpu)
	defer func() { require.NoError(t, errors.Join(rt.Close(), cpu.Close())) }()
	g := ops.NewGraph("in place")
	x := g.Input("x", tensor.Float32, 64)
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{ops.Neg(x), x}})
	require.NoError(t, err)
	feed := tensor.Must(tensor.New(tensor.Float32, 64))
	for i := range feed.Len() {
		feed.SetFloat64(i, float64(i))
	}
	for range 3 {
		outs, err := exe.Run(t.Context(), ops.Feeds{x: feed})
		require.NoError(t, err)
		require.Equal(t, -63.0, outs[0].Float64At(63))
		require.Equal(t, 63.0, outs[1].Float64At(63))
		require.Equal(t, 63.0, feed.Float64At(63))
	}
}
