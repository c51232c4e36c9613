package runs_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// adder is a graph with a variable: outputs x + sum of all x so far, and the
// largest of x; updates the sum.
type adder struct {
	exe *ops.Executable
	x   *ops.Node
	n   int // elements
}

// Sizes of adders: what goes straight to a device with memory of its own, and what
// goes there through relays.
const (
	adderSize      = 5000
	largeAdderSize = 20_000
)

func newAdder(t *testing.T, rt *ops.Runtime, where ops.Place, n int) *adder {
	t.Helper()
	g := ops.NewGraph("adder")
	x := g.Input("x", tensor.Float32, n)
	sum := g.Variable("sum", tensor.Must(tensor.New(tensor.Float32, n)))
	next := ops.Add(sum, x)
	exe, err := g.Compile(t.Context(), rt, ops.Target{
		Outputs: []*ops.Node{ops.Add(x, next), ops.Max(x)}, Updates: []*ops.Node{ops.Assign(sum, next)}, Place: where,
	})
	require.NoError(t, err)
	return &adder{exe, x, n}
}

// feeds are n feeds of the values 1, 2, ... n in one tensor, which is spoilt as
// soon as the next is asked for. Instead of feed number fail it gives an error.
func (a *adder) feeds(n, fail int) iter.Seq2[ops.Feeds, error] {
	return func(yield func(ops.Feeds, error) bool) {
		values := make([]float32, a.n)
		t := tensor.Must(tensor.FromSlice(values))
		for i := 1; i <= n; i++ {
			if i == fail {
				yield(nil, errSpoilt)
				return
			}
			for j := range values {
				values[j] = float32(i)
			}
			if !yield(ops.Feeds{a.x: t}, nil) {
				return
			}
			clear(values)
		}
	}
}

var errSpoilt = errors.New("no more batches")

// right checks the outputs of run number i, counted from 1.
func right(t *testing.T, i int, outs []*tensor.Tensor) {
	t.Helper()
	n := outs[0].Len()
	for _, j := range []int{0, n / 2, n - 1} {
		require.EqualValues(t, i+i*(i+1)/2, outs[0].Float64At(j), "run %d, element %d", i, j)
	}
	require.EqualValues(t, i, outs[1].Float64At(0))
}

func eachPlace(t *testing.T, test func(t *testing.T, a *adder)) {
	for _, thread := range []string{"workers", "pool"} { // a run ahead of the caller, and in its foreground
		t.Run("device, "+thread, func(t *testing.T) {
			t.Setenv(variant.EnvVariant, "thread="+thread)
			a := newAdder(t, openDevice(t, nil), ops.OnDevice, adderSize)
			test(t, a)
			require.NoError(t, a.exe.Close())
		})
	}
	t.Run("device with memory of its own", func(t *testing.T) {
		r := newRig(t)
		r.opts.Staging = "on"
		rt, closeAll, err := r.open(t.Context())
		require.NoError(t, err)
		test(t, newAdder(t, rt, ops.OnDevice, largeAdderSize))
		require.NoError(t, errors.Join(rt.Close(), closeAll()))
		require.Zero(t, r.lib.Stats().Total(), "%+v", r.lib.Stats())
	})
	t.Run("cpu", func(t *testing.T) {
		cpu := fallback.New(nil)
		rt := ops.NewRuntime(cpu)
		test(t, newAdder(t, rt, ops.OnCPU, adderSize))
		require.NoError(t, errors.Join(rt.Close(), cpu.Close()))
	})
}

func TestEachGivesWhatRunsWouldInOrder(t *testing.T) {
	for _, ahead := range []int{0, -1, 1, 7} {
		eachPlace(t, func(t *testing.T, a *adder) {
			n := 0
			for outs, err := range a.exe.Each(t.Context(), a.feeds(20, 0), ops.EachOptions{Ahead: ahead}) {
				require.NoError(t, err)
				n++
				right(t, n, outs)
			}
			require.Equal(t, 20, n)
		})
	}
}

