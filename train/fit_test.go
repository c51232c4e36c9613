package train

import (
	"bytes"
	"encoding/csv"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/checkpoint"
	"github.com/anycl/anycl/data"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestATrainingLearnsAndSaysSo(t *testing.T) {
	r := built(t, opened(t, "none"))
	dir := t.TempDir()
	var said bytes.Buffer
	o := Options{
		Epochs: 12, Valid: r.valid, Metrics: []Metric{&Accuracy{}, &TopK{K: 2}}, Progress: &said,
		CSV: filepath.Join(dir, "log.csv"), Events: filepath.Join(dir, "events"), Curves: filepath.Join(dir, "loss.png"),
	}
	h, err := Fit(t.Context(), r.rt, r.model, r.loader, o)
	require.NoError(t, err)
	require.Len(t, h.Records, 12)
	require.Greater(t, float64(h.Best.Metrics["accuracy"]), 0.85)
	require.Less(t, float64(h.Records[11].Loss), float64(h.Records[0].Loss)/2)
	require.Equal(t, 12, strings.Count(said.String(), "\n"))
	require.NotContains(t, said.String(), "\r", "a buffer is no terminal")
	require.Contains(t, said.String(), "epoch  12  step     96  loss 0.")

	f, err := os.Open(o.CSV)
	require.NoError(t, err)
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 13)
	require.Equal(t, []string{"epoch", "step", "loss", "valid_loss", "accuracy", "top-2", "seconds", "examples_per_second"}, lines[0])
	require.Equal(t, []string{"12", "96"}, lines[12][:2])
	p, err := os.Open(o.Curves)
	require.NoError(t, err)
	defer p.Close()
	_, err = png.Decode(p)
	require.NoError(t, err)

	// The same as a validation, from outside.
	confusion := &Confusion{}
	loss, err := Evaluate(t.Context(), r.rt, r.model, r.valid, confusion)
	require.NoError(t, err)
	require.Equal(t, float64(h.Records[11].ValidLoss), loss)
	require.Equal(t, float64(h.Records[11].Metrics["accuracy"]), confusion.Value())
	scores, err := Predict(t.Context(), r.rt, r.model, r.valid)
	require.NoError(t, err)
	require.Equal(t, []int{30, 3}, scores.Shape())
}

func TestATrainingStopsWhereItDoesNotImproveAndKeepsTheBest(t *testing.T) {
	rts := opened(t, "none")
	for _, folder := range []bool{false, true} {
		r := built(t, rts)
		o := Options{Epochs: 1000, Valid: r.valid, Patience: 3, KeepBest: true}
		if folder {
			o.Folder = &checkpoint.Folder{Dir: t.TempDir(), Keep: 1}
		}
		h, err := Fit(t.Context(), r.rt, r.model, r.loader, o)
		require.NoError(t, err)
		require.True(t, h.Stopped)
		require.Less(t, h.Epochs, 1000)
		best := h.Records[len(h.Records)-4]
		require.Equal(t, best, *h.Best, "three did not improve")
		for _, r := range h.Records {
			require.GreaterOrEqual(t, r.ValidLoss, best.ValidLoss)
		}
		loss, err := Evaluate(t.Context(), r.rt, r.model, r.valid)
		require.NoError(t, err)
		require.Equal(t, float64(best.ValidLoss), loss)
		if !folder {
			continue
		}
		// One that has stopped does not begin again.
		again := built(t, rts)
		o.Valid = again.valid
		_, err = Fit(t.Context(), again.rt, again.model, again.loader, o)
		require.ErrorContains(t, err, "has checkpoints, of steps [")
		o.Resume = true
		g, err := Fit(t.Context(), again.rt, again.model, again.loader, o)
		require.NoError(t, err)
		require.Equal(t, shown(h), shown(g))
	}
}

