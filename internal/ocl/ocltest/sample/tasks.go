package sample

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// DenseAt is the row-major position of a point of axes.
func DenseAt(dom engine.Domain, axes ...int) *engine.Index {
	x := engine.ConstIndex(0)
	for _, a := range axes {
		x = x.Mul(int64(dom[a])).Add(engine.AxisIndex(a))
	}
	return x
}

// Constant is v as a dt.
func Constant(dt tensor.DType, v float64) *engine.Expr {
	return engine.Constant(dt, engine.Const{Float: v, Int: int64(v)})
}

// Map is one value for each point of dom.
func Map(dom engine.Domain, v *engine.Expr, ins ...engine.Operand) *engine.Task {
	return &engine.Task{
		Kind: engine.Map, Name: "test", Axes: dom, Groups: []int{len(dom)},
		Ins: ins, Outs: []engine.Operand{{DType: v.DType, Len: dom.Size()}}, Values: []*engine.Expr{v},
	}
}

// Reduce folds v over the axes of dom after the first out.
func Reduce(dom engine.Domain, out int, f engine.Monoid, v *engine.Expr, ins ...engine.Operand) *engine.Task {
	acc := engine.AccType(v.DType)
	if f.IsArg() {
		acc = tensor.Int64
	}
	return &engine.Task{
		Kind: engine.Reduce, Name: "test", Axes: dom, Groups: []int{out, len(dom) - out},
		Ins: ins, Outs: []engine.Operand{{DType: acc, Len: dom[:out].Size()}},
		Folds: []engine.Fold{{Monoid: f, Value: v, Acc: acc}}, Values: []*engine.Expr{engine.Acc(0, acc)},
	}
}
