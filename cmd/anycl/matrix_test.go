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

func TestMatrixComparesBitsWithAReportOfBefore(t *testing.T) {
	before := filepath.Join(t.TempDir(), "before.json")
	must(t, "matrix", "-device", "none", "-op", "neg", "-o", before)
	out := must(t, "matrix", "-device", "none", "-op", "neg", "-against", before)
	require.Contains(t, out, " parts have the same bits as before, 0 have others, 0 cannot be compared")
	text, err := os.ReadFile(before)
	require.NoError(t, err)
	at := bytes.Index(text, []byte(`"bits":`)) + 10
	text[at] ^= 1
	require.NoError(t, os.WriteFile(before, text, 0o600))
	code, out, errOut := anycl(t, "matrix", "-device", "none", "-op", "neg", "-against", before)
	require.Equal(t, codeFailed, code)
	require.Contains(t, out, "DIFFERS cpu: neg in ")
	require.Contains(t, errOut, errDiffers.Error()+": cpu: neg in ")
	require.NoError(t, os.WriteFile(before, []byte("["), 0o600))
	_, _, errOut = anycl(t, "matrix", "-device", "none", "-op", "neg", "-against", before)
	require.Contains(t, errOut, "-against "+before)
	_, _, errOut = anycl(t, "matrix", "-device", "none", "-against", before+".not")
	require.Contains(t, errOut, before+".not")
}

func TestMatrixThatDisagreesFails(t *testing.T) {
	var b bytes.Buffer
	r := &matrix.Report{Engines: []*matrix.Engine{{Name: "cpu", Parts: []matrix.Part{{Op: "exp", DType: "float32", Tally: matrix.Tally{Failed: 1}, Why: "off"}}}}}
	require.ErrorIs(t, (&matrixOptions{}).finish(r, nil, &b), errDisagree)
	require.Contains(t, b.String(), "FAILED cpu: exp in float32")
	r.Engines[0].Parts[0].Failed = 0
	require.NoError(t, (&matrixOptions{}).finish(r, nil, &b))
	require.Error(t, (&matrixOptions{outs: []string{filepath.Join(t.TempDir(), "no", "such.json")}}).finish(r, nil, &b))
}
