package optest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A module that is not this one builds a program on the public packages, and
// puts an engine of its own through the suite.
func TestAnotherModuleUsesThePublicPackages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("links two programs")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go tool is not there: ", err)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "outside"))))
	copyFile(t, filepath.Join(root, "go.sum"), filepath.Join(dir, "go.sum"))
	mod := fmt.Sprintf("module example.com/outside\n\ngo 1.26\n\nrequire github.com/anycl/anycl v0.0.0\n\nreplace github.com/anycl/anycl => %q\n", root)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o600))

	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), goTool, args...)
		cmd.Dir = dir
		// Everything is in the module cache, or this test would not have built.
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "go %v\n%s", args, out)
		return string(out)
	}
	require.Contains(t, run("run", "."), "[0.333 0.333 0.333]")
	require.Contains(t, run("test", "-count=1", "./..."), "ok")
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, data, 0o600))
}
