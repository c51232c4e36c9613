package cl_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

func (r *rig) hot(t testing.TB) (*cl.Kernel, *cl.Buffer) {
	k := r.kernel(t, addOne, "add")
	b := r.filled(t, make([]byte, 64))
	require.NoError(t, k.SetBuffer(0, b))
	require.NoError(t, k.SetInt32(1, 1))
	return k, b
}

func TestHotPathAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	r := newRig(t, nil)
	k, b := r.hot(t)
	host := make([]byte, 64)
	e, err := r.q.MarkerEvent(nil)
	require.NoError(t, err)
	defer e.Close()
	wait := []*cl.Event{e}
	var value [4]byte
	pattern := []byte{0, 0, 0, 0}
	other := r.buffer(t, 64)
	rect := cl.Rect{Region: [3]int{4, 4, 1}}
	for name, call := range map[string]func() error{
		"Launch":          func() error { return r.q.Launch(k, cl.Range1(16, 16), nil) },
		"Launch and wait": func() error { return r.q.Launch(k, cl.Range1(16, 16), wait) },
		"SetBuffer":       func() error { return k.SetBuffer(0, b) },
		"SetInt32":        func() error { return k.SetInt32(1, 1) },
		"SetFloat32":      func() error { return k.SetFloat32(1, 0) },
		"SetBytes":        func() error { return k.SetBytes(1, unsafe.Pointer(&value), 4) },
		"SetNil":          func() error { return k.SetNil(0) },
		"Write":           func() error { return r.q.Write(b, 0, host, nil) },
		"Read":            func() error { return r.q.Read(b, 0, host, nil) },
		"Copy":            func() error { return r.q.Copy(b, other, 0, 0, 64, nil) },
		"CopyRect":        func() error { return r.q.CopyRect(b, other, rect, nil) },
		"Fill":            func() error { return r.q.Fill(b, pattern, 0, 64, nil) },
		"Marker":          func() error { return r.q.Marker(wait) },
		"Barrier":         func() error { return r.q.Barrier(nil) },
		"Wait":            func() error { return cl.WaitAll(wait...) },
		"Flush":           func() error { return r.q.Flush() },
		"Finish":          func() error { return r.q.Finish() },
	} {
		require.NoError(t, k.SetBuffer(0, b))
		require.NoError(t, call(), name) // fills the free list
		var failed error
		n := testing.AllocsPerRun(100, func() {
			if err := call(); err != nil {
				failed = err
			}
		})
		require.NoError(t, failed, name)
		require.Zero(t, n, name)
	}
}

func TestHundredThousandLaunchesLeaveNothingBehind(t *testing.T) {
	r := newRig(t, nil)
	k, b := r.hot(t)
	require.NoError(t, k.SetInt32(1, 1))
	launch := func(n int) {
		for i := range n {
			require.NoError(t, r.q.Launch(k, cl.Range1(1, 1), nil))
			if i%1000 == 999 {
				require.NoError(t, r.q.Finish())
			}
		}
	}
	launch(20_000) // the driver's own pools grow to their working size
	before, start := r.lib.Stats(), resident(t)
	launch(100_000)
	require.Equal(t, before, r.lib.Stats())
	require.Zero(t, r.lib.Stats().Events)
	require.Less(t, resident(t)-start, 8<<20, "bytes of growth")
	out := make([]int32, 16)
	require.NoError(t, r.q.Read(b, 0, cl.Bytes(out), nil))
	require.EqualValues(t, 120_000, out[0])
}

// resident returns the process's resident memory in bytes, 0 where it cannot be
// told.
func resident(t *testing.T) int {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, err := strconv.Atoi(strings.Fields(string(statm))[1])
	require.NoError(t, err)
	return pages * os.Getpagesize()
}

func BenchmarkSetArg(b *testing.B) {
	r := newRig(b, nil)
	k, _ := r.hot(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := k.SetInt32(1, 1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLaunch(b *testing.B) {
	r := newRig(b, nil)
	k, _ := r.hot(b)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if err := r.q.Launch(k, cl.Range1(16, 16), nil); err != nil {
			b.Fatal(err)
		}
		if n++; n%1000 == 0 {
			if err := r.q.Finish(); err != nil {
				b.Fatal(err)
			}
		}
	}
}
