package train

import (
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
