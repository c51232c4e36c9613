package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

func TestWhatReadsFewOfManyElementsIsChargedForThose(t *testing.T) {
	t.Parallel()
	picks := func(points int, length int64, loads int) float64 {
		fn := &engine.Scalar{Name: "add", Flops: 1}
		v := engine.Load(0, tensor.Float32, engine.AxisIndex(0), nil)
		for range loads - 1 {
			v = engine.Apply(fn, tensor.Float32, v, engine.Load(1, tensor.Float32, engine.AxisIndex(0), nil))
		}
		task := &engine.Task{
			Kind: engine.Map, Axes: engine.Domain{points}, Groups: []int{1},
			Ins:  []engine.Operand{{DType: tensor.Float32, Len: length}},
			Outs: []engine.Operand{{DType: tensor.Float32, Len: int64(points)}}, Values: []*engine.Expr{v},
		}
		if loads > 1 {
			task.Ins = append(task.Ins, engine.Operand{DType: tensor.Float32, Len: 3})
		}
		return task.Cost().BytesRead
	}
	require.EqualValues(t, 4*10, picks(10, 1<<20, 1))
	require.EqualValues(t, 4*100, picks(1000, 100, 1), "each element once")
	require.EqualValues(t, 4*10+4*3, picks(10, 1<<20, 2))
}
