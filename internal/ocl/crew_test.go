package ocl

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// withCrew is an engine whose sequences all run on a crew.
func withCrew(t testing.TB) *Engine {
	t.Helper()
	e := withCompanion(t, "thread=crew")
	if e.team == nil {
		t.Skip("there is one processor")
	}
	return e
}

func TestARunOnACrewIsOverWhenItReturns(t *testing.T) {
	e := withCrew(t)
	const rows, cols = 700, 300
	s, arena, out := chain(t, e, rows, cols)
	require.True(t, s.(engine.Immediate).Immediate())
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
	spans, err := s.(engine.Profiler).Profile(t.Context(), 0, 3, 7, time.Now())
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(spans), 3)
}

// Several runs at once: one has the helpers, the others are alone, and kernels are shared.
func TestRunsThatFindTheCrewAtWorkGoOnAlone(t *testing.T) {
	e := withCrew(t)
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

func TestAContextEndsARunOnACrewBetweenParts(t *testing.T) {
	e := withCrew(t)
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
	e := withCrew(t)
	before := runtime.NumGoroutine()
	s, _, _ := chain(t, e, 200, 300)
	require.NoError(t, s.Run(t.Context(), 0, 3, 0))
	require.NoError(t, s.Close())
	require.NoError(t, e.Close())
	for i := 0; runtime.NumGoroutine() > before; i++ {
		require.Less(t, i, 5000)
		time.Sleep(time.Millisecond)
	}
	require.False(t, e.team.crew.enlist())
}

func TestAFailingPartIsTheErrorOfTheLaunch(t *testing.T) {
	e := withCrew(t)
	c := e.team.crew
	require.True(t, c.enlist())
	defer c.dismiss()
	step := &command{share: share{groups: 1000, pace: 1e4}} // without a kernel
	err := c.do(t.Context(), make([]*cl.Queue, c.width()), step, new(yielding))
	require.ErrorIs(t, err, cl.InvalidKernel)
}

// Every group of a range is in one part, and finds its place by what nearHead computes.
func TestPartsCoverARangeOnce(t *testing.T) {
	for _, r := range []cl.Range{
		cl.Range1(7, 1), cl.Range1(64, 8), cl.Range2([2]int{12, 5}, [2]int{4, 1}),
		{Dims: 3, Global: [3]int{6, 4, 10}, Local: [3]int{2, 4, 5}}, {Dims: 1, Global: [3]int{1000}},
	} {
		near, groups, err := nearRange(r)
		require.NoError(t, err)
		seen := map[[3]int]int{}
		for first := 0; first < groups; {
			n := min(3, groups-first)
			p := part(near, first, n)
			require.Equal(t, 3, p.Dims)
			require.Equal(t, p.Local[0], p.Global[0])
			require.Equal(t, p.Local[1], p.Global[1])
			for g := range p.Global[2] / p.Local[2] {
				g += p.Offset[2]
				seen[[3]int{g % p.Offset[0], g / p.Offset[0] % p.Offset[1], g / p.Offset[0] / p.Offset[1]}]++
			}
			first += n
		}
		all := 1
		for d := range r.Dims {
			all *= r.Global[d] / near.Local[d]
		}
		require.Len(t, seen, all)
		for at, n := range seen {
			require.Equal(t, 1, n, at)
			for d := range at {
				require.Less(t, at[d]*near.Local[d], max(r.Global[d], 1))
			}
		}
	}
	_, _, err := nearRange(cl.Range2([2]int{4096, 4096}, [2]int{1, 1}))
	require.ErrorIs(t, err, errFar)
}

func TestALaunchOfMoreGroupsThanCanBeDividedIsLeftToTheDriver(t *testing.T) {
	e := withCrew(t)
	const n = nearGroups + 1 // its last is 65534
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
	require.False(t, s.(engine.Immediate).Immediate())
	require.NoError(t, s.Run(t.Context(), 0, 1, 0))
	got := make([]byte, 4)
	require.NoError(t, e.Read(t.Context(), got, mem, 4*(n-1)))
	require.Equal(t, []byte{0xfe, 0xff, 0, 0}, got)
}

// A share of little is one part for whom it is of, and halves for others; a longer one is cut for both.
func TestAShareOfLittleIsOnePart(t *testing.T) {
	for _, c := range []struct {
		pace        time.Duration
		own, others int
	}{{time.Microsecond, 40, 20}, {2 * time.Microsecond, 20, 20}} {
		s := share{groups: 80, pace: float64(c.pace)}
		var crew crew
		crew.enroll(2)
		crew.notice.grain.Store(s.grain())
		crew.notice.whole.Store(s.little(2))
		crew.members[0].Store(leaving(1, 0, 40))
		crew.members[1].Store(leaving(1, 40, 80))
		first, n := crew.takeFrom(crew.members[0], false)
		require.Equal(t, [2]int{0, c.own}, [2]int{first, n})
		first, n = crew.takeFrom(crew.members[1], true)
		require.Equal(t, [2]int{80 - c.others, c.others}, [2]int{first, n})
		taken := c.own + c.others
		for {
			_, n := crew.take(1)
			if taken += n; n == 0 {
				break
			}
		}
		require.Equal(t, 80, taken)
	}
	require.False(t, (&share{groups: 1}).little(2), "nothing is known of it")
}

func TestTheNoticeIsOneCacheLine(t *testing.T) {
	var few, many crew
	few.enroll(noticed)
	many.enroll(noticed + 1)
	require.EqualValues(t, 64, unsafe.Sizeof(*few.notice))
	require.Same(t, &few.notice.left[1], few.members[1])
	require.NotSame(t, &many.notice.left[1], many.members[1])
	require.Len(t, many.members, noticed+1)
}

// What was slow once is not left to one thread for ever.
func TestALaunchIsSharedAgain(t *testing.T) {
	s := share{groups: 64, pace: 1000}
	require.True(t, s.worth(2))
	s.learnAlone(40 * time.Microsecond)
	require.True(t, s.worth(2), "a half takes 32 us")
	for range 100 {
		s.learn(100*time.Microsecond, 32)
	}
	require.False(t, s.worth(2))
	asked, alone := 0, 0
	for ; !s.worth(2); alone++ {
		require.Less(t, alone, 1000)
		if s.asks() {
			asked++
			s.learnAlone(40 * time.Microsecond)
		}
	}
	require.Greater(t, alone, 30)
	require.LessOrEqual(t, asked, alone/16+1)
	require.False(t, (&share{groups: 1, pace: 1e9}).worth(2))
	require.False(t, (&share{groups: 1, pace: 1e9}).asks())
}

func TestPartsGrowWithWhatIsLearnt(t *testing.T) {
	s := share{groups: 1 << 15}
	require.True(t, s.worth(2))
	require.False(t, s.short())
	require.EqualValues(t, 1<<32|1, s.grain())
	require.True(t, s.learn(100*time.Nanosecond, 1))
	require.EqualValues(t, 10000<<32|50, s.grain())
	require.False(t, s.learn(10*time.Millisecond, 1), "one interruption says little")
	require.True(t, s.learn(time.Nanosecond, 1))
	require.False(t, (&share{groups: 2, pace: 1000}).worth(2))
	require.True(t, (&share{groups: 2, pace: 1000}).short())
}

func TestHelpersThatAreWokenInVainAreLeftAsleep(t *testing.T) {
	var r resting
	for range vainly {
		require.True(t, r.wakes(7))
	}
	require.False(t, r.wakes(7))
	first := time.Until(time.Unix(0, r.until.Load()))
	require.True(t, r.wakes(7), "after a rest once more")
	require.False(t, r.wakes(7))
	require.Greater(t, time.Until(time.Unix(0, r.until.Load())), first, "and then for longer")
	require.True(t, r.wakes(7))
	require.True(t, r.wakes(8), "which was of use")
	require.True(t, r.wakes(8))
}
