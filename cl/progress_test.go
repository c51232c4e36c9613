package cl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

func TestAQueueIsIdleOnlyAfterSomebodyWaited(t *testing.T) {
	r := newRig(t, nil)
	k, b := r.hot(t)
	q := r.queue(t, cl.QueueOptions{})
	require.True(t, q.Idle(), "new")
	host := make([]byte, 64)
	for name, call := range map[string]func() error{
		"launch":    func() error { return q.Launch(k, cl.Range1(16, 16), nil) },
		"marker":    func() error { return q.Marker(nil) },
		"no bytes":  func() error { return q.Write(b, 0, nil, nil) },
		"fill":      func() error { return q.Fill(b, []byte{1}, 0, 64, nil) },
		"unmapping": func() error { m, err := q.Map(b, cl.MapRead, 0, 64, nil); _ = m.Close(); return err },
	} {
		require.NoError(t, call(), name)
		require.False(t, q.Idle(), name)
		require.NoError(t, q.Flush())
		require.False(t, q.Idle(), "%s, after a flush", name)
		require.NoError(t, q.Finish())
		require.True(t, q.Idle(), "%s, after a finish", name)
	}
	require.NoError(t, q.Launch(k, cl.Range1(16, 16), nil))
	require.NoError(t, q.Read(b, 0, host, nil))
	require.True(t, q.Idle(), "a blocking read of a queue in order waits for all before it")
}

// The gate holds the commands enqueued before the wait; those enqueued during it count as unknown.
func TestAWaitCoversOnlyWhatWasThereWhenItBegan(t *testing.T) {
	r := newRig(t, nil)
	q := r.queue(t, cl.QueueOptions{})
	gate, err := r.ctx.NewUserEvent()
	require.NoError(t, err)
	closing(t, gate)
	e, err := q.BarrierEvent([]*cl.Event{gate})
	require.NoError(t, err)
	closing(t, e)
	done := make(chan error)
	go func() { done <- q.Finish() }()
	require.False(t, q.Idle())
	require.NoError(t, gate.SetStatus(nil))
	require.NoError(t, <-done)
	require.True(t, q.Idle())
	require.NoError(t, q.Marker(nil))
	require.False(t, q.Idle())
	require.NoError(t, q.Finish())
}

func TestAQueueOutOfOrderIsNotIdleAfterABlockingRead(t *testing.T) {
	r := newRig(t, nil)
	_, b := r.hot(t)
	q := r.queue(t, cl.QueueOptions{OutOfOrder: true})
	require.NoError(t, q.Marker(nil))
	require.NoError(t, q.Read(b, 0, make([]byte, 64), nil))
	require.False(t, q.Idle())
	require.NoError(t, q.Finish())
	require.True(t, q.Idle())
}
