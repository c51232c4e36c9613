package fallback

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

func TestIntegersWrapAtTheWidthOfTheirDType(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	for _, dt := range tensor.DTypes() {
		if !dt.IsInt() {
			continue
		}
		bits := uint(8 * dt.Size())
		largest := int64(1)<<(bits-1) - 1
		if !dt.IsSigned() {
			largest = int64(^uint64(0) >> (64 - bits))
		}
		x := engine.Load(0, dt, engine.AxisIndex(0), nil)
		// (x + x) selects by whether it is 0: the sum must wrap before it is used.
		sum := engine.Apply(fnAdd, dt, x, x)
		isZero := &engine.Scalar{Name: "positive", Arity: 1, Host: func(out tensor.DType, in []tensor.DType, dst engine.Block,
			args []engine.Block) {
			for i := range dst.U64 {
				v := valueOf(cut(args[0], i, i+1))
				dst.U64[i] = 0
				if in[0].IsSigned() && v.i > 0 || !in[0].IsSigned() && uint64(v.i) > 1<<(bits-1) {
					dst.U64[i] = 1
				}
			}
		}}
		task := &engine.Task{Kind: engine.Map, Name: "wrap", Axes: engine.Domain{4}, Groups: []int{1},
			Ins: []engine.Operand{{DType: dt, Len: 4}}, Outs: []engine.Operand{{DType: tensor.Bool, Len: 4}},
			Values: []*engine.Expr{engine.Apply(isZero, tensor.Bool, sum)}}
		in := tensor.AlignedBytes(4 * dt.Size())
		for i, v := range []int64{largest, 1, 0, largest/2 + 1} {
			encode(dt, in, int64(i), value{i: v})
		}
		requireNaive(t, e, task, in)
		task.Values[0], task.Outs = sum, []engine.Operand{{DType: dt, Len: 4}}
		out := runTask(t, e, task, 0, in)
		require.Equal(t, value{i: 2 * largest}.wrapped(dt), decode(dt, out, 0), dt)
	}
}

func TestNarrowFloatsRoundOnlyWhenStored(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	for _, dt := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		load := func(in int) *engine.Expr { return engine.Load(in, dt, engine.AxisIndex(0), nil) }
		// (1 + 2^-12) - 1 is 0 when the sum is rounded to the dtype.
		sum := engine.Apply(fnAdd, dt, engine.Apply(fnAdd, dt, load(0), load(1)), engine.Apply(fnNeg, dt, load(0)))
		task := mapTaskOf(1, sum, 1, 1)
		task.Ins[0].DType, task.Ins[1].DType = dt, dt
		in := func(x float64) []byte { return bytesOf(dt, 1, func(int64) float64 { return x }) }
		out := runTask(t, e, task, 0, in(1), in(0x1p-12))
		require.Equal(t, 0x1p-12, decode(dt, out, 0).f, dt)
		// 1 + half a unit in the last place ties to even, a little more rounds up.
		ulp := map[tensor.DType]float64{tensor.Float16: 0x1p-10, tensor.BFloat16: 0x1p-7}[dt]
		task.Values[0] = engine.Apply(fnAdd, dt, load(0), load(1))
		for _, c := range [][3]float64{{1, ulp / 2, 1}, {1 + ulp, ulp / 2, 1 + 2*ulp}, {1, ulp * 0.75, 1 + ulp},
			{65504, 65504, map[tensor.DType]float64{tensor.Float16: math.Inf(1), tensor.BFloat16: 131072}[dt]}} {
			out := runTask(t, e, task, 0, in(c[0]), in(c[1]))
			require.Equal(t, c[2], decode(dt, out, 0).f, "%v: %v + %v", dt, c[0], c[1])
		}
	}
}

