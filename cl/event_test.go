package cl_test

import (
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

func (r *rig) queue(t testing.TB, o cl.QueueOptions) *cl.Queue {
	t.Helper()
	q, err := r.ctx.NewQueue(r.dev, o)
	if errors.Is(err, cl.InvalidQueueProperties) {
		t.Skipf("the device has no queues with %+v", o)
	}
	require.NoError(t, err)
	closing(t, q)
	return q
}

func TestWaitListsOrderAnOutOfOrderQueue(t *testing.T) {
	r := newRig(t, nil)
	q := r.queue(t, cl.QueueOptions{OutOfOrder: true})
	k := r.kernel(t, `kernel void chain(global int *x, int a, int b) { x[0] = x[0] * a + b; }`, "chain")
	x := r.filled(t, make([]byte, 4))
	require.NoError(t, k.SetBuffer(0, x))
	gate, err := r.ctx.NewUserEvent()
	require.NoError(t, err)
	events := []*cl.Event{gate}
	want := int32(0)
	for i := range int32(20) {
		require.NoError(t, k.SetInt32(1, i%3+1))
		require.NoError(t, k.SetInt32(2, i))
		want = want*(i%3+1) + i
		e, err := q.LaunchEvent(k, cl.Range1(1, 1), events[len(events)-1:])
		require.NoError(t, err)
		events = append(events, e)
	}
	// No Flush: Oclgrind runs flushed commands at once and would wait for the gate.
	s, err := events[20].Status()
	require.NoError(t, err)
	require.Greater(t, s, cl.EventComplete, "the user event holds everything back")
	require.NoError(t, gate.SetStatus(nil))
	require.NoError(t, cl.WaitAll(events...))
	require.EqualValues(t, want, int32(binary.NativeEndian.Uint32(r.content(t, x))))
	for _, e := range events {
		s, err := e.Status()
		require.NoError(t, err)
		require.Equal(t, cl.EventComplete, s)
		require.NoError(t, e.Close())
	}
}

func TestReturnedEventNeverIsOneOfTheWaitList(t *testing.T) {
	r := newRig(t, nil)
	a, err := r.q.MarkerEvent(nil)
	require.NoError(t, err)
	// The same event twice, and every kind of call that takes and returns events.
	wait := []*cl.Event{a, a}
	b, c := r.buffer(t, 64), r.buffer(t, 64)
	m := map[string]func() (*cl.Event, error){
		"marker":  func() (*cl.Event, error) { return r.q.MarkerEvent(wait) },
		"barrier": func() (*cl.Event, error) { return r.q.BarrierEvent(wait) },
		"fill":    func() (*cl.Event, error) { return r.q.FillEvent(b, []byte{1}, 0, 64, wait) },
		"copy":    func() (*cl.Event, error) { return r.q.CopyEvent(b, c, 0, 0, 64, wait) },
		"rect":    func() (*cl.Event, error) { return r.q.CopyRectEvent(b, c, cl.Rect{Region: [3]int{8, 2, 1}}, wait) },
		"read":    func() (*cl.Event, error) { return r.q.ReadEvent(b, 0, make([]byte, 64), wait) },
		"write":   func() (*cl.Event, error) { return r.q.WriteEvent(b, 0, make([]byte, 64), wait) },
	}
	for name, call := range m {
		e, err := call()
		require.NoError(t, err, name)
		require.NotSame(t, a, e, name)
		require.NoError(t, e.Wait(), name)
		require.NoError(t, e.Close(), name)
	}
	require.NoError(t, r.q.Marker(wait))
	require.NoError(t, a.Close())
}

func TestFailedUserEventFailsWhatWaitsForIt(t *testing.T) {
	r := newRig(t, nil)
	gate, err := r.ctx.NewUserEvent()
	require.NoError(t, err)
	e, err := r.q.MarkerEvent([]*cl.Event{gate})
	require.NoError(t, err)
	require.NoError(t, gate.SetStatus(cl.OutOfResources))
	require.ErrorIs(t, gate.Wait(), cl.OutOfResources)
	require.Error(t, e.Wait())
	require.Error(t, gate.SetStatus(nil), "a second time")
	require.ErrorIs(t, e.SetStatus(nil), cl.InvalidEvent, "not a user event")
	require.NoError(t, e.Close())
	require.NoError(t, gate.Close())
	require.ErrorIs(t, gate.SetStatus(nil), cl.ErrClosed)
}

func TestProfileTimesAreInOrder(t *testing.T) {
	r := newRig(t, nil)
	q := r.queue(t, cl.QueueOptions{Profiling: true})
	b := r.buffer(t, 1<<20)
	e, err := q.FillEvent(b, []byte{1}, 0, 1<<20, nil)
	require.NoError(t, err)
	require.NoError(t, e.Wait())
	p, err := e.Profile()
	require.NoError(t, err)
	require.LessOrEqual(t, p.Queued, p.Submitted)
	require.LessOrEqual(t, p.Submitted, p.Started)
	require.LessOrEqual(t, p.Started, p.Ended) // all zero is normal
	require.Less(t, p.Elapsed(), time.Minute)
	require.NoError(t, e.Close())

	e, err = r.q.FillEvent(b, []byte{1}, 0, 16, nil)
	require.NoError(t, err)
	require.NoError(t, e.Wait())
	if _, err = e.Profile(); err != nil { // Oclgrind always has times
		require.ErrorIs(t, err, cl.ProfilingInfoNotAvailable)
	}
	require.NoError(t, e.Close())
}

func TestBarrierOrdersAnOutOfOrderQueue(t *testing.T) {
	r := newRig(t, nil)
	q := r.queue(t, cl.QueueOptions{OutOfOrder: true})
	b, c := r.buffer(t, 1<<16), r.filled(t, make([]byte, 1<<16))
	for i := range byte(20) {
		require.NoError(t, q.Fill(b, []byte{i}, 0, 1<<16, nil))
		require.NoError(t, q.Barrier(nil))
		require.NoError(t, q.Copy(b, c, 0, 0, 1<<16, nil))
		require.NoError(t, q.Barrier(nil))
	}
	require.NoError(t, q.Finish())
	got := r.content(t, c)
	require.Equal(t, byte(19), got[0])
	require.Equal(t, byte(19), got[1<<16-1])
}

func TestUnmapWaits(t *testing.T) {
	r := newRig(t, nil)
	b := r.filled(t, make([]byte, 64))
	m, err := r.q.Map(b, cl.MapWrite, 0, 64, nil)
	require.NoError(t, err)
	e, err := r.q.MarkerEvent(nil)
	require.NoError(t, err)
	copy(m.Bytes(), "x")
	other := r.queue(t, cl.QueueOptions{})
	require.ErrorIs(t, other.Unmap(m, nil), cl.InvalidCommandQueue)
	require.ErrorIs(t, other.Unmap(nil, nil), cl.InvalidValue)
	require.NoError(t, r.q.Unmap(m, []*cl.Event{e}))
	require.Equal(t, byte('x'), r.content(t, b)[0])
	require.NoError(t, e.Close())
}
