package cl_test

import (
	"bytes"
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

func TestTransfersMoveExactlyTheBytesNamed(t *testing.T) {
	r := newRig(t, nil)
	in := count(1000)
	b := r.filled(t, in)
	require.Equal(t, in, r.content(t, b))

	require.NoError(t, r.q.Write(b, 17, []byte("anycl"), nil))
	copy(in[17:], "anycl")
	require.Equal(t, in, r.content(t, b))

	part := make([]byte, 9)
	require.NoError(t, r.q.Read(b, 991, part, nil))
	require.Equal(t, in[991:], part)

	other := r.filled(t, make([]byte, 100))
	require.NoError(t, r.q.Copy(b, other, 15, 3, 20, nil))
	want := make([]byte, 100)
	copy(want[3:23], in[15:])
	require.Equal(t, want, r.content(t, other))
}

func TestEventTransfersKeepHostMemory(t *testing.T) {
	r := newRig(t, nil)
	b := r.buffer(t, 1<<16)
	in := count(1 << 16)
	w, err := r.q.WriteEvent(b, 0, in, nil)
	require.NoError(t, err)
	out := make([]byte, 1<<16)
	e, err := r.q.ReadEvent(b, 0, out, []*cl.Event{w})
	require.NoError(t, err)
	require.NoError(t, e.Wait())
	require.Equal(t, in, out)
	require.NoError(t, e.Close())
	require.NoError(t, w.Close())
}

func TestEventsOfTransfersMayBeClosedBeforeTheyAreDone(t *testing.T) {
	r := newRig(t, nil)
	b := r.buffer(t, 1<<20)
	out := make([]byte, 1<<20)
	e, err := r.q.ReadEvent(b, 0, out, nil)
	require.NoError(t, err)
	require.NoError(t, e.Close(), "closing waits for the memory")
}

func TestFillRepeatsPatternsOfEverySize(t *testing.T) {
	r := newRig(t, nil)
	for n := 1; n <= 128; n *= 2 {
		b := r.filled(t, make([]byte, 1024))
		pattern := count(n)
		require.NoError(t, r.q.Fill(b, pattern, 256, 512, nil))
		want := make([]byte, 1024)
		copy(want[256:], bytes.Repeat(pattern, 512/n))
		require.Equal(t, want, r.content(t, b), "pattern of %d bytes", n)
	}
}

func TestEmptyTransfersSucceed(t *testing.T) {
	r := newRig(t, nil)
	b := r.filled(t, count(64))
	require.NoError(t, r.q.Write(b, 64, nil, nil))
	require.NoError(t, r.q.Read(b, 0, nil, nil))
	require.NoError(t, r.q.Copy(b, b, 0, 0, 0, nil))
	require.NoError(t, r.q.Fill(b, []byte{1}, 3, 0, nil))
	require.NoError(t, r.q.ReadRect(b, cl.Rect{Region: [3]int{4, 0, 1}}, nil, nil))
	require.NoError(t, r.q.Migrate(nil, 0, nil))
	e, err := r.q.WriteEvent(b, 0, nil, nil)
	require.NoError(t, err)
	require.NoError(t, e.Wait())
	require.NoError(t, e.Close())
	require.Equal(t, count(64), r.content(t, b))
}

func TestRangesOutsideTheBufferAreErrors(t *testing.T) {
	r := newRig(t, nil)
	b, other := r.buffer(t, 64), r.buffer(t, 64)
	rect := cl.Rect{Region: [3]int{8, 8, 1}}
	bad := map[string]error{
		"write past the end":  r.q.Write(b, 60, make([]byte, 5), nil),
		"negative offset":     r.q.Read(b, -1, make([]byte, 1), nil),
		"huge offset":         r.q.Read(b, 1<<62, make([]byte, 1), nil),
		"copy past source":    r.q.Copy(b, other, 32, 0, 33, nil),
		"copy past target":    r.q.Copy(b, other, 0, 32, 33, nil),
		"negative copy":       r.q.Copy(b, other, 0, 0, -1, nil),
		"fill of 3 bytes":     r.q.Fill(b, []byte{1, 2, 3}, 0, 3, nil),
		"fill of no pattern":  r.q.Fill(b, nil, 0, 4, nil),
		"fill not aligned":    r.q.Fill(b, []byte{1, 2}, 1, 4, nil),
		"fill past the end":   r.q.Fill(b, []byte{1}, 60, 5, nil),
		"short host memory":   r.q.ReadRect(b, rect, make([]byte, 63), nil),
		"rect past the end":   r.q.WriteRect(b, cl.Rect{Origin: [3]int{1, 0, 0}, Region: rect.Region}, make([]byte, 64), nil),
		"pitch below row":     r.q.ReadRect(b, cl.Rect{Region: rect.Region, RowPitch: 7}, make([]byte, 64), nil),
		"negative region":     r.q.ReadRect(b, cl.Rect{Region: [3]int{-1, 1, 1}}, nil, nil),
		"copy rect past end":  r.q.CopyRect(b, other, cl.Rect{Region: [3]int{8, 9, 1}}, nil),
		"nil buffer":          r.q.Write(nil, 0, []byte{1}, nil),
		"nil target":          r.q.Copy(b, nil, 0, 0, 1, nil),
		"nil rect target":     r.q.CopyRect(b, nil, rect, nil),
		"nil migrated buffer": r.q.Migrate([]*cl.Buffer{b, nil}, 0, nil),
		"nil event":           r.q.Marker([]*cl.Event{nil}),
	}
	for name, err := range bad {
		e := new(cl.Error)
		require.ErrorAs(t, err, &e, name)
	}
	_, err := r.q.Map(b, cl.MapRead, 0, 0, nil)
	require.ErrorIs(t, err, cl.InvalidValue)
	_, err = r.q.Map(b, cl.MapRead, 1, 64, nil)
	require.ErrorIs(t, err, cl.InvalidValue)
}

// box copies a box on the host, as the reference for the rectangular copies.
func box(dst, src []byte, r cl.Rect) {
	row := func(pitch int) int { return max(pitch, r.Region[0]) }
	slice := func(pitch, rowPitch int) int { return max(pitch, row(rowPitch)*r.Region[1]) }
	for z := range r.Region[2] {
		for y := range r.Region[1] {
			from := (r.Origin[2]+z)*slice(r.SlicePitch, r.RowPitch) + (r.Origin[1]+y)*row(r.RowPitch) + r.Origin[0]
			to := (r.Origin2[2]+z)*slice(r.SlicePitch2, r.RowPitch2) + (r.Origin2[1]+y)*row(r.RowPitch2) + r.Origin2[0]
			copy(dst[to:to+r.Region[0]], src[from:])
		}
	}
}

func TestRectangularCopiesAgreeWithTheHost(t *testing.T) {
	r := newRig(t, nil)
	rects := map[string]cl.Rect{
		"row":     {Region: [3]int{5, 1, 1}},
		"tight":   {Region: [3]int{8, 4, 2}},
		"pitches": {Region: [3]int{5, 3, 2}, Origin: [3]int{2, 1, 1}, RowPitch: 16, SlicePitch: 80, Origin2: [3]int{1, 2, 0}, RowPitch2: 11, SlicePitch2: 77},
		"to rows": {Region: [3]int{4, 6, 1}, RowPitch: 4, RowPitch2: 32, Origin2: [3]int{3, 0, 0}},
	}
	for name, rect := range rects {
		t.Run(name, func(t *testing.T) {
			src := count(512)
			want := make([]byte, 512)
			box(want, src, rect)
			b := r.filled(t, src)

			out := make([]byte, 512)
			require.NoError(t, r.q.ReadRect(b, rect, out, nil))
			require.Equal(t, want, out, "read")

			copied := r.filled(t, make([]byte, 512))
			require.NoError(t, r.q.CopyRect(b, copied, rect, nil))
			require.Equal(t, want, r.content(t, copied), "copy")

			// Writing goes the other way: from the second memory to the first.
			back := make([]byte, 512)
			box(back, src, cl.Rect{
				Region: rect.Region, Origin: rect.Origin2, RowPitch: rect.RowPitch2, SlicePitch: rect.SlicePitch2,
				Origin2: rect.Origin, RowPitch2: rect.RowPitch, SlicePitch2: rect.SlicePitch,
			})
			written := r.filled(t, make([]byte, 512))
			require.NoError(t, r.q.WriteRect(written, rect, src, nil))
			require.Equal(t, back, r.content(t, written), "write")

			clear(out)
			e, err := r.q.ReadRectEvent(b, rect, out, nil)
			require.NoError(t, err)
			require.NoError(t, e.Wait())
			require.NoError(t, e.Close())
			require.Equal(t, want, out, "read with event")
		})
	}
}

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
	if _, err = b.Sub(cl.MemReadWrite, 4, 4); err != nil { // Intel's driver takes it
		require.ErrorIs(t, err, cl.MisalignedSubBufferOffset)
	}
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

func TestMigrateKeepsTheContent(t *testing.T) {
	r := newRig(t, nil)
	b := r.filled(t, count(64))
	require.NoError(t, r.q.Migrate([]*cl.Buffer{b}, 0, nil))
	require.NoError(t, r.q.Migrate([]*cl.Buffer{b}, cl.MigrateToHost, nil))
	require.Equal(t, count(64), r.content(t, b))
}
