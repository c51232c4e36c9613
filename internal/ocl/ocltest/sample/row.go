package sample

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// describe adds the outputs of Statistics but the position.
func describe(t *engine.Task, x *engine.Expr) {
	dt := x.DType
	most, sum := fold(t, engine.Max, x), fold(t, engine.Sum, x)
	Output(t, most, false)
	Output(t, sum, false)
	minus := engine.Apply(Mul, sum.DType, sum, Constant(sum.DType, -1))
	wide := x
	if sum.DType != dt {
		wide = engine.Apply(Cast, sum.DType, x)
	}
	Output(t, engine.Apply(Add, sum.DType, wide, minus), true)
	Output(t, engine.Apply(Add, sum.DType, wide, wide), true)
}

// Softmax is a task for the softmax of each row.
func Softmax(dt tensor.DType, rows, cols int) *engine.Task {
	t, x := rowTask(dt, rows, cols)
	wide := engine.AccType(dt)
	if wide != dt {
		x = engine.Apply(Cast, wide, x)
	}
	m := fold(t, engine.Max, x)
	e := engine.Apply(Exp, wide, engine.Apply(Sub, wide, x, m))
	s := fold(t, engine.Sum, e)
	y := engine.Apply(Div, wide, e, s)
	if wide != dt {
		y = engine.Apply(Cast, dt, y)
	}
	Output(t, y, true)
	return t
}

// Statistics writes the position of the largest element, that element, the sum of
// all, and every element's distance from the mean and from the largest.
func Statistics(dt tensor.DType, rows, cols int) *engine.Task {
	t, x := rowTask(dt, rows, cols)
	at := fold(t, engine.ArgMax, x)
	Output(t, at, false)
	describe(t, x)
	return t
}

// Distances is Statistics without a position, as bands of rows are folded.
func Distances(dt tensor.DType, rows, cols int) *engine.Task {
	t, x := rowTask(dt, rows, cols)
	describe(t, x)
	return t
}

// Beside has x - y, which goes where x was, and x · y, beside the sum of its squares, as an iteration has that reports what is left.
func Beside(dt tensor.DType, rows, cols int) *engine.Task {
	t, x := rowTask(dt, rows, cols)
	t.Ins = append(t.Ins, t.Ins[0])
	y := engine.Load(1, dt, DenseAt(t.Axes, 0, 1), nil)
	d := engine.Apply(Sub, dt, x, y)
	Output(t, d, true)
	Output(t, fold(t, engine.Sum, engine.Apply(Mul, dt, d, d)), false)
	Output(t, engine.Apply(Mul, dt, x, y), true)
	t.Alias = []int{0, -1, -1}
	return t
}

// TransposedRows is t, a Row over rows and columns that reads its input at the very point, over rows of several axes, where the axes of the
// input lie in memory in the given order.
func TransposedRows(t *engine.Task, dom engine.Domain, order ...int) *engine.Task {
	c := t.Rewrite(func(e *engine.Expr) *engine.Expr {
		return e.Rewrite(func(e *engine.Expr) *engine.Expr {
			if e.Op != engine.OpLoad {
				return e
			}
			return engine.Load(e.Input, e.DType, DenseAt(dom, order...), nil)
		})
	})
	c.Axes, c.Groups = dom, []int{len(dom) - 1, 1}
	return c
}

// rowTask has no folds and outputs yet; x is its only input, over all of dom.
func rowTask(dt tensor.DType, rows, cols int) (t *engine.Task, x *engine.Expr) {
	dom := engine.Domain{rows, cols}
	t = &engine.Task{
		Kind: engine.Row, Name: "row", Axes: dom, Groups: []int{1, 1},
		Ins: []engine.Operand{{DType: dt, Len: dom.Size()}},
	}
	return t, engine.Load(0, dt, DenseAt(dom, 0, 1), nil)
}

// fold adds a fold of v and gives its result.
func fold(t *engine.Task, m engine.Monoid, v *engine.Expr) *engine.Expr {
	acc := engine.AccType(v.DType)
	if m.IsArg() {
		acc = tensor.Int64
	}
	t.Folds = append(t.Folds, engine.Fold{Monoid: m, Value: v, Acc: acc})
	return engine.Acc(len(t.Folds)-1, acc)
}

// Output adds an output of v: one value a row, or one an element if over.
func Output(t *engine.Task, v *engine.Expr, over bool) {
	n := t.Size(0)
	if over {
		n *= t.Size(1)
	}
	t.Values = append(t.Values, v)
	t.Outs = append(t.Outs, engine.Operand{DType: v.DType, Len: n})
}
