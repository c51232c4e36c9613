package ocl

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/row"
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
	e := engine.Apply(fnExp, wide, engine.Apply(fnSub, wide, x, m))
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
	at := fold(t, engine.ArgMax, x)
	output(t, at, false)
	describe(t, x)
	return t
}

// distances is statistics without a position, as bands of rows are folded.
func distances(dt tensor.DType, rows, cols int) *engine.Task {
	t, x := rowTask(dt, rows, cols)
	describe(t, x)
	return t
}

// describe adds what statistics wants but the position.
func describe(t *engine.Task, x *engine.Expr) {
	dt := x.DType
	most, sum := fold(t, engine.Max, x), fold(t, engine.Sum, x)
	output(t, most, false)
	output(t, sum, false)
	minus := engine.Apply(fnMul, sum.DType, sum, constant(sum.DType, -1))
	wide := x
	if sum.DType != dt {
		wide = engine.Apply(fnCast, sum.DType, x)
	}
	output(t, engine.Apply(fnAdd, sum.DType, wide, minus), true)
	output(t, engine.Apply(fnAdd, sum.DType, wide, wide), true)
}

func TestRowsAgreeWithTheirDefinitionInEveryVariant(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	for j, force := range []string{"block", "band", "group", "keep", "split"} {
		for i, shape := range [][2]int{{1, 1}, {5, 3}, {7, 64}, {33, 65}, {2, 1000}, {3, 40_000}, {700, 17}, {4, 0}, {0, 4}} {
			if force == "band" && (shape[1] > 128 || shape[1] == 0) || force == "keep" && (shape[1] > 8192 || shape[1] == 0) {
				continue
			}
			empty := shape[0] == 0 || shape[1] == 0
			if force != "block" && !empty && !one(i+j, 2) { // each shape in every other variant: a kernel takes a second to compile
				continue
			}
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
					if force == "band" {
						stats = distances(dt, shape[0], shape[1])
					}
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
		for j, force := range []string{"block", "band", "group", "split", "keep"} {
			// What a variant does of integers it does of all, and of floats that are not stored as they are.
			if dt == tensor.Bool || dt.IsInt() && !one(i-j, 4) || dt.IsFloat() && dt != tensor.Float32 && !one(i+j, 2) {
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
				if force == "band" {
					stats = distances(dt, 19, 13)
				}
				verify(t, e, stats, randomInputs(stats, 4), 1e-5, 100)
			})
		}
	}
}

// A lane of NaN beside the largest is in any of the vectors that a band folds.
func TestABandOfRowsKeepsNaNs(t *testing.T) {
	t.Parallel()
	const rows, cols = 19, 65
	task := distances(tensor.Float32, rows, cols)
	e := device(t, "row=band", nil)
	ins := randomInputs(task, 6)
	for r := 0; r < rows; r += 2 {
		at := 4 * (r*cols + (r*31)%cols)
		binary.NativeEndian.PutUint32(ins[0][at:], math.Float32bits(float32(math.NaN())))
	}
	verify(t, e, task, ins, 1e-5, 100)
}

// The end of a row is read under a mask, as a number by one loop and as its bits
// by others: compilers take loads for one that look so much alike.
func TestABandOfRowsComputesWithNumbersAndTheirBits(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	task := softmaxTask(tensor.Float32, 19, 10)
	x := engine.Load(0, tensor.Float32, denseAt(task.Axes, 0, 1), nil)
	double := engine.Apply(fnAdd, x.DType, x, x)
	output(task, engine.Apply(fnAbs, x.DType, x), true)
	output(task, engine.Apply(fnCast, tensor.Float16, x), true)
	output(task, engine.Apply(fnCast, tensor.BFloat16, engine.Apply(fnExp, x.DType, double)), true)
	output(task, engine.Apply(fnAbs, x.DType, engine.Apply(fnExp, x.DType, double)), true)
	output(task, engine.Apply(fnExp, x.DType, double), true)
	verify(t, device(t, "row=band", nil), task, randomInputs(task, 7), 1e-5, 1e-4)
}

func TestARowIsWrittenOverTheInputItWasFoldedFrom(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	for _, force := range []string{"block", "band", "group", "keep", "split"} {
		cols := 301
		if force == "band" {
			cols = 64
		}
		task := softmaxTask(tensor.Float32, 37, cols)
		task.Alias = []int{0}
		verify(t, device(t, "row="+force, nil), task, randomInputs(task, 5), 1e-5, 1e-6)
	}
}

func TestOnlyExpBelowAMaximumIsTakenForIt(t *testing.T) {
	below := func(task *engine.Task) (n int) {
		row.BelowTheirMaxima(task).EachExpr(func(e **engine.Expr) {
			for s := range (*e).Walk() {
				if s.Fn == codegen.ExpBelow {
					n++
				}
			}
		})
		return n
	}
	require.Equal(t, 2, below(softmaxTask(tensor.Float32, 3, 5)), "in the sum and in the result")
	require.Equal(t, 2, below(softmaxTask(tensor.Float16, 3, 5)), "of floats that were widened")
	require.Zero(t, below(softmaxTask(tensor.Float64, 3, 5)))
	for name, change := range map[string]func(f *engine.Fold){
		"above a minimum":       func(f *engine.Fold) { f.Monoid = engine.Min },
		"of something else":     func(f *engine.Fold) { f.Value = engine.Apply(fnExp, tensor.Float32, f.Value) },
		"the position of which": func(f *engine.Fold) { f.Monoid = engine.ArgMax },
	} {
		task := softmaxTask(tensor.Float32, 3, 5)
		change(&task.Folds[0])
		require.Zero(t, below(task), name)
	}
}
