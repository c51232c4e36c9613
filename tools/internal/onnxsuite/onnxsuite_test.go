package onnxsuite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/tensor"
)

// folder is a suite of one case, the softmax of package onnx's example, with the given outputs.
func folder(t *testing.T, outputs ...float32) string {
	dir := t.TempDir()
	data := filepath.Join(dir, "node", "test_softmax", "test_data_set_0")
	require.NoError(t, os.MkdirAll(data, 0o755))
	b, err := os.ReadFile("../../../onnx/testdata/softmax.onnx")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "node", "test_softmax", "model.onnx"), b, 0o644))
	for name, v := range map[string][]float32{"input_0.pb": {0, 0, 0}, "output_0.pb": outputs} {
		b, err := onnx.EncodeTensor(name, tensor.Must(tensor.FromSlice(v, 1, 3)))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(data, name), b, 0o644))
	}
	return dir
}

func verdict(t *testing.T, dir string) *Report {
	cases, err := Read(dir)
	require.NoError(t, err)
	r, err := Run(t.Context(), cases, &Options{Device: "cpu"})
	require.NoError(t, err)
	return r
}

func TestRightOutputsPass(t *testing.T) {
	t.Parallel()
	r := verdict(t, folder(t, 1./3, 1./3, 1./3))
	require.Equal(t, Counts{Pass: 1}, r.Ordinary)
	require.False(t, r.Failed())
}

func TestWrongOutputsAreSaid(t *testing.T) {
	t.Parallel()
	r := verdict(t, folder(t, 1./3, 1./3, 0.34))
	require.Equal(t, Counts{Wrong: 1}, r.Ordinary)
	var text strings.Builder
	require.NoError(t, r.WriteText(&text, false))
	require.Contains(t, text.String(), "wrong")
	require.Contains(t, text.String(), `output "y"`)
}

func TestFolderWithoutModelsIsAnError(t *testing.T) {
	t.Parallel()
	_, err := Read(t.TempDir())
	require.ErrorContains(t, err, "there is no model.onnx")
}

// The suite itself is named by ANYCL_ONNX_SUITE: a folder or .tar.gz of the ONNX project's backend tests.
func TestSuiteHasNoWrongCase(t *testing.T) {
	t.Parallel()
	path := os.Getenv("ANYCL_ONNX_SUITE")
	if path == "" {
		t.Skip("ANYCL_ONNX_SUITE names no suite")
	}
	r := verdict(t, path)
	require.False(t, r.Failed())
	require.Zero(t, r.Ordinary.Unsupported)
}
