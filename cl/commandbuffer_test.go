package cl_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

func TestCommandBufferReplays(t *testing.T) {
	r := newRig(t, nil)
	cb, err := r.q.NewCommandBuffer(cl.CommandBufferOptions{})
	if !r.dev.HasExtension("cl_khr_command_buffer") {
		require.ErrorIs(t, err, cl.ErrUnsupported)
		t.Skip("the device has no command buffers")
	}
	require.NoError(t, err)
	closing(t, cb)
	k := r.kernel(t, addOne, "add")
	a, b := r.filled(t, make([]byte, 64)), r.filled(t, make([]byte, 64))
	require.NoError(t, k.SetBuffer(0, a))
	require.NoError(t, k.SetInt32(1, 5))
	fill, err := cb.Fill(a, []byte{1, 0, 0, 0}, 0, 64)
	require.NoError(t, err)
	run, err := cb.Launch(k, cl.Range1(16, 0), fill)
	require.NoError(t, err)
	barrier, err := cb.Barrier(run)
	require.NoError(t, err)
	_, err = cb.Copy(a, b, 0, 32, 32, barrier)
	require.NoError(t, err)
	_, err = cb.CopyRect(a, b, cl.Rect{Region: [3]int{4, 2, 1}}, barrier)
	if !errors.Is(err, cl.ErrUnsupported) {
		require.NoError(t, err)
	}
	require.Error(t, r.q.Replay(cb, nil), "not finalized")
	require.NoError(t, cb.Finalize())
	_, err = cb.Barrier()
	require.Error(t, err, "finalized")

	require.NoError(t, a.Close())
	require.Equal(t, 2, r.lib.Stats().Buffers, "the recording holds what it names")
	for range 3 {
		require.NoError(t, r.q.Replay(cb, nil))
		require.NoError(t, r.q.Finish())
	}
	e, err := r.q.ReplayEvent(cb, nil)
	require.NoError(t, err)
	require.NoError(t, e.Wait())
	require.NoError(t, e.Close())
	got := make([]int32, 16)
	require.NoError(t, r.q.Read(b, 0, cl.Bytes(got), nil))
	require.Equal(t, slices.Repeat([]int32{6}, 8), got[8:])
	require.ErrorIs(t, r.queue(t, cl.QueueOptions{}).Replay(cb, nil), cl.IncompatibleCommandQueue)
	require.NoError(t, cb.Close())
	require.Equal(t, 1, r.lib.Stats().Buffers)
	require.ErrorIs(t, r.q.Replay(cb, nil), cl.ErrClosed)
	require.ErrorIs(t, cb.Finalize(), cl.ErrClosed)
}

func TestSimultaneousReplaysQueueUp(t *testing.T) {
	r := newRig(t, nil)
	if r.dev.Info().CommandBuffer&cl.CommandBufferSimultaneousUse == 0 {
		t.Skip("the device has no simultaneous replays")
	}
	cb, err := r.q.NewCommandBuffer(cl.CommandBufferOptions{Simultaneous: true})
	require.NoError(t, err)
	closing(t, cb)
	k := r.kernel(t, addOne, "add")
	a := r.filled(t, make([]byte, 4))
	require.NoError(t, k.SetBuffer(0, a))
	require.NoError(t, k.SetInt32(1, 1))
	_, err = cb.Launch(k, cl.Range1(1, 1))
	require.NoError(t, err)
	require.NoError(t, cb.Finalize())
	for range 50 {
		require.NoError(t, r.q.Replay(cb, nil))
	}
	require.EqualValues(t, 50, r.content(t, a)[0])
}
