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
// optimized, and so are all that are timed or run for long (Optimized).
func unoptimized(tb testing.TB) bool {
	switch tb.(type) {
	case *testing.B, optimized:
		return false
	}
	return !OneIn(1, 2)
}

// Optimized is tb for a test whose kernels take longer to run without optimization than to be compiled with it: those that fold
// millions of numbers.
func Optimized(tb testing.TB) testing.TB { return optimized{tb} }

type optimized struct{ testing.TB }

// NumbersOnly skips a test that only compares kernels' results, in short runs under the race detector: it sees nothing in
// kernels, and compilers take minutes under it.
func NumbersOnly(t *testing.T) {
	t.Helper()
	if RaceEnabled && testing.Short() {
		t.Skip("kernels' results, without goroutines")
	}
}
