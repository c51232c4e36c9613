package reduce_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

func TestDepthwiseAlongChannels(t *testing.T) {
	ocltest.NumbersOnly(t)
	const f32 = tensor.Float32
	for name, p := range map[string]sample.Pixels{
		"edges":                 {N: 2, H: 9, W: 11, C: 32, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32},
		"stride":                {N: 2, H: 14, W: 13, C: 48, U: 3, V: 3, Stride: 2, Dilation: 1, Pad: 1, DType: f32},
		"dilation":              {N: 1, H: 12, W: 15, C: 16, U: 3, V: 3, Stride: 1, Dilation: 2, Pad: 2, DType: f32},
		"dilation and stride":   {N: 1, H: 12, W: 15, C: 64, U: 3, V: 3, Stride: 2, Dilation: 3, Pad: 3, DType: f32},
		"channels overlap":      {N: 1, H: 8, W: 9, C: 37, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32},
		"two vectors overlap":   {N: 2, H: 7, W: 7, C: 150, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32},
		"one vector and a lane": {N: 1, H: 5, W: 6, C: 17, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32},
		"no border":             {N: 1, H: 10, W: 9, C: 24, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 0, DType: f32},
		"5 x 5":                 {N: 1, H: 11, W: 12, C: 40, U: 5, V: 5, Stride: 1, Dilation: 1, Pad: 2, DType: f32},
		"one row of taps":       {N: 1, H: 6, W: 20, C: 32, U: 1, V: 7, Stride: 1, Dilation: 1, Pad: 3, DType: f32},
		"never whole":           {N: 1, H: 2, W: 2, C: 32, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32},
		"one pixel":             {N: 3, H: 1, W: 1, C: 32, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32},
		"wide border":           {N: 1, H: 4, W: 5, C: 32, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 4, DType: f32},
		"many channels":         {N: 1, H: 7, W: 7, C: 960, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32},
		"many rows":             {N: 4, H: 40, W: 9, C: 32, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32},
		"float64":               {N: 1, H: 9, W: 11, C: 33, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float64},
		"float16":               {N: 1, H: 9, W: 11, C: 40, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float16},
		"bfloat16":              {N: 1, H: 9, W: 11, C: 40, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.BFloat16},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := p.Task()
			for i, force := range []string{"", "reduce=lanes"} {
				if !ocltest.OneIn(i+p.H, 2) {
					continue
				}
				e := device(t, force, nil)
				plan := ocltest.Verify(t, e, task, p.Operands(9), 1e-5, 1)
				if force != "" && e.Facts().CPU {
					require.Contains(t, plan.Variant, "pixels")
				}
			}
		})
	}
}

// Vectors are of 8 channels where registers hold 8 floats, so that the factors of a window stay in 16 registers.
func TestPixelsTakeVectorsOfTheDevicesWidth(t *testing.T) {
	ocltest.NumbersOnly(t)
	for name, p := range map[string]sample.Pixels{
		"three vectors of 8": {N: 1, H: 9, W: 11, C: 24, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float32},
		"overlap":            {N: 2, H: 7, W: 70, C: 45, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float32},
		"pairs of 5 x 5":     {N: 1, H: 11, W: 12, C: 80, U: 5, V: 5, Stride: 2, Dilation: 1, Pad: 2, DType: tensor.Float32},
		"float16":            {N: 1, H: 9, W: 11, C: 40, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float16},
	} {
		for _, lanes := range []int{8, 16} {
			t.Run(fmt.Sprintf("%s/%d", name, lanes), func(t *testing.T) {
				t.Parallel()
				e := device(t, "reduce=lanes", func(f *facts.Device) { f.VectorLanes = lanes })
				plan := ocltest.Verify(t, e, p.Task(), p.Operands(9), 1e-5, 1)
				if e.Facts().CPU {
					require.Contains(t, plan.Source, fmt.Sprintf("#define LANES %d", lanes))
				}
			})
		}
	}
}

// Windows of more taps than lanes go through at once keep their factors too, where the border lies in memory.
func TestLargeWindowsKeepTheirFactors(t *testing.T) {
	ocltest.NumbersOnly(t)
	p := sample.Pixels{N: 1, H: 9, W: 12, C: 40, U: 5, V: 5, Stride: 2, Dilation: 1, Pad: 0, DType: tensor.Float32}
	e := device(t, "", nil)
	plan := ocltest.Verify(t, e, p.Task(), p.Operands(9), 1e-5, 1)
	if e.Facts().CPU {
		require.Contains(t, plan.Variant, "pixels")
	}
}

// A border consists of zeros: a value that is not finite times 0 is NaN, as it is where the border
// lies in memory.
func TestBorderTimesInfinityIsNaN(t *testing.T) {
	p := sample.Pixels{N: 1, H: 5, W: 6, C: 32, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float32}
	ins := p.Operands(3)
	ocltest.PutAt(p.DType, ins[1], 5, math.Inf(1), 0)
	ocltest.PutAt(p.DType, ins[1], 32*4+7, math.NaN(), 0)
	ocltest.PutAt(p.DType, ins[0], 32*8+20, math.Inf(-1), 0)
	ocltest.Verify(t, device(t, "reduce=lanes", nil), p.Task(), ins, 1e-5, 1)
}

// A value added to an output that is an input is added once, where the last vectors would overlap.
func TestPixelsOverAnInputAreStoredOnce(t *testing.T) {
	for _, c := range []int{144, 150} {
		p := sample.Pixels{N: 1, H: 6, W: 7, C: c, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float32}
		task := p.Task()
		out := task.Outs[0]
		task.Ins = append(task.Ins, out)
		task.Values[0] = engine.Apply(sample.Add, p.DType, task.Values[0],
			engine.Load(2, p.DType, sample.DenseAt(task.Axes[:4], 0, 1, 2, 3), nil))
		task.Alias = []int{2}
		ins := append(p.Operands(4), ocltest.RandomBytes(rand.New(rand.NewPCG(1, 4)), p.DType, out.Len))
		ocltest.Verify(t, device(t, "reduce=lanes", nil), task, ins, 1e-5, 1)
	}
}
