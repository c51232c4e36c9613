package fallback

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// A single accumulator of so many values of 0.1 is off by 4e-4. Values are of one address: nothing long is
// in memory. Sums of one constant round the same way in every run, so errors add up rather than cancel.
func TestLongSumsOfAConstantKeepTheirDigits(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	const n = 1 << 22
	f32 := tensor.Float32
	v := float64(float32(0.1))
	x := engine.Load(0, f32, engine.ConstIndex(0), nil)
	in := bytesOf(f32, 1, func(int64) float64 { return 0.1 })
	for _, outs := range []int{1, 3, 16} {
		task := reduceOf(engine.Sum, x, engine.Domain{outs, n + 5}, 1)
		task.Ins[0].Len = 1
		for i, got := range work.Typed[float32](runTask(t, e, task, 0, in)) {
			require.InEpsilon(t, v*(n+5), got, 1e-6, "%d of %d", i, outs)
		}
	}
	across := []*engine.Index{engine.AxisIndex(0), engine.AxisIndex(1)}
	wide := bytesOf(f32, 16, func(int64) float64 { return 0.1 })
	down := reduceOf(engine.Sum, engine.Load(0, f32, across[1].Mul(0).Add(across[0]), nil), engine.Domain{16, n + 5}, 1)
	down.Ins[0].Len = 16
	for i, got := range work.Typed[float32](runTask(t, e, down, 0, wide)) {
		require.InEpsilon(t, v*(n+5), got, 1e-6, "column %d", i)
	}
}

func TestColumnsAddUpWhateverTheirNumber(t *testing.T) {
	for _, n := range []int{1, 31, 32, 33, 511, 512, 513, 544, 1023, 1024, 1056, 5000, 1 << 16} {
		c := column[float32]{m: engine.Sum, width: 2, levels: make([]float32, 2*columnLevels)}
		for i := range n {
			c.add([]float32{float32(i % 7), 1})
		}
		want := float32(0)
		for i := range n {
			want += float32(i % 7)
		}
		require.Equal(t, []float32{want, float32(n)}, c.total()[:2], "%d vectors", n)
	}
}

func TestManyUpdatesOfOneRowKeepTheirDigits(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	f32 := tensor.Float32
	v := float64(float32(0.1))
	for _, d := range []int{1, 3, 64} { // by rows, and by columns
		for _, n := range []int{32, 64, 65, 96, 97, 1<<20 + 7} {
			dom := engine.Domain{3, n, d}
			task := &engine.Task{
				Kind: engine.Scatter, Name: "test", Axes: dom, Groups: []int{1, 1, 1},
				Ins:    []engine.Operand{{DType: f32, Len: 1}},
				Outs:   []engine.Operand{{DType: f32, Len: int64(3 * d)}},
				Values: []*engine.Expr{engine.Constant(f32, engine.Const{Float: 2})},
				At:     engine.IndexValue(tensor.Int64, engine.AxisIndex(1).AddConst(1).Div(int64(n), dom).AddConst(1)),
				Update: engine.Load(0, f32, engine.ConstIndex(0), nil),
			}
			out := work.Typed[float32](runTask(t, e, task, 0, bytesOf(f32, 1, func(int64) float64 { return 0.1 })))
			for i, got := range out {
				want := []float64{2, 2 + v*float64(n-1), 2 + v}[i/d]
				require.InEpsilon(t, want, got, 1e-6, fmt.Sprintf("element %d of %d updates of %d", i, n, d))
			}
		}
	}
}

// Factors that round the same way again and again: without compensation float32 is off by 3e-3 and float64 by
// 1e-11 of itself.
func TestProductsOfManyFactorsKeepTheirDigits(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	for _, c := range []struct {
		dt     tensor.DType
		factor float64
		off    float64
	}{
		{tensor.Float32, float64(float32(1.0000001)), 0x1p-23},
		{tensor.Float32, float64(float32(1 - 0x1.01p-12)), 0x1p-23},
		{tensor.Float64, 1.0000001, 0x1p-52},
		{tensor.Float64, 1 - 0x1.0001p-14, 0x1p-52},
	} {
		n := int64(1 << 20)
		if c.factor < 0.9999 {
			n = 1 << 16
		}
		want := powerOf(c.factor, n)
		for _, outs := range []int{1, 3, 16} {
			rows := reduceOf(engine.Prod, engine.Load(0, c.dt, engine.ConstIndex(0), nil), engine.Domain{outs, int(n)}, 1)
			rows.Ins[0].Len = 1
			across := []*engine.Index{engine.AxisIndex(0), engine.AxisIndex(1)}
			columns := reduceOf(engine.Prod, engine.Load(0, c.dt, across[1].Mul(0).Add(across[0]), nil), engine.Domain{outs, int(n)}, 1)
			columns.Ins[0].Len = int64(outs)
			for name, task := range map[string]*engine.Task{"rows": rows, "columns": columns, "row task": rowOfProducts(c.dt, outs, int(n))} {
				in := bytesOf(c.dt, task.Ins[0].Len, func(int64) float64 { return c.factor })
				out := runTask(t, e, task, 0, in)
				for i := range outs {
					got := floatAt(c.dt, out, i)
					off, _ := new(big.Float).Quo(new(big.Float).Sub(big.NewFloat(got), want), want).Float64()
					require.LessOrEqual(t, math.Abs(off), c.off, "%v, %s, output %d of %d: %v, not %v", c.dt, name, i, outs, got, want)
				}
			}
		}
	}
}

