package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tools/cmd/bench/dropin"
	"github.com/anycl/anycl/tools/internal/bench"
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
	}, nil))
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
		require.NoError(t, Write(dir, records, nil))
		for _, name := range []string{"performance.md", "performance-pocl-goals.svg"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			pages[i] += string(text)
		}
	}
	require.Equal(t, pages[0], pages[1])
}

// Two machines with the same driver have plots of their own, and notes that are about one are not shown under the other.
func TestMachinesOfOneDriverAreApart(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	first, second := record("sgemm/256", 0.5, now), record("sgemm/256", 0.5, now)
	first.Context.CPU, first.Context.Device = "A1", "pocl:0 pthread-A1"
	second.Context.CPU, second.Context.Device = "B (R) 2", "pocl:0 pthread-B (R) 2"
	dir := t.TempDir()
	said := notes(t, `[{"device":"pocl","machine":"A1","work":"sgemm/.*","text":"of the first"},{"device":"pocl","work":"sgemm/.*","text":"of any"}]`)
	require.NoError(t, Write(dir, []bench.Record{second, first}, said))
	text, err := os.ReadFile(filepath.Join(dir, "performance.md"))
	require.NoError(t, err)
	a, b, apart := strings.Cut(string(text), "## B (R) 2")
	require.True(t, apart)
	require.Contains(t, a, "of the first")
	require.NotContains(t, b, "of the first")
	require.Contains(t, b, "of any")
	require.FileExists(t, filepath.Join(dir, "performance-pocl-goals.svg"))
	require.FileExists(t, filepath.Join(dir, "performance-pocl-b-r-2-goals.svg"))
}

// A sweep beside gonum may be measured in parts, and of calls that were measured again the last measurement counts.
func TestThePageSumsUpCallsBesideGonum(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	row := func(name string, ratio float64) dropin.Row {
		return dropin.Row{Name: name, Ratio: bench.Ratio{Median: ratio, Lo: ratio, Hi: ratio}, Ns: 1000}
	}
	file := filepath.Join(t.TempDir(), "pocl.jsonl")
	f, err := os.Create(file)
	require.NoError(t, err)
	out := json.NewEncoder(f)
	for i, rows := range [][]dropin.Row{
		{row("float32/gemm-nn/64", 4), row("float32/gemm-tn/64", 0.5), row("float64/gemm-nn/64", 2), row("mat/Mul/50", 3)},
		{row("float32/gemm-tn/64", 1), row("crowd/float64/gemm-tn/8 goroutines/40", 0.8)},
	} {
		require.NoError(t, out.Encode(dropin.Sweep{Rows: rows, Context: bench.Context{Device: "pocl:0 x", Time: now.Add(time.Duration(i) * time.Hour)}}))
	}
	require.NoError(t, f.Close())
	sweeps, err := ReadSweeps(file)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, Write(dir, []bench.Record{record("sgemm/256", 2, now)}, nil, sweeps...))
	text, err := os.ReadFile(filepath.Join(dir, "performance.md"))
	require.NoError(t, err)
	page := string(text)
	require.Contains(t, page, "5 calls, 1 slower than gonum by more than 5 %")
	require.Contains(t, page, "| gemm | 2, 0 slower | 2.0x | 1.00x (gemm-tn/64) | 1, 0 slower | 2.0x | 2.00x (gemm-nn/64) |")
	require.Contains(t, page, "| mat.Mul |  | |  | 1, 0 slower | 3.0x | 3.00x (Mul/50) |")
	require.Contains(t, page, "| gemm by many goroutines |")
	require.Contains(t, page, "| crowd/float64/gemm-tn/8 goroutines/40 | 0.80x |")
	require.NoError(t, os.WriteFile(file, []byte("{"), 0o666))
	_, err = ReadSweeps(file)
	require.Error(t, err)
}

func TestNothingMeasuredIsAnError(t *testing.T) {
	t.Parallel()
	require.Error(t, Write(t.TempDir(), nil, nil))
}

func notes(t *testing.T, text string) []Note {
	path := filepath.Join(t.TempDir(), "notes.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	n, err := ReadNotes(path)
	require.NoError(t, err)
	return n
}

func TestANoteStandsUnderWhatMissesItsGoal(t *testing.T) {
	t.Parallel()
	records := []bench.Record{record("sgemm/512", 0.25, time.Now()), record("sgemm/256", 2, time.Now())}
	n := notes(t, `[{"device": "pocl", "work": "sgemm/.*", "text": "the reason"}, {"device": "nvidia", "work": ".*", "text": "of a GPU"}]`)
	dir := t.TempDir()
	require.NoError(t, Write(dir, records, n))
	page, err := os.ReadFile(filepath.Join(dir, "performance.md"))
	require.NoError(t, err)
	require.Contains(t, string(page), "\n- *sgemm/512*: the reason\n")
	require.NotContains(t, string(page), "of a GPU")
	require.Empty(t, Unexplained(records, n))
	require.Equal(t, []string{"pocl: sgemm/512"}, Unexplained(records, n[1:]))
}

func TestNotesThatSayNothingAreAnError(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{", `[{"device": "pocl", "work": "(", "text": "x"}]`, `[{"device": "pocl", "work": "x"}]`} {
		path := filepath.Join(t.TempDir(), "notes.json")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		_, err := ReadNotes(path)
		require.Error(t, err, text)
	}
	none, err := ReadNotes(filepath.Join(t.TempDir(), "absent.json"))
	require.NoError(t, err)
	require.Empty(t, none)
}

// The published report has a note on the cause of every missed goal.
func TestEveryMissThatIsPublishedHasANote(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../../bench/results/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	n, err := ReadNotes("../../../../bench/results/notes.json")
	require.NoError(t, err)
	for _, f := range files {
		records, err := bench.ReadFile(f)
		require.NoError(t, err)
		require.Empty(t, Unexplained(records, n), "%s: add to results/notes.json why", f)
	}
}
