package platform

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/clfault"
	"github.com/anycl/anycl/platform/internal/staging"
)

func randomBytes(n int) []byte {
	r := rand.NewChaCha8([32]byte{byte(n), byte(n >> 8)})
	b := make([]byte, n)
	_, _ = r.Read(b)
	return b
}

// withCommands opens the device so that transfers are commands, also where the
// memory could be touched directly.
func withCommands(t testing.TB) *Opened {
	o := fresh(t, nil, &Options{Staging: stagingOff})
	notDirect(o)
	return o
}

func notDirect(o *Opened) {
	c := *o.caps
	c.Direct = false
	o.caps = &c
}

// withStaging opens the device as one with memory of its own.
func withStaging(t testing.TB) *Opened { return fresh(t, nil, &Options{Staging: stagingOn}) }

// everyWay runs a test with direct transfers, where there are any, with commands,
// and through staging.
func everyWay(t *testing.T, test func(t *testing.T, o *Opened)) {
	t.Run("as the device does it", func(t *testing.T) { test(t, fresh(t, nil, nil)) })
	t.Run("by commands", func(t *testing.T) { test(t, withCommands(t)) })
	t.Run("through staging", func(t *testing.T) { test(t, withStaging(t)) })
}

// Sizes on both sides of every way that a transfer takes: one command, mapped,
// mapped and copied by several goroutines.
func TestWhatIsWrittenIsReadAtEverySizeAndOffset(t *testing.T) {
	everyWay(t, writtenIsRead)
}

func writtenIsRead(t *testing.T, o *Opened) {
	sizes := []int{0, 1, 3, 255, 256, 257, 4096, mapFrom - 1, mapFrom, 2<<20 + 1, staging.SmallMost + 1, 2*staging.PieceBytes + 13}
	if o.Device().Class == Simulator {
		sizes = sizes[:7]
	}
	for _, n := range sizes {
		m, err := o.Alloc(int64(n) + 11)
		require.NoError(t, err)
		require.EqualValues(t, n+11, m.Bytes())
		for _, off := range []int64{0, 1, 11} {
			want, got := randomBytes(n), make([]byte, n)
			require.NoError(t, o.Write(t.Context(), m, off, want))
			require.NoError(t, o.Read(context.Background(), got, m, off))
			require.True(t, bytes.Equal(want, got), "%d bytes at %d", n, off)
		}
		require.NoError(t, m.Close())
	}
}

func TestWriteLeavesItsNeighboursAlone(t *testing.T) { everyWay(t, neighboursAlone) }

func neighboursAlone(t *testing.T, o *Opened) {
	n := mapFrom + 100
	m, err := o.Alloc(int64(n))
	require.NoError(t, err)
	want := randomBytes(n)
	require.NoError(t, o.Write(t.Context(), m, 0, want))
	part := randomBytes(mapFrom)
	require.NoError(t, o.Write(t.Context(), m, 50, part))
	copy(want[50:], part)
	got := make([]byte, n)
	require.NoError(t, o.Read(t.Context(), got, m, 0))
	require.True(t, bytes.Equal(want, got))
	require.NoError(t, m.Close())
}

func TestFillRepeatsItsPattern(t *testing.T) {
	o := fresh(t, nil, nil)
	m, err := o.Alloc(1000)
	require.NoError(t, err)
	require.NoError(t, o.Write(t.Context(), m, 0, make([]byte, 1000)))
	require.NoError(t, o.Fill(m, []byte{1, 2, 3, 4}, 8, 980))
	require.NoError(t, o.Fill(m, []byte{9}, 0, 0))
	got := make([]byte, 1000)
	require.NoError(t, o.Read(t.Context(), got, m, 0))
	want := append(make([]byte, 8), bytes.Repeat([]byte{1, 2, 3, 4}, 245)...)
	want = append(want, make([]byte, 12)...)
	assert.Equal(t, want, got)
	assert.ErrorIs(t, o.Fill(m, []byte{1}, 0, 1001), cl.InvalidValue)
	assert.ErrorIs(t, o.Fill(m, []byte{1}, 0, -1), cl.InvalidValue)
	assert.ErrorIs(t, o.Fill(m, []byte{1, 2, 3}, 0, 3), cl.InvalidValue)
	require.NoError(t, m.Close())
}

