package ocl

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// rowTask has no folds and outputs yet; x is its only input, over all of dom.
func rowTask(dt tensor.DType, rows, cols int) (t *engine.Task, x *engine.Expr) {
	dom := engine.Domain{rows, cols}
	t = &engine.Task{
		Kind: engine.Row, Name: "row", Axes: dom, Groups: []int{1, 1},
		Ins: []engine.Operand{{DType: dt, Len: dom.Size()}},
	}
	return t, engine.Load(0, dt, denseAt(dom, 0, 1), nil)
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

func output(t *engine.Task, v *engine.Expr, over bool) {
	n := t.Size(0)
	if over {
		n *= t.Size(1)
	}
	t.Values = append(t.Values, v)
	t.Outs = append(t.Outs, engine.Operand{DType: v.DType, Len: n})
}

func softmaxTask(dt tensor.DType, rows, cols int) *engine.Task {
	t, x := rowTask(dt, rows, cols)
	wide := engine.AccType(dt)
	if wide != dt {
		x = engine.Apply(fnCast, wide, x)
	}
	m := fold(t, engine.Max, x)
	e := engine.Apply(fnExp, wide, engine.Apply(fnAdd, wide, x, engine.Apply(fnMul, wide, m, constant(wide, -1))))
	s := fold(t, engine.Sum, e)
	y := engine.Apply(fnDiv, wide, e, s)
	if wide != dt {
		y = engine.Apply(fnCast, dt, y)
	}
	output(t, y, true)
	return t
}

// statistics writes the position of the largest element, that element, the sum of
// all, and every element's distance from the mean and from the largest.
func statistics(dt tensor.DType, rows, cols int) *engine.Task {
	t, x := rowTask(dt, rows, cols)
	at, most, sum := fold(t, engine.ArgMax, x), fold(t, engine.Max, x), fold(t, engine.Sum, x)
	output(t, at, false)
	output(t, most, false)
	output(t, sum, false)
	minus := engine.Apply(fnMul, sum.DType, sum, constant(sum.DType, -1))
	wide := x
	if sum.DType != dt {
		wide = engine.Apply(fnCast, sum.DType, x)
	}
	output(t, engine.Apply(fnAdd, sum.DType, wide, minus), true)
	output(t, engine.Apply(fnAdd, sum.DType, wide, wide), true)
	return t
}

func TestRowsAgreeWithTheirDefinitionInEveryVariant(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	for _, force := range []string{"block", "group", "split"} {
		for _, shape := range [][2]int{{1, 1}, {5, 3}, {7, 64}, {33, 65}, {2, 1000}, {3, 40_000}, {700, 17}, {4, 0}, {0, 4}} {
			t.Run(fmt.Sprint(force, shape), func(t *testing.T) {
				t.Parallel()
				e := device(t, "row="+force, nil)
				soft := softmaxTask(tensor.Float32, shape[0], shape[1])
				p := verify(t, e, soft, randomInputs(soft, 1), 1e-5, 1e-6)
				if soft.Outs[0].Len > 0 {
					require.Equal(t, force, p.Variant[:len(force)])
				}
				for _, dt := range []tensor.DType{tensor.Float32, tensor.Int32} {
					stats := statistics(dt, shape[0], shape[1])
					verify(t, e, stats, randomInputs(stats, 2), 1e-5, 100)
				}
			})
		}
	}
}

func TestRowsOfEveryTypeAgree(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	for i, dt := range deviceDTypes(t) {
		for j, force := range []string{"block", "group", "split"} {
			// What a variant does of integers it does of all.
			if dt == tensor.Bool || dt.IsInt() && i%3 != j {
				continue
			}
			t.Run(fmt.Sprint(dt, force), func(t *testing.T) {
				t.Parallel()
				e := device(t, "row="+force, nil)
				if dt.IsFloat() {
					soft := softmaxTask(dt, 9, 130)
					verify(t, e, soft, randomInputs(soft, 3), 1e-5, 1e-4)
				}
				stats := statistics(dt, 9, 130)
				verify(t, e, stats, randomInputs(stats, 4), 1e-5, 100)
			})
		}
	}
}

func TestARowIsWrittenOverTheInputItWasFoldedFrom(t *testing.T) {
	t.Parallel()
	for _, force := range []string{"block", "group", "split"} {
		task := softmaxTask(tensor.Float32, 37, 301)
		task.Alias = []int{0}
		verify(t, device(t, "row="+force, nil), task, randomInputs(task, 5), 1e-5, 1e-6)
	}
}
