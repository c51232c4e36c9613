package train

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/checkpoint"
	"github.com/anycl/anycl/data"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// whole are options of a training of 24 steps.
func (r *rig) whole(dir string) Options {
	return Options{
		Epochs: 3, Valid: r.valid, ValidEvery: 5, Metrics: []Metric{&Accuracy{}}, LogEvery: 3,
		Folder: &checkpoint.Folder{Dir: dir}, SaveEvery: 4, Resume: true,
	}
}

func TestATrainingThatIsInterruptedAtAnyStepMakesTheSameBits(t *testing.T) {
	for _, c := range []struct {
		name    string
		devices []string
		times   int
	}{
		{"CPU path", []string{"none"}, 20},
		{"PoCL", []string{"pocl"}, 20},
		{"two CPU paths", []string{"none", "none"}, 20},
		{"two parts of a device", []string{"pocl/2:0", "pocl/2:1"}, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			rts := opened(t, c.devices...)
			plain := built(t, rts)
			want, err := Fit(t.Context(), plain.rt, plain.model, plain.loader, plain.whole(t.TempDir()))
			require.NoError(t, err)
			require.Equal(t, 24, want.Steps)
			require.Len(t, want.Records, 3+4, "an epoch's end each, and a validation each five steps")
			sum, err := plain.sum(t.Context())
			require.NoError(t, err)
			random := rand.New(rand.NewPCG(uint64(len(c.devices)), 9))
			if testing.Short() {
				c.times = min(c.times, 5)
			}
			for range c.times {
				at := 1 + random.IntN(23)
				dir := t.TempDir()
				first := built(t, rts)
				ctx, cancel := context.WithCancel(t.Context())
				o := first.whole(dir)
				o.after = func(step int) {
					if step == at {
						cancel()
					}
				}
				_, err := Fit(ctx, first.rt, first.model, first.loader, o)
				var i *Interrupted
				require.ErrorAs(t, err, &i)
				require.ErrorIs(t, err, context.Canceled)
				require.Equal(t, at, i.Step)
				require.FileExists(t, i.Path)

				second := built(t, rts)
				got, err := Fit(t.Context(), second.rt, second.model, second.loader, second.whole(dir))
				require.NoError(t, err)
				require.Equal(t, shown(want), shown(got), "interrupted after step %d", at)
				again, err := second.sum(t.Context())
				require.NoError(t, err)
				require.Equal(t, sum, again, "interrupted after step %d", at)
				cancel()
			}
		})
	}
}

func TestACheckpointSaysNothingAboutDevices(t *testing.T) {
	rts := opened(t, "none", "none")
	dir := t.TempDir()
	two := built(t, rts)
	o := two.whole(dir)
	o.Epochs = 1
	_, err := Fit(t.Context(), two.rt, two.model, two.loader, o)
	require.NoError(t, err)
	one := built(t, rts[:1])
	h, err := Fit(t.Context(), one.rt, one.model, one.loader, one.whole(dir))
	require.NoError(t, err)
	require.Equal(t, 24, h.Steps)
	require.Less(t, float64(h.Records[len(h.Records)-1].Loss), float64(h.Records[0].Loss))
	back := built(t, rts)
	o = back.whole(dir)
	o.Epochs = 4
	h, err = Fit(t.Context(), back.rt, back.model, back.loader, o)
	require.NoError(t, err)
	require.Equal(t, 32, h.Steps)
}

