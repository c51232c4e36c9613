package runs_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// tuneRig is a runtime whose tuned parameters have a folder of their own.
func tuneRig(t *testing.T, dir string) *Runtime {
	t.Helper()
	rt, err := Open(t.Context(), &Options{TuneDir: dir})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	if rt.Device() == nil {
		t.Skip("no OpenCL device: " + rt.Why())
	}
	return rt
}

func productOf(t *testing.T, rt *Runtime) (*Executable, Feeds, []float32) {
	t.Helper()
	g := NewGraph("product")
	x, y := g.Input("x", tensor.Float32, 30, 40), g.Input("y", tensor.Float32, 40, 50)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{MatMul(x, y)}, Place: OnDevice})
	require.NoError(t, err)
	a, b := make([]float32, 30*40), make([]float32, 40*50)
	for i := range a {
		a[i] = float32(i%7) - 3
	}
	for i := range b {
		b[i] = float32(i%5) - 2
	}
	want := make([]float32, 30*50)
	for i := range want {
		for k := range 40 {
			want[i] += a[i/50*40+k] * b[k*50+i%50]
		}
	}
	return exe, Feeds{x: tensor.Must(tensor.FromSlice(a, 30, 40)), y: tensor.Must(tensor.FromSlice(b, 40, 50))}, want
}

func TestWhatIsTunedIsUsedByLaterGraphs(t *testing.T) {
	dir := t.TempDir()
	rt := tuneRig(t, dir)
	exe, feeds, want := productOf(t, rt)
	progress := 0
	results, err := rt.Tune(t.Context(), &TuneOptions{Budget: 300 * time.Millisecond, Progress: func(p TuneProgress) {
		progress++
		require.Equal(t, "matmul", p.Name)
	}}, exe)
	require.NoError(t, err)
	require.Len(t, results, 1)
	require.NoError(t, results[0].Err)
	require.Positive(t, progress)
	require.NoError(t, rt.ResetTuning())

	// Whether this found something is the machine's business: take over an entry.
	table := fmt.Sprintf(`{"version": 1, "entries": [
		{"family": "contract", "task": %q, "variant": "row", "params": {"rows": 2}, "gain": 1.25}]}`, results[0].Class)
	n, err := rt.ImportTuning(strings.NewReader(table))
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.NotContains(t, exe.Explain(), "tuned", "an executable stays as it is")
	var exported bytes.Buffer
	require.NoError(t, rt.ExportTuning(&exported))
	require.Contains(t, exported.String(), results[0].Class)

	for _, other := range []*Runtime{rt, tuneRig(t, dir)} {
		exe, feeds, want := productOf(t, other)
		require.Contains(t, exe.Explain(), "tuned: 1.25 x the default")
		out, err := exe.Run(t.Context(), feeds)
		require.NoError(t, err)
		require.Equal(t, want, opstest.FloatsOf(t, out[0]))
	}
	out, err := exe.Run(t.Context(), feeds)
	require.NoError(t, err)
	require.Equal(t, want, opstest.FloatsOf(t, out[0]))

	require.NoError(t, rt.ResetTuning())
	exe, _, _ = productOf(t, rt)
	require.NotContains(t, exe.Explain(), "tuned: 1.25")
}

func TestAnImportThatIsNoTableChangesNothing(t *testing.T) {
	rt := tuneRig(t, t.TempDir())
	for _, text := range []string{"", "hello", `{"version": 99}`} {
		_, err := rt.ImportTuning(strings.NewReader(text))
		require.ErrorContains(t, err, "import of tuned parameters")
	}
	var b bytes.Buffer
	require.NoError(t, rt.ExportTuning(&b))
	require.Contains(t, b.String(), `"entries": null`)
}

func TestThereIsNothingToTuneWithoutADeviceOrWithTuningOff(t *testing.T) {
	cpu, err := Open(t.Context(), &Options{Device: "none"})
	require.NoError(t, err)
	defer cpu.Close()
	for _, rt := range []*Runtime{cpu, tuneRig(t, "off")} {
		_, err := rt.Tune(context.Background(), nil)
		require.ErrorIs(t, err, ErrNoTuning)
		require.ErrorIs(t, rt.ExportTuning(nil), ErrNoTuning)
		require.ErrorIs(t, rt.ResetTuning(), ErrNoTuning)
		_, err = rt.ImportTuning(nil)
		require.ErrorIs(t, err, ErrNoTuning)
	}
}
