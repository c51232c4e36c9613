package maps_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// Points that an item computes together, of all dtypes: along a row and down columns, short and odd ones.
func TestItemsComputeSeveralPoints(t *testing.T) {
	ocltest.NumbersOnly(t)
	for number, dt := range ocltest.DeviceDTypes(t) {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			e := device(t, "map=item", ocltest.LargeForItems)
			for i, dom := range []engine.Domain{{40_003}, {700, 33}, {3, 9001}, {2_101, 17}, {77, 600}} {
				if dt != tensor.Float32 && !ocltest.OneIn(i+number, 3) {
					continue
				}
				task := sample.Map(dom, sample.Load(0, dt, dom), sample.Whole(dt, dom))
				if dt != tensor.Bool && i%2 == 1 {
					task = sample.ScaledColumns(dt, dom)
				}
				p := ocltest.Verify(t, e, task, ocltest.RandomInputs(task, 1), 1e-6, 1)
				require.NotContains(t, p.Variant, "items=1 ")
				require.Contains(t, p.Variant, "items=")
			}
		})
	}
}

// Tiles in local memory turn all dtypes: whole ones and edges, with the axis that is read along next to the last and
// further out, alone, beside an operand that lies as the output does, and two of them.
func TestTilesInLocalMemoryTurnEveryDType(t *testing.T) {
	ocltest.NumbersOnly(t)
	for number, dt := range ocltest.DeviceDTypes(t) {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(5, uint64(dt)))
			for i, c := range []struct {
				dom  engine.Domain
				from []int // the axes of the input, outermost first
			}{
				{engine.Domain{64, 128}, []int{1, 0}},
				{engine.Domain{37, 19}, []int{1, 0}},
				{engine.Domain{3, 65, 70}, []int{0, 2, 1}},
				{engine.Domain{18, 3, 35}, []int{2, 1, 0}},
				{engine.Domain{2, 40, 2, 17}, []int{0, 2, 3, 1}},
			} {
				if dt != tensor.Float32 && !ocltest.OneIn(i+number, 3) {
					continue
				}
				e := device(t, "map=turn", func(f *facts.Device) {
					ocltest.LargeForItems(f)
					f.WorkGroup = []int{256, 64, 16}[i%3]
				})
				x := engine.Load(0, dt, sample.DenseAt(c.dom, c.from...), nil)
				tasks := []*engine.Task{sample.Map(c.dom, x, sample.Whole(dt, c.dom))}
				if dt != tensor.Bool {
					tasks = append(tasks, sample.Map(c.dom, engine.Apply(sample.Add, dt, x, sample.Load(1, dt, c.dom)), sample.Whole(dt, c.dom),
						sample.Whole(dt, c.dom)))
				}
				for _, task := range tasks {
					ins := [][]byte{ocltest.RandomBytes(r, dt, c.dom.Size()), ocltest.RandomBytes(r, dt, c.dom.Size())}[:len(task.Ins)]
					p := ocltest.Verify(t, e, task, ins, 1e-6, 1)
					require.Contains(t, p.Variant, "turn")
				}
			}
			if dt == tensor.Float32 {
				task := sample.TwoTransposed(70, 45)
				p := ocltest.Verify(t, device(t, "", ocltest.LargeForItems), task, ocltest.RandomInputs(task, 2), 1e-6, 1)
				require.Contains(t, p.Variant, "turn")
			}
		})
	}
}

// A GPU turns tiles where an input lies across, and else reads it as it lies.
func TestGPUsTurnWhatLiesAcross(t *testing.T) {
	t.Parallel()
	f32 := tensor.Float32
	for name, c := range map[string]struct {
		task *engine.Task
		want string
	}{
		"transpose":      {sample.Transposed(f32, 100, 200), "turn"},
		"few columns":    {sample.Transposed(f32, 100, 4), "item"},
		"few rows":       {sample.Transposed(f32, 4, 100), "item"},
		"with a sum":     {sample.TransposedTimes(f32, 64, 64), "turn"},
		"rows as before": {sample.ScaledColumns(f32, engine.Domain{64, 64}), "item"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := variant.MakePlan(ocltest.GPU(256), nil, c.task, "")
			require.NoError(t, err)
			require.Equal(t, c.want, p.Variant, fmt.Sprint(p.Params))
		})
	}
}
