package ocl

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// withInlineDevice is an engine whose sequences run where force says.
func withInlineDevice(t testing.TB, force string) *Engine {
	t.Helper()
	o, err := ocltest.SharedDevice()
	if err != nil {
		t.Skipf("no OpenCL device: %v", err)
	}
	e := NewForced(o, force)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	if e.host == nil {
		t.Skipf("%s has no inline device", o.Device())
	}
	return e
}

func TestASequenceOnTheCallingThreadIsOverWhenRunReturns(t *testing.T) {
	e := withInlineDevice(t, "thread=caller")
	const rows, cols = 3, 700
	s, arena, out := chain(t, e, rows, cols)
	require.True(t, s.Traits().Immediate)
	require.Contains(t, s.Describe(0).Why, "CPU threads: inline")
	ones := make([]float32, rows*cols)
	for i := range ones {
		ones[i] = 1
	}
	require.NoError(t, e.Write(t.Context(), arena, 0, floats(ones...)))
	got := make([]byte, rows*4)
	for run := range uint32(3) {
		require.NoError(t, s.Run(t.Context(), 0, 3, run))
		require.True(t, e.Idle(), "nothing was left to the device")
		require.NoError(t, e.Read(t.Context(), got, arena, out))
		want := 2*cols + float32(run)
		require.Equal(t, floats(want, want, want), got)
	}
}

