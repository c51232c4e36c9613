package reduce_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

func TestWindowsSlideAlongRows(t *testing.T) {
	ocltest.NumbersOnly(t)
	f32 := tensor.Float32
	for name, s := range map[string]sample.Window{
		"narrow":         {N: 2, C: 8, H: 14, W: 14, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32},
		"narrower":       {N: 3, C: 16, H: 7, W: 7, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32},
		"wide":           {N: 1, C: 9, H: 21, W: 37, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32},
		"stride":         {N: 2, C: 8, H: 15, W: 28, U: 3, V: 3, Stride: 2, Dilation: 1, Pad: 1, DType: f32},
		"stride even":    {N: 1, C: 8, H: 16, W: 30, U: 2, V: 4, Stride: 2, Dilation: 1, Pad: 0, DType: f32},
		"large stride":   {N: 1, C: 8, H: 17, W: 41, U: 3, V: 5, Stride: 3, Dilation: 1, Pad: 2, DType: f32},
		"dilated":        {N: 1, C: 8, H: 19, W: 23, U: 3, V: 2, Stride: 1, Dilation: 3, Pad: 2, DType: f32},
		"large window":   {N: 1, C: 8, H: 12, W: 24, U: 5, V: 7, Stride: 1, Dilation: 1, Pad: 3, DType: f32},
		"no border":      {N: 2, C: 8, H: 9, W: 18, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 0, DType: f32},
		"rows in blocks": {N: 1, C: 2, H: 90, W: 300, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32},
		"one row":        {N: 1, C: 8, H: 1, W: 64, U: 1, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32},
		"half":           {N: 1, C: 8, H: 11, W: 20, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float16},
		"bfloat16":       {N: 1, C: 8, H: 11, W: 20, U: 3, V: 3, Stride: 2, Dilation: 1, Pad: 1, DType: tensor.BFloat16},
		"double":         {N: 1, C: 8, H: 11, W: 20, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float64},
	} {
		tasks := map[string]*engine.Task{"filter": s.Filter(), "kernel gradient": s.KernelGradient(), "image gradient": s.ImageGradient()}
		if s.N == 2 { // a fold of its own is a program to compile
			tasks["sum"], tasks["max"], tasks["position"] = s.Pool(engine.Sum), s.Pool(engine.Max), s.Pool(engine.ArgMax)
		}
		for i, of := range slices.Sorted(maps.Keys(tasks)) {
			task := tasks[of]
			if s.DType != f32 && !ocltest.OneIn(i+int(s.DType), 3) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s", name, of), func(t *testing.T) {
				t.Parallel()
				e := device(t, "reduce=window", nil)
				if s.DType == tensor.Float64 && !e.Facts().FP64 {
					t.Skip("no float64")
				}
				r := rand.New(rand.NewPCG(4, uint64(task.Ins[0].Len)))
				var ins [][]byte
				for _, in := range task.Ins {
					ins = append(ins, ocltest.RandomBytes(r, in.DType, in.Len))
				}
				p := ocltest.Verify(t, e, task, ins, 1e-4, 1)
				if e.Facts().CPU {
					require.Contains(t, p.Variant, "window")
				}
			})
		}
	}
}

// The last lanes of a row are stored in the next one, which must not happen where the elements
// there are read first.
func TestWindowsOverAnInputAreStoredOnce(t *testing.T) {
	task := sample.Window{N: 2, C: 8, H: 14, W: 14, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float32}.Filter()
	out := task.Outs[0]
	task.Ins = append(task.Ins, out)
	task.Values[0] = engine.Apply(sample.Add, tensor.Float32, task.Values[0],
		engine.Load(2, tensor.Float32, sample.DenseAt(task.Axes[:4], 0, 1, 2, 3), nil))
	task.Alias = []int{2}
	r := rand.New(rand.NewPCG(1, 4))
	var ins [][]byte
	for _, in := range task.Ins {
		ins = append(ins, ocltest.RandomBytes(r, tensor.Float32, in.Len))
	}
	ocltest.Verify(t, device(t, "reduce=window", nil), task, ins, 1e-5, 1)
}