func TestClosedMemoryIsReused(t *testing.T) {
	o := fresh(t, nil, nil)
	a, err := o.Alloc(5000)
	require.NoError(t, err)
	buf := a.Buffer()
	require.NoError(t, a.Close())
	require.NoError(t, a.Close(), "a second Close does nothing")
	assert.Nil(t, a.Buffer())
	b, err := o.Alloc(4900) // the same class
	require.NoError(t, err)
	assert.Same(t, buf, b.Buffer())
	s := o.Stats()
	assert.EqualValues(t, 1, s.PoolHits)
	assert.EqualValues(t, 1, s.PoolMisses)
	assert.Equal(t, 1, s.Live)
	assert.Zero(t, s.PoolBytes)
	require.NoError(t, b.Close())
	assert.Equal(t, 1, o.Stats().Pooled)
	require.NoError(t, o.Trim())
	assert.Zero(t, o.Stats().Pooled)
}

func TestPoolStaysUnderItsByteCap(t *testing.T) {
	o := fresh(t, nil, &Options{PoolBytes: 10000})
	for _, n := range []int64{4096, 2048, 8192, 512, 20000} {
		m, err := o.Alloc(n)
		require.NoError(t, err)
		require.NoError(t, m.Close())
		require.LessOrEqual(t, o.Stats().PoolBytes, int64(10000))
	}
	none := fresh(t, nil, &Options{PoolBytes: -1})
	m, err := none.Alloc(100)
	require.NoError(t, err)
	require.NoError(t, m.Close())
	assert.Zero(t, none.Stats().Pooled)
}

func TestTooLargeForOneAllocationIsATypedErrorWithoutTheDriver(t *testing.T) {
	faults := new(clfault.Injector)
	o := fresh(t, &cl.Options{Wrap: faults.Wrap}, nil)
	faults.Off()
	for _, n := range []int64{o.Device().MaxAlloc + 1, math.MaxInt64} {
		_, err := o.Alloc(n)
		var oom *OutOfMemory
		require.ErrorAs(t, err, &oom)
		assert.Equal(t, n, oom.Asked)
		assert.Equal(t, o.Device().MaxAlloc, oom.Limit)
		assert.ErrorIs(t, err, cl.MemObjectAllocationFailure)
		assert.Contains(t, err.Error(), "largest single allocation")
		assert.Contains(t, err.Error(), o.Device().ID)
	}
	assert.NotContains(t, faults.Calls(), "NewBuffer")
	_, err := o.Alloc(-1)
	assert.ErrorIs(t, err, cl.InvalidBufferSize)
}

func TestOutOfMemoryReleasesThePoolAndTriesAgain(t *testing.T) {
	for _, status := range []cl.Status{cl.MemObjectAllocationFailure, cl.OutOfResources, cl.OutOfHostMemory} {
		faults := new(clfault.Injector)
		o := fresh(t, &cl.Options{Wrap: faults.Wrap}, nil)
		idle, err := o.Alloc(1 << 16)
		require.NoError(t, err)
		require.NoError(t, idle.Close())
		require.Equal(t, 1, o.Stats().Pooled)
		faults.FailAt(1, status, "NewBuffer")
		m, err := o.Alloc(1 << 20)
		require.NoError(t, err, "the second attempt succeeds")
		assert.Equal(t, 1, faults.Fired())
		assert.Contains(t, faults.Calls(), "Release memory")
		assert.Zero(t, o.Stats().Pooled)
		require.NoError(t, m.Close())
	}
}

func TestOutOfMemoryForGoodIsTypedAndCountsNothing(t *testing.T) {
	faults := new(clfault.Injector)
	o := fresh(t, &cl.Options{Wrap: faults.Wrap}, nil)
	held, err := o.Alloc(1 << 16)
	require.NoError(t, err)
	faults.FailFrom(1, cl.OutOfResources, "NewBuffer")
	_, err = o.Alloc(3 << 20)
	var oom *OutOfMemory
	require.ErrorAs(t, err, &oom)
	assert.Equal(t, 2, faults.Fired())
	assert.EqualValues(t, 3<<20, oom.Asked)
	assert.EqualValues(t, 1<<16, oom.Held)
	assert.Equal(t, o.Device().GlobalMem-1<<16, oom.Free)
	assert.ErrorIs(t, err, cl.OutOfResources, "the driver's own answer is there too")
	assert.ErrorIs(t, err, cl.MemObjectAllocationFailure)
	assert.Equal(t, 1, o.Stats().Live)
	faults.FailFrom(1, cl.InvalidContext, "NewBuffer")
	_, err = o.Alloc(3 << 20)
	require.ErrorIs(t, err, cl.InvalidContext, "another failure is not a lack of memory")
	assert.False(t, errors.As(err, &oom) && errors.Is(err, cl.MemObjectAllocationFailure))
	faults.Off()
	require.NoError(t, held.Close())
}

