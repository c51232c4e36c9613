package reduce_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// Stripes that fit, that lie over each other, whose last vector does, columns
// side by side with and without a rest, folds that are cut.
func TestStripesFoldDownRows(t *testing.T) {
	ocltest.NumbersOnly(t)
	shapes := [][3]int{
		{1, 40, 256}, {1, 33, 16}, {1, 20, 17}, {1, 50, 1001}, {3, 21, 300}, {300, 17, 33}, {1, 9001, 3}, {1, 5000, 4}, {2, 4321, 100},
		{1, 3001, 2}, {70, 45, 5}, {181, 32, 6}, {9, 67, 7}, {5, 100, 3},
	}
	for j, f := range []engine.Monoid{engine.Sum, engine.Min, engine.ArgMax} {
		for i, s := range shapes {
			if !ocltest.OneIn(i+j, 3) {
				continue
			}
			t.Run(fmt.Sprint(f, s), func(t *testing.T) {
				t.Parallel()
				e := device(t, "", nil)
				if !e.Facts().CPU {
					e = device(t, "reduce=stripe", nil)
				}
				task, in := sample.Middle(tensor.Float32, f, s[0], s[1], s[2])
				p := ocltest.Verify(t, e, task, [][]byte{ocltest.RandomBytes(rand.New(rand.NewPCG(3, 4)), in.DType, in.Len)}, 1e-4, 2)
				require.Contains(t, p.Variant, "stripe")
			})
		}
	}
}

// Columns that come from memory, and lie in other pages each.
func TestWideStripesFoldDownRows(t *testing.T) {
	ocltest.NumbersOnly(t)
	for i, s := range [][3]int{{1, 21, 5000}, {1, 400, 2051}, {2, 13, 8192}, {1, 3, 9001}} {
		for j, f := range []engine.Monoid{engine.Sum, engine.Max, engine.ArgMin} {
			dt := []tensor.DType{tensor.Float32, tensor.Float16, tensor.Int64, tensor.BFloat16}[(i+j)%4]
			t.Run(fmt.Sprint(f, s, dt), func(t *testing.T) {
				t.Parallel()
				task, in := sample.Middle(dt, f, s[0], s[1], s[2])
				e := device(t, "reduce=stripe", func(d *facts.Device) { d.Cache = 1 })
				p := ocltest.Verify(t, e, task, [][]byte{ocltest.RandomBytes(rand.New(rand.NewPCG(3, 4)), in.DType, in.Len)}, 1e-3, 4)
				require.Contains(t, p.Variant, "steps=8")
			})
		}
	}
}

func TestStripesFoldEveryDType(t *testing.T) {
	ocltest.NumbersOnly(t)
	for _, dt := range tensor.DTypes() {
		for _, f := range []engine.Monoid{folds[int(dt)%len(folds)], folds[(int(dt)+3)%len(folds)]} {
			if f == engine.Prod && dt.IsFloat() {
				f = engine.Sum
			}
			t.Run(fmt.Sprint(dt, f), func(t *testing.T) {
				t.Parallel()
				for i, inner := range []int{70, 3} {
					if !ocltest.OneIn(i+int(dt)+int(f), 2) {
						continue
					}
					task, in := sample.Middle(dt, f, 1, 3000, inner)
					data := [][]byte{ocltest.RandomBytes(rand.New(rand.NewPCG(9, 9)), dt, in.Len)}
					p := ocltest.Verify(t, device(t, "reduce=stripe", nil), task, data, 1e-4, 30)
					require.Contains(t, p.Variant, "stripe")
				}
			})
		}
	}
}

// The folded value may be arithmetic on several loads, of which some do not depend on the row, or
// any other expression, which goes through an array.
func TestStripesOfExpressions(t *testing.T) {
	ocltest.NumbersOnly(t)
	f32 := tensor.Float32
	dom := engine.Domain{100, 500}
	in := engine.Operand{DType: f32, Len: dom.Size()}
	down := engine.Operand{DType: tensor.Float16, Len: 500}
	x := engine.Load(0, f32, engine.AxisIndex(1).Mul(100).Add(engine.AxisIndex(0)), nil)
	y := engine.Apply(sample.Cast, f32, engine.Load(1, tensor.Float16, engine.AxisIndex(1), nil))
	d := engine.Apply(sample.Add, f32, engine.Apply(sample.Mul, f32, x, y), sample.Constant(f32, 0.25))
	cut := engine.Load(0, f32, engine.AxisIndex(1).Mul(100).Add(engine.AxisIndex(0)), []engine.Cond{{X: engine.AxisIndex(0), Lo: 3, Hi: 98}})
	r := rand.New(rand.NewPCG(7, 7))
	data := [][]byte{ocltest.RandomBytes(r, f32, in.Len), ocltest.RandomBytes(r, down.DType, down.Len)}
	for name, v := range map[string]*engine.Expr{"plain": engine.Apply(sample.Mul, f32, d, x),
		"guarded": engine.Apply(sample.Add, f32, cut, y)} {
		task := sample.Reduce(dom, 1, engine.Sum, v, in, down)
		p := ocltest.Verify(t, device(t, "reduce=stripe", nil), task, data, 1e-4, 2)
		require.Contains(t, p.Variant, "stripe", name)
	}
}

// Functions of adjacent elements use stripes as arithmetic does, whose columns lie side by side
// where there are few rows.
func TestStripesOfFunctionsAreTheRule(t *testing.T) {
	ocltest.NumbersOnly(t)
	for _, s := range [][3]int{{1, 700, 300}, {1, 3000, 7}} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			t.Parallel()
			e := device(t, "", nil)
			if !e.Facts().CPU {
				e = device(t, "reduce=stripe", nil)
			}
			task, in := sample.Middle(tensor.Float32, engine.Sum, s[0], s[1], s[2])
			task.Folds[0].Value = engine.Apply(sample.Exp, tensor.Float32, task.Folds[0].Value)
			p := ocltest.Verify(t, e, task, [][]byte{ocltest.RandomBytes(rand.New(rand.NewPCG(5, 6)), in.DType, in.Len)}, 1e-4, 2)
			require.Contains(t, p.Variant, "stripe")
		})
	}
}