// A window with a factor or a position is unrolled, of other folds its rows and columns by
// themselves: large ones are folded too. A NaN beats every number, and elements beyond the edge
// count as often as a window meets them.
func TestBoxesAreFoldedDownAndThenAlong(t *testing.T) {
	ocltest.NumbersOnly(t)
	f32 := tensor.Float32
	for name, c := range map[string]struct {
		s      sample.Window
		fold   engine.Monoid
		beyond float64
	}{
		"large": {sample.Window{N: 2, C: 3, H: 24, W: 37, U: 13, V: 13, Stride: 1, Dilation: 1, Pad: 6, DType: f32}, engine.Max,
			math.Inf(-1)},
		"narrow":          {sample.Window{N: 2, C: 8, H: 9, W: 11, U: 3, V: 2, Stride: 1, Dilation: 1, Pad: 1, DType: f32}, engine.Min, 0.25},
		"scattered":       {sample.Window{N: 1, C: 8, H: 19, W: 23, U: 3, V: 3, Stride: 1, Dilation: 2, Pad: 2, DType: f32}, engine.Prod, 0.5},
		"over the middle": {sample.Window{N: 1, C: 4, H: 3, W: 40, U: 3, V: 3, Stride: 2, Dilation: 1, Pad: 1, DType: f32}, engine.Sum, 1.5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := c.s.Pool(c.fold)
			load := task.Folds[0].Value
			if len(load.Conds) > 0 {
				task.Folds[0].Value = engine.Apply(sample.Where, f32, engine.Valid(load.Conds), load, sample.Constant(f32, c.beyond))
			}
			ins := [][]byte{ocltest.RandomBytes(rand.New(rand.NewPCG(3, 4)), f32, task.Ins[0].Len)}
			for i := int64(5); i < task.Ins[0].Len; i += 97 {
				ocltest.PutAt(f32, ins[0], i, math.NaN(), 0)
			}
			ocltest.Verify(t, device(t, "reduce=window", nil), task, ins, 1e-4, 1)
		})
	}
}

// A pool of halves folds them as they are, and not widened: its windows slide all the same, over a plane of floats.
func TestWindowsSlideOverHalves(t *testing.T) {
	for _, dt := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		for _, fold := range []engine.Monoid{engine.Max, engine.Min, engine.ArgMax} {
			for _, s := range []sample.Window{
				{N: 2, C: 3, H: 11, W: 37, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: dt},
				{N: 1, C: 5, H: 10, W: 23, U: 2, V: 3, Stride: 2, Dilation: 1, Pad: 1, DType: dt},
			} {
				t.Run(fmt.Sprint(dt, " ", fold, " ", s.Stride), func(t *testing.T) {
					t.Parallel()
					task := s.Pool(fold)
					value := s.Image(0, 1, 2, 3, 4, 5)
					task.Folds[0].Value = engine.Apply(sample.Where, dt, engine.Valid(value.Conds), value, sample.Constant(dt, math.Inf(-1)))
					if !fold.IsArg() {
						task.Folds[0].Acc = dt
						task.Values = []*engine.Expr{engine.Acc(0, dt)}
						task.Outs[0].DType = dt
					}
					ins := [][]byte{ocltest.RandomBytes(rand.New(rand.NewPCG(9, 4)), dt, task.Ins[0].Len)}
					for i := int64(5); i < task.Ins[0].Len; i += 97 {
						ocltest.PutAt(dt, ins[0], i, []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[i%3], 0)
					}
					e := device(t, "", nil)
					p := ocltest.Verify(t, e, task, ins, 0, 1)
					if e.Facts().CPU {
						require.Contains(t, p.Variant, "window")
					}
				})
			}
		}
	}
}

// Lanes beyond the end of a row are computed only where the elements that they read exist.
func TestWindowsReadNothingBesideTheirRows(t *testing.T) {
	s := sample.Window{N: 1, C: 8, H: 6, W: 14, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float32}
	task := s.Filter()
	across := sample.DenseAt(task.Axes, 3) // one factor for each column, and no more
	task.Ins = append(task.Ins, engine.Operand{DType: s.DType, Len: int64(s.W)})
	task.Values[0] = engine.Apply(sample.Mul, s.DType, task.Values[0], engine.Load(2, s.DType, across, nil))
	r := rand.New(rand.NewPCG(8, 4))
	var ins [][]byte
	for _, in := range task.Ins {
		ins = append(ins, ocltest.RandomBytes(r, s.DType, in.Len))
	}
	e := device(t, "reduce=window", nil)
	p := ocltest.Verify(t, e, task, ins, 1e-5, 1)
	if e.Facts().CPU {
		require.Contains(t, p.Source, "#define OVERRUN 0")
	}
}

// Elements beyond a row's end, infinite or not, belong to no window of it.
func TestSumsOfTapsMeetTheirOwnRowsOnly(t *testing.T) {
	s := sample.Window{N: 1, C: 8, H: 5, W: 14, U: 1, V: 1, Stride: 1, Dilation: 1, Pad: 0, DType: tensor.Float32}
	s.V = 3
	task := s.KernelGradient()
	r := rand.New(rand.NewPCG(2, 4))
	ins := [][]byte{ocltest.RandomBytes(r, s.DType, task.Ins[0].Len), ocltest.RandomBytes(r, s.DType, task.Ins[1].Len)}
	for row := range s.C * s.H {
		ocltest.PutAt(s.DType, ins[0], int64(row*s.W+s.W-1), 1e30, 0)
	}
	ocltest.Verify(t, device(t, "reduce=window", nil), task, ins, 1e-5, 1)
}
