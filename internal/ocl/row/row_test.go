package row_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/row"
	"github.com/anycl/anycl/tensor"
)

func TestRowsAgreeWithTheirDefinitionInEveryVariant(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for j, force := range []string{"block", "band", "group", "keep", "split"} {
		for i, shape := range [][2]int{{1, 1}, {5, 3}, {7, 64}, {33, 65}, {2, 1000}, {3, 40_000}, {700, 17}, {8000, 33}, {4, 0}, {0, 4}} {
			if force == "band" && (shape[1] > 128 || shape[1] == 0) || force != "band" && shape[0] == 8000 || force == "keep" &&
				(shape[1] > 8192 || shape[1] == 0) {
				continue
			}
			empty := shape[0] == 0 || shape[1] == 0
			if force != "block" && !empty && shape[0] != 8000 && !ocltest.OneIn(i+j, 2) {
				// each shape in every other variant: a kernel takes a second to compile
				continue
			}
			t.Run(fmt.Sprint(force, shape), func(t *testing.T) {
				t.Parallel()
				e := device(t, "row="+force, nil)
				soft := sample.Softmax(tensor.Float32, shape[0], shape[1])
				p := ocltest.Verify(t, e, soft, ocltest.RandomInputs(soft, 1), 1e-5, 1e-6)
				if soft.Outs[0].Len > 0 {
					require.Equal(t, force, p.Variant[:len(force)])
				}
				for _, dt := range []tensor.DType{tensor.Float32, tensor.Int32} {
					stats := sample.Statistics(dt, shape[0], shape[1])
					if force == "band" {
						stats = sample.Distances(dt, shape[0], shape[1])
					}
					ocltest.Verify(t, e, stats, ocltest.RandomInputs(stats, 2), 1e-5, 100)
				}
			})
		}
	}
}

func TestRowsOfEveryTypeAgree(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for i, dt := range ocltest.DeviceDTypes(t) {
		for j, force := range []string{"block", "band", "group", "split", "keep"} {
			// A variant treats all integer types alike, and all float types that are converted when they are stored.
			if dt == tensor.Bool || dt.IsInt() && !ocltest.OneIn(i-j, 4) || dt.IsFloat() && dt != tensor.Float32 && !ocltest.OneIn(i+j, 2) {
				continue
			}
			t.Run(fmt.Sprint(dt, force), func(t *testing.T) {
				t.Parallel()
				e := device(t, "row="+force, nil)
				if dt.IsFloat() {
					soft := sample.Softmax(dt, 9, 130)
					ocltest.Verify(t, e, soft, ocltest.RandomInputs(soft, 3), 1e-5, 1e-4)
				}
				stats := sample.Statistics(dt, 9, 130)
				if force == "band" {
					stats = sample.Distances(dt, 19, 13)
				}
				ocltest.Verify(t, e, stats, ocltest.RandomInputs(stats, 4), 1e-5, 100)
			})
		}
	}
}

// Rows of tensors that are rolled or mirrored are read in vectors where these lie in one piece.
func TestRowsOfPieces(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	const rows, cols = 7, 150
	dom := engine.Domain{rows, cols}
	rolled := engine.AxisIndex(1).AddConst(61).Mod(cols, dom)
	mirrored := engine.AxisIndex(1).AddConst(-33)
	mirrored = mirrored.Add(mirrored.Mul(-2).Max(0, dom))
	for name, column := range map[string]*engine.Index{"rolled": rolled, "mirrored": mirrored} {
		for _, force := range []string{"block", "split", "keep"} {
			t.Run(name+"/"+force, func(t *testing.T) {
				t.Parallel()
				e := device(t, "row="+force, nil)
				task := sample.Softmax(tensor.Float32, rows, cols).Rewrite(func(x *engine.Expr) *engine.Expr {
					return x.Subst([]*engine.Index{engine.AxisIndex(0), column}, dom)
				})
				p := ocltest.Verify(t, e, task, ocltest.RandomInputs(task, 5), 1e-5, 1e-6)
				if e.Facts().CPU && force == "block" {
					require.Contains(t, p.Source, "lane_1_hook")
				}
			})
		}
	}
}

// Rows of transposed tensors are folded in the order in which these lie in memory: what a fold leaves for others lies in it too.
func TestRowsOfTransposedTensors(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for _, c := range []struct {
		dom   engine.Domain
		order []int // of axes in memory
	}{
		{engine.Domain{2, 33, 12, 20}, []int{0, 3, 2, 1}},
		{engine.Domain{21, 5, 9}, []int{2, 1, 0}},
		{engine.Domain{3, 4, 50}, []int{2, 0, 1}}, // no axis of 16 is next
	} {
		for _, dt := range []tensor.DType{tensor.Float32, tensor.Float16} {
			t.Run(fmt.Sprint(c.dom, dt), func(t *testing.T) {
				t.Parallel()
				e := device(t, "row=split", nil)
				n := len(c.dom) - 1
				rows, cols := int(c.dom[:n].Size()), c.dom[n]
				soft := sample.TransposedRows(sample.Softmax(dt, rows, cols), c.dom, c.order...)
				p := ocltest.Verify(t, e, soft, ocltest.RandomInputs(soft, 8), 1e-5, 1e-4)
				if e.Facts().CPU && n == 3 {
					require.Contains(t, p.Variant, "reduce=stripe reduce=stripe")
				}
				stats := sample.TransposedRows(sample.Statistics(dt, rows, cols), c.dom, c.order...)
				ocltest.Verify(t, e, stats, ocltest.RandomInputs(stats, 9), 1e-5, 100)
			})
		}
	}
}

