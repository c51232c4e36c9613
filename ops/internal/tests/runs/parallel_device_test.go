package runs_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
)

// line is y = x·w + b, which two devices learn together.
type line struct {
	g    *ops.Graph
	w, b *ops.Node
}

func newLine() *line {
	g := ops.NewGraph("line")
	return &line{g, g.Variable("w", tensor.Must(tensor.New(tensor.Float32, 5, 1))), g.Variable("b", tensor.Must(tensor.New(tensor.Float32, 1)))}
}

func (l *line) options() ops.DataParallelOptions {
	params := []*ops.Node{l.w, l.b}
	return ops.DataParallelOptions{
		Params: params, Batch: 64, Reproducible: true,
		Share: func(rows int) ops.Share {
			x, y := l.g.Input("x", tensor.Float32, rows, 5), l.g.Input("y", tensor.Float32, rows, 1)
			return ops.Share{Inputs: []*ops.Node{x, y}, Loss: ops.Mean(ops.Square(ops.Sub(ops.Add(ops.MatMul(x, l.w), l.b), y)))}
		},
		Optimizer: optim.New(optim.SGD{LearningRate: 0.1, Momentum: 0.5}, params, optim.Options{}).Minimize,
	}
}

func points(batch, rows int) (x, y *tensor.Tensor) {
	x, y = tensor.Must(tensor.New(tensor.Float32, rows, 5)), tensor.Must(tensor.New(tensor.Float32, rows, 1))
	for r := range rows {
		sum := 0.5
		for c := range 5 {
			v := math.Sin(float64(97*batch + 31*r + 7*c*c))
			x.SetFloat64(5*r+c, v)
			sum += v * float64(c-2)
		}
		y.SetFloat64(r, sum)
	}
	return x, y
}

func (l *line) learn(t *testing.T, p *ops.DataParallel, steps int) {
	t.Helper()
	for i := range steps {
		x, y := points(i, 64-i%3)
		_, err := p.Step(t.Context(), nil, x, y)
		require.NoError(t, err)
	}
}

func (l *line) values(t *testing.T) []float32 {
	t.Helper()
	var all []float32
	for _, v := range []*ops.Node{l.w, l.b} {
		x, err := ops.Value(t.Context(), v)
		require.NoError(t, err)
		f, err := tensor.ToSlice[float32](x)
		require.NoError(t, err)
		all = append(all, f...)
	}
	return all
}

// on trains on devices by name, or CPU paths for "none".
func (l *line) on(t *testing.T, steps int, specs ...string) []float32 {
	t.Helper()
	var all []*ops.Runtime
	for _, spec := range specs {
		rt, err := ops.Open(t.Context(), &ops.Options{Device: spec})
		if err != nil && strings.Contains(err.Error(), "no such") {
			t.Skipf("SKIP: %v", err)
		}
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, rt.Close()) })
		all = append(all, rt)
	}
	p, err := ops.NewDataParallel(t.Context(), all, l.options())
	require.NoError(t, err)
	l.learn(t, p, steps)
	require.NoError(t, p.Close())
	return l.values(t)
}

// A driver call that fails on the second device, whichever it is, fails the step and leaves the
// variables.
func TestADriverThatFailsLeavesTheVariables(t *testing.T) {
	good, bad := newRig(t), newRig(t)
	var all []*ops.Runtime
	for _, r := range []*rig{good, bad} {
		rt, closeAll, err := r.open(t.Context())
		require.NoError(t, err)
		defer func() { require.NoError(t, errors.Join(rt.Close(), closeAll())) }()
		all = append(all, rt)
	}
	l := newLine()
	p, err := ops.NewDataParallel(t.Context(), all, l.options())
	require.NoError(t, err)
	l.learn(t, p, 3)
	bad.faults.Off()
	x, y := points(7, 64)
	_, err = p.Step(t.Context(), nil, x, y)
	require.NoError(t, err)
	tried := map[string]bool{}
	for _, call := range bad.faults.Calls() {
		if tried[call] || absorbed(call) || strings.HasPrefix(call, "Release") {
			continue
		}
		tried[call] = true
		before := l.values(t)
		bad.faults.FailFrom(1, cl.OutOfResources, call)
		_, err := p.Step(t.Context(), nil, x, y)
		fired := bad.faults.Fired()
		bad.faults.Off()
		if fired == 0 {
			continue
		}
		require.ErrorIs(t, err, cl.OutOfResources, call)
		require.Equal(t, before, l.values(t), call)
		_, err = p.Step(t.Context(), nil, x, y)
		require.NoError(t, err, "the step after %s failed", call)
	}
	require.NotEmpty(t, tried)
	require.NoError(t, p.Close())
}

// Two devices of one platform, one that has both shares, and every run: the same bits.
func TestTwoDevicesOfAPlatformLearnWhatOneLearns(t *testing.T) {
	if !Inside() {
		Again(t, "POCL_DEVICES=pthread pthread")
		return
	}
	want := newLine().on(t, 5, "pocl:0", "pocl:1")
	require.Equal(t, want, newLine().on(t, 5, "pocl:0", "pocl:1"))
	require.Equal(t, want, newLine().on(t, 5, "pocl:1", "pocl:0"))
	require.Equal(t, want, newLine().on(t, 5, "pocl:0", "pocl:0"), "opened twice")
	require.InDeltaSlice(t, want, newLine().on(t, 5, "none"), 1e-5)
}

func TestPartsOfADeviceLearnTogether(t *testing.T) {
	t.Parallel()
	want := newLine().on(t, 5, "pocl/2:0", "pocl/2:1")
	require.Equal(t, want, newLine().on(t, 5, "pocl/2:0", "pocl/2:1"), "the same bits again")
	require.InDeltaSlice(t, want, newLine().on(t, 5, "none"), 1e-5)
	require.InDeltaSlice(t, want, newLine().on(t, 5, "pocl/2:1", "pocl"), 1e-5, "beside the whole")
}

// Devices of two platforms in one process: PoCL and rusticl.
func TestTwoPlatformsLearnTogether(t *testing.T) {
	if !Inside() {
		Again(t, TwoPlatforms(t)...)
		return
	}
	want := newLine().on(t, 5, "none")
	for _, specs := range [][]string{{"pocl", "llvmpipe"}, {"llvmpipe", "pocl", "none"}} {
		got := newLine().on(t, 5, specs...)
		require.InDeltaSlice(t, want, got, 1e-5, fmt.Sprint(specs))
		require.Equal(t, got, newLine().on(t, 5, specs...), "the same bits again")
	}
}
