package ocl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// tinyCache makes every output too large for the caches.
func tinyCache(f *facts.Device) { f.Cache = 1 }

// Rows of odd lengths begin anywhere in a line, whole lines are stored one way
// and the ends of a row another.
func TestOutputsThatNoCacheHoldsAgree(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	e := device(t, "map=block", tinyCache)
	for _, dt := range ocltest.DeviceDTypes(t) {
		for i, dom := range []engine.Domain{{1, 9000}, {5, 4099}, {3, 1024}} {
			if dt != tensor.Float32 && !ocltest.OneIn(i+int(dt), 3) {
				continue
			}
			t.Run(fmt.Sprintf("map %v %v", dt, dom), func(t *testing.T) {
				t.Parallel()
				task := sample.Map(dom, engine.Load(0, dt, sample.DenseAt(dom, 0, 1), nil), engine.Operand{DType: dt, Len: dom.Size()})
				ocltest.Verify(t, e, task, ocltest.RandomInputs(task, 1), 0, 1)
			})
		}
	}
	t.Run("map of several", func(t *testing.T) {
		t.Parallel()
		task := sample.SeveralValues(engine.Domain{5, 4099})
		ocltest.Verify(t, e, task, ocltest.RandomInputs(task, 1), 1e-6, 1)
	})
	tiles := device(t, "map=tile", tinyCache)
	for j, dt := range []tensor.DType{tensor.Float32, tensor.Int64} {
		for i, dom := range []engine.Domain{{64, 128}, {1, 70, 300}, {3, 16, 131}, {2, 200, 17}, {1, 131, 257}, {1, 1100, 145}} {
			if !ocltest.OneIn(i+j, 2) {
				continue
			}
			t.Run(fmt.Sprintf("tiles %v %v", dt, dom), func(t *testing.T) {
				t.Parallel()
				from := []int{1, 0}
				if len(dom) == 3 {
					from = []int{0, 2, 1}
				}
				x := engine.Load(0, dt, sample.DenseAt(dom, from...), nil)
				in := engine.Operand{DType: dt, Len: dom.Size()}
				moved, computed := sample.Map(dom, x, in), sample.Map(dom, engine.Apply(sample.Add, dt, engine.Apply(sample.Mul, dt, x, x), x), in)
				ocltest.Verify(t, tiles, moved, ocltest.RandomInputs(moved, 1), 0, 0)
				ocltest.Verify(t, tiles, computed, ocltest.RandomInputs(computed, 1), 1e-6, 1)
				if dt == tensor.Float32 { // nothing that is made of vectors
					exp := sample.Map(dom, engine.Apply(sample.Exp, dt, x), in)
					ocltest.Verify(t, tiles, exp, ocltest.RandomInputs(exp, 1), 1e-5, 1)
				}
			})
		}
	}
	for i, force := range []string{"contract=block", "contract=panel", "contract=strip"} {
		products := device(t, force, tinyCache)
		for j, task := range []*engine.Task{
			sample.Matmul(tensor.Float32, 2, 37, 96, 40, false, false), sample.Matmul(tensor.Float32, 1, 19, 144, 33, false, true),
			sample.Matmul(tensor.Float64, 1, 9, 48, 20, false, false),
			sample.Biased(sample.Matmul(tensor.Float32, 1, 70, 32, 25, false, false)), sample.Convolution(2, 1, 5, 18, 32, 7, 3, 1, 1),
		} {
			if !ocltest.OneIn(i+j, 2) {
				continue
			}
			t.Run(fmt.Sprintf("%s %v", force, task.Axes), func(t *testing.T) {
				t.Parallel()
				ocltest.Verify(t, products, task, ocltest.RandomInputs(task, 1), 1e-5, 1)
			})
		}
	}
	windows, lanes := device(t, "reduce=window", tinyCache), device(t, "reduce=lanes", tinyCache)
	for _, w := range []int{48, 32, 37} {
		t.Run(fmt.Sprintf("windows of %d", w), func(t *testing.T) {
			t.Parallel()
			filter, channels := sample.Window{N: 2, C: 3, H: 9, W: w, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float32}.Filter(),
				sample.Pixels{N: 2, H: 7, W: 9, C: w, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float32}
			ocltest.Verify(t, windows, filter, ocltest.RandomInputs(filter, 1), 1e-4, 1)
			ocltest.Verify(t, lanes, channels.Task(), channels.Operands(9), 1e-5, 1)
		})
	}
	rows, bands := device(t, "row=block", tinyCache), device(t, "row=band", tinyCache)
	for j, dt := range []tensor.DType{tensor.Float32, tensor.Float16, tensor.BFloat16} {
		for i, cols := range []int{128, 131, 200, 1000, 1024} {
			if !ocltest.OneIn(i+j, 3) {
				continue
			}
			t.Run(fmt.Sprintf("row %v %d", dt, cols), func(t *testing.T) {
				t.Parallel()
				for _, task := range []*engine.Task{sample.Softmax(dt, 7, cols), sample.Statistics(dt, 7, cols)} {
					ocltest.Verify(t, rows, task, ocltest.RandomInputs(task, 1), 1e-2, 10)
				}
			})
		}
		for i, cols := range []int{32, 5, 47} {
			if !ocltest.OneIn(i+j, 2) {
				continue
			}
			t.Run(fmt.Sprintf("band %v %d", dt, cols), func(t *testing.T) {
				t.Parallel()
				for _, task := range []*engine.Task{sample.Softmax(dt, 37, cols), sample.Distances(dt, 37, cols)} {
					ocltest.Verify(t, bands, task, ocltest.RandomInputs(task, 1), 1e-2, 10)
				}
			})
		}
	}
}

