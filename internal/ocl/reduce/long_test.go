package reduce_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// longError is the largest error of a float32 sum, relative to the sum of magnitudes, however long it is.
const longError = 1e-6

// repeated is the fold of a constant over axis 1 of dom, read at one address: nothing long is in memory.
func repeated(dom engine.Domain, m engine.Monoid) *engine.Task {
	in := engine.Operand{DType: tensor.Float32, Len: 1}
	out := engine.Load(0, in.DType, engine.ConstIndex(0), nil)
	return sample.Reduce(dom, len(dom)-1, m, out, in)
}

func tenth() [][]byte { return [][]byte{binary.NativeEndian.AppendUint32(nil, math.Float32bits(0.1))} }

// requireEach requires every element of a float32 result to be want, by longError.
func requireEach(t *testing.T, want float64, got []byte, what any) {
	t.Helper()
	for i := range len(got) / 4 {
		v := ocltest.NumberAt(tensor.Float32, got, i)
		require.InEpsilon(t, want, v, longError, "element %d, %v", i, what)
	}
}

// A single accumulator of 2^22 values of 0.1 is off by 1e-4, and one of 2^24 by 4e-4: every variant adds
// up more than that in each of its states.
func TestLongSumsKeepTheirDigitsInEveryVariant(t *testing.T) {
	ocltest.NumbersOnly(t)
	value := float64(float32(0.1))
	for _, name := range append(reduceNames, "stripe", "") {
		for _, s := range []engine.Domain{{1, 1 << 24}, {3, 1<<22 + 77}, {16, 1<<21 + 5}} {
			t.Run(fmt.Sprintf("%s/%dx%d", name, s[0], s[1]), func(t *testing.T) {
				t.Parallel()
				force := ""
				if name != "" {
					force = "reduce=" + name
				}
				out, p := ocltest.Execute(t, device(ocltest.Optimized(t), force, nil), repeated(s, engine.Sum), tenth(), 0)
				requireEach(t, value*float64(s[1]), out[0], p.Variant)
			})
		}
	}
}

// Stripes that hold their states in the nearest cache, and windows that are summed over all places for each
// tap, as in the gradient of a depthwise kernel, have totals of their own. Planes and columns are one in memory.
func TestLongSumsOfWideStripesAndTapsKeepTheirDigits(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Run("stripe", func(t *testing.T) {
		t.Parallel()
		const rows, n = 2048, 1 << 18
		dom := engine.Domain{rows, n}
		in := engine.Operand{DType: tensor.Float32, Len: rows}
		task := sample.Reduce(dom, 1, engine.Sum, engine.Load(0, in.DType, engine.AxisIndex(0), nil), in)
		e := device(ocltest.Optimized(t), "reduce=stripe", func(d *facts.Device) { d.Cache = 1 })
		out, p := ocltest.Execute(t, e, task, [][]byte{bytes.Repeat(tenth()[0], rows)}, 0)
		require.Contains(t, p.Variant, "steps=8")
		requireEach(t, float64(float32(0.1))*n, out[0], p.Variant)
	})
	t.Run("window", func(t *testing.T) {
		t.Parallel()
		const size, n = 14, 1 << 18 // images that are all the same
		s := sample.Window{N: 1, C: 1, H: size, W: size, U: 3, V: 3, Stride: 1, Dilation: 1, DType: tensor.Float32}
		h, w := s.Out(size, 3), s.Out(size, 3)
		x := s.Image(1, 0, 4, 5, 2, 3) // axis 1 is one long
		dy := engine.Load(1, s.DType, engine.AxisIndex(4).Mul(int64(w)).Add(engine.AxisIndex(5)), nil)
		task := sample.Reduce(engine.Domain{1, 1, 3, 3, h, w}, 4, engine.Sum, engine.Apply(sample.Mul, s.DType, dy, x), s.Images(), s.Results())
		task.Axes = engine.Domain{1, 1, 3, 3, n, h, w}
		at := []*engine.Index{engine.AxisIndex(0), engine.AxisIndex(1), engine.AxisIndex(2), engine.AxisIndex(3), engine.AxisIndex(5),
			engine.AxisIndex(6)}
		task.Folds[0].Value = task.Folds[0].Value.Subst(at, task.Axes)
		task.Groups = []int{4, 3}
		one := binary.NativeEndian.AppendUint32(nil, math.Float32bits(1))
		e := device(ocltest.Optimized(t), "reduce=window", nil)
		out, p := ocltest.Execute(t, e, task, [][]byte{bytes.Repeat(tenth()[0], size*size), bytes.Repeat(one, h*w)}, 0)
		require.Contains(t, p.Variant, "window")
		requireEach(t, float64(float32(0.1))*n*float64(h*w), out[0], p.Variant)
	})
}

// Positions beyond 2^31 need 64 bits; the sum of 0 to n - 1 is n (n - 1) / 2.
func TestSumsOfMoreThan32BitsCount(t *testing.T) {
	ocltest.NumbersOnly(t)
	if testing.Short() {
		t.Skip("2^32 values take seconds")
	}
	const n = 1<<32 + 3
	dom := engine.Domain{1, n}
	task := sample.Reduce(dom, 1, engine.Sum, engine.IndexValue(tensor.Float32, engine.AxisIndex(1)))
	out, p := ocltest.Execute(t, device(t, "", nil), task, nil, 0)
	requireEach(t, float64(n)*float64(n-1)/2, out[0], p.Variant)
}