func TestEmptyFoldsGiveTheIdentity(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	inf := math.Inf(1)
	for _, c := range []struct {
		fold engine.Monoid
		dt   tensor.DType
		want value
	}{
		{engine.Sum, tensor.Float32, value{}}, {engine.Sum, tensor.Int64, value{}},
		{engine.Prod, tensor.Float64, value{f: 1}}, {engine.Prod, tensor.Uint32, value{i: 1}},
		{engine.Max, tensor.Float32, value{f: -inf}}, {engine.Min, tensor.Float64, value{f: inf}},
		{engine.Max, tensor.Int32, value{i: math.MinInt32}}, {engine.Min, tensor.Int32, value{i: math.MaxInt32}},
		{engine.Max, tensor.Int64, value{i: math.MinInt64}}, {engine.Min, tensor.Int64, value{i: math.MaxInt64}},
		{engine.Max, tensor.Uint32, value{}}, {engine.Min, tensor.Uint32, value{i: math.MaxUint32}},
		{engine.Max, tensor.Uint64, value{}}, {engine.Min, tensor.Uint64, value{i: -1}},
		{engine.ArgMax, tensor.Float32, value{}}, {engine.ArgMin, tensor.Uint64, value{}},
	} {
		x := engine.Load(0, c.dt, engine.AxisIndex(0).Add(engine.AxisIndex(1)), nil)
		for _, outs := range []int{3, 20} {
			task := reduceOf(c.fold, x, engine.Domain{outs, 0}, 1)
			out := runTask(t, e, task, 0, nil)
			for i := range outs {
				require.Equal(t, c.want, decode(task.Outs[0].DType, out, int64(i)), "%v of %v", c.fold, c.dt)
			}
		}
	}
}

// layouts are ways to fold n values of each of outs outputs: by rows, by
// columns, with and without the fold being cut into chunks.
func layouts(dt tensor.DType, outs, n int) map[string]*engine.Expr {
	return map[string]*engine.Expr{
		"rows":    engine.Load(0, dt, engine.AxisIndex(0).Mul(int64(n)).Add(engine.AxisIndex(1)), nil),
		"columns": engine.Load(0, dt, engine.AxisIndex(1).Mul(int64(outs)).Add(engine.AxisIndex(0)), nil),
	}
}

func TestSumsOfManyValuesStayAccurate(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	r := rand.New(rand.NewPCG(4, 4))
	for _, s := range [][2]int{{1, 1 << 20}, {8, 1 << 17}, {1024, 1 << 10}, {1, 1023}, {9, 70001}} {
		for name, x := range layouts(tensor.Float32, s[0], s[1]) {
			in := bytesOf(tensor.Float32, int64(s[0]*s[1]), func(int64) float64 { return 0.1 + r.Float64() })
			v := work.Typed[float32](in)
			task := reduceOf(engine.Sum, x, engine.Domain{s[0], s[1]}, 1)
			out := work.Typed[float32](runTask(t, e, task, 0, in))
			for o := range s[0] {
				var sum float64
				for i := range s[1] {
					if name == "rows" {
						sum += float64(v[o*s[1]+i])
					} else {
						sum += float64(v[i*s[0]+o])
					}
				}
				// A running sum of a million values would be off by up to 3 %.
				require.InEpsilon(t, sum, out[o], 100*0x1p-24, "%v by %s", s, name)
			}
		}
	}
}

func TestNaNWinsEveryFold(t *testing.T) {
	t.Parallel()
	small := smallLimits(2)
	defer small.Close()
	e := New(nil)
	defer e.Close()
	const outs, n = 16, 301
	for _, fold := range []engine.Monoid{engine.Sum, engine.Prod, engine.Min, engine.Max, engine.ArgMin, engine.ArgMax} {
		for name, x := range layouts(tensor.Float64, outs, n) {
			for _, where := range [][]int64{{0, 300}, {150, 151}, {300}, {}} {
				in := bytesOf(tensor.Float64, outs*n, func(i int64) float64 {
					k := i % n
					if name == "columns" {
						k = i / outs
					}
					for _, w := range where {
						if k == w {
							return math.NaN()
						}
					}
					return []float64{1, -1, math.Inf(1), math.Inf(-1), 1}[k%5]
				})
				task := reduceOf(fold, x, engine.Domain{outs, n}, 1)
				requireNaive(t, e, task, in)
				requireNaive(t, small, task, in)
			}
		}
	}
}

