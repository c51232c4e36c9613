package anycl_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/platform"
)

func TestTheProgramInTheReadmeRuns(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	program := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(readme)
	require.NotNil(t, program)
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, program[1], 0o600))
	run := exec.CommandContext(t.Context(), "go", "run", file)
	run.Env = append(os.Environ(), platform.EnvCache+"="+t.TempDir()) // not the user's
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `\[0\.0\d+ +0\.\d+ +0\.\d+ *\] on (the CPU path|\w+:0)`, string(out))
}