// A lane of NaN beside the largest is in any of the vectors that a band folds.
func TestABandOfRowsKeepsNaNs(t *testing.T) {
	t.Parallel()
	const rows, cols = 19, 65
	task := sample.Distances(tensor.Float32, rows, cols)
	e := device(t, "row=band", nil)
	ins := ocltest.RandomInputs(task, 6)
	for r := 0; r < rows; r += 2 {
		at := 4 * (r*cols + (r*31)%cols)
		binary.NativeEndian.PutUint32(ins[0][at:], math.Float32bits(float32(math.NaN())))
	}
	ocltest.Verify(t, e, task, ins, 1e-5, 100)
}

// The end of a row is read under a mask, as a number by one loop and as its bits
// by others: compilers take loads for one that look so much alike.
func TestABandOfRowsComputesWithNumbersAndTheirBits(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	task := sample.Softmax(tensor.Float32, 19, 10)
	x := engine.Load(0, tensor.Float32, sample.DenseAt(task.Axes, 0, 1), nil)
	double := engine.Apply(sample.Add, x.DType, x, x)
	sample.Output(task, engine.Apply(sample.Abs, x.DType, x), true)
	sample.Output(task, engine.Apply(sample.Cast, tensor.Float16, x), true)
	sample.Output(task, engine.Apply(sample.Cast, tensor.BFloat16, engine.Apply(sample.Exp, x.DType, double)), true)
	sample.Output(task, engine.Apply(sample.Abs, x.DType, engine.Apply(sample.Exp, x.DType, double)), true)
	sample.Output(task, engine.Apply(sample.Exp, x.DType, double), true)
	ocltest.Verify(t, device(t, "row=band", nil), task, ocltest.RandomInputs(task, 7), 1e-5, 1e-4)
}

func TestARowIsWrittenOverTheInputItWasFoldedFrom(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for _, force := range []string{"block", "band", "group", "keep", "split"} {
		cols := 301
		if force == "band" {
			cols = 64
		}
		task := sample.Softmax(tensor.Float32, 37, cols)
		task.Alias = []int{0}
		ocltest.Verify(t, device(t, "row="+force, nil), task, ocltest.RandomInputs(task, 5), 1e-5, 1e-6)
	}
}

// What waits for no fold is written by the pass of one: of values with vectors and without, over an input and beside one.
func TestOutputsThatWaitForNoFoldShareItsPass(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for _, class := range []string{"row=split", "row=split,class=gpu"} {
		for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.Float16, tensor.Int32} {
			if !slices.Contains(ocltest.DeviceDTypes(t), dt) || class != "row=split" && dt != tensor.Float32 {
				continue
			}
			for _, alone := range []bool{false, true} {
				task := sample.Beside(dt, 1, 20_013)
				if alone {
					task.Alias = nil
				}
				p := ocltest.Verify(t, device(t, class, nil), task, ocltest.RandomInputs(task, 8), 1e-4, 1e-4)
				if runtime.NumCPU() > 1 {
					require.Contains(t, p.Variant, "row=through", "%v %s", dt, class)
				}
			}
		}
	}
	waiting := sample.Softmax(tensor.Float32, 1, 20_013)
	require.Equal(t, -1, waiting.Through())
	require.Equal(t, 0, sample.Beside(tensor.Float32, 1, 20_013).Through())
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
	require.Equal(t, 2, below(sample.Softmax(tensor.Float32, 3, 5)), "in the sum and in the result")
	require.Equal(t, 2, below(sample.Softmax(tensor.Float16, 3, 5)), "of floats that were widened")
	require.Zero(t, below(sample.Softmax(tensor.Float64, 3, 5)))
	for name, change := range map[string]func(f *engine.Fold){
		"above a minimum":       func(f *engine.Fold) { f.Monoid = engine.Min },
		"of something else":     func(f *engine.Fold) { f.Value = engine.Apply(sample.Exp, tensor.Float32, f.Value) },
		"the position of which": func(f *engine.Fold) { f.Monoid = engine.ArgMax },
	} {
		task := sample.Softmax(tensor.Float32, 3, 5)
		change(&task.Folds[0])
		require.Zero(t, below(task), name)
	}
}

// Columns over axes that do not adjoin in memory are folded by runs, all rows after each other, where runs are long enough.
func TestColumnsThatDoNotAdjoinAreFoldedByRuns(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	const rows, runs, pitch = 40, 6, 32
	for length, want := range map[int]bool{31: true, 16: true, 15: false, pitch: false} {
		task := sample.Softmax(tensor.Float32, rows, runs*pitch)
		dom := engine.Domain{rows, runs, length}
		at := []*engine.Index{engine.AxisIndex(0), engine.AxisIndex(1).Mul(pitch).Add(engine.AxisIndex(2))}
		task = task.Rewrite(func(e *engine.Expr) *engine.Expr { return e.Subst(at, dom) })
		task.Axes, task.Groups, task.Outs = dom, []int{1, 2}, []engine.Operand{{DType: tensor.Float32, Len: rows * runs * int64(length)}}
		e := device(t, "", nil)
		p := ocltest.Verify(t, e, task, ocltest.RandomInputs(task, 3), 1e-5, 1e-6)
		if e.Facts().CPU {
			require.Equal(t, want, strings.HasPrefix(p.Variant, "split"), "runs of %d: %s", length, p.Variant)
		}
	}
}
