package cl_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/clfault"
)

func (r *rig) signal(t testing.TB) *cl.Event {
	e, err := r.ctx.NewSignal()
	require.NoError(t, err)
	closing(t, e)
	return e
}

// outside is memory of n bytes outside Go's heap.
func (r *rig) outside(t testing.TB, n int64) []byte {
	m, err := r.q.Map(r.buffer(t, n), cl.MapRead|cl.MapWrite, 0, n, nil)
	require.NoError(t, err)
	closing(t, m)
	return m.Bytes()
}

func TestASignalStandsForOneCommandAfterAnother(t *testing.T) {
	r := newRig(t, nil)
	e, host, back := r.signal(t), r.outside(t, 64), r.outside(t, 64)
	a, b := r.buffer(t, 64), r.buffer(t, 64)
	st, err := e.Status()
	require.NoError(t, err)
	require.Equal(t, cl.EventComplete, st, "before the first command")
	require.NoError(t, e.Wait())
	live := r.lib.Stats().Events
	self := []*cl.Event{e}
	for i := range 10 {
		copy(host, bytes.Repeat([]byte{byte(i + 1)}, 64))
		require.NoError(t, r.q.WriteSignal(a, 0, host, self, e))
		require.NoError(t, r.q.CopySignal(a, b, 0, 0, 64, self, e))
		require.NoError(t, r.q.ReadSignal(b, 0, back, self, e))
		require.NoError(t, e.Wait())
		require.Equal(t, host, back)
	}
	gate, err := r.ctx.NewUserEvent()
	require.NoError(t, err)
	require.NoError(t, r.q.MarkerSignal([]*cl.Event{gate}, e))
	st, err = e.Status()
	require.NoError(t, err)
	require.Greater(t, st, cl.EventComplete)
	require.NoError(t, gate.SetStatus(nil))
	require.NoError(t, e.Wait())
	require.NoError(t, gate.Close())
	require.Equal(t, live, r.lib.Stats().Events)
}

func TestSignalsAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	r := newRig(t, nil)
	e, host, a := r.signal(t), r.outside(t, 64), r.buffer(t, 64)
	wait := []*cl.Event{e}
	var failed error
	round := func() {
		if err := r.q.WriteSignal(a, 0, host, wait, e); err != nil {
			failed = err
		}
		if _, err := e.Status(); err != nil {
			failed = err
		}
		if err := cl.WaitAll(wait...); err != nil {
			failed = err
		}
	}
	round()
	require.Zero(t, testing.AllocsPerRun(100, round))
	require.NoError(t, failed)
}

func TestSignalMistakesAndFailuresAreErrors(t *testing.T) {
	faults := new(clfault.Injector)
	r := newRig(t, &cl.Options{Wrap: faults.Wrap})
	e, host, a := r.signal(t), r.outside(t, 64), r.buffer(t, 64)
	require.ErrorIs(t, r.q.WriteSignal(a, 1, host, nil, e), cl.InvalidValue)
	require.ErrorIs(t, r.q.WriteSignal(a, 0, host, nil, nil), cl.InvalidValue)
	plain, err := r.q.MarkerEvent(nil)
	require.NoError(t, err)
	require.ErrorIs(t, r.q.MarkerSignal(nil, plain), cl.InvalidEvent)
	require.NoError(t, plain.Close())
	require.NoError(t, r.q.WriteSignal(a, 0, host, nil, e))
	faults.FailAt(1, cl.OutOfResources, "write")
	require.ErrorIs(t, r.q.WriteSignal(a, 0, host, nil, e), cl.OutOfResources)
	faults.Off()
	require.NoError(t, e.Wait(), "of the write before")
	gone, err := r.ctx.NewSignal()
	require.NoError(t, err)
	require.NoError(t, gone.Close())
	require.ErrorIs(t, r.q.MarkerSignal(nil, gone), cl.ErrClosed)
}
