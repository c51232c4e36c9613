package ocl

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/tensor"
)

// largeForItems makes f a GPU of one unit, for which a few thousand points are many.
func largeForItems(f *facts.Device) { f.CPU, f.Cache, f.Units = false, 0, 1 }

// Points that an item computes together, of all dtypes: along a row and down columns, short and odd ones.
func TestItemsComputeSeveralPoints(t *testing.T) {
	numbersOnly(t)
	for number, dt := range deviceDTypes(t) {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			e := device(t, "map=item", largeForItems)
			for i, dom := range []engine.Domain{{40_003}, {700, 33}, {3, 9001}, {2_101, 17}, {77, 600}} {
				if dt != tensor.Float32 && !one(i+number, 3) {
					continue
				}
				task := mapTask(dom, load(0, dt, dom), whole(dt, dom))
				if dt != tensor.Bool && i%2 == 1 {
					task = biasOf(dt, dom)
				}
				p := verify(t, e, task, randomInputs(task, 1), 1e-6, 1)
				require.NotContains(t, p.Variant, "items=1 ")
				require.Contains(t, p.Variant, "items=")
			}
		})
	}
}

// Tiles in local memory turn all dtypes: whole ones and edges, with the axis that is read along next to the last and
// further out, alone, beside an operand that lies as the output does, and two of them.
func TestTilesInLocalMemoryTurnEveryDType(t *testing.T) {
	numbersOnly(t)
	for number, dt := range deviceDTypes(t) {
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
				if dt != tensor.Float32 && !one(i+number, 3) {
					continue
				}
				e := device(t, "map=turn", func(f *facts.Device) {
					largeForItems(f)
					f.WorkGroup = []int{256, 64, 16}[i%3]
				})
				x := engine.Load(0, dt, denseAt(c.dom, c.from...), nil)
				tasks := []*engine.Task{mapTask(c.dom, x, whole(dt, c.dom))}
				if dt != tensor.Bool {
					tasks = append(tasks, mapTask(c.dom, engine.Apply(fnAdd, dt, x, load(1, dt, c.dom)), whole(dt, c.dom), whole(dt, c.dom)))
				}
				for _, task := range tasks {
					ins := [][]byte{randomBytes(r, dt, c.dom.Size()), randomBytes(r, dt, c.dom.Size())}[:len(task.Ins)]
					p := verify(t, e, task, ins, 1e-6, 1)
					require.Contains(t, p.Variant, "turn")
				}
			}
			if dt == tensor.Float32 {
				task := twoTurned(70, 45)
				p := verify(t, device(t, "", largeForItems), task, randomInputs(task, 2), 1e-6, 1)
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
		"transpose":      {turned(f32, 100, 200), "turn"},
		"few columns":    {turned(f32, 100, 4), "item"},
		"few rows":       {turned(f32, 4, 100), "item"},
		"with a sum":     {addedTurned(f32, 64, 64), "turn"},
		"rows as before": {biasOf(f32, engine.Domain{64, 64}), "item"},
	} {
		t.Run(name, func(t *testing.T) {
			p := goldenCase{c.task, gpuFacts(256), ""}.plan(t)
			require.Equal(t, c.want, p.Variant, fmt.Sprint(p.Params))
		})
	}
}
