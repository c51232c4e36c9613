package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// fake is a contender whose result and time are given.
type fake struct {
	name   string
	result []float32
	loads  error
	runs   error
	atRun  func() error // in place of runs, may be nil
	log    *[]string
}

func (f *fake) Name() string    { return f.name }
func (f *fake) Version() string { return "1" }
func (f *fake) Close() error    { return nil }

func (f *fake) Load(context.Context, *Work, []*tensor.Tensor) (Job, error) {
	if f.loads != nil {
		return nil, f.loads
	}
	return fakeJob{f}, nil
}

type fakeJob struct{ *fake }

func (f fakeJob) Run(_ context.Context, times []time.Duration) error {
	for i := range times {
		times[i] = time.Millisecond
	}
	if f.log != nil && len(times) > 1 {
		*f.log = append(*f.log, f.name)
	}
	if f.atRun != nil {
		return f.atRun()
	}
	return f.runs
}

func (f fakeJob) Outputs(context.Context) ([]*tensor.Tensor, error) {
	if f.result == nil {
		return nil, nil
	}
	t, err := tensor.FromSlice(f.result)
	return []*tensor.Tensor{t}, err
}

var brief = Method{Turns: 3, Slice: 3 * time.Millisecond, Pause: -1, Warm: time.Microsecond}

func emptyWork() *Work { return &Work{Name: "w", Program: &Program{}, Rate: GFLOPS, Flops: 1e6} }

func TestContendersTakeTurns(t *testing.T) {
	t.Parallel()
	var log []string
	a, b := &fake{name: "a", result: []float32{1}, log: &log}, &fake{name: "b", result: []float32{1}, log: &log}
	results, err := Measure(t.Context(), emptyWork(), []Contender{a, b}, brief)
	require.NoError(t, err)
	require.Equal(t, "a b a b a b", strings.Join(log, " "))
	require.True(t, results[0].Checked && results[1].Checked)
	require.Len(t, results[0].Stats.Turns, 3)
}

func TestAWrongResultIsNotTimed(t *testing.T) {
	t.Parallel()
	for what, wrong := range map[string][]float32{
		"value": {1, 2.1}, "NaN": {1, float32(math.NaN())}, "infinity": {1, float32(math.Inf(1))}, "count": {1},
	} {
		contenders := []Contender{&fake{name: "a", result: []float32{1, 2}}, &fake{name: "b", result: wrong}, &fake{name: "c", result: []float32{1, 2}}}
		results, err := Measure(t.Context(), emptyWork(), contenders, brief)
		require.ErrorIs(t, err, errDiffers, what)
		require.Error(t, results[1].Skipped, what)
		require.Len(t, Records(emptyWork(), results, Context{}), 2, what)
	}
}

func TestWhoCannotIsLeftOut(t *testing.T) {
	t.Parallel()
	cannot := &fake{name: "b", loads: fmt.Errorf("%w: no", ErrCannot)}
	results, err := Measure(t.Context(), emptyWork(), []Contender{&fake{name: "a", result: []float32{1}}, cannot}, brief)
	require.NoError(t, err)
	require.ErrorIs(t, results[1].Skipped, ErrCannot)
	require.False(t, results[0].Checked, "nobody agreed")
	cannot.loads, cannot.runs = nil, cannot.loads
	results, err = Measure(t.Context(), emptyWork(), []Contender{&fake{name: "a", result: []float32{1}}, cannot}, brief)
	require.NoError(t, err, "it finds out when it runs")
	require.ErrorIs(t, results[1].Skipped, ErrCannot)
}

func TestAFailureOfOneDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	results, err := Measure(t.Context(), emptyWork(), []Contender{&fake{name: "a", result: []float32{1}}, &fake{name: "b", runs: broken}}, brief)
	require.ErrorIs(t, err, broken)
	require.NoError(t, results[0].Skipped)
	require.Equal(t, 0.001, results[0].Stats.Median)
}

func TestALimitHasNoResultAndStillCounts(t *testing.T) {
	t.Parallel()
	w := emptyWork()
	w.Goals = []Goal{atLeast(2, LimitFMA, OpenBLAS)}
	results, err := Measure(t.Context(), w, []Contender{&fake{name: "a", result: []float32{1}}, &fake{name: LimitFMA}}, brief)
	require.NoError(t, err)
	r := Records(w, results, Context{})[0]
	ratio, against, ok := r.Best(w.Goals[0])
	require.True(t, ok)
	require.Equal(t, LimitFMA, against)
	require.InDelta(t, 1, ratio.Median, 1e-9)
	require.Contains(t, r.Line(), "BELOW 2x of limit-fma")
}

func TestEveryWorkIsAGraphWithoutMistakes(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, w := range Works() {
		require.False(t, seen[w.Name], "%s is there twice", w.Name)
		seen[w.Name] = true
		require.NotEmpty(t, w.Goals, w.Name)
		if w.Process != nil {
			continue
		}
		g := ops.NewGraph(w.Name)
		made, err := w.Program.build(func(r Ref, n *Node) *ops.Node { return g.Input(fmt.Sprint(r), n.DType, n.Dims...) })
		require.NoError(t, err, w.Name)
		if len(w.Program.Wrt) > 0 {
			var xs []*ops.Node
			for _, r := range w.Program.Wrt {
				xs = append(xs, made[r])
			}
			ops.Gradients(made[w.Program.Outputs[0]], xs...)
		}
		require.NoError(t, g.Err(), w.Name)
		require.NotEmpty(t, w.Program.Outputs, w.Name)
		require.Positive(t, w.Bytes, w.Name)
	}
}

