package taskref

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

func bytesOf[T tensor.Elem](v ...T) []byte {
	b, _ := tensor.Must(tensor.FromSlice(v)).Bytes()
	return b
}

// x is element i·cols + j of input n over axes i and j.
func x(n int, dt tensor.DType, i, j int, cols int64) *engine.Expr {
	return engine.Load(n, dt, engine.AxisIndex(i).Mul(cols).Add(engine.AxisIndex(j)), nil)
}

func eval[T tensor.Elem](t *testing.T, task *engine.Task, ins ...[]byte) []T {
	for range ins {
		task.Ins = append(task.Ins, engine.Operand{})
	}
	for i, in := range ins {
		dt := tensor.DTypeOf[T]()
		if task.Kind == engine.Scatter && i == 1 {
			dt = tensor.Int32
		}
		task.Ins[i] = engine.Operand{DType: dt, Len: int64(len(in) / dt.Size())}
	}
	outs, err := Eval(task, ins)
	require.NoError(t, err)
	got, err := tensor.ToSlice[T](tensor.Must(tensor.FromBytes(tensor.DTypeOf[T](), outs[0], int(task.Outs[0].Len))))
	require.NoError(t, err)
	return got
}

func out(dt tensor.DType, n int64) []engine.Operand { return []engine.Operand{{DType: dt, Len: n}} }

func TestEachKindByHand(t *testing.T) {
	f32, i8 := tensor.Float32, tensor.Int8
	grid := bytesOf[float32](1, 2, 3, 4, 5, 6)

	transposed := &engine.Task{
		Kind: engine.Map, Axes: engine.Domain{3, 2}, Groups: []int{2}, Outs: out(f32, 6),
		Values: []*engine.Expr{engine.Load(0, f32, engine.AxisIndex(1).Mul(3).Add(engine.AxisIndex(0)), nil)},
	}
	require.Equal(t, []float32{1, 4, 2, 5, 3, 6}, eval[float32](t, transposed, grid))

	sum := &engine.Task{
		Kind: engine.Reduce, Axes: engine.Domain{2, 3}, Groups: []int{1, 1}, Outs: out(f32, 2),
		Folds: []engine.Fold{{Monoid: engine.Sum, Value: x(0, f32, 0, 1, 3), Acc: f32}}, Values: []*engine.Expr{engine.Acc(0, f32)},
	}
	require.Equal(t, []float32{6, 15}, eval[float32](t, sum, grid))

	product := &engine.Task{ // [2 3] x [3 2], B transposed: a·aᵀ
		Kind: engine.Contract, Axes: engine.Domain{2, 2, 3}, Groups: []int{0, 1, 1, 1}, Outs: out(f32, 4),
		A: x(0, f32, 0, 2, 3), B: x(0, f32, 1, 2, 3), Acc: f32, Values: []*engine.Expr{engine.Acc(0, f32)},
	}
	require.Equal(t, []float32{14, 32, 32, 77}, eval[float32](t, product, grid))

	scatter := &engine.Task{ // rows 1, 1 and 7 of a 2 x 2 of int8: the last is skipped, the sum wraps
		Kind: engine.Scatter, Axes: engine.Domain{2, 3, 2}, Groups: []int{1, 1, 1}, Outs: out(i8, 4),
		Values: []*engine.Expr{x(0, i8, 0, 2, 2)}, At: engine.Load(1, tensor.Int32, engine.AxisIndex(1), nil), Update: x(2, i8, 1, 2, 2),
	}
	got := eval[int8](t, scatter, bytesOf[int8](1, 2, 100, 4), bytesOf[int32](1, 1, 7), bytesOf[int8](20, 1, 20, 1, 9, 9))
	require.Equal(t, []int8{1, 2, -116, 6}, got)
}

func TestConditionsGuardMemory(t *testing.T) {
	shifted := engine.AxisIndex(0).AddConst(-1)
	load := func(conds []engine.Cond) *engine.Task {
		return &engine.Task{
			Kind: engine.Map, Axes: engine.Domain{4}, Groups: []int{1}, Outs: out(tensor.Float32, 4),
			Values: []*engine.Expr{engine.Load(0, tensor.Float32, shifted, conds)},
		}
	}
	require.Equal(t, []float32{0, 1, 2, 0}, eval[float32](t, load([]engine.Cond{{X: shifted, Lo: 0, Hi: 2}}), bytesOf[float32](1, 2)))
	task := load(nil)
	task.Ins = out(tensor.Float32, 2)
	_, err := Eval(task, [][]byte{bytesOf[float32](1, 2)})
	require.ErrorContains(t, err, "address -1 of input 0")
	_, err = Eval(task, nil)
	require.ErrorContains(t, err, "0 inputs for 1 operands")
}