// Infinities, NaN and zeros give the result that they give in a plain product.
func TestProductsOfInfinitiesAndZeros(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	const n = 1 << 14
	inf := math.Inf(1)
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
		large := map[tensor.DType]float64{tensor.Float32: 1e38, tensor.Float64: 1e300}[dt]
		for name, c := range map[string]struct {
			at   map[int64]float64
			want float64
		}{
			"infinity":  {map[int64]float64{5: inf, 7: -2}, -inf},
			"zero":      {map[int64]float64{n - 3: 0, 9: 1e30}, 0},
			"both":      {map[int64]float64{5: inf, 7000: 0}, math.NaN()},
			"nan":       {map[int64]float64{n - 1: math.NaN(), 4: 0}, math.NaN()},
			"overflow":  {map[int64]float64{3: large, 4: large, n / 2: -large, n - 1: large}, -inf},
			"underflow": {map[int64]float64{3: 1 / large, 4: 1 / large, n / 2: 1 / large, 11: 1 / large}, 0},
		} {
			task := reduceOf(engine.Prod, engine.Load(0, dt, engine.AxisIndex(1), nil), engine.Domain{1, n}, 1)
			task.Ins[0].Len = n
			got := floatAt(dt, runTask(t, e, task, 0, bytesOf(dt, n, func(i int64) float64 {
				if v, ok := c.at[i]; ok {
					return v
				}
				return 1
			})), 0)
			if c.want != c.want {
				require.True(t, math.IsNaN(got), "%v, %s: %v", dt, name, got)
			} else {
				require.Equal(t, c.want, got, "%v, %s", dt, name)
			}
		}
	}
}

// rowOfProducts multiplies the columns of each row and gives the products back over the row, of which one is kept.
func rowOfProducts(dt tensor.DType, rows, cols int) *engine.Task {
	return &engine.Task{
		Kind: engine.Row, Name: "test", Axes: engine.Domain{rows, cols}, Groups: []int{1, 1},
		Ins:    []engine.Operand{{DType: dt, Len: 1}},
		Outs:   []engine.Operand{{DType: dt, Len: int64(rows)}},
		Folds:  []engine.Fold{{Monoid: engine.Prod, Acc: dt, Value: engine.Load(0, dt, engine.ConstIndex(0), nil)}},
		Values: []*engine.Expr{engine.Acc(0, dt)},
	}
}

// powerOf is x to the n, to far more digits than any result has.
func powerOf(x float64, n int64) *big.Float {
	y, p := new(big.Float).SetPrec(400).SetInt64(1), new(big.Float).SetPrec(400).SetFloat64(x)
	for ; n > 0; n /= 2 {
		if n%2 == 1 {
			y.Mul(y, p)
		}
		p.Mul(p, p)
	}
	return y
}

func floatAt(dt tensor.DType, b []byte, i int) float64 {
	if dt == tensor.Float64 {
		return work.Typed[float64](b)[i]
	}
	return float64(work.Typed[float32](b)[i])
}

// Running sums of float64, along rows and down columns: an error that grows with the length shows at 2^20.
func TestLongRunningSumsOfFloat64KeepTheirDigits(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	const n = 1 << 20
	want := new(big.Float).SetPrec(200)
	for _, inner := range []int64{1, 3} {
		task := &engine.Task{
			Kind: engine.Routine, Name: "test", Ins: []engine.Operand{{DType: tensor.Float64, Len: n * inner}},
			Outs:      []engine.Operand{{DType: tensor.Float64, Len: n * inner}},
			Algorithm: &engine.Scan{Outer: 1, Length: n, Inner: inner},
		}
		out := work.Typed[float64](runTask(t, e, task, 0, bytesOf(tensor.Float64, n*inner, func(int64) float64 { return 0.1 })))
		for _, i := range []int64{100, 1 << 16, n - 1} {
			want.Mul(new(big.Float).SetPrec(200).SetInt64(i+1), big.NewFloat(0.1))
			off, _ := new(big.Float).Sub(new(big.Float).Quo(big.NewFloat(out[i*inner]), want), big.NewFloat(1)).Float64()
			require.Less(t, math.Abs(off), 40*0x1p-53, "sum %d of columns of %d", i, inner)
		}
	}
}
