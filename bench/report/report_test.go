package report

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/bench"
)

func record(work string, ratio float64, at time.Time) bench.Record {
	return bench.Record{
		Work: work, Section: "Matrix products", Contender: bench.NameDevice, Ours: true, Rate: bench.GFLOPS, Speed: 100,
		Stats: bench.Stats{Median: 0.001, Turns: []float64{0.001}}, Ratios: map[string]bench.Ratio{bench.OpenBLAS: {Median: ratio}},
		Goals:    []bench.Goal{{Against: []string{bench.OpenBLAS}, AtLeast: 1}},
		Versions: map[string]string{bench.OpenBLAS: "OpenBLAS 9"}, Context: bench.Context{Time: at, Device: "pocl:0 x", CPU: "cpu", Commit: "abc"},
	}
}

func TestThePageHasTheLatestOfEachWorkAndWhatFallsShort(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Now()
	peer := record("sgemm/256", 9, now.Add(time.Hour))
	peer.Ours, peer.Contender = false, bench.OpenBLAS
	require.NoError(t, Write(dir, []bench.Record{
		record("sgemm/512", 0.25, now), record("sgemm/256", 0.5, now), record("sgemm/256", 2, now.Add(time.Minute)), record("no-such-work/1", 1, now), peer,
	}))
	text, err := os.ReadFile(filepath.Join(dir, "performance.md"))
	require.NoError(t, err)
	page := string(text)
	require.Contains(t, page, "1 of 2 goals are met")
	require.Contains(t, page, "| sgemm/512 | 0.25x of openblas | 1x |")
	require.Contains(t, page, "**0.25x** (1)")
	require.Contains(t, page, "| 2.00x |")
	require.NotContains(t, page, "0.50x", "an older measurement")
	require.NotContains(t, page, "no-such-work")
	require.Contains(t, page, "| openblas | OpenBLAS 9 |")
	for _, name := range []string{"performance-pocl-goals.svg", "performance-pocl-sgemm.svg"} {
		require.Contains(t, page, name)
		require.FileExists(t, filepath.Join(dir, name))
	}
}

func TestThePageIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	records := []bench.Record{record("sgemm/512", 0.25, now), record("sgemm/256", 2, now), record("conv1x1/8x512x7x7-2048", 1, now)}
	var pages [2]string
	for i := range pages {
		dir := t.TempDir()
		require.NoError(t, Write(dir, records))
		for _, name := range []string{"performance.md", "performance-pocl-goals.svg"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			pages[i] += string(text)
		}
	}
	require.Equal(t, pages[0], pages[1])
}

func TestNothingMeasuredIsAnError(t *testing.T) {
	t.Parallel()
	require.Error(t, Write(t.TempDir(), nil))
}
