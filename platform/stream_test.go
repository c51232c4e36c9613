package platform

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/clfault"
	"github.com/anycl/anycl/platform/internal/inflight"
	"github.com/anycl/anycl/platform/internal/staging"
)

// Each piece is fetched as it was when Fetch was called, whatever is sent after.
func TestSendAndFetchKeepTheOrderOfTheQueue(t *testing.T) {
	everyWay(t, func(t *testing.T, o *Opened) {
		for _, n := range []int{0, 1, 777, 300_000} {
			m, err := o.Alloc(int64(n) + 5)
			require.NoError(t, err)
			host := make([]byte, n)
			var fetched []*Fetched
			for i := range 6 {
				for j := range host {
					host[j] = byte(i + j)
				}
				require.NoError(t, o.Send(t.Context(), m, 5, host))
				f, err := o.Fetch([]Piece{{m, 5, int64(n)}, {m, 5 + int64(n)/2, int64(n) - int64(n)/2}}, nil)
				require.NoError(t, err)
				fetched = append(fetched, f)
			}
			for i, f := range fetched {
				for j := range host {
					host[j] = byte(i + j)
				}
				whole, half := make([]byte, n), make([]byte, n-n/2)
				ctx := t.Context()
				if i%2 == 0 {
					ctx = context.Background()
				}
				require.NoError(t, f.Wait(ctx, [][]byte{whole, half}))
				require.True(t, bytes.Equal(host, whole), "%d bytes, round %d", n, i)
				require.True(t, bytes.Equal(host[n/2:], half), "%d bytes, round %d", n, i)
				require.NoError(t, f.Close())
				require.NoError(t, f.Close())
			}
			require.NoError(t, m.Close())
		}
	})
}

func TestWaitingForWhatWasFetchedHearsItsContext(t *testing.T) {
	everyWay(t, waitingHearsItsContext)
}

func waitingHearsItsContext(t *testing.T, o *Opened) {
	m, err := o.Alloc(100)
	require.NoError(t, err)
	gate, err := o.Context().NewUserEvent()
	require.NoError(t, err)
	require.NoError(t, o.Queue().Barrier([]*cl.Event{gate}))
	want := bytes.Repeat([]byte{7}, 100)
	require.NoError(t, o.Send(t.Context(), m, 0, want), "sending does not wait")
	f, err := o.Fetch([]Piece{{m, 0, 100}}, nil)
	require.NoError(t, err, "fetching does not wait")
	lost, err := o.Fetch([]Piece{{m, 0, 100}}, nil)
	require.NoError(t, err)
	require.NoError(t, lost.Close(), "nor does giving up")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	got := make([]byte, 100)
	require.ErrorIs(t, f.Wait(ctx, [][]byte{got}), context.DeadlineExceeded)
	require.Equal(t, make([]byte, 100), got)
	require.NoError(t, gate.SetStatus(nil))
	require.NoError(t, f.Wait(t.Context(), [][]byte{got}))
	require.Equal(t, want, got)
	require.NoError(t, f.Close())
	require.NoError(t, gate.Close())
	require.NoError(t, m.Close())
}

func TestStagingMemoryIsReusedAndBounded(t *testing.T) {
	o := withCommands(t)
	m, err := o.Alloc(1 << 20)
	require.NoError(t, err)
	host := make([]byte, 1<<20)
	for range 2 * inflight.Most >> 20 {
		require.NoError(t, o.Send(t.Context(), m, 0, host))
		held, _, _ := o.inflight.State()
		require.LessOrEqual(t, held, int64(inflight.Most))
	}
	require.NoError(t, o.Wait(t.Context()))
	for range 10 {
		require.NoError(t, o.Send(t.Context(), m, 0, host))
		require.NoError(t, o.Wait(t.Context()))
	}
	_, flying, spare := o.inflight.State()
	require.Zero(t, flying)
	require.NotZero(t, spare)
}

