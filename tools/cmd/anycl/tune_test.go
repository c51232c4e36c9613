package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTuneSearchesKeepsExportsImportsAndForgets(t *testing.T) {
	if !hasDevice(t) {
		t.Skip("no OpenCL device")
	}
	t.Setenv("ANYCL_TUNE", t.TempDir())
	require.Contains(t, must(t, "tune", "-list"), "nothing is kept for ")
	code, out, errOut := anycl(t, "tune", "-graph", "mlp", "-family", "contract", "-budget", "200ms")
	require.Equal(t, codeOK, code, errOut)
	require.Contains(t, out, "kind of task")
	require.Contains(t, out, "contract float32")

	file := filepath.Join(t.TempDir(), "tuned.json")
	const class = "float32 kk steady b1 m32 n256 k1024"
	entry := `{"version": 1, "entries": [{"family": "contract", "task": "` + class + `", "variant": "panel", "params": {"rows": 4}, "gain": 1.3}]}`
	require.NoError(t, os.WriteFile(file, []byte(entry), 0o600))
	must(t, "tune", "-reset")
	require.Contains(t, must(t, "tune", "-import", file), "1 entries for ")
	require.Contains(t, must(t, "tune", "-list"), "1.30 x")
	require.Contains(t, must(t, "explain", "mlp", "-place", "device"), "tuned: 1.30 x the default")

	must(t, "tune", "-export", file)
	exported, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(exported), class)
	must(t, "tune", "-reset")
	require.Contains(t, must(t, "tune", "-list"), "nothing is kept for ")
}

func TestTuneWithoutADeviceSaysSo(t *testing.T) {
	code, _, errOut := anycl(t, "tune", "-device", "none")
	require.Equal(t, codeFailed, code)
	require.Contains(t, errOut, "there is no device to tune")
}
