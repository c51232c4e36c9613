package train

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/data"
	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
)

// A long training with many validations neither grows nor stalls: a step is long only while others have the processors. How long, is
// tested where ANYCL_DRILLS=full asks for it, over as many steps on the device.
func TestALongTrainingNeitherGrowsNorStalls(t *testing.T) {
	full := os.Getenv("ANYCL_DRILLS") == "full"
	for _, device := range []string{"none", "pocl"} {
		t.Run(device, func(t *testing.T) {
			steps := 10_000
			if !full && (testing.Short() || device != "none") {
				steps = 2_000
			}
			r := built(t, opened(t, device))
			loader, err := data.NewLoader(points(64, 0), data.LoaderOptions{Batch: 8, Shuffle: true})
			require.NoError(t, err)
			heap := func() uint64 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				return m.HeapAlloc
			}
			var took, stalled []time.Duration
			var early uint64
			last, before := time.Now(), waited()
			_, err = Fit(t.Context(), r.rt, r.model, loader, Options{
				Epochs: steps / loader.Len(), Valid: r.valid, ValidEvery: 100, Metrics: []Metric{&Accuracy{}},
				after: func(step int) {
					one := time.Since(last)
					now := waited()
					if step > 100 && step%100 != 1 && step != steps/10+1 { // the step itself, without the validation before it
						took, stalled = append(took, one), append(stalled, one-(now-before))
					}
					if step == steps/10 {
						early = heap()
					}
					last, before = time.Now(), now
				},
			})
			require.NoError(t, err)
			slices.Sort(took)
			median, longest := took[len(took)/2], slices.Max(stalled)
			t.Logf("%d steps: median %v, longest %v, %v without waiting for a processor; heap %d KiB early, %d KiB at the end",
				steps, median, took[len(took)-1], longest, early>>10, heap()>>10)
			require.Less(t, heap(), early+1<<20, "beside the history, of some hundred KiB")
			if full {
				require.Less(t, longest, median+50*time.Millisecond)
			}
		})
	}
}

// waited is how long the threads of this process have waited for a processor, together; 0 where the system does not tell. Source: Linux,
// Documentation/scheduler/sched-stats.rst, /proc/<pid>/schedstat.
func waited() (d time.Duration) {
	threads, _ := filepath.Glob("/proc/self/task/*/schedstat")
	for _, path := range threads {
		var running, waiting int64
		text, _ := os.ReadFile(path) // a thread may have ended
		if n, _ := fmt.Sscan(string(text), &running, &waiting); n == 2 {
			d += time.Duration(waiting)
		}
	}
	return d
}

// perceptron is a training of 784-512-10 with batches of 128, of examples that no cache holds.
func perceptron(b *testing.B, device string) (*rig, *data.Loader) {
	const n, width, classes, batch = 20_000, 784, 10, 128
	r := &rig{rt: opened(b, device)[0], graph: ops.NewGraph("perceptron")}
	x, y := r.graph.Input("x", tensor.Float32, batch, width), r.graph.Input("y", tensor.Int64, batch)
	net := nn.New(r.graph, nn.Sequential{&nn.Linear{In: width, Out: 512}, nn.ReLU, &nn.Linear{In: 512, Out: classes}}, nn.Options{})
	loss := ops.CrossEntropy(net.Train().Apply(x), y)
	r.model = &Model{Inputs: []*ops.Node{x, y}, Loss: loss, Updates: optim.New(optim.Adam{LearningRate: 1e-5}, net.Params(), optim.Options{}).Minimize(loss)}
	features, kinds := make([]float32, n*width), make([]int64, n)
	for i := range features {
		features[i] = float32(i%251)/251 - 0.5
	}
	for i := range kinds {
		kinds[i] = int64(i % classes)
	}
	loader, err := data.TensorLoader(data.LoaderOptions{Batch: batch, Shuffle: true, DropLast: true},
		tensor.Must(tensor.FromSlice(features, n, width)), tensor.Must(tensor.FromSlice(kinds)))
	require.NoError(b, err)
	return r, loader
}

// Steps with a loader and steps that are fed one batch again and again, in turns.
func BenchmarkStepsWithALoader(b *testing.B) {
	small := func(b *testing.B, device string) (*rig, *data.Loader) {
		loader, err := data.NewLoader(points(4096, 0), data.LoaderOptions{Batch: 64, Shuffle: true})
		require.NoError(b, err)
		return built(b, opened(b, device)), loader
	}
	for _, c := range []struct {
		name, device string
		build        func(*testing.B, string) (*rig, *data.Loader)
	}{
		{"small/CPU path", "none", small}, {"small/PoCL", "pocl", small},
		{"perceptron/CPU path", "none", perceptron}, {"perceptron/PoCL", "pocl", perceptron},
	} {
		b.Run(c.name, func(b *testing.B) {
			r, loader := c.build(b, c.device)
			s, err := r.model.stepper(b.Context(), r.rt, loader, false)
			require.NoError(b, err)
			defer s.close()
			var ratios []float64
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
				one := time.Since(start)
				start = time.Now()
				for range loader.Len() {
					_, err = s.step(b.Context(), kept)
					require.NoError(b, err)
				}
				other := time.Since(start)
				loaded, resident, n = loaded+one, resident+other, n+loader.Len()
				ratios = append(ratios, float64(other)/float64(one))
			}
			slices.Sort(ratios)
			b.ReportMetric(float64(loaded.Nanoseconds())/float64(n), "ns/loaded-step")
			b.ReportMetric(float64(resident.Nanoseconds())/float64(n), "ns/resident-step")
			b.ReportMetric(ratios[len(ratios)/2], "of-resident")
		})
	}
}
