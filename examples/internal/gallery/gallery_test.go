package gallery

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m)) }

// program is one that writes into buffers.
func program(t *testing.T) (*Program, *bytes.Buffer) {
	var out bytes.Buffer
	return &Program{Name: "demo", Device: "none", Quick: true, Stdout: &out, Stderr: &out, Out: filepath.Join(t.TempDir(), "p.png")}, &out
}

// square is a work: the squares of 1, 2, 3.
func square(ctx context.Context, rt *ops.Runtime) func(ops.Place) (func(context.Context) ([]float32, error), error) {
	return func(place ops.Place) (func(context.Context) ([]float32, error), error) {
		g := ops.NewGraph("square")
		x := g.Input("x", tensor.Float32, 3)
		exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{ops.Mul(x, x)}, Place: place})
		return func(ctx context.Context) ([]float32, error) {
			out, err := exe.Run(ctx, ops.Feeds{x: tensor.Must(tensor.FromSlice([]float32{1, 2, 3}))})
			if err != nil {
				return nil, err
			}
			return tensor.ToSlice[float32](out[0])
		}, err
	}
}

func TestAProgramIsTimedCheckedAndRecorded(t *testing.T) {
	p, out := program(t)
	p.JSON, p.folder = filepath.Join(t.TempDir(), "r.jsonl"), "."
	run := func(ctx context.Context, p *Program) error {
		rt, err := p.Open(ctx)
		if err != nil {
			return err
		}
		defer rt.Close()
		results, err := Both(ctx, p, rt, Work{Name: "squares", Amount: 3, Unit: "numbers"}, square(ctx, rt))
		if err != nil {
			return err
		}
		for _, r := range results {
			p.Check(r.Value[2] == 9, "3 x 3 is 9 on %s", r.Where)
		}
		return p.WritePNG(image.NewGray(image.Rect(0, 0, 2, 2)))
	}
	require.NoError(t, p.Run(t.Context(), run))
	require.NoError(t, p.Run(t.Context(), func(context.Context, *Program) error { return nil }), "a second line")
	require.FileExists(t, p.Out)
	assert.Contains(t, out.String(), "check holds: 3 x 3 is 9 on cpu path")
	assert.Contains(t, out.String(), "numbers/s")
	assert.Regexp(t, `in all: .* to open the device, .* to compile 1 graphs, .* to compute`, out.String())

	text, err := os.ReadFile(p.JSON)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, lines, 2)
	var r Record
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &r))
	require.Len(t, r.Works, 1)
	assert.Equal(t, "squares", r.Works[0].Name)
	last := r.Works[0].Runs[len(r.Works[0].Runs)-1]
	assert.Equal(t, "cpu path", last.Where)
	assert.Positive(t, last.Seconds)
	assert.Len(t, r.Checks, 1)
	assert.Greater(t, r.Lines.Rest, 300)
	assert.Greater(t, r.Total, r.Opened+r.Compiled)
	assert.Positive(t, r.Compiled)
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": "1\n2\n3\n", "a.cl": "1\n2\n", "host.go": "1\n", "main_test.go": "1\n", "a.py": "1\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	assert.Equal(t, Lines{Go: 3, Kernels: 2, Checks: 1}, CountLines(dir))
}

func TestACheckThatFailsIsAnError(t *testing.T) {
	p, out := program(t)
	err := p.Run(t.Context(), func(_ context.Context, p *Program) error {
		p.Check(false, "1 is %d", 2)
		return nil
	})
	require.ErrorIs(t, err, ErrCheck)
	require.Contains(t, out.String(), "check FAILED: 1 is 2")
	require.ErrorIs(t, p.Run(t.Context(), func(context.Context, *Program) error { return context.Canceled }), context.Canceled)
}

