package train

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/data"
)

// A long training with many validations neither grows nor stalls.
func TestALongTrainingDoesNotGrow(t *testing.T) {
	steps := 10_000
	if testing.Short() {
		steps = 2_000
	}
	r := built(t, opened(t, "none"))
	loader, err := data.NewLoader(points(64, 0), data.LoaderOptions{Batch: 8, Shuffle: true})
	require.NoError(t, err)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var took []time.Duration
	var early uint64
	last := time.Now()
	_, err = Fit(t.Context(), r.rt, r.model, loader, Options{
		Epochs: steps / loader.Len(), Valid: r.valid, ValidEvery: 100, Metrics: []Metric{&Accuracy{}},
		after: func(step int) {
			if step == steps/10 {
				early = heap()
			}
			now := time.Now()
			if step > 100 && step%100 != 1 && step != steps/10 { // the step itself, without the validation before it
				took = append(took, now.Sub(last))
			}
			last = time.Now()
		},
	})
	require.NoError(t, err)
	slices.Sort(took)
	t.Logf("%d steps: median %v, longest %v; heap %d KiB early, %d KiB at the end", steps, took[len(took)/2], took[len(took)-1], early>>10, heap()>>10)
	require.Less(t, heap(), early+1<<20, "beside the history, of some hundred KiB")
}

// Steps with a loader and steps that are fed one batch again and again, in turns.
func BenchmarkStepsWithALoader(b *testing.B) {
	r := built(b, opened(b, "none"))
	loader, err := data.NewLoader(points(4096, 0), data.LoaderOptions{Batch: 64, Shuffle: true})
	require.NoError(b, err)
	s, err := r.model.stepper(b.Context(), r.rt, loader, false)
	require.NoError(b, err)
	defer s.close()
	var loaded, resident time.Duration
	n := 0
	for b.Loop() {
		start := time.Now()
		var kept *data.Batch
		for batch, err := range loader.Epoch(b.Context()) {
			require.NoError(b, err)
			_, err = s.step(b.Context(), batch)
			require.NoError(b, err)
			kept = batch
		}
		loaded += time.Since(start)
		start = time.Now()
		for range loader.Len() {
			_, err = s.step(b.Context(), kept)
			require.NoError(b, err)
		}
		resident += time.Since(start)
		n += loader.Len()
	}
	b.ReportMetric(float64(loaded.Nanoseconds())/float64(n), "ns/loaded-step")
	b.ReportMetric(float64(resident.Nanoseconds())/float64(n), "ns/resident-step")
	b.ReportMetric(float64(resident)/float64(loaded), "of-resident")
}
