package wait

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWaiterBlocksOneGoroutineInTheDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inside, most, rounds atomic.Int32
		w := New(func() error {
			most.Store(max(most.Load(), inside.Add(1)))
			time.Sleep(time.Second)
			inside.Add(-1)
			rounds.Add(1)
			return nil
		})
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() { assert.NoError(t, w.Wait(t.Context())) })
		}
		wg.Wait()
		w.Stop()
		assert.EqualValues(t, 1, most.Load())
		assert.LessOrEqual(t, rounds.Load(), int32(2), "who came first, and then all others together")
	})
}

func TestWaiterCountsOnlyRoundsThatBeganLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int32
		w := New(func() error {
			begun.Add(1)
			time.Sleep(time.Second)
			return nil
		})
		go func() { _ = w.Wait(t.Context()) }()
		synctest.Wait() // the first round is in the driver
		require.EqualValues(t, 1, begun.Load())
		require.NoError(t, w.Wait(t.Context()))
		assert.EqualValues(t, 2, begun.Load(), "work enqueued during a round is not covered by it")
		w.Stop()
	})
}

func TestWaitStopsWithItsContextAndTheWorkGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var finished atomic.Bool
		w := New(func() error {
			time.Sleep(time.Minute)
			finished.Store(true)
			return nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		require.ErrorIs(t, w.Wait(ctx), context.DeadlineExceeded)
		assert.Equal(t, time.Second, time.Since(start))
		assert.False(t, finished.Load())
		w.Stop()
		assert.True(t, finished.Load(), "stop waits for the round")
		require.ErrorIs(t, w.Wait(ctx), context.DeadlineExceeded, "a context that is over asks nobody")
	})
}

func TestWaiterHandsTheDriversErrorToAll(t *testing.T) {
	boom := errors.New("boom")
	w := New(func() error { return boom })
	assert.ErrorIs(t, w.Wait(context.Background()), boom)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() { assert.ErrorIs(t, w.Wait(t.Context()), boom) })
	}
	wg.Wait()
	w.Stop()
}