func TestAPeerIsCompared(t *testing.T) {
	p, out := program(t)
	p.Peers = true
	p.record.Works = []WorkRecord{{Name: "sum", Unit: "numbers", Amount: 100, Runs: []RunRecord{{Where: "cpu path", Seconds: 0.5, Amount: 100}}}}
	var sum int
	ok, err := p.Beside(t.Context(), Peer{
		Name: "shell", Files: map[string]any{"a.i32": []int32{40, 2}}, Amount: 50,
		Command: []string{"sh", "-c", `set -- $(od -A n -t d4 a.i32); echo noise; echo "{\"version\": \"1\", \"seconds\": 0.125, \"result\": $(($1 + $2))}"`},
	}, &sum)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, 42, sum)
	p.table()
	require.Contains(t, out.String(), "shell 1")
	require.Contains(t, out.String(), "0.5 times the time of cpu path for the same work: it did 50.0 % of it")

	ok, err = p.Beside(t.Context(), Peer{Name: "nothing", Command: []string{"no-such-program-anywhere"}}, nil)
	require.NoError(t, err)
	require.False(t, ok)
	require.Contains(t, out.String(), "nothing: not installed")
	require.Equal(t, []string{"nothing"}, p.record.Missing)

	_, err = p.Beside(t.Context(), Peer{Name: "broken", Command: []string{"sh", "-c", "echo it breaks >&2; exit 3"}}, nil)
	require.ErrorContains(t, err, "it breaks")
	_, err = p.Beside(t.Context(), Peer{Name: "mute", Command: []string{"true"}}, nil)
	require.ErrorContains(t, err, "not the JSON")
	p.Peers = false
	ok, err = p.Beside(t.Context(), Peer{Name: "not asked", Command: []string{"false"}}, nil)
	require.NoError(t, err)
	require.False(t, ok)
}

func TestAPythonModuleThatIsMissingIsNoError(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	p, out := program(t)
	p.Peers = true
	ok, err := p.Beside(t.Context(), Peer{Name: "soup", Python: "import no_such_module_anywhere"}, nil)
	require.NoError(t, err)
	require.False(t, ok)
	require.Contains(t, out.String(), "soup: not installed")
	_, err = p.Beside(t.Context(), Peer{Name: "soup", Python: "1/0"}, nil)
	require.ErrorContains(t, err, "ZeroDivisionError")
}

func TestTheCPUPathMayDoAShareOfTheWork(t *testing.T) {
	w := WorkRecord{Amount: 10, Unit: "steps", Runs: []RunRecord{{Where: "pocl:0", Seconds: 1, Amount: 10}}}
	require.Equal(t, 20.0, w.Ratio(RunRecord{Seconds: 2, Amount: 1}))
	require.Equal(t, "0.5 steps/s", w.rate(RunRecord{Seconds: 2, Amount: 1}))
	w.Amount = 0
	require.Equal(t, 2.0, w.Ratio(RunRecord{Seconds: 2}))
}

func TestTheMedianIsInTheMiddle(t *testing.T) {
	require.Equal(t, time.Duration(2), median([]time.Duration{9, 2, 1}))
	require.Equal(t, time.Duration(2), median([]time.Duration{9, 3, 2, 1}))
}

func TestNumbersHaveThreeDigits(t *testing.T) {
	for x, want := range map[float64]string{0.0123456: "0.0123", 0.5: "0.5", 1: "1.00", 9.999: "10.0", 12.34: "12.3", 1234.5: "1234"} {
		require.Equal(t, want, Number(x))
	}
	require.Equal(t, "12.3 us", Seconds(12.34e-6))
	require.Equal(t, "1.50 ms", Seconds(1.5e-3))
	require.Equal(t, "2.00 s", Seconds(2))
}

func TestAnInterruptedPeerIsTheContextsError(t *testing.T) {
	p, _ := program(t)
	p.Peers = true
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := p.Beside(ctx, Peer{Name: "slow", Command: []string{"sleep", "20"}}, nil)
	require.True(t, errors.Is(err, context.DeadlineExceeded), "%v", err)
}
