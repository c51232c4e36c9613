package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/matrix"
)

func TestMatrixRunsWhatIsAskedForAndWritesEveryKindOfFile(t *testing.T) {
	dir := t.TempDir()
	html, text, js := filepath.Join(dir, "r.html"), filepath.Join(dir, "r.txt"), filepath.Join(dir, "r.json")
	out := must(t, "matrix", "-device", "none", "-op", "exp,neg", "-dtype", "float32", "-o", html, "-o", js, "-o", text)
	require.Contains(t, out, "exp  1 dtype;")
	require.NotContains(t, out, "matmul")

	same, err := os.ReadFile(text)
	require.NoError(t, err)
	require.Equal(t, out, string(same))
	page, err := os.ReadFile(html)
	require.NoError(t, err)
	require.Contains(t, string(page), "</html>")

	var r matrix.Report
	b, err := os.ReadFile(js)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &r))
	require.Equal(t, []string{"exp", "neg"}, r.Context.Ops)
	require.Len(t, r.Engines, 1)
	require.Equal(t, "cpu", r.Engines[0].Name)
	require.Len(t, r.Engines[0].Parts, 4, "two ops, and their gradients")

	require.NoError(t, json.Unmarshal([]byte(must(t, "matrix", "-json", "-device", "none", "-op", "neg", "-dtype", "int8")), &r))
}

func TestMatrixChecksEveryDeviceOfTheMachine(t *testing.T) {
	out := must(t, "matrix", "-op", "neg", "-dtype", "int16")
	require.Contains(t, out, "the CPU path")
	if !hasDevice(t) {
		require.Contains(t, out, "no OpenCL device: the CPU path alone is checked")
	}
}

func TestMatrixThatDisagreesFails(t *testing.T) {
	var b bytes.Buffer
	r := &matrix.Report{Engines: []*matrix.Engine{{Name: "cpu", Parts: []matrix.Part{{Op: "exp", DType: "float32", Tally: matrix.Tally{Failed: 1}, Why: "off"}}}}}
	require.ErrorIs(t, (&matrixOptions{}).finish(r, &b), errDisagree)
	require.Contains(t, b.String(), "FAILED cpu: exp in float32")
	r.Engines[0].Parts[0].Failed = 0
	require.NoError(t, (&matrixOptions{}).finish(r, &b))
	require.Error(t, (&matrixOptions{outs: []string{filepath.Join(t.TempDir(), "no", "such.json")}}).finish(r, &b))
}
