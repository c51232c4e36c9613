package ocltest

import (
	"os"
	"testing"
)

// OneIn reports whether case i of a grid is among those that tests try: every n-th, as compiling a program takes tenths of
// a second and cases of a grid are alike. All are tried by
//
//	ANYCL_MATRIX=full go test -timeout 60m ./internal/ocl/...

func OneIn(i, n int) bool { return i%n == 0 || os.Getenv("ANYCL_MATRIX") == "full" }

// gpusUnoptimized tells that CPU drivers compile kernels for GPUs without optimization, which takes half the time: their
// optimizer says nothing of such kernels.
func gpusUnoptimized() bool { return !OneIn(1, 2) }

// NumbersOnly skips a test that only compares what kernels compute, in short runs under the race detector: it sees nothing in
// kernels, and compilers take minutes under it.
func NumbersOnly(t *testing.T) {
	t.Helper()
	if RaceEnabled && testing.Short() {
		t.Skip("kernels' results, without goroutines")
	}
}