func TestRangesOutsideTheMemoryAreErrors(t *testing.T) {
	o := fresh(t, nil, nil)
	m, err := o.Alloc(100) // its block has 256 bytes
	require.NoError(t, err)
	ten := make([]byte, 10)
	for _, off := range []int64{-1, 91, 100, math.MaxInt64, math.MinInt64} {
		assert.ErrorIs(t, o.Write(t.Context(), m, off, ten), cl.InvalidValue, "%d", off)
		assert.ErrorIs(t, o.Read(t.Context(), ten, m, off), cl.InvalidValue, "%d", off)
	}
	assert.NoError(t, o.Write(t.Context(), m, 90, ten))
	assert.NoError(t, o.Write(t.Context(), m, 100, nil))
	assert.ErrorIs(t, o.Write(t.Context(), nil, 0, ten), cl.InvalidMemObject)
	other := fresh(t, nil, nil)
	assert.ErrorIs(t, other.Write(t.Context(), m, 0, ten), cl.InvalidMemObject)
	require.NoError(t, m.Close())
	assert.ErrorIs(t, o.Write(t.Context(), m, 0, ten), ErrClosed)
	assert.ErrorIs(t, o.Read(t.Context(), ten, m, 0), cl.ErrClosed)
}

func TestTransferHearsItsContext(t *testing.T) {
	o := fresh(t, nil, nil)
	m, err := o.Alloc(100)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, o.Write(ctx, m, 0, make([]byte, 10)), context.Canceled)
	assert.ErrorIs(t, o.Read(ctx, nil, m, 0), context.Canceled)
	assert.ErrorIs(t, o.Wait(ctx), context.Canceled)
	require.NoError(t, m.Close())
}

// A queue that is held up by a user event does not come to an end; a read with a
// deadline must.
func TestReadStopsWaitingForABusyQueue(t *testing.T) { everyWay(t, readStops) }

func readStops(t *testing.T, o *Opened) {
	m, err := o.Alloc(100)
	require.NoError(t, err)
	gate, err := o.Context().NewUserEvent()
	require.NoError(t, err)
	require.NoError(t, o.Queue().Barrier([]*cl.Event{gate}))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	assert.ErrorIs(t, o.Read(ctx, make([]byte, 10), m, 0), context.DeadlineExceeded)
	require.NoError(t, gate.SetStatus(nil))
	assert.NoError(t, o.Read(t.Context(), make([]byte, 10), m, 0))
	require.NoError(t, gate.Close())
	require.NoError(t, m.Close())
}

