package serve_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/serve"
)

// tritonVar names the folder of Triton's Python client, src/python/library of github.com/triton-inference-server/client. It needs
// python3-numpy, python3-geventhttpclient and python3-rapidjson.
const tritonVar = "ANYCL_TRITON_CLIENT"

// Triton's own client is served in all its ways: JSON and bytes, packed and plain, one after the other and many at a time.
func TestTritonsClientIsServed(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(tritonVar)
	if dir == "" {
		t.Skip(tritonVar + " names no folder of Triton's client")
	}
	file := filepath.Join(t.TempDir(), "model.onnx")
	require.NoError(t, os.WriteFile(file, scaled(2.5, "n"), 0o644))
	s := newServer(t, serve.Options{})
	require.NoError(t, s.Load(t.Context(), "m", file, serve.LoadOptions{Runtime: open(t)}))
	web := httptest.NewServer(s)
	defer web.Close()
	cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", "testdata/triton_client.py", strings.TrimPrefix(web.URL, "http://"), "m",
		"2.5")
	cmd.Env = append(os.Environ(), "PYTHONPATH="+dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "\nok\n")
	t.Logf("%s", out)
}
