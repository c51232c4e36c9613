package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tools/internal/matrix"
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

// ender ends a context when something is written to it.
type ender struct {
	bytes.Buffer
	end func()
}

func (e *ender) Write(b []byte) (int, error) {
	e.end()
	return e.Buffer.Write(b)
}

func TestMatrixThatIsInterruptedReportsWhatWasDone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	page := filepath.Join(t.TempDir(), "r.html")
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	progress := &ender{end: cancel}
	code := execute(ctx, []string{"matrix", "-device", "none", "-o", path, "-o", page}, &out, progress)
	require.Equal(t, codeFailed, code)
	require.Regexp(t, `^matrix: \d+ of \d+ after \d+s: cpu \w+`, progress.String(), "lines where there is no terminal")
	require.Contains(t, progress.String(), "the report is incomplete: context canceled")
	require.NotContains(t, progress.String(), errDisagree.Error())
	require.Contains(t, out.String(), "INCOMPLETE: ended after ")
	var r matrix.Report
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &r))
	require.True(t, r.Context.Incomplete)
	require.NotEmpty(t, r.Engines[0].Parts)
	b, err = os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(b), "Incomplete: the run was ended after")
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
