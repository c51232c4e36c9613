package runs_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/fallback"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// learner is a network of two layers, which learns whether points lie in a ring.
type learner struct {
	g      *Graph
	params []*Node
	twist  func(loss, x *Node) *Node // nil: none
}

func newLearner(t testing.TB, dt tensor.DType) *learner {
	l := &learner{g: NewGraph("learner")}
	for i, shape := range [][]int{{2, 8}, {8}, {8, 2}, {2}} {
		w, err := tensor.New(dt, shape...)
		require.NoError(t, err)
		for j := range w.Len() {
			w.SetFloat64(j, math.Sin(float64(3*j+7*i+1)))
		}
		l.params = append(l.params, l.g.Variable(fmt.Sprintf("w%d", i), w))
	}
	return l
}

func (l *learner) share(rows int) Share {
	dt := l.params[0].DType()
	x, y := l.g.Input("x", dt, rows, 2), l.g.Input("y", tensor.Int32, rows)
	h := Tanh(Add(MatMul(x, l.params[0]), l.params[1]))
	loss := CrossEntropy(Add(MatMul(h, l.params[2]), l.params[3]), y)
	if l.twist != nil {
		loss = l.twist(loss, x)
	}
	return Share{Inputs: []*Node{x, y}, Loss: loss}
}

func (l *learner) adam(loss *Node) []*Node {
	return opstest.Adam(loss, l.params, 0.05)
}

func (l *learner) values(t testing.TB) (all []*tensor.Tensor) {
	t.Helper()
	for _, v := range l.params {
		x, err := Value(t.Context(), v)
		require.NoError(t, err)
		all = append(all, x)
	}
	return all
}

// ring is the i-th batch of a given number of points.
func ring(dt tensor.DType, i, rows int) (x, y *tensor.Tensor) {
	x, y = tensor.Must(tensor.New(dt, rows, 2)), tensor.Must(tensor.New(tensor.Int32, rows))
	for r := range rows {
		a, b := math.Sin(float64(13*i+5*r)), math.Cos(float64(7*i+11*r))
		x.SetFloat64(2*r, a)
		x.SetFloat64(2*r+1, b)
		if a*a+b*b > 0.7 {
			y.SetFloat64(r, 1)
		}
	}
	return x, y
}

// batches of other and other sizes: even, uneven, fewer rows than shares.
var batchRows = []int{12, 12, 7, 2, 1, 12, 5}

// alone trains with one share, on the CPU path.
func (l *learner) alone(t testing.TB) (losses []float64) {
	t.Helper()
	rt := opstest.CPUOnly(t)
	p, err := NewDataParallel(t.Context(), []*Runtime{rt}, DataParallelOptions{Params: l.params, Share: l.share, Optimizer: l.adam})
	require.NoError(t, err)
	losses = l.steps(t, p)
	require.NoError(t, p.Close())
	return losses
}

func (l *learner) steps(t testing.TB, p *DataParallel) (losses []float64) {
	t.Helper()
	for i, rows := range batchRows {
		x, y := ring(l.params[0].DType(), i, rows)
		loss, err := p.Step(t.Context(), nil, x, y)
		require.NoError(t, err)
		losses = append(losses, loss)
	}
	return losses
}

// simulated are runtimes of a given number of devices that have memory of their own.
func simulated(t testing.TB, n int) (all []*Runtime) {
	for range n {
		all = append(all, opstest.NewOverlapRig(t, "queue").Runtime)
	}
	return all
}