func TestATrainingGoesOnFromASingleFile(t *testing.T) {
	rts := opened(t, "none")
	plain := built(t, rts)
	want, err := Fit(t.Context(), plain.rt, plain.model, plain.loader, plain.whole(t.TempDir()))
	require.NoError(t, err)
	sum, err := plain.sum(t.Context())
	require.NoError(t, err)

	dir := t.TempDir()
	first := built(t, rts)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := first.whole("")
	o.Folder, o.Resume, o.Save = nil, false, filepath.Join(dir, "first")
	o.after = func(step int) {
		if step == 11 {
			cancel()
		}
	}
	_, err = Fit(ctx, first.rt, first.model, first.loader, o)
	require.ErrorContains(t, err, "interrupted after step 11; it is saved in "+o.Save)

	second := built(t, rts)
	o.Valid, o.after, o.From, o.Save = second.valid, nil, o.Save, filepath.Join(dir, "second")
	got, err := Fit(t.Context(), second.rt, second.model, second.loader, o)
	require.NoError(t, err)
	require.Equal(t, shown(want), shown(got))
	again, err := second.sum(t.Context())
	require.NoError(t, err)
	require.Equal(t, sum, again)
	require.FileExists(t, o.Save)

	third := built(t, rts)
	o.From = filepath.Join(dir, "third")
	_, err = Fit(t.Context(), third.rt, third.model, third.loader, o)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestSIGINTSavesAndSaysSo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot send itself an interrupt there")
	}
	rts := opened(t, "none")
	r := built(t, rts)
	dir := t.TempDir()
	o := r.whole(dir)
	o.Epochs, o.Interrupt = 100000, true
	self, err := os.FindProcess(os.Getpid())
	require.NoError(t, err)
	o.after = func(step int) {
		if step == 10 {
			require.NoError(t, self.Signal(os.Interrupt))
		}
	}
	h, err := Fit(t.Context(), r.rt, r.model, r.loader, o)
	require.ErrorIs(t, err, ErrInterrupt)
	require.ErrorContains(t, err, fmt.Sprintf("interrupted after step %d; it is saved in %s", h.Steps, filepath.Join(dir, "step-")))
	require.GreaterOrEqual(t, h.Steps, 10)

	again := built(t, rts)
	o = again.whole(dir)
	o.Epochs = (h.Steps + 15) / 8
	h, err = Fit(t.Context(), again.rt, again.model, again.loader, o)
	require.NoError(t, err)
	require.Equal(t, o.Epochs, h.Epochs)

	r = built(t, rts)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Fit(ctx, r.rt, r.model, r.loader, Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// childVariable names the folder in which a child process trains.
const childVariable = "ANYCL_TEST_TRAINING"

// trainForEver trains on the CPU path until it is killed, saving after every step.
func trainForEver(dir string) {
	ctx := context.Background()
	rt, err := ops.Open(ctx, &ops.Options{Device: "none", Workers: 1})
	if err == nil {
		var r *rig
		if r, err = newRig(ctx, rt); err == nil {
			o := r.whole(dir)
			o.SaveEvery = 1
			o.after = func(step int) { fmt.Println(step) }
			_, err = Fit(ctx, rt, r.model, r.loader, o)
		}
	}
	fmt.Println(err)
	if err != nil {
		os.Exit(3)
	}
	time.Sleep(time.Hour)
}

func TestATrainingThatIsKilledMakesTheSameBits(t *testing.T) {
	rts := opened(t, "none")
	plain := built(t, rts)
	_, err := Fit(t.Context(), plain.rt, plain.model, plain.loader, plain.whole(t.TempDir()))
	require.NoError(t, err)
	sum, err := plain.sum(t.Context())
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(4, 4))
	kills := 5
	if testing.Short() {
		kills = 2
	}
	for range kills {
		dir := t.TempDir()
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childVariable+"="+dir)
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		lines := bufio.NewScanner(out)
		for range 1 + random.IntN(20) {
			require.True(t, lines.Scan())
		}
		time.Sleep(time.Duration(random.IntN(5000)) * time.Microsecond) // within a step, a write or a validation
		require.NoError(t, child.Process.Kill())
		require.Error(t, child.Wait())

		r := built(t, rts)
		h, err := Fit(t.Context(), r.rt, r.model, r.loader, r.whole(dir))
		require.NoError(t, err)
		require.Equal(t, 24, h.Steps)
		got, err := r.sum(t.Context())
		require.NoError(t, err)
		require.Equal(t, sum, got)
	}
}

func TestACheckpointOfAnotherTrainingIsRefused(t *testing.T) {
	rts := opened(t, "none")
	r := built(t, rts)
	dir := t.TempDir()
	o := r.whole(dir)
	o.Epochs = 1
	_, err := Fit(t.Context(), r.rt, r.model, r.loader, o)
	require.NoError(t, err)

	other := built(t, rts)
	other.graph.Variable("more", tensor.Scalar(float32(1)))
	_, err = Fit(t.Context(), other.rt, other.model, other.loader, other.whole(dir))
	require.ErrorIs(t, err, checkpoint.ErrMismatch)
	require.ErrorContains(t, err, "variable more")

	// Of the same graph with another order.
	third := built(t, rts)
	third.loader, err = data.NewLoader(points(60, 0), data.LoaderOptions{Batch: 8, Shuffle: true, Seed: 4})
	require.NoError(t, err)
	_, err = Fit(t.Context(), third.rt, third.model, third.loader, third.whole(dir))
	require.ErrorIs(t, err, checkpoint.ErrMismatch)
	require.ErrorContains(t, err, "another loader")

	// Cut off.
	require.NoError(t, os.Truncate((&checkpoint.Folder{Dir: dir}).Path(8), 1000))
	fourth := built(t, rts)
	_, err = Fit(t.Context(), fourth.rt, fourth.model, fourth.loader, fourth.whole(dir))
	require.ErrorIs(t, err, checkpoint.ErrDamaged)
	require.ErrorContains(t, err, "step-000000000004")
}
