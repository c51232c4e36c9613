package anycl_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
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
	said := regexp.MustCompile(`(?m)^\t// (.*)$`).FindAllSubmatch(program[1], -1)
	printed := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Len(t, printed, len(said), "the comment shows every line:\n%s", out)
	require.Regexp(t, `^runtime on (the CPU path|\w+:\d)`, printed[0], "which depends on the machine")
	for i, line := range printed[1:] {
		require.Equal(t, string(said[i+1][1]), line)
	}
}
