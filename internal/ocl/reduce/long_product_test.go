package reduce_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// factors that round the same way again and again: a plain product of float32 is off by 3e-3 of itself and one
// of float64 by 1e-11.
var alikeFactors = []struct {
	dt     tensor.DType
	factor float64
	n      int
	within float64
}{
	{tensor.Float32, float64(float32(1.0000001)), 1 << 20, 0x1p-23},
	{tensor.Float32, float64(float32(1 - 0x1.01p-12)), 1<<16 + 5, 0x1p-23},
	{tensor.Float64, 1.0000001, 1 << 20, 0x1p-52},
	{tensor.Float64, 1 - 0x1.0001p-14, 1<<16 + 5, 0x1p-52},
}

func numberBytes(dt tensor.DType, v float64) []byte {
	if dt == tensor.Float64 {
		return binary.NativeEndian.AppendUint64(nil, math.Float64bits(v))
	}
	return binary.NativeEndian.AppendUint32(nil, math.Float32bits(float32(v)))
}

// requirePower requires all of got to be x to the n.
func requirePower(t *testing.T, dt tensor.DType, x float64, n int, within float64, got []byte, what any) {
	t.Helper()
	want := new(big.Float).SetPrec(400).SetInt64(1)
	for p := new(big.Float).SetPrec(400).SetFloat64(x); n > 0; n /= 2 {
		if n%2 == 1 {
			want.Mul(want, p)
		}
		p.Mul(p, p)
	}
	for i := range len(got) / dt.Size() {
		v := ocltest.NumberAt(dt, got, i)
		require.False(t, math.IsNaN(v), "element %d, %v", i, what)
		off, _ := new(big.Float).Quo(new(big.Float).Sub(big.NewFloat(v), want), want).Float64()
		require.LessOrEqual(t, math.Abs(off), within, "element %d is %v, not %v, %v", i, v, want, what)
	}
}

func TestLongProductsKeepTheirDigitsInEveryVariant(t *testing.T) {
	ocltest.NumbersOnly(t)
	for _, name := range append(reduceNames, "stripe", "") {
		for i, c := range alikeFactors {
			for rows := range 2 {
				if !ocltest.OneIn(i+rows+len(name), 2) {
					continue
				}
				dom := engine.Domain{[]int{1, 35}[rows], c.n}
				t.Run(fmt.Sprintf("%s/%v/%dx%v", name, c.dt, dom[0], c.factor), func(t *testing.T) {
					t.Parallel()
					force := ""
					if name != "" {
						force = "reduce=" + name
					}
					in := engine.Operand{DType: c.dt, Len: 1}
					task := sample.Reduce(dom, 1, engine.Prod, engine.Load(0, in.DType, engine.ConstIndex(0), nil), in)
					out, p := ocltest.Execute(t, device(ocltest.Optimized(t), force, nil), task, [][]byte{numberBytes(c.dt, c.factor)}, 0)
					requirePower(t, c.dt, c.factor, c.n, c.within, out[0], p.Variant)
				})
			}
		}
	}
}

// Devices without double multiply pairs of float32.
func TestLongProductsWithoutDoubleKeepTheirDigits(t *testing.T) {
	ocltest.NumbersOnly(t)
	c := alikeFactors[0]
	for _, name := range append(reduceNames, "stripe") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := engine.Operand{DType: c.dt, Len: 35}
			task := sample.Reduce(engine.Domain{35, c.n}, 1, engine.Prod, engine.Load(0, in.DType, engine.AxisIndex(0), nil), in)
			e := device(ocltest.Optimized(t), "reduce="+name, func(d *facts.Device) { d.FP64 = false })
			ins := []byte{}
			for range in.Len {
				ins = append(ins, numberBytes(c.dt, c.factor)...)
			}
			out, p := ocltest.Execute(t, e, task, [][]byte{ins}, 0)
			requirePower(t, c.dt, c.factor, c.n, 2*c.within, out[0], p.Variant)
		})
	}
}

