package platform

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/clfault"
	"github.com/anycl/anycl/platform/internal/hostcopy"
	"github.com/anycl/anycl/platform/internal/pool"
	"github.com/anycl/anycl/platform/internal/staging"
)

// gate holds the device's queue back until the returned function is called.
func gate(t *testing.T, o *Opened) (open func()) {
	t.Helper()
	e, err := o.Context().NewUserEvent()
	require.NoError(t, err)
	require.NoError(t, o.Queue().Barrier([]*cl.Event{e}))
	open = sync.OnceFunc(func() {
		assert.NoError(t, e.SetStatus(nil))
		assert.NoError(t, e.Close())
	})
	t.Cleanup(open)
	return open
}

func alloc(t testing.TB, o *Opened, n int) *Memory {
	t.Helper()
	m, err := o.Alloc(int64(n))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

func readAll(t *testing.T, o *Opened, m *Memory) []byte {
	t.Helper()
	got := make([]byte, m.Bytes())
	require.NoError(t, o.Read(t.Context(), got, m, 0))
	return got
}

// lendRelays makes n relays for a given number of bytes. The memory of a new one may come from the
// pool, behind the device's present work: these are behind nothing.
func lendRelays(t *testing.T, o *Opened, n, bytes int) {
	t.Helper()
	require.NoError(t, o.staging.Reserve(t.Context(), n, int64(bytes)))
}

// The next feeds cross the link, and results come back, while the device's own queue stands still;
// its operands change only in its turn.
func TestTheLinkWorksWhileTheDeviceComputes(t *testing.T) {
	o := withStaging(t)
	if o.Device().Class == Simulator {
		t.Skip("one thread")
	}
	const n = 2*staging.PieceBytes + 77
	m := alloc(t, o, n)
	lendRelays(t, o, 3, n)
	first, second := randomBytes(n), bytes.Repeat([]byte{9}, n)
	require.NoError(t, o.Send(t.Context(), m, 0, first))
	f, err := o.Fetch([]Piece{{m, 0, n}, {m, 5, staging.SmallMost + 1}, {m, 7, 3}}, nil)
	require.NoError(t, err)
	require.NoError(t, o.Wait(t.Context()), "the device is done with the first run")
	open := gate(t, o)
	require.NoError(t, o.Send(t.Context(), m, 0, second))
	require.NoError(t, o.staging.Sent(), "the second feed is on the device")
	got := [][]byte{make([]byte, n), make([]byte, staging.SmallMost+1), make([]byte, 3)}
	require.NoError(t, f.Wait(t.Context(), got), "the first results are here")
	require.False(t, o.Queue().Idle())
	for i, off := range []int{0, 5, 7} {
		require.True(t, bytes.Equal(first[off:][:len(got[i])], got[i]), i)
	}
	require.NoError(t, f.Close())
	open()
	require.Equal(t, second, readAll(t, o, m))
}

// However much is sent to a device that does not get on, memory stays bounded, the
// sender waits, and it hears its context.
func TestStagingIsBoundedAndWhoSendsWaits(t *testing.T) {
	for _, n := range []int{staging.SmallMost, 2*staging.PieceBytes + 1} {
		o := withStaging(t)
		most := 5 * pool.Size(int64(n), 0)
		o.staging.Limit(most)
		m := alloc(t, o, n)
		lendRelays(t, o, 5, n)
		open := gate(t, o)
		send := func(ctx context.Context, i int) error { return o.Send(ctx, m, 0, bytes.Repeat([]byte{byte(i)}, n)) }
		sent := 0
		for ; sent < 5; sent++ {
			require.NoError(t, send(t.Context(), sent))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		err := send(ctx, sent)
		for ; err == nil; err = send(ctx, sent) {
			sent++
		}
		require.ErrorIs(t, err, context.DeadlineExceeded)
		stats := o.Stats()
		require.Equal(t, 1, stats.Live, "relays are nobody's")
		require.LessOrEqual(t, stats.Relayed, most)
		require.LessOrEqual(t, stats.Pinned, int64(staging.SmallPieceMost*staging.SmallMost+staging.PieceMost*staging.PieceBytes))
		open()
		require.EqualValues(t, sent-1, readAll(t, o, m)[n-1], "the last that was sent")
		// The relay of an abandoned transfer is free when its queue, which nobody waits for, has executed its commands.
		require.Eventually(t, func() bool {
			assert.NoError(t, o.Trim())
			relays, _, _ := o.staging.Held()
			return relays == 0
		}, 10*time.Second, time.Millisecond)
	}
}

func TestWithoutRelaysTransfersTakeTheirTurn(t *testing.T) {
	o := withStaging(t)
	o.staging.Limit(0)
	m := alloc(t, o, 3*staging.PieceBytes)
	want := randomBytes(3 * staging.PieceBytes)
	require.NoError(t, o.Send(t.Context(), m, 0, want))
	f, err := o.Fetch([]Piece{{m, 0, m.Bytes()}}, nil)
	require.NoError(t, err)
	require.NoError(t, o.Send(t.Context(), m, 0, make([]byte, 3*staging.PieceBytes)))
	got := make([]byte, 3*staging.PieceBytes)
	require.NoError(t, f.Wait(t.Context(), [][]byte{got}))
	require.True(t, bytes.Equal(want, got))
	require.NoError(t, f.Close())
	require.Zero(t, slices.Max(readAll(t, o, m)))
}

func TestWithoutPinnedMemoryTransfersStillWork(t *testing.T) {
	faults := new(clfault.Injector)
	o := fresh(t, &cl.Options{Wrap: faults.Wrap}, &Options{Staging: stagingOn})
	for _, n := range []int{100, 3 * staging.PieceBytes} {
		m := alloc(t, o, n)
		want, got := randomBytes(n), make([]byte, n)
		faults.FailFrom(1, cl.OutOfHostMemory, "map")
		require.NoError(t, o.Write(t.Context(), m, 0, want))
		require.NoError(t, o.Read(t.Context(), got, m, 0))
		require.True(t, bytes.Equal(want, got))
		require.NoError(t, o.Send(t.Context(), m, 0, got[:n/2]))
		f, err := o.Fetch([]Piece{{m, 0, int64(n)}}, nil)
		require.NoError(t, err)
		require.NoError(t, f.Wait(t.Context(), [][]byte{got}))
		require.NoError(t, f.Close())
		require.True(t, bytes.Equal(want, got))
		require.Positive(t, faults.Fired())
		faults.Off()
	}
}

func TestSteadyTransfersAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	o := withStaging(t)
	for _, n := range []int{1000, 2 * staging.PieceBytes} {
		m, host := alloc(t, o, n), make([]byte, n)
		var failed error
		round := func() {
			failed = errors.Join(failed, o.Write(context.Background(), m, 0, host), o.Read(context.Background(), host, m, 0),
				o.Send(context.Background(), m, 0, host), o.Wait(context.Background()))
		}
		require.NoError(t, o.staging.Reserve(t.Context(), 0, 0))
		for range 2 * staging.PieceMost {
			round()
		}
		require.Zero(t, testing.AllocsPerRun(20, round), "%d bytes", n)
		require.NoError(t, failed)
	}
}

// Whichever call fails, somebody is told, nothing leaks (fresh looks), and later results are right.
func TestAnyFailingCallOfStagingIsTold(t *testing.T) {
	const n = staging.PieceBytes + 5
	faults := new(clfault.Injector)
	want := randomBytes(n)
	for at := 1; ; at++ {
		o := fresh(t, &cl.Options{Wrap: faults.Wrap}, &Options{Staging: stagingOn})
		m := alloc(t, o, n)
		use := func() error {
			if err := o.Send(t.Context(), m, 0, want); err != nil {
				return err
			}
			f, err := o.Fetch([]Piece{{m, 0, n}, {m, 0, 9}}, nil)
			if err != nil {
				return err
			}
			got := [][]byte{make([]byte, n), make([]byte, 9)}
			err = errors.Join(f.Wait(t.Context(), got), f.Close())
			if err == nil && !(bytes.Equal(got[0], want) && bytes.Equal(got[1], want[:9])) {
				err = errors.New("wrong bytes")
			}
			return errors.Join(err, o.Write(t.Context(), m, 0, got[0]), o.Read(t.Context(), got[0], m, 0))
		}
		faults.FailAt(at, cl.OutOfResources, "")
		err := use()
		fired, calls := faults.Fired(), faults.Calls()
		faults.Off()
		if fired == 0 {
			require.NoError(t, err)
			require.Greater(t, at, 20)
			return
		}
		if err != nil {
			require.ErrorIs(t, err, cl.OutOfResources, "call %d: %s", at, calls[at-1])
		} else {
			require.Contains(t, []string{"NewQueue", "NewBuffer", "map", "Info event", "Release event", "migrate"}, calls[at-1],
				"call %d failed and nobody was told", at)
		}
		_ = use() // may return the error of a transfer that nobody has waited for
		require.NoError(t, use(), "after call %d failed: %s", at, calls[at-1])
	}
}

func TestStagingIsOnOrOff(t *testing.T) {
	_, err := device(t).Open(t.Context(), &Options{Staging: "maybe"})
	require.ErrorContains(t, err, "ANYCL_STAGING=maybe")
	require.Nil(t, fresh(t, nil, &Options{Staging: stagingOff}).staging)
}

func TestWorkersCopyEveryPieceWhereItBelongs(t *testing.T) {
	for _, n := range []int{staging.LeastPiece + 1, 2*hostcopy.Part*hostcopy.Slots + 12345, 3 * staging.PieceBytes} {
		for _, piece := range []int{hostcopy.Part - 1, staging.LeastPiece, staging.LeastPiece + 4096} {
			src, dst := randomBytes(n), make([]byte, n)
			c, told, got := hostcopy.New(n, piece), 0, 0
			for all := (n + piece - 1) / piece; got < all; got++ {
				for ; told < all && told-got < hostcopy.Slots; told++ {
					c.Tell(told, dst[told*piece:], src[told*piece:min((told+1)*piece, n)])
				}
				c.Finish(got)
				end := min((got+1)*piece, n)
				require.True(t, bytes.Equal(src[got*piece:end], dst[got*piece:end]), got)
			}
			c.End()
		}
	}
}