func TestTheSameWorkDrawsTheSameOperands(t *testing.T) {
	t.Parallel()
	p := &Program{}
	p.Operand(3, 5)
	p.Leaf(Operand, tensor.Int32, Fill{Below: 7}, 40)
	a, err := p.Draw(9)
	require.NoError(t, err)
	b, err := p.Draw(9)
	require.NoError(t, err)
	for i := range a {
		require.True(t, tensor.Equal(a[i], b[i]))
	}
	ids, err := tensor.ToSlice[int32](a[1])
	require.NoError(t, err)
	for _, id := range ids {
		require.True(t, id >= 0 && id < 7)
	}
}

func TestOursIsMeasuredAndChecked(t *testing.T) {
	t.Parallel()
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer func() { require.NoError(t, rt.Close()) }()
	p := &Program{}
	x, w := p.Operand(4, 8), p.Weight(8, 8, 3)
	p.Return(p.Do("relu", p.Do("matmul", x, w)))
	work := &Work{Name: "small", Program: p, Rate: GFLOPS, Flops: 192}
	results, err := Measure(t.Context(), work, []Contender{NewOurs(rt, ops.OnCPU), NewOurs(rt, ops.Auto)}, brief)
	require.NoError(t, err)
	require.True(t, results[0].Checked)
	require.Zero(t, results[1].Error)
	require.Positive(t, results[0].Stats.Median)
}

func TestClientsShareTheAnswers(t *testing.T) {
	t.Parallel()
	var asked [3]atomic.Int64
	times := make([]time.Duration, 30)
	took, err := Serve(t.Context(), 3, times, func(c int) error {
		asked[c].Add(1)
		time.Sleep(time.Millisecond)
		return nil
	})
	require.NoError(t, err)
	require.EqualValues(t, 30, asked[0].Load()+asked[1].Load()+asked[2].Load())
	for _, one := range times {
		require.GreaterOrEqual(t, one, time.Millisecond)
	}
	require.Positive(t, took)
	broken := errors.New("broken")
	_, err = Serve(t.Context(), 3, times, func(int) error { return broken })
	require.ErrorIs(t, err, broken)
}

func TestServingIsMeasuredByThroughput(t *testing.T) {
	t.Parallel()
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer func() { require.NoError(t, rt.Close()) }()
	p := &Program{}
	w := &Work{Name: "served", Program: p.Return(p.Do("exp", p.Input(1000))), Rate: PerSec, Clients: 2}
	results, err := Measure(t.Context(), w, []Contender{NewOurs(rt, ops.OnCPU), &fake{name: "b", result: []float32{1}}}, brief)
	require.NoError(t, err)
	require.ErrorIs(t, results[1].Skipped, ErrCannot, "it serves one client")
	r := Records(w, results, Context{})[0]
	require.Equal(t, 2, r.Clients)
	require.Positive(t, r.Speed)
	require.GreaterOrEqual(t, r.P99, r.P50)
}

func TestAProcessIsTimedUntilItsLine(t *testing.T) {
	t.Parallel()
	p := &Process{Package: "x", Line: "there"}
	j := &processJob{Process: p, path: "/bin/sh"}
	p.Args = []string{"-c", "echo here; echo there; exec sleep 60"}
	var times [1]time.Duration
	require.NoError(t, j.Run(t.Context(), times[:]))
	require.Less(t, times[0], 30*time.Second)
	p.Args = []string{"-c", "echo here"}
	require.ErrorContains(t, j.Run(t.Context(), times[:]), "without a line")
}

func TestWhatIsWidenedIsComparedToo(t *testing.T) {
	t.Parallel()
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer func() { require.NoError(t, rt.Close()) }()
	ours := NewOurs(rt, ops.OnCPU)
	w := gemm("small", tensor.BFloat16, 8, 8, 8, []Goal{atLeast(0.8, NameFloat32)})
	w.Tolerance = 2e-2
	results, err := Measure(t.Context(), w, []Contender{ours, Widened{ours}}, brief)
	require.NoError(t, err)
	require.True(t, results[1].Checked)
	require.Positive(t, results[1].Error, "the result of ours is rounded")
	require.Equal(t, tensor.BFloat16, w.Program.Nodes[0].DType, "the work is as it was")
}

func TestTheHostsCopyCopies(t *testing.T) {
	t.Parallel()
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer func() { require.NoError(t, rt.Close()) }()
	p := &Program{}
	w := &Work{Name: "copy", Program: p.Return(p.Do("copy", p.Operand(1003))), Rate: GBps, Bytes: 8024}
	results, err := Measure(t.Context(), w, []Contender{NewOurs(rt, ops.OnCPU), memcpy{}}, brief)
	require.NoError(t, err)
	require.True(t, results[1].Checked)
	require.Zero(t, results[1].Error)
}
