package reduce_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// scaled multiplies every value of pooling by a factor of its channel and tap.
func scaled(task *engine.Task) *engine.Task {
	c, u := int64(task.Axes[3]), int64(task.Axes[4])
	task.Ins = append(task.Ins, engine.Operand{DType: tensor.Float32, Len: c * u * u})
	at := engine.AxisIndex(4).Mul(u).Add(engine.AxisIndex(5)).Mul(c).Add(engine.AxisIndex(3))
	v := &task.Folds[0].Value
	*v = engine.Apply(sample.Mul, tensor.Float32, *v, engine.Load(1, tensor.Float32, at, nil))
	return task
}

func TestWindowsFoldByLanes(t *testing.T) {
	ocltest.NumbersOnly(t)
	for name, task := range map[string]*engine.Task{
		"whole vectors":    sample.Pooling(engine.Sum, 2, 9, 32, 3, 2, 1),
		"overlapping tail": sample.Pooling(engine.Max, 1, 8, 37, 3, 1, 1),
		"large window":     sample.Pooling(engine.Sum, 1, 12, 24, 7, 2, 3),
		"no border":        sample.Pooling(engine.Max, 3, 8, 16, 2, 2, 0),
		"positions":        sample.Pooling(engine.ArgMax, 1, 7, 19, 3, 2, 1),
		"products":         scaled(sample.Pooling(engine.Sum, 2, 9, 40, 3, 2, 1)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(4, uint64(task.Ins[0].Len)))
			for _, force := range []string{"", "reduce=lanes", "reduce=column"} {
				var ins [][]byte
				for _, in := range task.Ins {
					ins = append(ins, ocltest.RandomBytes(r, tensor.Float32, in.Len))
				}
				p := ocltest.Verify(t, device(t, force, nil), task, ins, 1e-5, 1)
				if force == "reduce=lanes" && device(t, "", nil).Facts().CPU {
					require.Contains(t, p.Variant, "lanes")
				}
			}
		})
	}
}

// The last lanes move to the left and are stored twice, which must not happen
// to an output that is an input: it would be added twice.
func TestLanesOverAnInputAreStoredOnce(t *testing.T) {
	task := sample.Pooling(engine.Sum, 1, 8, 37, 3, 1, 1)
	out := task.Outs[0]
	task.Ins = append(task.Ins, out)
	dom := task.Axes[:4]
	task.Values[0] = engine.Apply(sample.Add, tensor.Float32, task.Values[0],
		engine.Load(1, tensor.Float32, sample.DenseAt(dom, 0, 1, 2, 3), nil))
	task.Alias = []int{1}
	r := rand.New(rand.NewPCG(1, 4))
	ins := [][]byte{ocltest.RandomBytes(r, tensor.Float32, task.Ins[0].Len), ocltest.RandomBytes(r, tensor.Float32, out.Len)}
	ocltest.Verify(t, device(t, "reduce=lanes", nil), task, ins, 1e-5, 1)
}