// Memory that a transfer reads is not reused by the next where the driver does not say how far it has come.
func TestMemoryOfTransfersThatNobodyCanAskAboutIsNotReused(t *testing.T) {
	for name, staging := range map[string]string{"by commands": stagingOff, "through staging": stagingOn} {
		t.Run(name, func(t *testing.T) {
			faults := new(clfault.Injector)
			o := fresh(t, &cl.Options{Wrap: faults.Wrap}, &Options{Staging: staging})
			notDirect(o)
			m, err := o.Alloc(300)
			require.NoError(t, err)
			gate, err := o.Context().NewUserEvent()
			require.NoError(t, err)
			require.NoError(t, o.Queue().Barrier([]*cl.Event{gate}))
			var want []byte
			faults.FailFrom(1, cl.OutOfResources, "Info event")
			open := make(chan error, 1)
			time.AfterFunc(30*time.Millisecond, func() { open <- gate.SetStatus(nil) })
			for i := range 3 {
				sent := bytes.Repeat([]byte{byte(i + 1)}, 100)
				want = append(want, sent...)
				require.NoError(t, o.Send(t.Context(), m, int64(i)*100, sent))
			}
			require.Positive(t, faults.Fired())
			faults.Off()
			require.NoError(t, <-open)
			require.NoError(t, o.Wait(t.Context()))
			got := make([]byte, 300)
			require.NoError(t, o.Read(t.Context(), got, m, 0))
			require.Equal(t, want, got)
			require.NoError(t, gate.Close())
			require.NoError(t, m.Close())
		})
	}
}

func TestStreamMistakesAreErrors(t *testing.T) {
	o := fresh(t, nil, nil)
	m, err := o.Alloc(10)
	require.NoError(t, err)
	assert.ErrorIs(t, o.Send(t.Context(), m, 5, make([]byte, 6)), cl.InvalidValue)
	_, err = o.Fetch([]Piece{{m, 0, 10}, {m, 5, 6}}, nil)
	assert.ErrorIs(t, err, cl.InvalidValue)
	_, err = o.Fetch([]Piece{{m, 3, -1}}, nil)
	assert.ErrorIs(t, err, cl.InvalidValue)
	f, err := o.Fetch([]Piece{{m, 0, 10}}, nil)
	require.NoError(t, err)
	assert.Error(t, f.Wait(t.Context(), nil), "no place for the piece")
	require.NoError(t, f.Close())
	require.NoError(t, m.Close())
	assert.ErrorIs(t, o.Send(t.Context(), m, 0, make([]byte, 1)), ErrClosed)
}

// A place that is smaller than its piece would lose bytes.
func TestFetchedPiecesNeedRoom(t *testing.T) {
	everyWay(t, func(t *testing.T, o *Opened) {
		m, err := o.Alloc(1 << 20)
		require.NoError(t, err)
		for _, n := range []int{0, 10, 1 << 20} {
			f, err := o.Fetch([]Piece{{m, 0, int64(n)}}, nil)
			require.NoError(t, err)
			if n > 0 {
				assert.ErrorIs(t, f.Wait(t.Context(), [][]byte{make([]byte, n-1)}), cl.InvalidValue, "%d bytes for %d", n-1, n)
			}
			require.NoError(t, f.Wait(t.Context(), [][]byte{make([]byte, n)}), "a place with room still serves")
			require.NoError(t, f.Close())
		}
		require.NoError(t, m.Close())
	})
}

func TestCloseWhileOthersStream(t *testing.T) {
	several(t)
	for i := range 6 {
		o := fresh(t, nil, nil)
		n := 1000
		if i%2 == 1 {
			o, n = withStaging(t), 3*staging.SmallMost
		}
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				host := make([]byte, n)
				for {
					m, err := o.Alloc(int64(n))
					if err != nil {
						return
					}
					err = o.Send(t.Context(), m, 0, host)
					if err == nil {
						var f *Fetched
						if f, err = o.Fetch([]Piece{{m, 0, int64(n)}}, nil); err == nil {
							err = f.Wait(t.Context(), [][]byte{host})
							_ = f.Close()
						}
					}
					_ = m.Close()
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

// Who was inside when closing began may still make the queue that it needs.
func TestAQueueMadeWhileClosingIsClosed(t *testing.T) {
	o := withStaging(t)
	s := o.staging
	require.NoError(t, s.Begin())
	var wg sync.WaitGroup
	wg.Go(func() { assert.NoError(t, o.Close()) })
	for !s.Closed() {
		time.Sleep(time.Millisecond)
	}
	_ = s.Reserve(t.Context(), 0, 0) // makes one; the device's own queue may be closed when it waits for that
	s.End()
	wg.Wait()
}