// Training without anything divided is an executable with its updates: here, of batches of one size.
func TestOneShareIsPlainTraining(t *testing.T) {
	t.Parallel()
	rt := opstest.CPUOnly(t)
	for _, n := range []int{1, 2, 3} {
		plain, divided := newLearner(t, tensor.Float64), newLearner(t, tensor.Float64)
		s := plain.share(12)
		exe, err := plain.g.Compile(t.Context(), rt, Target{Outputs: []*Node{s.Loss}, Updates: plain.adam(s.Loss)})
		require.NoError(t, err)
		p, err := NewDataParallel(t.Context(), simulated(t, n), DataParallelOptions{Params: divided.params, Share: divided.share, Optimizer: divided.adam, Batch: 12})
		require.NoError(t, err)
		for i := range 10 {
			x, y := ring(tensor.Float64, i, 12)
			out, err := exe.Run(t.Context(), Feeds{s.Inputs[0]: x, s.Inputs[1]: y})
			require.NoError(t, err)
			loss, err := p.Step(t.Context(), nil, x, y)
			require.NoError(t, err)
			require.InDelta(t, out[0].Float64At(0), loss, 1e-12)
		}
		require.NoError(t, p.Close())
		want, got := plain.values(t), divided.values(t)
		for i := range want {
			for j := range want[i].Len() {
				require.InDelta(t, want[i].Float64At(j), got[i].Float64At(j), 1e-11, "%d devices, parameter %d", n, i)
			}
		}
	}
}

// What the shares are decides the result, to the bit; who computes them does not.
func TestSharesAndNotDevicesDecideTheResult(t *testing.T) {
	t.Parallel()
	var want []*tensor.Tensor
	var losses []float64
	for _, shares := range [][]int{{3}, {3}, {1, 1, 1}, {2, 1}, {1, 2}, {0, 3}, {1, 1, 1}} {
		l := newLearner(t, tensor.Float32)
		p, err := NewDataParallel(t.Context(), simulated(t, len(shares)), DataParallelOptions{Params: l.params, Share: l.share, Optimizer: l.adam, Shares: shares, Reproducible: true})
		require.NoError(t, err)
		got := l.steps(t, p)
		require.NoError(t, p.Close())
		if want == nil {
			want, losses = l.values(t), got
			continue
		}
		require.Equal(t, losses, got, "%v", shares)
		for i, v := range l.values(t) {
			require.True(t, tensor.Equal(want[i], v), "%v: parameter %d", shares, i)
		}
	}
}

// Batches of any size are as good as undivided ones.
func TestUnevenBatchesAreDivided(t *testing.T) {
	t.Parallel()
	whole := newLearner(t, tensor.Float64)
	want := whole.alone(t)
	for _, n := range []int{2, 3} {
		l := newLearner(t, tensor.Float64)
		p, err := NewDataParallel(t.Context(), simulated(t, n), DataParallelOptions{Params: l.params, Share: l.share, Optimizer: l.adam})
		require.NoError(t, err)
		require.InDeltaSlice(t, want, l.steps(t, p), 1e-12)
		require.NoError(t, p.Close())
		for i, v := range l.values(t) {
			w, err := Value(t.Context(), whole.params[i])
			require.NoError(t, err)
			for j := range v.Len() {
				require.InDelta(t, w.Float64At(j), v.Float64At(j), 1e-11)
			}
		}
	}
}

func TestAnEmptyShareLeavesNoTrace(t *testing.T) {
	t.Parallel()
	l := newLearner(t, tensor.Float32)
	p, err := NewDataParallel(t.Context(), simulated(t, 2), DataParallelOptions{Params: l.params, Share: l.share, Optimizer: func(loss *Node) []*Node {
		return opstest.Momentum(loss, l.params, 1e-30, 0)
	}})
	require.NoError(t, err)
	x, y := ring(tensor.Float32, 0, 4)
	x.SetFloat64(7, math.NaN()) // in the second share
	loss, err := p.Step(t.Context(), nil, x, y)
	require.NoError(t, err)
	require.True(t, math.IsNaN(loss))
	x, y = ring(tensor.Float32, 0, 1)
	for i, v := range newLearner(t, tensor.Float32).values(t) {
		require.NoError(t, Set(t.Context(), l.params[i], v))
	}
	loss, err = p.Step(t.Context(), nil, x, y)
	require.NoError(t, err)
	require.False(t, math.IsNaN(loss))
	require.NoError(t, p.Close())
}

