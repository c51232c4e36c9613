package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tools/internal/bench"
)

func TestBenchKeepsWhatItMeasuredAndComparesIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.jsonl")
	out := must(t, "bench", "-filter", "^gemv/1024x1024$", "-turns", "2", "-out", file)
	require.Contains(t, out, "gemv/1024x1024 ")
	records, err := bench.ReadFile(file)
	require.NoError(t, err)
	require.NotEmpty(t, records)
	require.True(t, records[0].Ours)
	require.Positive(t, records[0].Speed)
	require.Equal(t, hasDevice(t), records[0].Checked, "the device and the CPU path are compared")
	out = must(t, "bench", "-compare", file, file)
	require.Contains(t, out, "0 faster, 0 slower")
}

func TestBenchListsItsWorks(t *testing.T) {
	t.Parallel()
	out := must(t, "bench", "-list", "-filter", "^sgemm/")
	require.Contains(t, out, "sgemm/333x777x555")
	require.NotContains(t, out, "softmax")
}

func TestBenchSaysWhichFileIsBad(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bad.jsonl")
	require.NoError(t, os.WriteFile(file, []byte("no JSON\n"), 0o666))
	code, _, errOut := anycl(t, "bench", "-compare", file, file)
	require.Equal(t, codeFailed, code)
	require.Contains(t, errOut, "bad.jsonl:1")
	for line, want := range map[string]string{
		"bench extra": `"extra" is not wanted`, "bench -compare a": "takes two files", "bench -filter (": "filter", "bench -filter ^nothing$": "no work has such a name",
	} {
		code, _, errOut := anycl(t, strings.Fields(line)...)
		require.Equal(t, codeUsage, code, line)
		require.Contains(t, errOut, want, line)
	}
}