func TestMetricsThatFallAreMonitoredToo(t *testing.T) {
	f := &fit{o: Options{Metrics: []Metric{&MAE{}, &Accuracy{}}, Monitor: "mae"}, s: state{Best: -1}}
	record := func(mae, accuracy float64) *Record {
		return &Record{ValidLoss: Number(math.NaN()), Metrics: map[string]Number{"mae": Number(mae), "accuracy": Number(accuracy)}}
	}
	require.True(t, f.improves(record(2, 0.5)))
	require.False(t, f.improves(record(math.NaN(), 0.5)))
	f.s.Records, f.s.Best = []Record{*record(2, 0.5)}, 0
	require.True(t, f.improves(record(1, 0.1)))
	require.False(t, f.improves(record(2, 0.6)))
	f.o.Monitor = "accuracy"
	require.True(t, f.improves(record(3, 0.6)))
	require.False(t, f.improves(record(1, 0.5)))
	f.o.Monitor = ""
	require.False(t, f.improves(record(1, 0.9)), "the loss is NaN")
}

func TestMistakesAreFoundBeforeTraining(t *testing.T) {
	r := built(t, opened(t, "none"))
	images, err := data.Tensors(tensor.Must(tensor.New(tensor.Float32, 4, 3)), tensor.Must(tensor.New(tensor.Int64, 4)))
	require.NoError(t, err)
	other, err := data.NewLoader(images, data.LoaderOptions{})
	require.NoError(t, err)
	for want, fit := range map[string]func() error{
		"no model": func() error { _, err := Fit(t.Context(), r.rt, nil, r.loader, Options{}); return err },
		"negative": func() error { _, err := Fit(t.Context(), r.rt, r.model, r.loader, Options{Epochs: -1}); return err },
		"Folder":   func() error { _, err := Fit(t.Context(), r.rt, r.model, r.loader, Options{Resume: true}); return err },
		"in place of a Folder": func() error {
			o := Options{Folder: &checkpoint.Folder{Dir: t.TempDir()}, Save: "x"}
			_, err := Fit(t.Context(), r.rt, r.model, r.loader, o)
			return err
		},
		"keep the best": func() error {
			_, err := Fit(t.Context(), r.rt, r.model, r.loader, Options{Valid: r.valid, KeepBest: true, Save: "x"})
			return err
		},
		"Patience": func() error { _, err := Fit(t.Context(), r.rt, r.model, r.loader, Options{Patience: 1}); return err },
		"of its own": func() error {
			_, err := Fit(t.Context(), r.rt, r.model, r.loader, Options{Valid: r.loader})
			return err
		},
		`no metric "f1"`: func() error {
			_, err := Fit(t.Context(), r.rt, r.model, r.loader, Options{Valid: r.valid, Monitor: "f1"})
			return err
		},
		"field 0 of an example float32[3]": func() error { _, err := Fit(t.Context(), r.rt, r.model, other, Options{}); return err },
		"a batch of 4 examples (leave": func() error {
			g := ops.NewGraph("fixed")
			x, y := g.Input("x", tensor.Float32, 8, 2), g.Input("y", tensor.Int64, 8)
			_, err := Fit(t.Context(), r.rt, &Model{Inputs: []*ops.Node{x, y}, Loss: r.model.Loss, Updates: r.model.Updates}, r.loader, Options{})
			return err
		},
		"no updates": func() error {
			_, err := Fit(t.Context(), r.rt, &Model{Inputs: r.model.Inputs, Loss: r.model.Loss}, r.loader, Options{})
			return err
		},
		"no Scores": func() error {
			_, err := Predict(t.Context(), r.rt, &Model{Inputs: r.model.Inputs, Loss: r.model.Loss}, r.valid)
			return err
		},
		`belongs to graph "other"`: func() error {
			m := *r.model
			m.Scores = ops.NewGraph("other").Input("z", tensor.Float32, 3)
			_, err := Fit(t.Context(), r.rt, &m, r.loader, Options{Valid: r.valid})
			return err
		},
		"3 inputs, of which 2 are of the model": func() error {
			m := *r.model
			m.Loss = ops.Add(m.Loss, r.graph.Input("z", tensor.Float32))
			_, err := Fit(t.Context(), r.rt, &m, r.loader, Options{})
			return err
		},
		"no inputs": func() error { _, err := Evaluate(t.Context(), r.rt, &Model{}, r.valid); return err },
	} {
		require.ErrorContains(t, fit(), want)
	}
}

