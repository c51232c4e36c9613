package ocl

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/anycl/anycl/internal/procs"
)

// onOneProcessor keeps all threads of the process on one processor until the test ends.
func onOneProcessor(t *testing.T) {
	t.Helper()
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Skip(err)
	}
	one.Set(procs.Here())
	set := func(to *unix.CPUSet) {
		threads, err := os.ReadDir("/proc/self/task")
		require.NoError(t, err)
		for _, thread := range threads {
			id, err := strconv.Atoi(thread.Name())
			require.NoError(t, err)
			if err := unix.SchedSetaffinity(id, to); err != nil && err != unix.ESRCH {
				t.Skip(err)
			}
		}
	}
	t.Cleanup(func() { set(&all) })
	set(&one)
}

// A helper on the caller's processor would take it away from the caller to do, or to watch for, what
// the caller does.
func TestHelpersLeaveTheCallersProcessorToIt(t *testing.T) {
	e := withPool(t)
	s, _, _ := chain(t, e, 700, 300)
	c := e.host.pooled.pool
	for run := range uint32(200) { // how long launches take is learnt
		require.NoError(t, s.Run(t.Context(), 0, 3, run))
	}
	require.NotZero(t, c.Number.Load(), "launches are shared")
	onOneProcessor(t)
	require.NoError(t, s.Run(t.Context(), 0, 3, 0))
	helped, number := c.Helped.Load(), c.Number.Load()
	for run := range uint32(500) {
		require.NoError(t, s.Run(t.Context(), 0, 3, run))
	}
	require.Less(t, c.Helped.Load()-helped, uint32(10))
	require.Less(t, c.Number.Load()-number, uint32(500), "nobody is asked to help")
}