func TestPositionsAreTheFirstOnes(t *testing.T) {
	t.Parallel()
	for _, e := range []*Engine{New(nil), smallLimits(2)} {
		defer e.Close()
		for _, dt := range []tensor.DType{tensor.Float32, tensor.Int8, tensor.Uint64, tensor.Bool} {
			for name, x := range layouts(dt, 9, 40) {
				in := bytesOf(dt, 360, func(i int64) float64 { return float64((i / 7) % 2) })
				for _, fold := range []engine.Monoid{engine.ArgMin, engine.ArgMax} {
					t.Run(fmt.Sprint(fold, dt, name), func(t *testing.T) {
						requireNaive(t, e, reduceOf(fold, x, engine.Domain{9, 40}, 1), in)
					})
				}
			}
		}
	}
}

func TestAConditionThatFailsNeverTouchesMemory(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	far := engine.AxisIndex(0).Mul(1 << 40).AddConst(-1 << 50)
	gather := engine.DataIndex(engine.Load(1, tensor.Int64, engine.AxisIndex(0), nil))
	for _, x := range []*engine.Index{far, gather} {
		task := mapTaskOf(100, engine.Load(0, tensor.Float32, x, []engine.Cond{{X: x, Lo: 0, Hi: 3}}), 3, 100)
		task.Ins[1].DType = tensor.Int64
		wild := bytesOf(tensor.Int64, 100, func(i int64) float64 { return math.Ldexp(float64(i-50), 50) })
		requireNaive(t, e, task, bytesOf(tensor.Float32, 3, func(i int64) float64 { return float64(i + 1) }), wild)
	}
}

func TestOutputsMayReplaceAnInput(t *testing.T) {
	t.Parallel()
	const f32, n = tensor.Float32, 10000
	e := New(&Options{Workers: 2})
	defer e.Close()
	x := engine.Load(0, f32, engine.AxisIndex(0), nil)
	task := mapTaskOf(n, engine.Apply(fastAdd, f32, engine.Apply(fastMul, f32, x, x), x), n)
	task.Alias = []int{0}
	in := bytesOf(f32, n, func(i int64) float64 { return float64(i % 100) })
	m, err := e.Alloc(4 * n)
	require.NoError(t, err)
	require.NoError(t, e.Write(t.Context(), m, 0, in))
	s, err := e.Prepare(t.Context(), []engine.Bound{{Task: task, Ins: []engine.Slot{{Mem: m}}, Outs: []engine.Slot{{Mem: m}}}})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context(), 0, 1, 0))
	out := tensor.AlignedBytes(4 * n)
	require.NoError(t, e.Read(t.Context(), out, m, 0))
	for i := range n {
		v := float32(i % 100)
		require.Equal(t, v*v+v, work.Typed[float32](out)[i])
	}
}

func TestTheNumberOfTheRunReachesTheTask(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	task := mapTaskOf(5, engine.Run())
	task.Outs[0].DType = tensor.Uint32
	for _, run := range []uint32{0, 1, math.MaxUint32} {
		require.Equal(t, []uint32{run, run, run, run, run}, work.Typed[uint32](runTask(t, e, task, run)))
	}
}

