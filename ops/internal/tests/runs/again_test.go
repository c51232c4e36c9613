package runs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const envAgain = "ANYCL_TEST_AGAIN"

// runAgain runs the test of the same name in a process with another environment, which drivers
// look at when they start.
func runAgain(t *testing.T, env ...string) (out string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(append(os.Environ(), envAgain+"=1", "ANYCL_DEVICE="), env...)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// Inside reports whether this is such a process.
func Inside() bool { return os.Getenv(envAgain) != "" }

// Again asks the test of the same name in a process with another environment, and skips where it does.
func Again(t *testing.T, env ...string) {
	t.Helper()
	out, err := runAgain(t, env...)
	require.NoError(t, err, "%s", out)
	if strings.Contains(out, "SKIP") {
		without(t, "%s", out)
	}
}

// without skips a test that lacks a driver, unless ANYCL_REQUIRE names it: then it is there, and the test must run.
func without(t *testing.T, why string, args ...any) {
	t.Helper()
	if strings.Contains(os.Getenv("ANYCL_REQUIRE"), "llvmpipe") {
		t.Fatalf("ANYCL_REQUIRE=%s, but "+why, append([]any{os.Getenv("ANYCL_REQUIRE")}, args...)...)
	}
	t.Skipf(why, args...)
}

const pocl, rusticl = "libpocl.so.2", "libRusticlOpenCL.so.1"

// TwoPlatforms is an environment with PoCL and rusticl on llvmpipe.
func TwoPlatforms(t *testing.T) []string { return withDrivers(t, pocl, rusticl) }

// withDrivers is an environment with these OpenCL drivers and no others.
func withDrivers(t *testing.T, libs ...string) (env []string) {
	dir := t.TempDir()
	for _, lib := range libs {
		require.NoError(t, os.WriteFile(filepath.Join(dir, lib+".icd"), []byte(lib+"\n"), 0o600))
	}
	return []string{"RUSTICL_ENABLE=llvmpipe", "OCL_ICD_VENDORS=" + dir}
}