// failing lets a share that has a kernel of its own fail.
func failing(l *learner, f func() error) {
	l.twist = func(loss, x *Node) *Node {
		y := Kernel(l.g, KernelOptions{
			Source: "-", Entry: "failing", Results: []Result{{DType: tensor.Float32, Shape: nil}},
			Host: func(_, _ []*tensor.Tensor) error { return f() },
		}, x)[0]
		return Add(loss, Mul(StopGradient(y), ScalarLike(y, 0)))
	}
}

func TestAnErrorOfOneDeviceLeavesTheVariables(t *testing.T) {
	t.Parallel()
	errBroken := errors.New("broken")
	var calls atomic.Int32
	var broken atomic.Bool
	l, want := newLearner(t, tensor.Float32), newLearner(t, tensor.Float32)
	for _, x := range []*learner{l, want} {
		failing(x, func() error {
			if calls.Add(1)%3 == 0 && broken.Load() {
				return errBroken
			}
			return nil
		})
	}
	cpu := func() *Runtime {
		e := fallback.New(nil)
		rt := NewRuntime(e)
		t.Cleanup(func() { require.NoError(t, errors.Join(rt.Close(), e.Close())) })
		return rt
	}
	train := func(l *learner, faults bool) {
		p, err := NewDataParallel(t.Context(), []*Runtime{cpu(), cpu(), cpu()}, DataParallelOptions{Params: l.params, Share: l.share, Optimizer: l.adam, Batch: 6})
		require.NoError(t, err)
		for i := range 4 {
			x, y := ring(tensor.Float32, i, 6)
			if faults {
				before := l.values(t)
				broken.Store(true)
				_, err := p.Step(t.Context(), nil, x, y)
				broken.Store(false)
				require.ErrorIs(t, err, errBroken)
				require.ErrorContains(t, err, `step of "learner": share `)
				require.NotErrorIs(t, err, context.Canceled)
				for i, v := range l.values(t) {
					require.True(t, tensor.Equal(before[i], v))
				}
			}
			_, err := p.Step(t.Context(), nil, x, y)
			require.NoError(t, err)
		}
		require.NoError(t, p.Close())
	}
	train(l, true)
	train(want, false)
	for i, v := range want.values(t) {
		require.True(t, tensor.Equal(v, l.values(t)[i]), "failures changed parameter %d", i)
	}
}

func TestAContextEndsAStepAndLeavesTheVariables(t *testing.T) {
	t.Parallel()
	l := newLearner(t, tensor.Float32)
	var end atomic.Value
	end.Store(context.CancelFunc(func() {}))
	failing(l, func() error { end.Load().(context.CancelFunc)(); return nil })
	p, err := NewDataParallel(t.Context(), simulated(t, 2), DataParallelOptions{Params: l.params, Share: l.share, Optimizer: l.adam})
	require.NoError(t, err)
	x, y := ring(tensor.Float32, 0, 6)
	_, err = p.Step(t.Context(), nil, x, y)
	require.NoError(t, err)
	before := l.values(t)
	ctx, cancel := context.WithCancel(t.Context())
	end.Store(cancel)
	_, err = p.Step(ctx, nil, x, y)
	require.ErrorIs(t, err, context.Canceled)
	for i, v := range l.values(t) {
		require.True(t, tensor.Equal(before[i], v))
	}
	_, err = p.Step(ctx, nil, x, y)
	require.ErrorIs(t, err, context.Canceled)
	_, err = p.Step(t.Context(), nil, x, y)
	require.NoError(t, err, "the next step works")
	require.NoError(t, p.Close())
}