func TestEachYieldsResultsBeforeTheErrorOfAFeed(t *testing.T) {
	eachPlace(t, func(t *testing.T, a *adder) {
		n := 0
		for outs, err := range a.exe.Each(t.Context(), a.feeds(20, 6), ops.EachOptions{Ahead: 3}) {
			if n == 5 {
				require.ErrorIs(t, err, errSpoilt)
				n = -1
				continue
			}
			require.NoError(t, err)
			n++
			right(t, n, outs)
		}
		require.Equal(t, -1, n, "the error comes, and last")
	})
}

func TestAWrongFeedEndsEach(t *testing.T) {
	eachPlace(t, func(t *testing.T, a *adder) {
		wrong := func(yield func(ops.Feeds, error) bool) { yield(ops.Feeds{}, nil) }
		n := 0
		for _, err := range a.exe.Each(t.Context(), wrong, ops.EachOptions{}) {
			require.ErrorIs(t, err, ops.ErrFeed)
			n++
		}
		require.Equal(t, 1, n)
		for _, o := range []ops.EachOptions{{Ahead: -2}, {}} {
			for _, err := range a.exe.Each(t.Context(), nil, o) {
				require.Error(t, err)
				n++
			}
		}
		require.Equal(t, 3, n)
	})
}

// Runs that were under way when the loop ended have updated the variable, no
// others have, and later runs see that.
func TestALoopOverEachMayEndEarly(t *testing.T) {
	eachPlace(t, func(t *testing.T, a *adder) {
		const ahead = 2
		n := 0
		for outs, err := range a.exe.Each(t.Context(), a.feeds(20, 0), ops.EachOptions{Ahead: ahead}) {
			require.NoError(t, err)
			n++
			right(t, n, outs)
			if n == 4 {
				break
			}
		}
		zero := tensor.Must(tensor.New(tensor.Float32, a.n))
		outs, err := a.exe.Run(t.Context(), ops.Feeds{a.x: zero})
		require.NoError(t, err)
		require.Contains(t, []float64{4 * 5 / 2, 5 * 6 / 2, 6 * 7 / 2}, outs[0].Float64At(3))
	})
}

func TestEachHearsItsContext(t *testing.T) {
	eachPlace(t, func(t *testing.T, a *adder) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n, failed := 0, false
		for outs, err := range a.exe.Each(ctx, a.feeds(1000, 0), ops.EachOptions{}) {
			if err != nil {
				require.ErrorIs(t, err, context.Canceled)
				failed = true
				continue
			}
			n++
			right(t, n, outs)
			if n == 3 {
				cancel()
			}
		}
		require.True(t, failed)
		require.Equal(t, 3, n)
	})
}

func TestClosingTheExecutableEndsEach(t *testing.T) {
	eachPlace(t, func(t *testing.T, a *adder) {
		n := 0
		var last error
		for outs, err := range a.exe.Each(t.Context(), a.feeds(1000, 0), ops.EachOptions{}) {
			if last = err; err != nil {
				continue
			}
			n++
			right(t, n, outs)
			if n == 2 {
				require.NoError(t, a.exe.Close())
			}
		}
		require.ErrorIs(t, last, ops.ErrClosed)
		require.GreaterOrEqual(t, n, 2)
	})
}

// Loops over one executable take turns; each sees outputs of its own feeds.
func TestSeveralLoopsOverOneExecutable(t *testing.T) {
	eachPlace(t, func(t *testing.T, a *adder) {
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				n := 0
				for outs, err := range a.exe.Each(t.Context(), a.feeds(30, 0), ops.EachOptions{}) {
					if !assert.NoError(t, err) {
						return
					}
					n++
					assert.EqualValues(t, n, outs[1].Float64At(0))
				}
				assert.Equal(t, 30, n)
			})
		}
		wg.Wait()
		zero := tensor.Must(tensor.New(tensor.Float32, a.n))
		outs, err := a.exe.Run(t.Context(), ops.Feeds{a.x: zero})
		require.NoError(t, err)
		require.EqualValues(t, 3*30*31/2, outs[0].Float64At(7))
	})
}

