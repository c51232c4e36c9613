package drills

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// A kernel does not compile, and while the caller is told, one call after another fails too.
func TestBuildFailures(t *testing.T) {
	r := newRig(t)
	rt := r.open(t)
	g := ops.NewGraph("broken")
	x := g.Input("x", tensor.Float32, 3)
	y := ops.Kernel(g, ops.KernelOptions{
		Source: "kernel void broken(global const float *x, global float *y) {\n  y[0] = nothing;\n}",
		Entry:  "broken", Results: []ops.Result{{DType: tensor.Float32, Shape: []int{3}}},
	}, ops.Exp(x))[0]
	compile := func() error {
		exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{ops.Sum(y)}, Place: ops.OnDevice})
		if err == nil {
			err = errors.Join(errors.New("it compiled"), exe.Close())
		}
		return err
	}
	told := func() {
		t.Helper()
		err := compile()
		failure, ok := errors.AsType[*cl.BuildError](err)
		require.True(t, ok, "%v", err)
		require.Contains(t, failure.Log, "nothing")
		require.Equal(t, 2, failure.Line)
		require.ErrorContains(t, err, "drills/builds_test.go:", "whose kernel it is")
	}
	told()
	before := r.lib.Stats()
	r.faults.Off()
	told()
	calls := r.faults.Calls()
	at := chosen(calls, often(3, len(calls)))
	for _, n := range at {
		status := statuses[n%len(statuses)]
		r.faults.FailAt(n+1, status, "")
		err := compile()
		fired := r.faults.Fired()
		r.faults.Off()
		require.Error(t, err)
		require.NotContains(t, err.Error(), "it compiled")
		if failure, ok := errors.AsType[*cl.BuildError](err); fired > 0 && !ok {
			require.ErrorIs(t, err, status, "call %d, %s", n+1, calls[n])
		} else if ok {
			require.NotEmpty(t, failure.Error())
		}
		told()
		now := r.lib.Stats()
		require.LessOrEqual(t, now.Programs, before.Programs+2, "call %d, %s", n+1, calls[n]) // a good part, built alone
		require.Equal(t, before.Kernels, now.Kernels, "call %d, %s", n+1, calls[n])
	}
	p, err := newPlain(t.Context(), rt, 2)
	require.NoError(t, err)
	require.NoError(t, p.run(t.Context(), 3, 2))
	require.NoError(t, rt.Close())
	figure(t, "%d of %d calls of a build that fails; the log came every time after", len(at), len(calls))
}