// Each device waits until the other has begun.
func TestDevicesComputeAtTheSameTime(t *testing.T) {
	t.Parallel()
	l := newLearner(t, tensor.Float32)
	var here atomic.Int32
	failing(l, func() error {
		here.Add(1)
		for end := time.Now().Add(20 * time.Second); here.Load() < 2; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				return opstest.ErrAlone
			}
		}
		return nil
	})
	p, err := NewDataParallel(t.Context(), simulated(t, 2), DataParallelOptions{Params: l.params, Share: l.share, Optimizer: l.adam})
	require.NoError(t, err)
	x, y := ring(tensor.Float32, 0, 6)
	_, err = p.Step(t.Context(), nil, x, y)
	require.NoError(t, err)
	require.NoError(t, p.Close())
}

func TestScheduledRatesAndRandomSharesAreFed(t *testing.T) {
	t.Parallel()
	l := newLearner(t, tensor.Float32)
	rate := l.g.Input("rate", tensor.Float32)
	keep := map[*Node]bool{}
	l.twist = func(loss, x *Node) *Node {
		u := l.g.Uniform(tensor.Float32, 4)
		keep[u] = true
		return Add(loss, StopGradient(Sum(u)))
	}
	p, err := NewDataParallel(t.Context(), simulated(t, 2), DataParallelOptions{Params: l.params, Share: l.share, Optimizer: func(loss *Node) []*Node {
		var updates []*Node
		for i, d := range Gradients(loss, l.params...) {
			updates = append(updates, Assign(l.params[i], Sub(l.params[i], Mul(d, rate))))
		}
		return updates
	}})
	require.NoError(t, err)
	x, y := ring(tensor.Float32, 0, 6)
	before := l.values(t)
	_, err = p.Step(t.Context(), Feeds{rate: tensor.Scalar(float32(0))}, x, y)
	require.NoError(t, err)
	for i, v := range l.values(t) {
		require.True(t, tensor.Equal(before[i], v), "a rate of 0")
	}
	_, err = p.Step(t.Context(), Feeds{rate: tensor.Scalar(float32(1))}, x, y)
	require.NoError(t, err)
	require.False(t, tensor.Equal(before[0], l.values(t)[0]))
	require.Len(t, keep, 2, "each share has random numbers of its own")
	_, err = p.Step(t.Context(), nil, x, y)
	require.ErrorIs(t, err, ErrFeed)
	require.NoError(t, p.Close())
}

func TestAStepAllocatesLittle(t *testing.T) {
	if opstest.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	l := newLearner(t, tensor.Float32)
	a, b := fallback.New(nil), fallback.New(nil)
	one, two := NewRuntime(a), NewRuntime(b)
	p, err := NewDataParallel(t.Context(), []*Runtime{one, two}, DataParallelOptions{Params: l.params, Share: l.share, Optimizer: l.adam, Batch: 12})
	require.NoError(t, err)
	x, y := ring(tensor.Float32, 0, 12)
	got := testing.AllocsPerRun(50, func() {
		_, err := p.Step(context.Background(), nil, x, y)
		require.NoError(t, err)
	})
	require.LessOrEqual(t, got, 32.0)
	require.NoError(t, errors.Join(p.Close(), one.Close(), two.Close(), a.Close(), b.Close()))
}

