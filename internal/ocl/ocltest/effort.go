package ocltest

import (
	"testing"

	"github.com/anycl/anycl/internal/testdevices"
)

// OneIn reports whether case i of a grid is among those that tests try: every n-th, as compiling a program takes tenths of
// a second and cases of a grid are alike. All are tried by
//
//	ANYCL_MATRIX=full go test -timeout 60m ./internal/ocl/...

func OneIn(i, n int) bool { return i%n == 0 || testdevices.Full() }

// unoptimized reports whether CPU drivers compile without optimization the kernels that they would not run for users, which
// takes half the time: kernels for GPUs and variants that a test forces. Kernels that the rules choose for CPUs are
// optimized, and so are all that are timed.
func unoptimized(tb testing.TB) bool {
	_, timed := tb.(*testing.B)
	return !timed && !OneIn(1, 2)
}

// NumbersOnly skips a test that only compares kernels' results, in short runs under the race detector: it sees nothing in
// kernels, and compilers take minutes under it.
func NumbersOnly(t *testing.T) {
	t.Helper()
	if RaceEnabled && testing.Short() {
		t.Skip("kernels' results, without goroutines")
	}
}