// A compiler that may reorder arithmetic leaves pairs alone, on CPU drivers.
func TestLongProductsWithFastMathKeepTheirDigits(t *testing.T) {
	ocltest.NumbersOnly(t)
	if !device(t, "", nil).Facts().CPU {
		t.Skip("compilers of other drivers may take the compensation out")
	}
	for i, name := range append(reduceNames, "stripe") {
		c := alikeFactors[i%2*2]
		in := engine.Operand{DType: c.dt, Len: 1}
		task := sample.Reduce(engine.Domain{3, c.n}, 1, engine.Prod, engine.Load(0, in.DType, engine.ConstIndex(0), nil), in)
		task.FastMath = true
		e := device(ocltest.Optimized(t), "reduce="+name, func(d *facts.Device) { d.FP64 = c.dt == tensor.Float64 })
		out, p := ocltest.Execute(t, e, task, [][]byte{numberBytes(c.dt, c.factor)}, 0)
		requirePower(t, c.dt, c.factor, c.n, 2*c.within, out[0], p.Variant)
	}
}

func TestLongProductsOfRowTasksKeepTheirDigits(t *testing.T) {
	ocltest.NumbersOnly(t)
	for _, c := range alikeFactors {
		dom := engine.Domain{2, c.n}
		x := engine.Load(0, c.dt, engine.ConstIndex(0), nil)
		task := &engine.Task{
			Kind: engine.Row, Name: "test", Axes: dom, Groups: []int{1, 1},
			Ins:    []engine.Operand{{DType: c.dt, Len: 1}},
			Outs:   []engine.Operand{{DType: c.dt, Len: 2}},
			Folds:  []engine.Fold{{Monoid: engine.Prod, Acc: c.dt, Value: x}},
			Values: []*engine.Expr{engine.Acc(0, c.dt)},
		}
		for _, name := range []string{"block", "band", "group", "split"} {
			out, p := ocltest.Execute(t, device(ocltest.Optimized(t), "row="+name, nil), task, [][]byte{numberBytes(c.dt, c.factor)}, 0)
			requirePower(t, c.dt, c.factor, c.n, c.within, out[0], p.Variant)
		}
	}
}

// Products with infinities, NaN or zeros equal plain products: the tracked errors add no NaN of their own.
func TestLongProductsOfInfinitiesAndZeros(t *testing.T) {
	ocltest.NumbersOnly(t)
	const n = 1 << 14
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		at   map[int]float64 // where large is 1
		want float64
	}{
		"infinity":  {map[int]float64{5: inf, 7: -2}, -inf},
		"zero":      {map[int]float64{n - 3: 0, 9: 1e30}, 0},
		"both":      {map[int]float64{5: inf, 7000: 0}, math.NaN()},
		"nan":       {map[int]float64{n - 1: math.NaN(), 4: 0}, math.NaN()},
		"overflow":  {map[int]float64{3: 2, 4: 2, n / 2: -2, n - 1: 2, 100: 2}, -inf},
		"underflow": {map[int]float64{3: 3, 4: 3, n / 2: 3, 11: 3, 100: 3}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for i, way := range []string{"double", "pairs", "pairs of double"} {
				dt, large := tensor.Float32, 1e38
				if i == 2 {
					dt, large = tensor.Float64, 1e300
				}
				row := []byte{}
				for i := range n {
					v, ok := c.at[i]
					switch {
					case !ok:
						v = 1
					case math.Abs(v) == 2:
						v *= large / 2
					case v == 3:
						v = 1 / large
					}
					row = append(row, numberBytes(dt, v)...)
				}
				in := engine.Operand{DType: dt, Len: n}
				task := sample.Reduce(engine.Domain{1, n}, 1, engine.Prod, engine.Load(0, dt, engine.AxisIndex(1), nil), in)
				for j, variantName := range append(reduceNames, "stripe") {
					if !ocltest.OneIn(i+j, 3) {
						continue
					}
					e := device(t, "reduce="+variantName, func(d *facts.Device) { d.FP64 = d.FP64 && i != 1 })
					out, p := ocltest.Execute(t, e, task, [][]byte{row}, 0)
					if got := ocltest.NumberAt(dt, out[0], 0); c.want != c.want {
						require.True(t, math.IsNaN(got), "%s, %v: %v", way, p.Variant, got)
					} else {
						require.Equal(t, c.want, got, "%s, %v", way, p.Variant)
					}
				}
			}
		})
	}
}
