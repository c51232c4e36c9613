package ocl

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/hostrun"
	"github.com/anycl/anycl/internal/testleak"
	"github.com/anycl/anycl/tensor"
)

// withPool is an engine whose sequences all run on a worker pool.
func withPool(t testing.TB) *Engine {
	t.Helper()
	e := withInlineDevice(t, "thread=pool")
	if e.host == nil || e.host.pooled == nil {
		t.Skip("there is one processor")
	}
	return e
}

func TestARunOnAPoolIsOverWhenItReturns(t *testing.T) {
	e := withPool(t)
	const rows, cols = 700, 300
	s, arena, out := chain(t, e, rows, cols)
	require.True(t, s.Traits().Immediate)
	require.Contains(t, s.Describe(0).Why, "CPU threads: worker pool")
	ones := make([]float32, rows*cols)
	for i := range ones {
		ones[i] = 1
	}
	require.NoError(t, e.Write(t.Context(), arena, 0, floats(ones...)))
	got, want := make([]byte, rows*4), make([]float32, rows)
	for run := range uint32(300) {
		require.NoError(t, s.Run(t.Context(), 0, 3, run))
		require.True(t, e.Idle(), "nothing was left to the device")
		require.NoError(t, e.Read(t.Context(), got, arena, out))
		for i := range want {
			want[i] = 2*cols + float32(run)
		}
		require.Equal(t, floats(want...), got)
	}
	spans, err := s.Traits().Profiler.Profile(t.Context(), 0, 3, 7, time.Now())
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(spans), 3)
}

// Several runs at once: one has the helpers, the others are alone, and kernels are shared.
func TestRunsThatFindThePoolAtWorkGoOnAlone(t *testing.T) {
	e := withPool(t)
	var all sync.WaitGroup
	for c := range 5 {
		rows, cols := 90+70*c, 500
		s, arena, out := chain(t, e, rows, cols)
		in := make([]float32, rows*cols)
		for i := range in {
			in[i] = float32(c)
		}
		require.NoError(t, e.Write(t.Context(), arena, 0, floats(in...)))
		all.Go(func() {
			got := make([]byte, rows*4)
			for run := range uint32(100) {
				err := errors.Join(s.Run(t.Context(), 0, 3, run), e.Read(t.Context(), got, arena, out))
				want := floats(float32(2*cols*c) + float32(run))
				if err != nil || strings.Count(string(got), string(want)) < rows {
					t.Errorf("caller %d, run %d: wrong (%v)", c, run, err)
					return
				}
			}
		})
	}
	all.Wait()
}

func TestAContextEndsARunOnAPoolBetweenParts(t *testing.T) {
	e := withPool(t)
	const n = 64
	mem, err := e.Alloc(4 * n)
	require.NoError(t, err)
	defer func() { require.NoError(t, mem.Close()) }()
	slow := &engine.Task{
		Kind: engine.Custom, Outs: []engine.Operand{{DType: tensor.Float32, Len: n}},
		Custom: &engine.CustomKernel{
			Source: `__kernel void slow(__global float *y) {
				float x = 1;
				for (int i = 0; i < 10000000; i++) x = x * 0.999f + 0.1f;
				y[get_global_id(0)] = x + get_global_id(0) - get_global_offset(0);
			}`,
			Entry: "slow", Global: [3]int{n}, Local: [3]int{1},
		},
	}
	s, err := e.Prepare(t.Context(), []engine.Bound{{Task: slow, Outs: []engine.Slot{{Mem: mem}}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		time.Sleep(20 * time.Millisecond)
		cancel()
	}()
	require.ErrorIs(t, s.Run(ctx, 0, 1, 0), context.Canceled)
	require.NoError(t, s.Run(t.Context(), 0, 1, 0), "the next run is whole")
	got := make([]byte, 4*n)
	require.NoError(t, e.Read(t.Context(), got, mem, 0))
	require.NotContains(t, string(got), string(make([]byte, 16)))
}

func TestHelpersEndWithTheirEngine(t *testing.T) {
	e := withPool(t)
	before := runtime.NumGoroutine()
	s, _, _ := chain(t, e, 200, 300)
	require.NoError(t, s.Run(t.Context(), 0, 3, 0))
	require.NoError(t, s.Close())
	require.NoError(t, e.Close())
	testleak.RequireGoroutines(t, before)
	require.False(t, e.host.pooled.pool.Enlist())
}

func TestALaunchOfMoreGroupsThanCanBeDividedIsLeftToTheDriver(t *testing.T) {
	e := withPool(t)
	const n = hostrun.MaxGroups + 1 // its last is 65534
	mem, err := e.Alloc(4 * n)
	require.NoError(t, err)
	defer func() { require.NoError(t, mem.Close()) }()
	task := &engine.Task{
		Kind: engine.Custom, Outs: []engine.Operand{{DType: tensor.Int32, Len: n}},
		Custom: &engine.CustomKernel{
			Source: `__kernel void count(__global int *y) { y[get_global_id(0)] = get_global_id(0); }`,
			Entry:  "count", Global: [3]int{n}, Local: [3]int{1},
		},
	}
	s, err := e.Prepare(t.Context(), []engine.Bound{{Task: task, Outs: []engine.Slot{{Mem: mem}}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.False(t, s.Traits().Immediate)
	require.NoError(t, s.Run(t.Context(), 0, 1, 0))
	got := make([]byte, 4)
	require.NoError(t, e.Read(t.Context(), got, mem, 4*(n-1)))
	require.Equal(t, []byte{0xfe, 0xff, 0, 0}, got)
}
