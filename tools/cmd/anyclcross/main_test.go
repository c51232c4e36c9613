package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatDoesNotBuildOnAPlatformIsFoundThere(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range map[string]string{
		"go.mod":       "module example.com/m\n\ngo 1.26\n",
		"m.go":         "package m\n\nimport \"os\"\n\nvar Pid = os.Getpid()\n",
		"m_windows.go": "package m\n\nimport \"syscall\"\n\nfunc Stop() error { return syscall.Kill(Pid, 9) }\n",
		"m_test.go":    "package m\n\nimport (\n\t\"os/exec\"\n\t\"syscall\"\n)\n\nvar c = exec.Cmd{SysProcAttr: &syscall.SysProcAttr{Setsid: true}}\n",
		"tagged.go":    "//go:build broken\n\npackage m\n\nvar _ int = \"\"\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	c := newChecker(dir)
	n, err := c.check("linux/arm64", "./...")
	require.NoError(t, err)
	require.Positive(t, n)
	_, err = c.check("windows/amd64", "./...")
	require.ErrorContains(t, err, "undefined: syscall.Kill")
	require.ErrorContains(t, err, "unknown field Setsid")
	require.ErrorContains(t, err, "windows/amd64: "+dir)
	_, err = c.check("linux/amd64,broken", "./...")
	require.ErrorContains(t, err, "tagged.go")
	_, err = c.check("linux", "./...")
	require.ErrorContains(t, err, "GOOS/GOARCH")
}
