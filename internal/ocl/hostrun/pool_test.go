package hostrun

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

func TestAFailingPartIsTheErrorOfTheLaunch(t *testing.T) {
	c := NewPool(2)
	if c == nil {
		t.Skip("there is one processor")
	}
	defer c.Close()
	require.True(t, c.Enlist())
	defer c.dismiss()
	of := &Launch{partition: partition{groups: 1000, perGroup: 1e4}} // without a kernel
	err := c.do(t.Context(), make([]*cl.Queue, c.Width()), of, new(Yield))
	require.ErrorIs(t, err, cl.InvalidKernel)
}

// Every group of a range is in one part, and finds its place by the values that PartHead computes.
func TestPartsCoverARangeOnce(t *testing.T) {
	for _, r := range []cl.Range{
		cl.Range1(7, 1), cl.Range1(64, 8), cl.Range2([2]int{12, 5}, [2]int{4, 1}),
		{Dims: 3, Global: [3]int{6, 4, 10}, Local: [3]int{2, 4, 5}}, {Dims: 1, Global: [3]int{1000}},
	} {
		parts, groups, err := PartRange(r)
		require.NoError(t, err)
		require.Equal(t, part(parts, 0, 1), OneGroup(parts))
		require.Equal(t, parts.Local, OneGroup(parts).Global)
		require.Equal(t, parts.Offset, OneGroup(parts).Offset, "by which PoCL tells kernels apart")
		seen := map[[3]int]int{}
		for first := 0; first < groups; {
			n := min(3, groups-first)
			p := part(parts, first, n)
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
			all *= r.Global[d] / parts.Local[d]
		}
		require.Len(t, seen, all)
		for at, n := range seen {
			require.Equal(t, 1, n, at)
			for d := range at {
				require.Less(t, at[d]*parts.Local[d], max(r.Global[d], 1))
			}
		}
	}
	_, _, err := PartRange(cl.Range2([2]int{4096, 4096}, [2]int{1, 1}))
	require.ErrorIs(t, err, ErrIndivisible)
}

// A partition of little is one part for whom it is of, and halves for others; a longer one is cut for both.
func TestAPartitionOfLittleIsOnePart(t *testing.T) {
	for _, c := range []struct {
		perGroup    time.Duration
		own, others int
	}{{time.Microsecond, 40, 20}, {2 * time.Microsecond, 20, 20}} {
		s := partition{groups: 80, perGroup: float64(c.perGroup)}
		var pool Pool
		pool.addWorkers(2)
		pool.descriptor.chunk.Store(s.chunk())
		pool.descriptor.whole.Store(s.little(2))
		pool.workers[0].Store(leaving(1, 0, 40))
		pool.workers[1].Store(leaving(1, 40, 80))
		first, n := pool.takeFrom(pool.workers[0], false)
		require.Equal(t, [2]int{0, c.own}, [2]int{first, n})
		first, n = pool.takeFrom(pool.workers[1], true)
		require.Equal(t, [2]int{80 - c.others, c.others}, [2]int{first, n})
		taken := c.own + c.others
		for {
			_, n := pool.take(1)
			if taken += n; n == 0 {
				break
			}
		}
		require.Equal(t, 80, taken)
	}
	require.False(t, (&partition{groups: 1}).little(2), "nothing is known of it")
}

func TestTheLaunchDescriptorIsOneCacheLine(t *testing.T) {
	var few, many Pool
	few.addWorkers(inlineWorkers)
	many.addWorkers(inlineWorkers + 1)
	require.EqualValues(t, 64, unsafe.Sizeof(*few.descriptor))
	require.Same(t, &few.descriptor.left[1], few.workers[1])
	require.NotSame(t, &many.descriptor.left[1], many.workers[1])
	require.Len(t, many.workers, inlineWorkers+1)
}

// A launch whose parts were slow once is not left to one thread for ever.
func TestALaunchIsSharedAgain(t *testing.T) {
	s := partition{groups: 64, perGroup: 1000}
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
	require.False(t, (&partition{groups: 1, perGroup: 1e9}).worth(2))
	require.False(t, (&partition{groups: 1, perGroup: 1e9}).asks())
}

// Where threads take data from each other's caches, parts are as fast as ever, and the launch is not.
func TestALaunchThatIsSlowerSharedIsLeftToOneThread(t *testing.T) {
	s := partition{groups: 64, perGroup: 1000}
	s.learnAlone(40 * time.Microsecond)
	require.True(t, s.worth(2))
	s.learnShared(400*time.Microsecond, 2)
	require.True(t, s.worth(2), "one launch says little")
	for range 20 {
		s.learnShared(45*time.Microsecond, 2)
	}
	require.False(t, s.worth(2))
	s.learnShared(35*time.Microsecond, 2)
	require.True(t, s.worth(2))
	for range 20 {
		s.learnShared(80*time.Microsecond, 2)
	}
	alone := 0
	for ; !s.worth(2); alone++ {
		require.Less(t, alone, 1000, "it is tried again")
		if s.asks() {
			s.learnAlone(40 * time.Microsecond)
		}
	}
	require.Greater(t, alone, 100)
	long := partition{groups: 64, perGroup: 1e5, shared: 2e5}
	require.True(t, long.worth(2), "nobody asks how long it takes alone")
}

func TestPartsGrowWithWhatIsLearnt(t *testing.T) {
	s := partition{groups: 1 << 15}
	require.True(t, s.worth(2))
	require.False(t, s.short())
	require.EqualValues(t, 1<<32|1, s.chunk())
	require.True(t, s.learn(100*time.Nanosecond, 1))
	require.EqualValues(t, 10000<<32|50, s.chunk())
	require.False(t, s.learn(10*time.Millisecond, 1), "one interruption says little")
	require.True(t, s.learn(time.Nanosecond, 1))
	require.False(t, (&partition{groups: 2, perGroup: 1000}).worth(2))
	require.True(t, (&partition{groups: 2, perGroup: 1000}).short())
}

func TestHelpersThatAreWokenInVainAreLeftAsleep(t *testing.T) {
	var r backoff
	for range vainWakes {
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

func TestCrowded(t *testing.T) {
	for _, c := range []struct {
		kernels, tasks int
		want           bool
	}{
		{0, 0, false}, {0, 1, false}, {0, LoadedFar, false}, {0, LoadedFar + 1, true},
		{LoadedFar, 0, false}, {LoadedFar, 1, true}, {LoadedFar - 1, 1, false},
		{0, LoadedMost - 1, true}, {0, LoadedMost, false}, {LoadedFar, LoadedMost, false},
	} {
		require.Equal(t, c.want, Crowded(c.kernels, c.tasks), "%d kernels, %d tasks", c.kernels, c.tasks)
	}
}