// Sums with infinities and NaN equal plain sums: compensation adds no NaN of its own.
func TestLongSumsOfInfinities(t *testing.T) {
	ocltest.NumbersOnly(t)
	const n = 1 << 14
	inf := float32(math.Inf(1))
	for name, c := range map[string]struct {
		at   map[int]float32
		want float64
	}{
		"infinity":   {map[int]float32{5: inf}, math.Inf(1)},
		"two":        {map[int]float32{5: inf, n - 9: inf}, math.Inf(1)},
		"negative":   {map[int]float32{7000: -inf}, math.Inf(-1)},
		"both":       {map[int]float32{5: inf, n - 9: -inf}, math.NaN()},
		"nan":        {map[int]float32{n - 1: float32(math.NaN())}, math.NaN()},
		"overflow":   {map[int]float32{1: 3e38, n / 2: 3e38, n / 3: 3e38, 9: 3e38}, math.Inf(1)},
		"no trouble": {nil, n},
	} {
		t.Run(name, func(t *testing.T) {
			var row []byte
			for i := range n {
				v, ok := c.at[i]
				if !ok {
					v = 1
				}
				row = binary.NativeEndian.AppendUint32(row, math.Float32bits(v))
			}
			dom := engine.Domain{1, n}
			in := engine.Operand{DType: tensor.Float32, Len: n}
			task := sample.Reduce(dom, 1, engine.Sum, engine.Load(0, in.DType, engine.AxisIndex(1), nil), in)
			for _, variantName := range reduceNames {
				out, p := ocltest.Execute(t, device(t, "reduce="+variantName, nil), task, [][]byte{row}, 0)
				got := ocltest.NumberAt(tensor.Float32, out[0], 0)
				if c.want != c.want {
					require.True(t, math.IsNaN(got), "%v: %v", p.Variant, got)
				} else {
					require.Equal(t, c.want, got, p.Variant)
				}
			}
		})
	}
}

// Updates of one row are as many as a sum is long, in every variant; the other rows have few.
func TestLongScatterAddsKeepTheirDigits(t *testing.T) {
	ocltest.NumbersOnly(t)
	const rows, n, cols = 3, 1<<22 + 5, 2
	dom := engine.Domain{rows, n, cols}
	f32 := tensor.Float32
	for _, name := range []string{"rows", "parts", "item"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := &engine.Task{
				Kind: engine.Scatter, Name: "test", Axes: dom, Groups: []int{1, 1, 1},
				Ins:    []engine.Operand{{DType: f32, Len: 1}},
				Outs:   []engine.Operand{{DType: f32, Len: rows * cols}},
				Values: []*engine.Expr{sample.Constant(f32, 0)},
				// All but the last go to row 1.
				At:     engine.IndexValue(tensor.Int64, engine.AxisIndex(1).AddConst(1).Div(n, dom).AddConst(1)),
				Update: engine.Load(0, f32, engine.ConstIndex(0), nil),
			}
			out, p := ocltest.Execute(t, device(ocltest.Optimized(t), "scatter="+name, nil), task, tenth(), 0)
			require.Contains(t, p.Variant, name)
			v := float64(float32(0.1))
			for i, want := range []float64{0, 0, v * (n - 1), v * (n - 1), v, v} {
				require.InDelta(t, want, ocltest.NumberAt(f32, out[0], i), longError*max(want, v), "element %d", i)
			}
		})
	}
}

// Every prefix keeps its digits, not the last one alone.
func TestLongRunningSumsKeepTheirDigits(t *testing.T) {
	ocltest.NumbersOnly(t)
	const n = 1 << 22
	v := float64(float32(0.1))
	for _, name := range []string{"row", "group", "column"} {
		t.Run(name, func(t *testing.T) {
			in := make([]byte, 0, 4*n)
			for range n {
				in = binary.NativeEndian.AppendUint32(in, math.Float32bits(0.1))
			}
			e := device(ocltest.Optimized(t), "scan="+name, nil)
			out, p := ocltest.Execute(t, e, sample.Scan(tensor.Float32, engine.Scan{Outer: 1, Length: n, Inner: 1}), [][]byte{in}, 0)
			worst := 0.0
			for i := range n {
				worst = max(worst, math.Abs(ocltest.NumberAt(tensor.Float32, out[0], i)/(v*float64(i+1))-1))
			}
			require.Less(t, worst, longError, p.Variant)
		})
	}
}

// Mean and sum of squares of one row, each by the variants of row tasks.
func TestLongRowsKeepTheirDigitsInEveryVariant(t *testing.T) {
	ocltest.NumbersOnly(t)
	const n = 1<<22 + 9
	f32 := tensor.Float32
	v := float64(float32(0.1))
	for _, name := range []string{"block", "band", "group", "split"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dom := engine.Domain{2, n}
			x := engine.Load(0, f32, engine.ConstIndex(0), nil)
			task := &engine.Task{
				Kind: engine.Row, Name: "test", Axes: dom, Groups: []int{1, 1},
				Ins:  []engine.Operand{{DType: f32, Len: 1}},
				Outs: []engine.Operand{{DType: f32, Len: 2}, {DType: f32, Len: 2}},
				Folds: []engine.Fold{{Monoid: engine.Sum, Acc: f32, Value: x},
					{Monoid: engine.Sum, Acc: f32, Value: engine.Apply(sample.Mul, f32, x,
						engine.Apply(sample.Mul, f32, engine.Acc(0, f32), sample.Constant(f32, 1)))}},
				Values: []*engine.Expr{engine.Acc(0, f32), engine.Acc(1, f32)},
			}
			out, p := ocltest.Execute(t, device(ocltest.Optimized(t), "row="+name, nil), task, tenth(), 0)
			require.Contains(t, p.Variant, name)
			requireEach(t, v*n, out[0], p.Variant)
			requireEach(t, v*n*v*n, out[1], p.Variant)
		})
	}
}
