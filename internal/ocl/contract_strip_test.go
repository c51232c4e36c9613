package ocl

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/tensor"
)

// slid is a convolution of images as they lie: batch = images and groups, m = o,
// n = y, x, k = c, ky, kx, over images [images][groups·c][h][w] that are padded
// already.
type slid struct {
	images, groups, c, h, w, o, kh, kw, stride, dilation int
}

func (s slid) task(dt tensor.DType) *engine.Task {
	oh, ow := (s.h-(s.kh-1)*s.dilation-1)/s.stride+1, (s.w-(s.kw-1)*s.dilation-1)/s.stride+1
	dims := []int{s.images, s.groups, s.o, oh, ow, s.c, s.kh, s.kw}
	line, plane := int64(s.w), int64(s.h*s.w)
	st, di := int64(s.stride), int64(s.dilation)
	image := view{dt, 0, []int64{
		int64(s.groups*s.c) * plane, int64(s.c) * plane, 0, st * line, st, plane, di * line, di,
	}, int64(s.images*s.groups*s.c) * plane}
	return product([4]int{2, 1, 2, 3}, dims, dense(dt, dims, 1, 2, 5, 6, 7), image, dt)
}

// Lines longer and shorter than a vector, steps of 1, 2 and 3, batches that share
// rows and others, and images after whose last window nothing may be read.
func slidTasks() map[string]*engine.Task {
	f := tensor.Float32
	apart := convolution(2, 3, 4, 8, 21, 5, 3, 1, 1) // columns lie apart in the result
	return map[string]*engine.Task{
		"lines":         slid{2, 1, 3, 6, 35, 11, 3, 3, 1, 1}.task(f),
		"short lines":   slid{2, 1, 5, 7, 9, 5, 3, 3, 1, 1}.task(f),
		"shortest":      slid{3, 1, 6, 4, 4, 3, 3, 3, 1, 1}.task(f),
		"stride":        slid{1, 1, 3, 9, 71, 33, 3, 3, 2, 1}.task(f),
		"stride, short": slid{3, 1, 3, 9, 15, 4, 5, 3, 2, 1}.task(f),
		"stride of 3":   slid{1, 1, 2, 8, 61, 4, 2, 2, 3, 1}.task(f),
		"dilated":       slid{1, 2, 4, 9, 26, 3, 3, 2, 1, 3}.task(f),
		"groups":        slid{2, 3, 4, 6, 22, 4, 3, 3, 1, 1}.task(f),
		"one column":    slid{1, 1, 7, 5, 40, 1, 1, 5, 1, 1}.task(f),
		"biased":        biased(slid{1, 1, 3, 6, 30, 12, 3, 3, 1, 1}.task(f)),
		"apart":         apart,
		"halves":        slid{1, 1, 3, 6, 37, 9, 3, 3, 2, 1}.task(tensor.Float16),
		"bfloat16":      slid{1, 2, 3, 6, 20, 4, 3, 3, 1, 1}.task(tensor.BFloat16),
		"doubles":       slid{2, 1, 2, 6, 19, 9, 3, 3, 2, 1}.task(tensor.Float64),
		"integers":      slid{1, 1, 2, 6, 25, 6, 3, 3, 1, 1}.task(tensor.Int32),
	}
}

func TestWindowsAlongLinesAreReadWhereTheyLie(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	b := useBench(t)
	far := cpuFacts(16)
	far.ForceWide = true
	devices := map[string]*facts.Device{"16 lanes": cpuFacts(16), "8 lanes": cpuFacts(8), "4 lanes": cpuFacts(4), "long positions": far}
	for name, task := range slidTasks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ins := randomInputs(task, 3)
			want, err := taskref.Eval(task, ins)
			require.NoError(t, err)
			for on, d := range devices {
				if on != "16 lanes" && name != "stride, short" {
					continue
				}
				t.Run(on, func(t *testing.T) {
					p, err := variant.MakePlan(d, nil, task, "contract=strip")
					require.NoError(t, err)
					require.Equal(t, "strip", p.Variant)
					r := b.prepare(t, task, p, ins)
					r.run(t)
					requireClose(t, task.Outs[0].DType, task.Size(3), want[0], r.read(t))
				})
			}
		})
	}
}
