package contract_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/tensor"
)

// Lines longer and shorter than a vector, steps of 1, 2 and 3, batches that share
// rows and others, and images after whose last window nothing may be read.
func slidTasks() map[string]*engine.Task {
	f := tensor.Float32
	apart := sample.Convolution(2, 3, 4, 8, 21, 5, 3, 1, 1) // columns lie apart in the result
	return map[string]*engine.Task{
		"lines":         sample.Sliding{Images: 2, Groups: 1, C: 3, H: 6, W: 35, O: 11, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Task(f),
		"short lines":   sample.Sliding{Images: 2, Groups: 1, C: 5, H: 7, W: 9, O: 5, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Task(f),
		"shortest":      sample.Sliding{Images: 3, Groups: 1, C: 6, H: 4, W: 4, O: 3, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Task(f),
		"stride":        sample.Sliding{Images: 1, Groups: 1, C: 3, H: 9, W: 71, O: 33, KH: 3, KW: 3, Stride: 2, Dilation: 1}.Task(f),
		"stride, short": sample.Sliding{Images: 3, Groups: 1, C: 3, H: 9, W: 15, O: 4, KH: 5, KW: 3, Stride: 2, Dilation: 1}.Task(f),
		"stride of 3":   sample.Sliding{Images: 1, Groups: 1, C: 2, H: 8, W: 61, O: 4, KH: 2, KW: 2, Stride: 3, Dilation: 1}.Task(f),
		"dilated":       sample.Sliding{Images: 1, Groups: 2, C: 4, H: 9, W: 26, O: 3, KH: 3, KW: 2, Stride: 1, Dilation: 3}.Task(f),
		"groups":        sample.Sliding{Images: 2, Groups: 3, C: 4, H: 6, W: 22, O: 4, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Task(f),
		"one column":    sample.Sliding{Images: 1, Groups: 1, C: 7, H: 5, W: 40, O: 1, KH: 1, KW: 5, Stride: 1, Dilation: 1}.Task(f),
		"biased":        sample.Biased(sample.Sliding{Images: 1, Groups: 1, C: 3, H: 6, W: 30, O: 12, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Task(f)),
		"apart":         apart,
		"halves":        sample.Sliding{Images: 1, Groups: 1, C: 3, H: 6, W: 37, O: 9, KH: 3, KW: 3, Stride: 2, Dilation: 1}.Task(tensor.Float16),
		"bfloat16":      sample.Sliding{Images: 1, Groups: 2, C: 3, H: 6, W: 20, O: 4, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Task(tensor.BFloat16),
		"doubles":       sample.Sliding{Images: 2, Groups: 1, C: 2, H: 6, W: 19, O: 9, KH: 3, KW: 3, Stride: 2, Dilation: 1}.Task(tensor.Float64),
		"integers":      sample.Sliding{Images: 1, Groups: 1, C: 2, H: 6, W: 25, O: 6, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Task(tensor.Int32),
	}
}

func TestWindowsAlongLinesAreReadWhereTheyLie(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	b := ocltest.OpenBench(t)
	far := ocltest.CPU(16)
	far.ForceWide = true
	devices := map[string]*facts.Device{"16 lanes": ocltest.CPU(16), "8 lanes": ocltest.CPU(8), "4 lanes": ocltest.CPU(4), "long positions": far}
	for name, task := range slidTasks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ins := ocltest.RandomInputs(task, 3)
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
					r := b.Prepare(t, task, p, ins)
					r.Run(t)
					ocltest.RequireClose(t, task.Outs[0].DType, task.Size(3), want[0], r.Read(t))
				})
			}
		})
	}
}
