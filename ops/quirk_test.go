package ops

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// onLLVMpipe runs the test of the same name again, in a process in which Mesa's software
// renderer is the device, and reports whether that process passed. It skips where there is none.
func onLLVMpipe(t *testing.T, env ...string) bool {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rusticl.icd"), []byte("libRusticlOpenCL.so.1\n"), 0o600))
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(append(os.Environ(), "ANYCL_TEST_LLVMPIPE=1", "RUSTICL_ENABLE=llvmpipe", "OCL_ICD_VENDORS="+dir, "ANYCL_DEVICE="), env...)
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "SKIP") {
		t.Skip("needs rusticl of Mesa 22 on llvmpipe (package mesa-opencl-icd)")
	}
	t.Logf("%s", out)
	return err == nil
}

func insideLLVMpipe() bool { return os.Getenv("ANYCL_TEST_LLVMPIPE") != "" }

func TestPlainCopiesAreWrongWhereTheQuirkSaysSo(t *testing.T) {
	if !insideLLVMpipe() {
		require.True(t, onLLVMpipe(t))
		require.False(t, onLLVMpipe(t, platform.EnvQuirks+"=-no-direct"), "the driver is cured: the quirk ends below its version")
		return
	}
	rt := device(t)
	if !strings.HasPrefix(rt.Device().Driver, "22.") {
		t.Skip("another version")
	}
	g := NewGraph("sum")
	x, y := g.Input("x", tensor.Float32, 3), g.Input("y", tensor.Float32, 3)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Add(x, y)}, Place: OnDevice})
	require.NoError(t, err)
	for i := range 20 {
		out, err := exe.Run(t.Context(), Feeds{x: vec(t, []int{3}, 1, 2, float32(i)), y: vec(t, []int{3}, 100, 100, 100)})
		require.NoError(t, err)
		require.Equal(t, []float32{101, 102, float32(i + 100)}, floatsOf(t, out[0]))
	}
}
