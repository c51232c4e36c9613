package ocl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// tinyCache makes every output too large for the caches.
func tinyCache(f *facts.Device) { f.Cache = 1 }

// Rows of odd lengths begin anywhere in a line, whole lines are stored one way
// and the ends of a row another.
func TestOutputsThatNoCacheHoldsAgree(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	e := device(t, "map=block", tinyCache)
	for _, dt := range deviceDTypes(t) {
		for i, dom := range []engine.Domain{{1, 9000}, {5, 4099}, {3, 1024}} {
			if dt != tensor.Float32 && !one(i+int(dt), 3) {
				continue
			}
			t.Run(fmt.Sprintf("map %v %v", dt, dom), func(t *testing.T) {
				t.Parallel()
				task := mapTask(dom, engine.Load(0, dt, denseAt(dom, 0, 1), nil), engine.Operand{DType: dt, Len: dom.Size()})
				verify(t, e, task, randomInputs(task, 1), 0, 1)
			})
		}
	}
	t.Run("map of several", func(t *testing.T) {
		t.Parallel()
		task := severalValues(engine.Domain{5, 4099})
		verify(t, e, task, randomInputs(task, 1), 1e-6, 1)
	})
	tiles := device(t, "map=tile", tinyCache)
	for j, dt := range []tensor.DType{tensor.Float32, tensor.Int64} {
		for i, dom := range []engine.Domain{{64, 128}, {1, 70, 300}, {3, 16, 131}, {2, 200, 17}, {1, 131, 257}, {1, 1100, 145}} {
			if !one(i+j, 2) {
				continue
			}
			t.Run(fmt.Sprintf("tiles %v %v", dt, dom), func(t *testing.T) {
				t.Parallel()
				from := []int{1, 0}
				if len(dom) == 3 {
					from = []int{0, 2, 1}
				}
				x := engine.Load(0, dt, denseAt(dom, from...), nil)
				in := engine.Operand{DType: dt, Len: dom.Size()}
				moved, computed := mapTask(dom, x, in), mapTask(dom, engine.Apply(fnAdd, dt, engine.Apply(fnMul, dt, x, x), x), in)
				verify(t, tiles, moved, randomInputs(moved, 1), 0, 0)
				verify(t, tiles, computed, randomInputs(computed, 1), 1e-6, 1)
				if dt == tensor.Float32 { // nothing that is made of vectors
					exp := mapTask(dom, engine.Apply(fnExp, dt, x), in)
					verify(t, tiles, exp, randomInputs(exp, 1), 1e-5, 1)
				}
			})
		}
	}
	for i, force := range []string{"contract=block", "contract=panel", "contract=strip"} {
		products := device(t, force, tinyCache)
		for j, task := range []*engine.Task{
			matmul(tensor.Float32, 2, 37, 96, 40, false, false), matmul(tensor.Float32, 1, 19, 144, 33, false, true), matmul(tensor.Float64, 1, 9, 48, 20, false, false),
			biased(matmul(tensor.Float32, 1, 70, 32, 25, false, false)), convolution(2, 1, 5, 18, 32, 7, 3, 1, 1),
		} {
			if !one(i+j, 2) {
				continue
			}
			t.Run(fmt.Sprintf("%s %v", force, task.Axes), func(t *testing.T) {
				t.Parallel()
				verify(t, products, task, randomInputs(task, 1), 1e-5, 1)
			})
		}
	}
	windows, lanes := device(t, "reduce=window", tinyCache), device(t, "reduce=lanes", tinyCache)
	for _, w := range []int{48, 32, 37} {
		t.Run(fmt.Sprintf("windows of %d", w), func(t *testing.T) {
			t.Parallel()
			filter, channels := sliding{2, 3, 9, w, 3, 3, 1, 1, 1, tensor.Float32}.filter(), pixels{2, 7, 9, w, 3, 3, 1, 1, 1, tensor.Float32}
			verify(t, windows, filter, randomInputs(filter, 1), 1e-4, 1)
			verify(t, lanes, channels.task(), channels.operands(9), 1e-5, 1)
		})
	}
	rows, bands := device(t, "row=block", tinyCache), device(t, "row=band", tinyCache)
	for j, dt := range []tensor.DType{tensor.Float32, tensor.Float16, tensor.BFloat16} {
		for i, cols := range []int{128, 131, 200, 1000, 1024} {
			if !one(i+j, 3) {
				continue
			}
			t.Run(fmt.Sprintf("row %v %d", dt, cols), func(t *testing.T) {
				t.Parallel()
				for _, task := range []*engine.Task{softmaxTask(dt, 7, cols), statistics(dt, 7, cols)} {
					verify(t, rows, task, randomInputs(task, 1), 1e-2, 10)
				}
			})
		}
		for i, cols := range []int{32, 5, 47} {
			if !one(i+j, 2) {
				continue
			}
			t.Run(fmt.Sprintf("band %v %d", dt, cols), func(t *testing.T) {
				t.Parallel()
				for _, task := range []*engine.Task{softmaxTask(dt, 37, cols), distances(dt, 37, cols)} {
					verify(t, bands, task, randomInputs(task, 1), 1e-2, 10)
				}
			})
		}
	}
}

func TestOnlyOutputsThatNoCacheHoldsAreStoredPastThem(t *testing.T) {
	t.Parallel()
	small, large := cpuFacts(16), cpuFacts(16)
	small.Cache, large.Cache = 1<<20, 64<<20
	dom := engine.Domain{1024, 2048} // 8 MiB
	x := engine.Operand{DType: tensor.Float32, Len: dom.Size()}
	inPlace := mapTask(dom, engine.Load(0, tensor.Float32, denseAt(dom, 0, 1), nil), x)
	inPlace.Alias = []int{0}
	unknown := cpuFacts(16)
	for name, c := range map[string]struct {
		facts  *facts.Device
		task   *engine.Task
		stream bool
	}{
		"map larger than the cache":   {small, mapTask(dom, engine.Load(0, tensor.Float32, denseAt(dom, 0, 1), nil), x), true},
		"map smaller than the cache":  {large, mapTask(dom, engine.Load(0, tensor.Float32, denseAt(dom, 0, 1), nil), x), false},
		"map beside an unknown cache": {unknown, mapTask(dom, engine.Load(0, tensor.Float32, denseAt(dom, 0, 1), nil), x), false},
		"map in place":                {small, inPlace, false},
		"rows larger than the cache":  {small, softmaxTask(tensor.Float32, 1024, 2048), true},
		"rows smaller than the cache": {large, softmaxTask(tensor.Float32, 1024, 2048), false},
		"short rows":                  {small, softmaxTask(tensor.Float32, 1<<16, 64), true},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := variant.MakePlan(c.facts, nil, c.task, "")
			require.NoError(t, err)
			want := map[bool]string{false: "#define STREAMED 0", true: "#define STREAMED 1"}[c.stream]
			require.Contains(t, p.Launches[0].Program.Text(), want)
		})
	}
	channels := pixels{4, 32, 32, 512, 3, 3, 1, 1, 1, tensor.Float32}.task() // 8 MiB, as all of these
	filter := sliding{8, 64, 64, 64, 3, 3, 1, 1, 1, tensor.Float32}.filter()
	product, odd := matmul(tensor.Float32, 1, 1<<14, 128, 9, false, false), matmul(tensor.Float32, 1, 1<<14, 129, 9, false, false)
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
