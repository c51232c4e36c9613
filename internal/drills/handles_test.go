package drills

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testleak"
)

// The device and the runtime are opened, used and closed over and over.
func TestHandles(t *testing.T) {
	r := sound(t)
	cycle := func(i int) {
		rt := r.open(t)
		p, err := newPlain(t.Context(), rt, 2)
		require.NoError(t, err)
		require.NoError(t, p.run(t.Context(), float64(i%9), 2))
		if i%2 == 0 { // else it is the runtime that closes it
			require.NoError(t, p.exe.Close())
		}
		require.NoError(t, rt.Close())
		require.Zero(t, r.lib.Stats().Total())
	}
	for i := range 5 {
		cycle(i)
	}
	before, threadsBefore := holds(r.lib), threads()
	n := often(20, 1000)
	for i := range n {
		cycle(i)
	}
	after, threadsAfter := holds(r.lib), threads()
	testleak.RequireGoroutines(t, before.routines)
	require.LessOrEqual(t, after.files, before.files)
	require.LessOrEqual(t, after.heap-before.heap, int64(heapMost))
	require.LessOrEqual(t, threadsAfter, threadsBefore+8, "threads of Go and of the driver")
	perCycle := float64(after.resident-before.resident) / float64(n) / 1024
	figure(t, "%d cycles: %d files before, %d after; goroutines %d, %d; threads %d, %d; Go heap %+.2f MiB; RSS %+.1f KiB a cycle (the driver's)",
		n, before.files, after.files, before.routines, after.routines, threadsBefore, threadsAfter,
		float64(after.heap-before.heap)/(1<<20), perCycle)
}
