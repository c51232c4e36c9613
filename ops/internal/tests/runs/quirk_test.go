package runs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// onLLVMpipe runs the test of the same name again, in a process in which Mesa's software
// renderer is the device, and reports whether that process passed. It skips where there is none.
func onLLVMpipe(t *testing.T, env ...string) bool {
	t.Helper()
	out, err := runAgain(t, append(withDrivers(t, rusticl), env...)...)
	if strings.Contains(out, "SKIP") {
		without(t, "needs rusticl of Mesa 22 on llvmpipe (package mesa-opencl-icd)")
	}
	t.Log("| " + strings.ReplaceAll(strings.TrimSpace(out), "\n", "\n| ")) // so that its verdicts are not taken for ours
	return err == nil
}

func TestPlainCopiesAreWrongWhereTheQuirkSaysSo(t *testing.T) {
	if !Inside() {
		require.True(t, onLLVMpipe(t))
		require.False(t, onLLVMpipe(t, platform.EnvQuirks+"=-no-direct"), "the driver is cured: the quirk ends below its version")
		return
	}
	rt := opstest.Device(t)
	if !strings.HasPrefix(rt.Device().Driver, "22.") {
		t.Skip("another version")
	}
	g := NewGraph("sum")
	x, y := g.Input("x", tensor.Float32, 3), g.Input("y", tensor.Float32, 3)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Add(x, y)}, Place: OnDevice})
	require.NoError(t, err)
	for i := range 20 {
		out, err := exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{3}, 1, 2, float32(i)), y: opstest.Vec(t, []int{3}, 100, 100, 100)})
		require.NoError(t, err)
		require.Equal(t, []float32{101, 102, float32(i + 100)}, opstest.FloatsOf(t, out[0]))
	}
}
