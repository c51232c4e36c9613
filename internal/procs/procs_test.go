package procs_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/procs"
)

func TestSpareIsAddedOnceAndNotCounted(t *testing.T) {
	n := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(n) })
	require.Equal(t, n, procs.Count())
	procs.Spare()
	procs.Spare()
	require.Equal(t, n+1, runtime.GOMAXPROCS(0))
	require.Equal(t, n, procs.Count())
	runtime.GOMAXPROCS(n + 4)
	require.Equal(t, n+4, procs.Count(), "what the program sets afterwards is what it wants")
}