func TestMemoryLostWithoutCloseIsNotCountedAndReleased(t *testing.T) {
	o := fresh(t, nil, nil)
	func() {
		_, err := o.Alloc(1 << 20)
		require.NoError(t, err)
	}()
	for range 100 {
		runtime.GC()
		if o.Stats().Live == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	s := o.Stats()
	assert.Zero(t, s.Live)
	assert.Zero(t, s.LiveBytes)
	assert.Zero(t, s.Pooled, "its buffer may be in a kernel's arguments: not for reuse")
}

func TestCloseReleasesWhatIsStillOpen(t *testing.T) {
	o := fresh(t, nil, nil)
	m, err := o.Alloc(1000)
	require.NoError(t, err)
	_, err = o.ProfilingQueue()
	require.NoError(t, err)
	runScale(t, o, "scale.cl", 40, 10)
	require.NoError(t, o.Close())
	require.NoError(t, o.Close(), "a second Close does nothing")
	assert.Zero(t, o.Context().Library().Stats().Total())

	assert.ErrorIs(t, o.Write(t.Context(), m, 0, make([]byte, 1)), cl.ErrClosed)
	assert.NoError(t, m.Close(), "closing memory after its device is fine")
	_, err = o.Alloc(1)
	assert.ErrorIs(t, err, ErrClosed)
	_, err = o.Program(t.Context(), "scale.cl", scale(40), "")
	assert.ErrorIs(t, err, ErrClosed)
	_, err = o.ProfilingQueue()
	assert.ErrorIs(t, err, ErrClosed)
	_, err = o.Calibrate(t.Context())
	assert.ErrorIs(t, err, ErrClosed)
	assert.ErrorIs(t, o.Wait(t.Context()), ErrClosed)
	assert.ErrorIs(t, o.Wait(context.Background()), ErrClosed)
	assert.NoError(t, o.Trim())
	assert.Zero(t, o.Stats().Live)
}

func TestProfilingQueueHasClocksWhereTheProbeSaysSo(t *testing.T) {
	o := fresh(t, nil, nil)
	q, err := o.ProfilingQueue()
	require.NoError(t, err)
	again, err := o.ProfilingQueue()
	require.NoError(t, err)
	assert.Same(t, q, again)
	if !o.Caps().Profiling {
		t.Skip("the device's clocks do not run")
	}
	m, err := o.Alloc(1 << 16)
	require.NoError(t, err)
	e, err := q.FillEvent(m.Buffer(), []byte{1}, 0, 1<<16, nil)
	require.NoError(t, err)
	require.NoError(t, e.Wait())
	p, err := e.Profile()
	require.NoError(t, err)
	assert.NotZero(t, p.Started)
	assert.GreaterOrEqual(t, p.Ended, p.Started)
	require.NoError(t, e.Close())
	require.NoError(t, m.Close())
}

// Many goroutines allocate, write, read back and close, while others wait: each
// must see its own bytes. Meant for the race detector.
func TestConcurrentUseKeepsEverybodysBytesApart(t *testing.T) {
	several(t)
	o := fresh(t, nil, &Options{PoolBytes: 1 << 20})
	const rounds = 30
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 9))
			for range rounds {
				n := r.IntN(1 << (4 + r.IntN(14)))
				m, err := o.Alloc(int64(n))
				if !assert.NoError(t, err) {
					return
				}
				want, got := bytes.Repeat([]byte{byte(g + 1)}, n), make([]byte, n)
				assert.NoError(t, o.Write(t.Context(), m, 0, want))
				assert.NoError(t, o.Wait(t.Context()))
				assert.NoError(t, o.Read(t.Context(), got, m, 0))
				assert.True(t, bytes.Equal(want, got))
				assert.NoError(t, m.Close())
			}
		})
	}
	wg.Wait()
	s := o.Stats()
	assert.Zero(t, s.Live)
	assert.Zero(t, s.LiveBytes)
	assert.EqualValues(t, 8*rounds, s.PoolHits+s.PoolMisses)
}

func TestCloseWhileOthersWork(t *testing.T) {
	several(t)
	for i := range 6 {
		o := fresh(t, nil, nil)
		switch i % 3 {
		case 1:
			o = withCommands(t)
		case 2:
			o = withStaging(t)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					m, err := o.Alloc(1000)
					if err == nil {
						err = o.Write(t.Context(), m, 0, make([]byte, 1000))
						_ = m.Close()
					}
					if err != nil {
						assert.ErrorIs(t, err, cl.ErrClosed)
						return
					}
				}
			})
		}
		time.Sleep(2 * time.Millisecond)
		assert.NoError(t, o.Close())
		wg.Wait()
	}
}

func TestWaitingAndSmallTransfersAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	everyWay(t, smallTransfersAllocateNothing)
}

func smallTransfersAllocateNothing(t *testing.T, o *Opened) {
	m, err := o.Alloc(4096)
	require.NoError(t, err)
	host := make([]byte, 4096)
	if s := o.staging; s != nil {
		require.NoError(t, s.Reserve(t.Context(), 0, 0)) // as much as it ever needs
	}
	ctx, bg := t.Context(), context.Background()
	for name, f := range map[string]func() error{
		"wait":                func() error { return o.Wait(bg) },
		"wait with a context": func() error { return o.Wait(ctx) },
		"write":               func() error { return o.Write(bg, m, 0, host) },
		"read":                func() error { return o.Read(ctx, host, m, 0) },
	} {
		n := testing.AllocsPerRun(100, func() {
			if err := f(); err != nil {
				t.Error(err)
			}
		})
		assert.Zero(t, n, name)
	}
	require.NoError(t, m.Close())
}

func TestPoolCapFollowsOptionsAndDevice(t *testing.T) {
	assert.EqualValues(t, 1<<28, (&Options{}).poolCap(1<<30))
	assert.EqualValues(t, defaultPoolBytes, (&Options{}).poolCap(1<<40))
	assert.EqualValues(t, defaultPoolBytes, (&Options{}).poolCap(0))
	assert.EqualValues(t, 77, (&Options{PoolBytes: 77}).poolCap(1<<40))
	assert.Zero(t, (&Options{PoolBytes: -1}).poolCap(1<<40))
}
