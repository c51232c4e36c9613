package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

var (
	addition = &Scalar{Name: "add", Flops: 1}
	root     = &Scalar{Name: "sqrt", Flops: 4}
)

// spread is a Row of two folds, the sum and the sum of (x - root(sum)), whose output over the row is x + root(second + row's own).
func spread(dt tensor.DType) *Task {
	dom := Domain{2, 3, 5}
	x := Load(0, dt, denseIndex(dom, []int{0, 1, 2}), nil)
	first := Apply(root, dt, Acc(0, dt))
	second := Apply(root, dt, Apply(addition, dt, Acc(1, dt), Load(1, dt, denseIndex(dom, []int{0, 1}), nil)))
	return &Task{
		Kind: Row, Axes: dom, Groups: []int{2, 1}, Ins: []Operand{{DType: dt, Len: 30}, {DType: dt, Len: 6}},
		Outs:   []Operand{{DType: dt, Len: 30}},
		Folds:  []Fold{{Sum, x, dt}, {Sum, Apply(addition, dt, x, first), dt}},
		Values: []*Expr{Apply(addition, dt, x, second)},
	}
}

func counts(e *Expr, fn *Scalar) (n int) {
	for s := range e.Walk() {
		if s.Op == OpApply && s.Fn == fn {
			n++
		}
	}
	return n
}

// What takes long and is the same for a row is computed once for it, by the Reduce of the last fold that it needs.
func TestSplitKeepsFunctionsOfResults(t *testing.T) {
	parts, temps := SplitRow(spread(tensor.Float32), false, nil)
	require.Len(t, parts, 3)
	require.Equal(t, []Operand{{DType: tensor.Float32, Len: 6}, {DType: tensor.Float32, Len: 6}}, temps, "neither sum is kept beside its root")
	for _, p := range parts[:2] {
		require.Equal(t, Reduce, p.Task.Kind)
		require.Equal(t, 1, counts(p.Task.Values[0], root))
	}
	require.Zero(t, counts(parts[1].Task.Folds[0].Value, root))
	require.Equal(t, Map, parts[2].Task.Kind)
	require.Zero(t, counts(parts[2].Task.Values[0], root))
	require.Len(t, parts[2].Ins, 2, "the input, and what the second fold left")
}

// A value that is rounded where it is stored is not kept: it would differ from what a single kernel computes.
func TestSplitKeepsNothingRounded(t *testing.T) {
	task := spread(tensor.Float16)
	for i := range task.Folds {
		task.Folds[i].Acc = tensor.Float32
	}
	toHalf := func(e *Expr) *Expr {
		if e.Op == OpAcc {
			return Acc(e.Input, tensor.Float32)
		}
		return e
	}
	task = task.Rewrite(func(e *Expr) *Expr { return e.Rewrite(toHalf) })
	parts, temps := SplitRow(task, false, nil)
	require.Equal(t, []Operand{{DType: tensor.Float32, Len: 6}, {DType: tensor.Float32, Len: 6}}, temps)
	require.Equal(t, 1, counts(parts[2].Task.Values[0], root))
}

// Outputs for the row come with the fold that they need, unless an input lies there that later parts read, or rows lie in another order.
func TestSplitStoresOutputsEarly(t *testing.T) {
	task := spread(tensor.Float32)
	task.Values = append(task.Values, Acc(0, tensor.Float32))
	task.Outs = append(task.Outs, Operand{DType: tensor.Float32, Len: 6})
	parts, temps := SplitRow(task, false, nil)
	require.Len(t, parts, 3)
	require.Len(t, temps, 2)
	require.Len(t, parts[0].Outs, 2, "what others need, and the output")
	require.Contains(t, parts[0].Outs, 2+1)

	late := *task
	late.Alias = []int{-1, 1}
	parts, temps = SplitRow(&late, false, nil)
	require.Len(t, parts, 4)
	require.Len(t, temps, 3, "the sum itself, too")

	parts, _ = SplitRow(task, false, []int{1, 0})
	require.Len(t, parts, 4)
	require.Equal(t, Domain{3, 2, 5}, parts[0].Task.Axes)
	require.Equal(t, Domain{2, 3}, parts[2].Task.Axes)
}
