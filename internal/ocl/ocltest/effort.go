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

// unoptimized tells that CPU drivers compile without optimization, which takes half the time, what they would not run for
// users: kernels for GPUs and variants that a test forces. What is chosen for them is optimized, and so is all that is timed.
func unoptimized(tb testing.TB) bool {
	_, timed := tb.(*testing.B)
	return !timed && !OneIn(1, 2)
}

// NumbersOnly skips a test that only compares what kernels compute, in short runs under the race detector: it sees nothing in
// kernels, and compilers take minutes under it.
func NumbersOnly(t *testing.T) {
	t.Helper()
	if RaceEnabled && testing.Short() {
		t.Skip("kernels' results, without goroutines")
	}
}
