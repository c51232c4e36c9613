package ocl

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// weights is the derivative of s with respect to its kernels: batch = groups, m = c,
// ky, kx, n = o, k = image, y, x, of which upstream lies in the given order of
// groups, o, image, y, x.
func (s slid) weights(dt tensor.DType, upstream ...int) *engine.Task {
	oh, ow := (s.h-(s.kh-1)*s.dilation-1)/s.stride+1, (s.w-(s.kw-1)*s.dilation-1)/s.stride+1
	dims := []int{s.groups, s.c, s.kh, s.kw, s.o, s.images, oh, ow}
	line, plane := int64(s.w), int64(s.h*s.w)
	st, di := int64(s.stride), int64(s.dilation)
	image := view{dt, 0, []int64{
		int64(s.c) * plane, plane, di * line, di, 0, int64(s.groups*s.c) * plane, st * line, st,
	}, int64(s.images*s.groups*s.c) * plane}
	return product([4]int{1, 3, 1, 3}, dims, image, dense(dt, dims, upstream...), dt)
}

// Lines longer and shorter than a vector, steps of 1, 2 and 3, taps that meet some
// phases of a step, upstream gradients that lie along lines and across.
func lineTasks() map[string]*engine.Task {
	f, lines := tensor.Float32, []int{5, 0, 4, 6, 7}
	return map[string]*engine.Task{
		"lines":        slid{2, 1, 3, 6, 35, 11, 3, 3, 1, 1}.weights(f, lines...),
		"short lines":  slid{5, 1, 5, 7, 9, 5, 3, 3, 1, 1}.weights(f, lines...),
		"stride":       slid{2, 1, 3, 9, 71, 33, 3, 3, 2, 1}.weights(f, lines...),
		"stride of 3":  slid{1, 1, 2, 8, 61, 4, 2, 4, 3, 1}.weights(f, lines...),
		"both":         slid{1, 1, 2, 11, 45, 7, 3, 3, 2, 3}.weights(f, lines...),
		"groups":       slid{3, 5, 4, 6, 22, 4, 3, 3, 1, 1}.weights(f, lines...),
		"across":       slid{2, 1, 3, 6, 20, 9, 3, 3, 1, 1}.weights(f, 5, 6, 7, 0, 4),
		"biased":       biased(slid{1, 1, 3, 6, 30, 12, 3, 3, 1, 1}.weights(f, lines...)),
		"many columns": slid{1, 1, 3, 18, 100, 70, 7, 7, 2, 1}.weights(f, lines...),
		"halves":       slid{2, 1, 3, 6, 37, 9, 3, 3, 2, 1}.weights(tensor.Float16, lines...),
		"doubles":      slid{2, 1, 2, 6, 19, 9, 3, 3, 2, 1}.weights(tensor.Float64, lines...),
		"integers":     slid{1, 1, 2, 6, 25, 6, 3, 3, 1, 1}.weights(tensor.Int32, lines...),
	}
}

func TestSumsOverLinesOfPixelsAgreeWithTheReference(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	b := useBench(t)
	far := cpuFacts(16)
	far.ForceWide = true
	devices := map[string]*facts.Device{"16 lanes": cpuFacts(16), "8 lanes": cpuFacts(8), "4 lanes": cpuFacts(4), "long positions": far}
	for name, task := range lineTasks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ins := randomInputs(task, 3)
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
					r := b.prepare(t, task, p, ins)
					r.run(t)
					requireClose(t, task.Outs[0].DType, task.Size(3), want[0], r.read(t))
				})
			}
		})
	}
}

// Every block of registers, several bands of lines and chunks, and columns that are
// shared out compute the same.
func TestEveryShapeOfLinesComputesTheSame(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	b := useBench(t)
	task := lineTasks()["lines"]
	ins := randomInputs(task, 4)
	want, err := taskref.Eval(task, ins)
	require.NoError(t, err)
	_, variants, err := variant.Of(cpuFacts(16), task)
	require.NoError(t, err)
	lines := variants[slices.IndexFunc(variants, func(v variant.Variant) bool { return v.Name == "lines" })]
	for _, p := range []kernels.Params{
		{"lines": 4, "columns": 4, "splits": 2, "rows": 2, "cols": 5}, {"lines": 1, "columns": 16, "splits": 1, "rows": 3, "cols": 4},
	} {
		made, err := lines.WithParams(p)
		require.NoError(t, err)
		r := b.prepare(t, task, made, ins)
		r.run(t)
		requireClose(t, tensor.Float32, task.Size(3), want[0], r.read(t))
	}
}

// However little local memory there is: what may be forced can be planned.
func TestLinesThatAreLegalHaveAShape(t *testing.T) {
	numbersOnly(t)
	legal := 0
	for _, task := range lineTasks() {
		for bytes := int64(1 << 10); bytes <= 1<<20; bytes += bytes / 4 {
			d := gpuFacts(256)
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

// What is not finite and lies beyond the last window of a line, beside the zeros
// between lines, reaches the sums of the taps that meet it and no others.
func TestWhatIsNotFiniteStaysInItsTaps(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	b := useBench(t)
	task := lineTasks()["lines"]
	ins := randomInputs(task, 5)
	put(tensor.Float32, ins[0], 34, math.Inf(1)) // the last column of an image
	put(tensor.Float32, ins[0], 35, math.NaN())  // and the first
	want, err := taskref.Eval(task, ins)
	require.NoError(t, err)
	p, err := variant.MakePlan(cpuFacts(16), nil, task, "contract=lines")
	require.NoError(t, err)
	r := b.prepare(t, task, p, ins)
	r.run(t)
	got := r.read(t)
	odd := 0
	for i := 0; i < len(got); i += 4 {
		w, g := decode(tensor.Float32, want[0][i:]), decode(tensor.Float32, got[i:])
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
		{slid{1, 1, 3, 230, 230, 64, 7, 7, 2, 1}.weights(f, 5, 0, 4, 6, 7), "lines"},
		{slid{128, 1, 1, 30, 30, 32, 3, 3, 1, 1}.weights(f, 5, 0, 4, 6, 7), "lines"},
		{slid{1, 16, 4, 58, 58, 4, 3, 3, 1, 1}.weights(f, 5, 0, 4, 6, 7), "lines"},
		{channelGradient(2, 64, 14, 40), "panel"},
		{weightGradient(128, 1, 28, 32), "panel"},
		{matmul(f, 1, 300, 300, 300, false, true), "block"},
	} {
		p, err := variant.MakePlan(cpuFacts(16), nil, c.task, "")
		require.NoError(t, err)
		require.Equal(t, c.want, p.Variant, "%v", c.task)
	}
}
