package cl_test

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

func TestMappingShowsAndChangesTheBuffer(t *testing.T) {
	r := newRig(t, nil)
	b := r.filled(t, count(256))
	m, err := r.q.Map(b, cl.MapRead|cl.MapWrite, 64, 128, nil)
	require.NoError(t, err)
	require.Equal(t, 1, r.lib.Stats().Mappings)
	require.Equal(t, count(256)[64:192], m.Bytes())
	copy(m.Bytes(), "mapped")
	require.NoError(t, r.q.Unmap(m, nil))
	require.NoError(t, r.q.Unmap(m, nil), "twice")
	require.Nil(t, m.Bytes())
	want := count(256)
	copy(want[64:], "mapped")
	require.Equal(t, want, r.content(t, b))

	m, e, err := r.q.MapEvent(b, cl.MapRead, 0, 256, nil)
	require.NoError(t, err)
	require.NoError(t, e.Wait())
	require.Equal(t, want, m.Bytes())
	require.NoError(t, e.Close())
	require.NoError(t, m.Close())
	require.NoError(t, m.Close())
}

func TestMappingOutlivesTheClosedBuffer(t *testing.T) {
	r := newRig(t, nil)
	b := r.filled(t, count(64))
	m, err := r.q.Map(b, cl.MapRead, 0, 64, nil)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	require.Equal(t, 1, r.lib.Stats().Buffers, "the mapping holds it")
	require.Equal(t, count(64), m.Bytes())
	require.NoError(t, m.Close())
	require.Zero(t, r.lib.Stats().Buffers)
}

func TestSubBufferIsAViewAndMustBeAligned(t *testing.T) {
	r := newRig(t, nil)
	align := int64(r.dev.Info().BaseAddrAlignBits / 8)
	b := r.filled(t, count(int(4*align)))
	sub, err := b.Sub(cl.MemReadWrite, align, 2*align)
	require.NoError(t, err)
	closing(t, sub)
	require.NoError(t, r.q.Write(sub, 1, []byte("view"), nil))
	want := count(int(4 * align))
	copy(want[align+1:], "view")
	require.Equal(t, want, r.content(t, b))

	_, err = b.Sub(cl.MemReadWrite, 3*align, 2*align)
	require.ErrorIs(t, err, cl.InvalidValue, "sticks out")
	_, err = b.Sub(cl.MemReadWrite, 0, 0)
	require.ErrorIs(t, err, cl.InvalidValue)
	misaligned, err := b.Sub(cl.MemReadWrite, 4, 4)
	if err != nil { // Intel's driver and Oclgrind take it
		require.ErrorIs(t, err, cl.MisalignedSubBufferOffset)
	}
	require.NoError(t, misaligned.Close())
	require.NoError(t, b.Close())
	part := make([]byte, 4)
	require.NoError(t, r.q.Read(sub, 1, part, nil), "a sub-buffer keeps its parent")
	require.Equal(t, "view", string(part))
}

func TestHostPointers(t *testing.T) {
	r := newRig(t, nil)
	in := []int32{1, -2, 3}
	b, err := r.ctx.NewBuffer(cl.MemReadOnly|cl.MemCopyHostPtr, 12, unsafe.Pointer(&in[0]))
	require.NoError(t, err)
	closing(t, b)
	require.Equal(t, cl.Bytes(in), r.content(t, b))
	require.Equal(t, uint32(0xFFFFFFFE), binary.NativeEndian.Uint32(r.content(t, b)[4:]))

	_, err = r.ctx.NewBuffer(cl.MemReadWrite, 0, nil)
	require.ErrorIs(t, err, cl.InvalidBufferSize)
	_, err = r.ctx.NewBuffer(cl.MemCopyHostPtr, 12, nil)
	require.ErrorIs(t, err, cl.InvalidHostPtr)
	_, err = r.ctx.NewBuffer(cl.MemReadWrite, 1<<50, nil)
	require.Error(t, err)
	require.ErrorContains(t, err, "1125899906842624 bytes")
	require.Empty(t, cl.Bytes[float32](nil))
}