func TestAGraphWithoutOutputsRunsAheadToo(t *testing.T) {
	g := ops.NewGraph("count")
	count := g.Variable("count", tensor.Scalar(float32(0)))
	exe, err := g.Compile(t.Context(), openDevice(t, nil), ops.Target{
		Updates: []*ops.Node{ops.Assign(count, ops.Add(count, ops.ScalarLike(count, 1)))}, Place: ops.OnDevice,
	})
	require.NoError(t, err)
	none := func(yield func(ops.Feeds, error) bool) {
		for range 10 {
			if !yield(nil, nil) {
				return
			}
		}
	}
	for outs, err := range exe.Each(t.Context(), none, ops.EachOptions{}) {
		require.NoError(t, err)
		require.Empty(t, outs)
	}
	v, err := ops.Value(t.Context(), count)
	require.NoError(t, err)
	require.EqualValues(t, 10, v.Float64At(0))
	require.NoError(t, exe.Close())
}

// On a device with memory of its own a longer loop allocates no more than a short one.
func TestARunOfEachAllocatesNothing(t *testing.T) {
	if opstest.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	r := newRig(t)
	r.opts.Staging, r.opts.Library = "on", nil // faults that may be injected cost memory
	rt, closeAll, err := r.open(t.Context())
	require.NoError(t, err)
	for _, n := range []int{adderSize, largeAdderSize} {
		a := newAdder(t, rt, ops.OnDevice, n)
		same := ops.Feeds{a.x: tensor.Must(tensor.New(tensor.Float32, n))}
		loop := func(runs int) float64 {
			return testing.AllocsPerRun(1, func() {
				feeds := func(yield func(ops.Feeds, error) bool) {
					for i := 0; i < runs && yield(same, nil); i++ {
					}
				}
				for _, err := range a.exe.Each(context.Background(), feeds, ops.EachOptions{}) {
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		// Memory for staging grows to its working size, which is how much is ever on its way at once: a device
		// that falls further behind than before makes it grow once more. What a run allocates is there each time.
		loop(500)
		least := math.Inf(1)
		for try := 0; try < 5 && least >= 10; try++ {
			least = min(least, loop(210)-loop(10))
		}
		require.Less(t, least, 10.0, "%d elements", n)
	}
	require.NoError(t, errors.Join(rt.Close(), closeAll()))
}

// Whatever fails at whatever call, the loop tells, nothing leaks, and a later
// loop is right.
func TestEveryFailureInsideEachIsToldAndLeaksNothing(t *testing.T) {
	for staging, n := range adderSizes {
		everyFailureInsideEach(t, staging, n)
	}
}

// adderSizes are for devices that share the host's memory and for those that do not.
var adderSizes = map[string]int{"": adderSize, "on": largeAdderSize}

func everyFailureInsideEach(t *testing.T, staging string, n int) {
	r := newRig(t)
	r.opts.Staging = staging
	size := n
	for _, op := range []string{"write", "read", "launch", "marker", "flush", "wait"} {
		for at := 1; at <= 4; at++ {
			rt, closeAll, err := r.open(t.Context())
			require.NoError(t, err)
			a := newAdder(t, rt, ops.OnDevice, size)
			loop := func() (n int, err error) {
				for _, e := range a.exe.Each(t.Context(), a.feeds(5, 0), ops.EachOptions{}) {
					if err = e; e == nil {
						n++
					}
				}
				return n, err
			}
			n, err := loop()
			require.NoError(t, err)
			require.Equal(t, 5, n)
			r.faults.FailFrom(at, cl.OutOfResources, op)
			n, err = loop()
			fired := r.faults.Fired()
			r.faults.Off()
			if fired > 0 {
				require.ErrorIs(t, err, cl.OutOfResources, "%s %d", op, at)
				require.Less(t, n, 5)
			} else {
				require.NoError(t, err)
			}
			_, _ = loop() // may tell what nobody has waited for
			n, err = loop()
			require.NoError(t, err, "%s %d", op, at)
			require.Equal(t, 5, n)
			require.NoError(t, errors.Join(a.exe.Close(), rt.Close(), closeAll()))
			require.Zero(t, r.lib.Stats().Total(), "%s %d: %+v", op, at, r.lib.Stats())
		}
	}
}
