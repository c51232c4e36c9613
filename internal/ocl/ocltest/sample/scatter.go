package sample

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// Scatter adds updates[n, d] to x[v, d] at keys[n].
func Scatter(v, n, d int, dt, keys tensor.DType) *engine.Task {
	dom := engine.Domain{v, n, d}
	acc := dt
	if dt == tensor.Float16 {
		acc = tensor.Float32
	}
	return &engine.Task{
		Kind: engine.Scatter, Name: "test", Axes: dom, Groups: []int{1, 1, 1},
		Ins:    []engine.Operand{{DType: dt, Len: int64(v * d)}, {DType: keys, Len: int64(n)}, {DType: dt, Len: int64(n * d)}},
		Outs:   []engine.Operand{{DType: dt, Len: int64(v * d)}},
		Values: []*engine.Expr{engine.Apply(Cast, acc, engine.Load(0, dt, DenseAt(dom, 0, 2), nil))},
		At:     engine.Load(1, keys, engine.AxisIndex(1), nil),
		Update: engine.Apply(Cast, acc, engine.Load(2, dt, DenseAt(dom, 1, 2), nil)),
	}
}
