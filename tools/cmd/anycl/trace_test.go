package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
)

func TestTraceTellsTimesAndWritesFiles(t *testing.T) {
	dir := t.TempDir()
	for _, g := range graphs {
		timeline, pprof := filepath.Join(dir, g.name+".json"), filepath.Join(dir, g.name+".pb.gz")
		out := must(t, "trace", g.name, "-place", "cpu", "-runs", "1", "-o", timeline, "-pprof", pprof)
		assert.Contains(t, out, g.name+": a run takes")
		b, err := os.ReadFile(timeline)
		require.NoError(t, err)
		var doc struct {
			Events []map[string]any `json:"traceEvents"`
		}
		require.NoError(t, json.Unmarshal(b, &doc))
		assert.NotEmpty(t, doc.Events)
		f, err := os.Open(pprof)
		require.NoError(t, err)
		p, err := profile.Parse(f)
		require.NoError(t, err)
		assert.NotEmpty(t, p.Sample)
		require.NoError(t, f.Close())
	}
}

func TestTraceAsJSONIsAProfile(t *testing.T) {
	var p ops.Profile
	require.NoError(t, json.Unmarshal([]byte(must(t, "trace", "mlp", "-json", "-runs", "2", "-place", "cpu")), &p))
	assert.Equal(t, 2, p.Runs)
	assert.NotEmpty(t, p.Tasks)
	assert.NotEmpty(t, p.Kernels)
}

func TestTraceSaysWhichFileItCannotWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "no", "such", "folder")
	code, _, errOut := anycl(t, "trace", "mlp", "-place", "cpu", "-runs", "1", "-o", name)
	assert.Equal(t, codeFailed, code)
	assert.Contains(t, errOut, name)
}