// Sequences of both kinds share memory, and each sees the results of the other before it, waited for or not.
func TestDeviceAndCallingThreadSeeEachOthersResults(t *testing.T) {
	e := withInlineDevice(t, "")
	const n = 1 << 16
	mem, err := e.Alloc(4 * n)
	require.NoError(t, err)
	defer func() { require.NoError(t, mem.Close()) }()
	at := engine.Operand{DType: tensor.Float32, Len: n}
	x := engine.Load(0, at.DType, engine.AxisIndex(0), nil)
	increment := func(force string) engine.Sequence {
		e.force = force
		task := sample.Map(engine.Domain{n}, engine.Apply(sample.Add, at.DType, x, engine.Apply(sample.Cast, at.DType, engine.Run())), at)
		task.Alias = []int{0}
		slot := []engine.Slot{{Mem: mem}}
		s, err := e.Prepare(t.Context(), []engine.Bound{{Task: task, Ins: slot, Outs: slot}})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
	far, near := increment("thread=workers"), increment("thread=caller")
	require.False(t, far.Traits().Immediate)
	require.NoError(t, e.Write(t.Context(), mem, 0, make([]byte, 4*n)))
	var sum float32
	for run := range uint32(40) {
		require.NoError(t, far.Run(t.Context(), 0, 1, run))
		require.NoError(t, near.Run(t.Context(), 0, 1, 3*run))
		sum += float32(4 * run)
	}
	got := make([]byte, 4*n)
	require.NoError(t, e.Read(t.Context(), got, mem, 0))
	want := make([]float32, n)
	for i := range want {
		want[i] = sum
	}
	require.Equal(t, floats(want...), got)
}

func TestSequencesOnTheirCallersThreadsRunAtOnce(t *testing.T) {
	e := withInlineDevice(t, "thread=caller")
	const rows, cols, callers = 5, 300, 6
	var all sync.WaitGroup
	for c := range callers {
		s, arena, out := chain(t, e, rows, cols)
		in := make([]float32, rows*cols)
		for i := range in {
			in[i] = float32(c)
		}
		require.NoError(t, e.Write(t.Context(), arena, 0, floats(in...)))
		all.Go(func() {
			got := make([]byte, rows*4)
			for run := range uint32(200) {
				v := 2*cols*float32(c) + float32(run)
				if err := s.Run(t.Context(), 0, 3, run); err != nil {
					t.Error(err)
				}
				if err := e.Read(t.Context(), got, arena, out); err != nil {
					t.Error(err)
				}
				if string(got) != string(floats(v, v, v, v, v)) {
					t.Errorf("caller %d, run %d: wrong", c, run)
				}
			}
		})
	}
	all.Wait()
}

func TestWorkGoesToTheFewestThreadsThatAreWorthTheirWhile(t *testing.T) {
	e := withInlineDevice(t, "")
	e.known.Store(&rates{
		launch: time.Microsecond, flops: 200e9, memory: 20e9, up: straight(0, 20e9), down: straight(0, 20e9), direct: true,
		divergence: 1, units: 2, host: hostRates{wake: 20 * time.Microsecond, launch: time.Microsecond, memory: 100e9},
	})
	task := func(n int) *engine.Task {
		at := engine.Operand{DType: tensor.Float32, Len: int64(n)}
		return sample.Map(engine.Domain{n}, engine.Apply(sample.Add, at.DType, engine.Load(0, at.DType, engine.AxisIndex(0), nil), engine.Run()),
			at)
	}
	site := func(tasks ...*engine.Task) runner { r, _ := e.runnerFor(tasks); return r }
	require.Same(t, e.host.inline, site(task(1000)))
	require.Same(t, e.host.inline, site(task(1000), task(1000)))
	require.Same(t, e.queue, site(task(400e6)), "the caller would have to wait")
	require.Same(t, e.queue, site(task(1000), task(400e6)), "a program is on one site")

	both := engine.EstimatesOf(e, []*engine.Task{task(1000), task(400e6)})
	times, link := both.Of([]int{0})
	require.Less(t, times[0]+link.Wait, e.rates().host.wake)
	require.NotZero(t, link.Domain)
	large, link := both.Of([]int{0, 1})
	require.Equal(t, e.Transfer(0), link.Wait)
	require.Zero(t, link.Domain)
	require.Equal(t, e.Estimate(task(400e6)), large[1])
	require.Greater(t, large[0], time.Duration(0))

	if e.host == nil || e.host.pooled == nil {
		return
	}
	require.Same(t, e.host.pooled, site(saxpyTask(1000)), "a kernel of a caller's own may compute for long")
	e.host.pooled.pool.Spare = true
	require.Same(t, e.host.pooled, site(task(500e3)))
	require.Same(t, e.host.pooled, site(task(10e6)))
	require.Same(t, e.host.pooled, site(slices.Repeat([]*engine.Task{task(500e3)}, 50)...), "threads of a driver come late to every launch")
	e.host.pooled.pool.Spare = false
	require.Same(t, e.host.pooled, site(task(500e3)))
	require.Same(t, e.host.pooled, site(task(10e6)), "who waits for memory is in nobody's way")
	long := task(2e6)
	for range 400 {
		long.Values[0] = engine.Apply(sample.Add, tensor.Float32, long.Values[0], engine.Run())
	}
	require.Same(t, e.queue, site(long), "Go's monitor would be in the way")
	long.Ins[0].Len = 64e6
	require.Same(t, e.host.pooled, site(long), "what it reads would be copied to the device")
}

// A task that is predicted again, or planned, is not chosen for again.
func TestEffortsOfTasksAreFoundOnce(t *testing.T) {
	e := withInlineDevice(t, "")
	task := sample.ChannelsLast(tensor.Float32, 1, 1, 64, 28, 28, 64, false)
	f := variant.FamilyFor(task)
	listed := func() *ways {
		e.efforts.mu.Lock()
		defer e.efforts.mu.Unlock()
		return e.efforts.of[weak.Make(task)].ways
	}
	part := e.rates().effort(f, task)
	require.Less(t, part, 1.0)
	first := listed()
	require.NotNil(t, first)
	require.Equal(t, part, e.rates().effort(f, task))
	require.Same(t, first, listed())

	want, err := variant.MakePlan(e.facts, nil, task, e.force)
	require.NoError(t, err)
	require.Nil(t, e.efforts.take(new(facts.Device), task), "it is for another device")
	got, err := e.plan(e.facts, nil, task)
	require.NoError(t, err)
	require.Equal(t, want.Describe(), got.Describe())
	require.Nil(t, listed(), "one plan takes it")
	require.Equal(t, part, e.rates().effort(f, task))
	require.Nil(t, listed())

	changed := sample.Biased(sample.ChannelsLast(tensor.Float32, 1, 1, 64, 28, 28, 64, false))
	e.rates().effort(f, changed)
	changed.Alias = []int{3}
	require.Nil(t, e.efforts.take(e.facts, changed), "its result has got the memory of an operand since")
	runtime.KeepAlive(task)
	task = nil
	require.Eventually(t, func() bool {
		runtime.GC()
		e.efforts.mu.Lock()
		defer e.efforts.mu.Unlock()
		return len(e.efforts.of) == 0
	}, 10*time.Second, time.Millisecond, "those of tasks that have gone are forgotten")
}