func TestOnlyOutputsThatNoCacheHoldsAreStoredPastThem(t *testing.T) {
	t.Parallel()
	small, large := ocltest.CPU(16), ocltest.CPU(16)
	small.Cache, large.Cache = 1<<20, 64<<20
	dom := engine.Domain{1024, 2048} // 8 MiB
	x := engine.Operand{DType: tensor.Float32, Len: dom.Size()}
	inPlace := sample.Map(dom, engine.Load(0, tensor.Float32, sample.DenseAt(dom, 0, 1), nil), x)
	inPlace.Alias = []int{0}
	unknown := ocltest.CPU(16)
	for name, c := range map[string]struct {
		facts  *facts.Device
		task   *engine.Task
		stream bool
	}{
		"map larger than the cache":   {small, sample.Map(dom, engine.Load(0, tensor.Float32, sample.DenseAt(dom, 0, 1), nil), x), true},
		"map smaller than the cache":  {large, sample.Map(dom, engine.Load(0, tensor.Float32, sample.DenseAt(dom, 0, 1), nil), x), false},
		"map beside an unknown cache": {unknown, sample.Map(dom, engine.Load(0, tensor.Float32, sample.DenseAt(dom, 0, 1), nil), x), false},
		"map in place":                {small, inPlace, false},
		"rows larger than the cache":  {small, sample.Softmax(tensor.Float32, 1024, 2048), true},
		"rows smaller than the cache": {large, sample.Softmax(tensor.Float32, 1024, 2048), false},
		"short rows":                  {small, sample.Softmax(tensor.Float32, 1<<16, 64), true},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := variant.MakePlan(c.facts, nil, c.task, "")
			require.NoError(t, err)
			want := map[bool]string{false: "#define STREAMED 0", true: "#define STREAMED 1"}[c.stream]
			require.Contains(t, p.Launches[0].Program.Text(), want)
		})
	}
	// 8 MiB, as all of these
	channels := sample.Pixels{N: 4, H: 32, W: 32, C: 512, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float32}.Task()
	filter := sample.Window{N: 8, C: 64, H: 64, W: 64, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float32}.Filter()
	product, odd := sample.Matmul(tensor.Float32, 1, 1<<14, 128, 9, false, false),
		sample.Matmul(tensor.Float32, 1, 1<<14, 129, 9, false, false)
	for name, c := range map[string]struct {
		facts  *facts.Device
		task   *engine.Task
		force  string
		stream bool
	}{
		"panel larger than the cache":    {small, product, "contract=panel", true},
		"panel smaller than the cache":   {large, product, "contract=panel", false},
		"block larger than the cache":    {small, product, "contract=block", true},
		"rows of no whole lines":         {small, odd, "contract=panel", false},
		"pixels larger than the cache":   {small, channels, "reduce=lanes", true},
		"pixels smaller than the cache":  {large, channels, "reduce=lanes", false},
		"windows larger than the cache":  {small, filter, "reduce=window", true},
		"windows smaller than the cache": {large, filter, "reduce=window", false},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := variant.MakePlan(c.facts, nil, c.task, c.force)
			require.NoError(t, err)
			require.Equal(t, c.stream, strings.Contains(p.Launches[len(p.Launches)-1].Program.Text(), "PUT_VECTOR(v, p) STREAM_LINE("))
		})
	}
}
