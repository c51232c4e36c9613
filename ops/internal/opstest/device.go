package opstest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
)

// Device is a runtime on the best OpenCL device, or the test is skipped.
func Device(t testing.TB) *ops.Runtime {
	t.Helper()
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	if rt.Device() == nil {
		t.Skip("no OpenCL device: " + rt.Why())
	}
	return rt
}

// NumbersOnly begins tests that compile kernels by the dozen, or take times, and start no goroutines:
// there the race detector finds nothing, for minutes.
func NumbersOnly(t *testing.T) {
	t.Helper()
	if RaceEnabled && testing.Short() {
		t.Skip("results, without goroutines")
	}
}