func TestAStepAllocatesNothing(t *testing.T) {
	r := built(t, opened(t, "none"))
	loader, err := data.NewLoader(points(64, 0), data.LoaderOptions{Batch: 8})
	require.NoError(t, err)
	s, err := r.model.stepper(t.Context(), r.rt, loader, false)
	require.NoError(t, err)
	defer s.close()
	f := &fit{o: Options{LogEvery: 10}, model: r.model, loader: loader, steps: s, uncut: t.Context()}
	f.s.Losses = make([]Point, 0, 1000)
	f.line = newProgress(nil, f)
	for b, err := range loader.Epoch(t.Context()) {
		require.NoError(t, err)
		allocated := testing.AllocsPerRun(100, func() {
			if err := f.step(b); err != nil {
				t.Fatal(err)
			}
		})
		require.Zero(t, allocated)
		break
	}
	require.Len(t, f.s.Losses, 10)
}

func TestTheMovingLineTellsTheTimeLeft(t *testing.T) {
	r := built(t, opened(t, "none"))
	f := &fit{o: Options{Epochs: 2}, model: r.model, loader: r.loader}
	p := newProgress(&bytes.Buffer{}, f)
	f.s.Step, p.examples = 4, 32
	p.began = p.drawn.Add(-2e9)
	require.Equal(t, "epoch 1 of 2  4 of 8  loss 0.5000  16 examples/s  12s left",
		p.moving(&data.Batch{Index: 3, Numbers: make([]int, 8)}, 0.5, p.drawn.Add(2e9)))
	f.o.Steps = 12
	require.Equal(t, "step 4 of 12  loss 0.5000  16 examples/s  8s left",
		p.moving(&data.Batch{Index: 3, Numbers: make([]int, 8)}, 0.5, p.drawn.Add(2e9)))
}

// A training may be as long as a number of steps, of which the last is validated; an epoch has 8.
func TestStepsEndATraining(t *testing.T) {
	rts := opened(t, "none")
	fitted := func(o Options) (*History, string) {
		r := built(t, rts)
		o.Valid, o.SaveEvery, o.Resume = r.valid, 5, o.Folder != nil
		h, err := Fit(t.Context(), r.rt, r.model, r.loader, o)
		require.NoError(t, err)
		sum, err := r.sum(t.Context())
		require.NoError(t, err)
		return h, sum
	}
	validated := func(h *History) (steps []int) {
		for _, r := range h.Records {
			if r.Metrics != nil {
				require.False(t, math.IsNaN(float64(r.ValidLoss)))
				steps = append(steps, r.Step)
			}
		}
		return steps
	}
	whole, sum := fitted(Options{Steps: 19, ValidEvery: 6})
	require.Equal(t, []int{19, 2}, []int{whole.Steps, whole.Epochs})
	require.Equal(t, []int{6, 12, 18, 19}, validated(whole))
	h, _ := fitted(Options{Steps: 16})
	require.Equal(t, []int{8, 16}, validated(h), "the last step of an epoch is validated once")
	h, _ = fitted(Options{Steps: 19, Epochs: 1})
	require.Equal(t, 8, h.Steps)

	folder := &checkpoint.Folder{Dir: t.TempDir()}
	h, _ = fitted(Options{Steps: 11, Folder: folder})
	require.Equal(t, 11, h.Steps)
	h, again := fitted(Options{Steps: 19, Folder: folder})
	require.Equal(t, 19, h.Steps)
	require.Equal(t, sum, again, "more steps go on with those that were made")
	h, _ = fitted(Options{Steps: 19, Folder: folder})
	require.Equal(t, 19, h.Steps)
}