func TestMisshapenTasksAreErrors(t *testing.T) {
	t.Parallel()
	const f32 = tensor.Float32
	e := New(nil)
	defer e.Close()
	bad := map[string]func(t *engine.Task){
		"unknown kind":            func(t *engine.Task) { t.Kind = 9 },
		"in groups":               func(t *engine.Task) { t.Groups = []int{2} },
		"negative extent":         func(t *engine.Task) { t.Axes = engine.Domain{-1} },
		"1 values for 2 outputs":  func(t *engine.Task) { t.Outs = append(t.Outs, t.Outs[0]) },
		"elements of output 0":    func(t *engine.Task) { t.Outs = []engine.Operand{{DType: f32, Len: 3}} },
		"expression is missing":   func(t *engine.Task) { t.Values[0] = nil },
		"from input 1 of 1":       func(t *engine.Task) { t.Values[0] = engine.Load(1, f32, engine.AxisIndex(0), nil) },
		"load of float64":         func(t *engine.Task) { t.Values[0] = engine.Load(0, tensor.Float64, engine.AxisIndex(0), nil) },
		"over axis 5 of 1":        func(t *engine.Task) { t.Values[0] = engine.Load(0, f32, engine.AxisIndex(5), nil) },
		"input 0 has dtype":       func(t *engine.Task) { t.Ins = []engine.Operand{{DType: 99, Len: 1}} },
		"output 0 has dtype":      func(t *engine.Task) { t.Outs = []engine.Operand{{DType: 0, Len: 4}} },
		"expression of dtype":     func(t *engine.Task) { t.Values[0] = engine.Constant(77, engine.Const{}) },
		"function without Host":   func(t *engine.Task) { t.Values[0] = engine.Apply(&engine.Scalar{Name: "no"}, f32) },
		"add has 1 operands, not": func(t *engine.Task) { t.Values[0] = engine.Apply(fnAdd, f32, t.Values[0]) },
		"no kernel":               func(t *engine.Task) { t.Kind = engine.Custom },
		"accumulator dtype":       func(t *engine.Task) { *t = *reduceOf(0, t.Values[0], engine.Domain{4}, 0); t.Folds[0].Acc = 0 },
		"unknown fold": func(t *engine.Task) {
			*t = *reduceOf(engine.ArgMax, t.Values[0], engine.Domain{4}, 0)
			t.Folds[0].Monoid = 99
		},
		"positions, not float32": func(t *engine.Task) {
			*t = *reduceOf(engine.ArgMax, t.Values[0], engine.Domain{4}, 0)
			t.Folds[0].Acc = f32
		},
		"result 0 of float64": func(t *engine.Task) {
			*t = *reduceOf(0, t.Values[0], engine.Domain{4}, 0)
			t.Values[0] = engine.Acc(0, tensor.Float64)
		},
	}
	for want, spoil := range bad {
		task := mapTaskOf(4, engine.Load(0, f32, engine.AxisIndex(0), nil), 4)
		require.NoError(t, e.Check(task))
		spoil(task)
		require.ErrorContains(t, e.Check(task), want)
		_, err := e.Prepare(t.Context(), []engine.Bound{{Task: task}})
		require.ErrorContains(t, err, want)
	}
	require.Error(t, e.Check(nil))
}

// transposed brings a dense (batch, cols, rows) input to (batch, rows, cols).
func transposed(dt tensor.DType, batch, rows, cols int) *engine.Task {
	n := int64(batch * rows * cols)
	x := engine.AxisIndex(0).Mul(int64(rows * cols)).Add(engine.AxisIndex(2).Mul(int64(rows))).Add(engine.AxisIndex(1))
	return &engine.Task{Kind: engine.Map, Name: "transpose", Axes: engine.Domain{batch, rows, cols}, Groups: []int{3},
		Ins: []engine.Operand{{DType: dt, Len: n}}, Outs: []engine.Operand{{DType: dt, Len: n}},
		Values: []*engine.Expr{engine.Load(0, dt, x, nil)}}
}

func TestTransposesOfEveryShapeAgree(t *testing.T) {
	t.Parallel()
	engines := []*Engine{New(&Options{Workers: 3}), New(&Options{Workers: 1, BlockBytes: 1 << 10}), smallLimits(2)}
	for _, e := range engines {
		defer e.Close()
	}
	r := rand.New(rand.NewPCG(6, 6))
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Float16, tensor.Int8, tensor.Uint64, tensor.Bool} {
		for _, s := range [][3]int{{1, 64, 64}, {3, 17, 31}, {2, 33, 16}, {1, 8, 500}, {1, 500, 19}, {2, 5, 40}, {1, 40, 5000}} {
			task := transposed(dt, s[0], s[1], s[2])
			in := bytesOf(dt, task.Ins[0].Len, func(int64) float64 { return float64(r.IntN(2)) })
			for _, e := range engines {
				requireNaive(t, e, task, in)
			}
		}
	}
	// The strips of one run are not those of the next.
	task := transposed(tensor.Float32, 1, 20, 20)
	s := prepare(t, engines[0], task)
	require.NoError(t, s.Run(t.Context(), 0, 1, 0))
	bound := s.(*sequence).tasks[0]
	require.NoError(t, engines[0].Write(t.Context(), bound.mems[0], 0, bytesOf(tensor.Float32, 400, func(int64) float64 { return 1 })))
	require.NoError(t, s.Run(t.Context(), 0, 1, 0))
	require.Equal(t, float32(1), work.Typed[float32](bound.mems[1].data)[399])
}
