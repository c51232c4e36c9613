package contract_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// Lines longer and shorter than a vector, steps of 1, 2 and 3, taps that meet some
// phases of a step, upstream gradients that lie along lines and across.
func lineTasks() map[string]*engine.Task {
	f, lines := tensor.Float32, []int{5, 0, 4, 6, 7}
	return map[string]*engine.Task{
		"lines":       sample.Sliding{Images: 2, Groups: 1, C: 3, H: 6, W: 35, O: 11, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Weights(f, lines...),
		"short lines": sample.Sliding{Images: 5, Groups: 1, C: 5, H: 7, W: 9, O: 5, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Weights(f, lines...),
		"stride":      sample.Sliding{Images: 2, Groups: 1, C: 3, H: 9, W: 71, O: 33, KH: 3, KW: 3, Stride: 2, Dilation: 1}.Weights(f, lines...),
		"stride of 3": sample.Sliding{Images: 1, Groups: 1, C: 2, H: 8, W: 61, O: 4, KH: 2, KW: 4, Stride: 3, Dilation: 1}.Weights(f, lines...),
		"both":        sample.Sliding{Images: 1, Groups: 1, C: 2, H: 11, W: 45, O: 7, KH: 3, KW: 3, Stride: 2, Dilation: 3}.Weights(f, lines...),
		"groups":      sample.Sliding{Images: 3, Groups: 5, C: 4, H: 6, W: 22, O: 4, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Weights(f, lines...),
		"across": sample.Sliding{Images: 2, Groups: 1, C: 3, H: 6, W: 20, O: 9, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Weights(f, 5,
			6, 7, 0, 4),
		"biased": sample.Biased(sample.Sliding{Images: 1, Groups: 1, C: 3, H: 6, W: 30, O: 12, KH: 3, KW: 3, Stride: 1,
			Dilation: 1}.Weights(f, lines...)),
		"many columns": sample.Sliding{Images: 1, Groups: 1, C: 3, H: 18, W: 100, O: 70, KH: 7, KW: 7, Stride: 2, Dilation: 1}.Weights(f,
			lines...),
		"halves": sample.Sliding{Images: 2, Groups: 1, C: 3, H: 6, W: 37, O: 9, KH: 3, KW: 3, Stride: 2, Dilation: 1}.Weights(tensor.Float16,
			lines...),
		"doubles": sample.Sliding{Images: 2, Groups: 1, C: 2, H: 6, W: 19, O: 9, KH: 3, KW: 3, Stride: 2, Dilation: 1}.Weights(tensor.Float64,
			lines...),
		"integers": sample.Sliding{Images: 1, Groups: 1, C: 2, H: 6, W: 25, O: 6, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Weights(tensor.Int32,
			lines...),
	}
}

func TestSumsOverLinesOfPixelsAgreeWithTheReference(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	b := ocltest.OpenBench(t)
	far := ocltest.CPU(16)
	far.ForceWide = true
	devices := map[string]*facts.Device{"16 lanes": ocltest.CPU(16), "8 lanes": ocltest.CPU(8), "4 lanes": ocltest.CPU(4),
		"long positions": far}
	for name, task := range lineTasks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ins := ocltest.RandomInputs(task, 3)
			want, err := taskref.Eval(task, ins)
			require.NoError(t, err)
			for on, d := range devices {
				if on != "16 lanes" && name != "stride" {
					continue
				}
				t.Run(on, func(t *testing.T) {
					p, err := variant.MakePlan(d, nil, task, "contract=lines")
					require.NoError(t, err)
					require.Equal(t, "lines", p.Variant)
					r := b.Prepare(t, task, p, ins)
					r.Run(t)
					ocltest.RequireClose(t, task.Outs[0].DType, task.Size(3), want[0], r.Read(t))
				})
			}
		})
	}
}

// Every block of registers, several bands of lines and chunks, and columns that are
// shared out compute the same.
func TestEveryShapeOfLinesComputesTheSame(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	b := ocltest.OpenBench(t)
	task := lineTasks()["lines"]
	ins := ocltest.RandomInputs(task, 4)
	want, err := taskref.Eval(task, ins)
	require.NoError(t, err)
	_, variants, err := variant.Of(ocltest.CPU(16), task)
	require.NoError(t, err)
	lines := variants[slices.IndexFunc(variants, func(v variant.Variant) bool { return v.Name == "lines" })]
	for _, p := range []kernels.Params{
		{"lines": 4, "columns": 4, "splits": 2, "rows": 2, "cols": 5}, {"lines": 1, "columns": 16, "splits": 1, "rows": 3, "cols": 4},
	} {
		made, err := lines.WithParams(p)
		require.NoError(t, err)
		r := b.Prepare(t, task, made, ins)
		r.Run(t)
		ocltest.RequireClose(t, tensor.Float32, task.Size(3), want[0], r.Read(t))
	}
}

// However little local memory there is: what may be forced can be planned.
func TestLinesThatAreLegalHaveAShape(t *testing.T) {
	ocltest.NumbersOnly(t)
	legal := 0
	for _, task := range lineTasks() {
		for bytes := int64(1 << 10); bytes <= 1<<20; bytes += bytes / 4 {
			d := ocltest.GPU(256)
			d.LocalMem = bytes
			_, variants, err := variant.Of(d, task)
			require.NoError(t, err)
			i := slices.IndexFunc(variants, func(v variant.Variant) bool { return v.Name == "lines" })
			if i < 0 {
				continue
			}
			legal++
			require.Positive(t, variants[i].Rule()["rows"], "%s in %d bytes", task, bytes)
			_, err = variants[i].Plan()
			require.NoError(t, err)
		}
	}
	require.Greater(t, legal, 20)
}

// A value that is not finite beyond the last window of a line, beside the zeros between lines,
// reaches the sums of the taps that meet it and no others.
func TestWhatIsNotFiniteStaysInItsTaps(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	b := ocltest.OpenBench(t)
	task := lineTasks()["lines"]
	ins := ocltest.RandomInputs(task, 5)
	put(tensor.Float32, ins[0], 34, math.Inf(1)) // the last column of an image
	put(tensor.Float32, ins[0], 35, math.NaN())  // and the first
	want, err := taskref.Eval(task, ins)
	require.NoError(t, err)
	p, err := variant.MakePlan(ocltest.CPU(16), nil, task, "contract=lines")
	require.NoError(t, err)
	r := b.Prepare(t, task, p, ins)
	r.Run(t)
	got := r.Read(t)
	odd := 0
	for i := 0; i < len(got); i += 4 {
		w, g := ocltest.NumberAt(tensor.Float32, want[0][i:], 0), ocltest.NumberAt(tensor.Float32, got[i:], 0)
		if math.IsNaN(w) || math.IsInf(w, 0) {
			odd++
			require.Equal(t, math.IsNaN(w), math.IsNaN(g), "element %d", i/4)
			continue
		}
		require.InDelta(t, w, g, 1e-3, "element %d", i/4)
	}
	require.Positive(t, odd)
	require.Less(t, odd, len(got)/4/2)
}

// A first layer's weights are summed along lines; with the channels last, and for a
// product, they are not.
func TestLinesAreChosenForImagesOfFewChannels(t *testing.T) {
	t.Parallel()
	f := tensor.Float32
	for _, c := range []struct {
		task *engine.Task
		want string
	}{
		{sample.Sliding{Images: 1, Groups: 1, C: 3, H: 230, W: 230, O: 64, KH: 7, KW: 7, Stride: 2, Dilation: 1}.Weights(f, 5, 0, 4, 6, 7),
			"lines"},
		{sample.Sliding{Images: 128, Groups: 1, C: 1, H: 30, W: 30, O: 32, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Weights(f, 5, 0, 4, 6, 7),
			"lines"},
		{sample.Sliding{Images: 1, Groups: 16, C: 4, H: 58, W: 58, O: 4, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Weights(f, 5, 0, 4, 6, 7),
			"lines"},
		{sample.ChannelGradient(2, 64, 14, 40), "panel"},
		{sample.WeightGradient(128, 1, 28, 32), "panel"},
		{sample.Matmul(f, 1, 300, 300, 300, false, true), "block"},
	} {
		p, err := variant.MakePlan(ocltest.CPU(16), nil, c.task, "")
		require.NoError(t, err)
		require.Equal(t, c.want, p.Variant, "%v", c.task)
	}
}
