package cl_test

import (
	"bytes"
	"testing"

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
func TestMigrateKeepsTheContent(t *testing.T) {
	r := newRig(t, nil)
	b := r.filled(t, count(64))
	require.NoError(t, r.q.Migrate([]*cl.Buffer{b}, 0, nil))
	require.NoError(t, r.q.Migrate([]*cl.Buffer{b}, cl.MigrateToHost, nil))
	require.Equal(t, count(64), r.content(t, b))
}