func TestMistakesInDataParallelTrainingAreErrors(t *testing.T) {
	t.Parallel()
	rt, other := opstest.CPUOnly(t), opstest.CPUOnly(t)
	for want, change := range map[string]func(l *learner, o *DataParallelOptions, devices *[]*Runtime){
		"there are no devices":           func(_ *learner, _ *DataParallelOptions, d *[]*Runtime) { *d = nil },
		"device 1 is no runtime":         func(_ *learner, _ *DataParallelOptions, d *[]*Runtime) { (*d)[1] = nil },
		"devices 0 and 1 are one":        func(_ *learner, _ *DataParallelOptions, d *[]*Runtime) { (*d)[1] = rt },
		"Share and Optimizer are needed": func(_ *learner, o *DataParallelOptions, _ *[]*Runtime) { o.Share = nil },
		"1 numbers of shares for 2":      func(_ *learner, o *DataParallelOptions, _ *[]*Runtime) { o.Shares = []int{1} },
		"device 1 has -1 shares":         func(_ *learner, o *DataParallelOptions, _ *[]*Runtime) { o.Shares = []int{1, -1} },
		"no device has a share":          func(_ *learner, o *DataParallelOptions, _ *[]*Runtime) { o.Shares = []int{0, 0} },
		"a batch of -1 rows":             func(_ *learner, o *DataParallelOptions, _ *[]*Runtime) { o.Batch = -1 },
		"there are no parameters":        func(_ *learner, o *DataParallelOptions, _ *[]*Runtime) { o.Params = nil },
		"is not a variable":              func(l *learner, o *DataParallelOptions, _ *[]*Runtime) { o.Params = []*Node{Neg(l.params[0])} },
		"is given twice":                 func(l *learner, o *DataParallelOptions, _ *[]*Runtime) { o.Params = []*Node{l.params[0], l.params[0]} },
		"no updates": func(_ *learner, o *DataParallelOptions, _ *[]*Runtime) {
			o.Optimizer = func(*Node) []*Node { return nil }
		},
		"not a scalar float": func(l *learner, o *DataParallelOptions, _ *[]*Runtime) {
			o.Share = func(rows int) Share { s := l.share(rows); s.Loss = s.Inputs[0]; return s }
		},
		"is not of graph": func(l *learner, o *DataParallelOptions, _ *[]*Runtime) {
			o.Share = func(rows int) Share { s := l.share(rows); s.Loss = nil; return s }
		},
		"has other rows": func(l *learner, o *DataParallelOptions, _ *[]*Runtime) {
			o.Share = func(rows int) Share { return l.share(rows + 1) }
		},
		"has no inputs": func(l *learner, o *DataParallelOptions, _ *[]*Runtime) {
			o.Share = func(rows int) Share { s := l.share(rows); s.Inputs = nil; return s }
		},
		"is not an input": func(l *learner, o *DataParallelOptions, _ *[]*Runtime) {
			o.Share = func(rows int) Share { s := l.share(rows); s.Inputs[0] = s.Loss; return s }
		},
		"matmul at": func(l *learner, o *DataParallelOptions, _ *[]*Runtime) {
			o.Share = func(rows int) Share { s := l.share(rows); MatMul(s.Inputs[0], l.params[2]); return s }
		},
	} {
		l := newLearner(t, tensor.Float32)
		o := DataParallelOptions{Params: l.params, Share: l.share, Optimizer: l.adam, Batch: 4}
		devices := []*Runtime{rt, other}
		change(l, &o, &devices)
		_, err := NewDataParallel(t.Context(), devices, o)
		require.ErrorContains(t, err, want)
	}

	l := newLearner(t, tensor.Float32)
	p, err := NewDataParallel(t.Context(), []*Runtime{rt, other}, DataParallelOptions{Params: l.params, Share: l.share, Optimizer: l.adam})
	require.NoError(t, err)
	x, y := ring(tensor.Float32, 0, 4)
	few, _ := ring(tensor.Float32, 0, 3)
	for _, batch := range [][]*tensor.Tensor{nil, {x}, {x, nil}, {few, y}, {y, x}, {x, y, y}, {tensor.Scalar(float32(1)), y}} {
		_, err := p.Step(t.Context(), nil, batch...)
		require.ErrorIs(t, err, ErrFeed)
	}
	var none context.Context
	_, err = p.Step(none, nil, x, y)
	require.ErrorContains(t, err, "context is nil")
	require.ErrorContains(t, p.Prepare(t.Context(), 0), "0 rows")
	require.NoError(t, errors.Join(p.Close(), p.Close()))
	_, err = p.Step(t.Context(), nil, x, y)
	require.ErrorIs(t, err, ErrClosed)
}
