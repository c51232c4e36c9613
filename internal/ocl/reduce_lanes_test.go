package ocl

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// pooling folds kernel x kernel windows, stride apart, of images [n][h][h][c]
// with a border of pad around them: by lanes along c.
func pooling(f engine.Monoid, n, h, c, kernel, stride, pad int) *engine.Task {
	out := (h+2*pad-kernel)/stride + 1
	dom := engine.Domain{n, out, out, c, kernel, kernel}
	at := func(axis, tap int) *engine.Index {
		return engine.AxisIndex(axis).Mul(int64(stride)).Add(engine.AxisIndex(tap)).AddConst(int64(-pad))
	}
	y, x := at(1, 4), at(2, 5)
	addr := engine.AxisIndex(0).Mul(int64(h)).Add(y).Mul(int64(h)).Add(x).Mul(int64(c)).Add(engine.AxisIndex(3))
	var inside []engine.Cond
	if pad > 0 {
		inside = []engine.Cond{{X: y, Hi: int64(h)}, {X: x, Hi: int64(h)}}
	}
	in := engine.Operand{DType: tensor.Float32, Len: int64(n * h * h * c)}
	return reduceTask(dom, 4, f, engine.Load(0, in.DType, addr, inside), in)
}

// scaled multiplies every value of pooling by a factor of its channel and tap.
func scaled(task *engine.Task) *engine.Task {
	c, u := int64(task.Axes[3]), int64(task.Axes[4])
	task.Ins = append(task.Ins, engine.Operand{DType: tensor.Float32, Len: c * u * u})
	at := engine.AxisIndex(4).Mul(u).Add(engine.AxisIndex(5)).Mul(c).Add(engine.AxisIndex(3))
	v := &task.Folds[0].Value
	*v = engine.Apply(fnMul, tensor.Float32, *v, engine.Load(1, tensor.Float32, at, nil))
	return task
}

func TestWindowsFoldByLanes(t *testing.T) {
	numbersOnly(t)
	for name, task := range map[string]*engine.Task{
		"whole vectors":    pooling(engine.Sum, 2, 9, 32, 3, 2, 1),
		"overlapping tail": pooling(engine.Max, 1, 8, 37, 3, 1, 1),
		"large window":     pooling(engine.Sum, 1, 12, 24, 7, 2, 3),
		"no border":        pooling(engine.Max, 3, 8, 16, 2, 2, 0),
		"positions":        pooling(engine.ArgMax, 1, 7, 19, 3, 2, 1),
		"products":         scaled(pooling(engine.Sum, 2, 9, 40, 3, 2, 1)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(4, uint64(task.Ins[0].Len)))
			for _, force := range []string{"", "reduce=lanes", "reduce=column"} {
				var ins [][]byte
				for _, in := range task.Ins {
					ins = append(ins, randomBytes(r, tensor.Float32, in.Len))
				}
				p := verify(t, device(t, force, nil), task, ins, 1e-5, 1)
				if force == "reduce=lanes" && device(t, "", nil).facts.CPU {
					require.Contains(t, p.Variant, "lanes")
				}
			}
		})
	}
}

// The last lanes move to the left and are stored twice, which must not happen
// to an output that is an input: it would be added twice.
func TestLanesOverAnInputAreStoredOnce(t *testing.T) {
	task := pooling(engine.Sum, 1, 8, 37, 3, 1, 1)
	out := task.Outs[0]
	task.Ins = append(task.Ins, out)
	dom := task.Axes[:4]
	task.Values[0] = engine.Apply(fnAdd, tensor.Float32, task.Values[0], engine.Load(1, tensor.Float32, denseAt(dom, 0, 1, 2, 3), nil))
	task.Alias = []int{1}
	r := rand.New(rand.NewPCG(1, 4))
	ins := [][]byte{randomBytes(r, tensor.Float32, task.Ins[0].Len), randomBytes(r, tensor.Float32, out.Len)}
	verify(t, device(t, "reduce=lanes", nil), task, ins, 1e-5, 1)
}
