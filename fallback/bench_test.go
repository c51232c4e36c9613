package fallback

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// Scalar functions as package ops writes them: loops over one class.
var (
	fastAdd = binary32("add", func(d, a, b []float32) {
		for i := range d {
			d[i] = a[i] + b[i]
		}
	})
	fastMul = binary32("mul", func(d, a, b []float32) {
		for i := range d {
			d[i] = a[i] * b[i]
		}
	})
	fastRelu = &engine.Scalar{Name: "relu", Arity: 1, Flops: 1, Host: func(_ tensor.DType, _ []tensor.DType, dst engine.Block,
		args []engine.Block) {
		a := args[0].F32[:len(dst.F32)]
		for i, v := range a {
			dst.F32[i] = max(v, 0)
		}
	}}
)

func binary32(name string, f func(d, a, b []float32)) *engine.Scalar {
	return &engine.Scalar{Name: name, Arity: 2, Flops: 1, Host: func(_ tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
		n := len(dst.F32)
		f(dst.F32, args[0].F32[:n], args[1].F32[:n])
	}}
}

// prepare binds t to zeroed memory (ones where positive is set).
func prepare(tb testing.TB, e *Engine, t *engine.Task) engine.Sequence {
	tb.Helper()
	b := engine.Bound{Task: t}
	slot := func(o engine.Operand) engine.Slot {
		m, err := e.Alloc(o.Bytes())
		require.NoError(tb, err)
		return engine.Slot{Mem: m}
	}
	for _, in := range t.Ins {
		b.Ins = append(b.Ins, slot(in))
	}
	for _, out := range t.Outs {
		b.Outs = append(b.Outs, slot(out))
	}
	s, err := e.Prepare(tb.Context(), []engine.Bound{b})
	require.NoError(tb, err)
	return s
}

func bench(b *testing.B, t *engine.Task, flops, bytes float64) {
	for _, workers := range []int{1, 0} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			e := New(&Options{Workers: workers})
			defer e.Close()
			s := prepare(b, e, t)
			ctx := b.Context()
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Run(ctx, 0, 1, 0); err != nil {
					b.Fatal(err)
				}
			}
			ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			if flops > 0 {
				b.ReportMetric(flops/ns, "GFLOPS")
			}
			if bytes > 0 {
				b.ReportMetric(bytes/ns, "GB/s")
			}
		})
	}
}

func mapTaskOf(n int, value *engine.Expr, ins ...int64) *engine.Task {
	t := &engine.Task{Kind: engine.Map, Name: "map", Axes: engine.Domain{n}, Groups: []int{1}, Values: []*engine.Expr{value},
		Outs: []engine.Operand{{DType: value.DType, Len: int64(n)}}}
	for _, l := range ins {
		t.Ins = append(t.Ins, engine.Operand{DType: tensor.Float32, Len: l})
	}
	return t
}

func BenchmarkMap(b *testing.B) {
	const f32 = tensor.Float32
	x := engine.Load(0, f32, engine.AxisIndex(0), nil)
	y := engine.Load(1, f32, engine.AxisIndex(0), nil)
	two := engine.Constant(f32, engine.Const{Float: 2})
	for _, n := range []int{64, 1 << 14, 1 << 20} {
		b.Run(fmt.Sprintf("saxpy/%d", n), func(b *testing.B) {
			bench(b, mapTaskOf(n, engine.Apply(fastAdd, f32, engine.Apply(fastMul, f32, two, x), y), int64(n), int64(n)), 2*float64(n),
				12*float64(n))
		})
	}
	const n = 1024
	row := mapTaskOf(n*n, engine.Apply(fastRelu, f32, engine.Apply(fastAdd, f32,
		engine.Load(0, f32, engine.AxisIndex(0).Mul(n).Add(engine.AxisIndex(1)), nil),
		engine.Load(1, f32, engine.AxisIndex(1), nil))), n*n, n)
	row.Axes, row.Groups = engine.Domain{n, n}, []int{2}
	b.Run("bias+relu", func(b *testing.B) { bench(b, row, 2*n*n, 8*n*n) })
	tr := mapTaskOf(n*n, engine.Load(0, f32, engine.AxisIndex(1).Mul(n).Add(engine.AxisIndex(0)), nil), n*n)
	tr.Axes, tr.Groups = engine.Domain{n, n}, []int{2}
	b.Run("transpose", func(b *testing.B) { bench(b, tr, 0, 8*n*n) })
	dom := engine.Domain{n * n}
	bent := engine.AxisIndex(0).Mod(24, dom).Mul(n * n / 24).Add(engine.AxisIndex(0).Div(24, dom))
	b.Run("reshaped transpose", func(b *testing.B) {
		bench(b, mapTaskOf(n*n, engine.Load(0, f32, bent, nil), n*n+24), 0, 8*n*n)
	})
	half := mapTaskOf(n*n, engine.Load(0, tensor.Float16, engine.AxisIndex(0), nil), n*n)
	half.Ins[0].DType = tensor.Float16
	b.Run("copy float16", func(b *testing.B) { bench(b, half, 0, 4*n*n) })
}

func BenchmarkReduce(b *testing.B) {
	const rows, cols = 1024, 1024
	x := engine.Load(0, tensor.Float32, engine.AxisIndex(0).Mul(cols).Add(engine.AxisIndex(1)), nil)
	xt := engine.Load(0, tensor.Float32, engine.AxisIndex(1).Mul(cols).Add(engine.AxisIndex(0)), nil)
	for _, f := range []engine.Monoid{engine.Sum, engine.Max, engine.ArgMax} {
		for name, v := range map[string]*engine.Expr{"rows": x, "columns": xt} {
			b.Run(fmt.Sprintf("%v/%s", f, name), func(b *testing.B) { bench(b, reduceOf(f, v, engine.Domain{rows, cols}, 1), 0, 4*rows*cols) })
		}
	}
	all := engine.Load(0, tensor.Float32, engine.AxisIndex(0), nil)
	b.Run("sum/all", func(b *testing.B) {
		bench(b, reduceOf(engine.Sum, all, engine.Domain{rows * cols}, 0), 0, 4*rows*cols)
	})
	small := engine.Load(0, tensor.Float32, engine.AxisIndex(0).Mul(10).Add(engine.AxisIndex(1)), nil)
	b.Run("max/rows of 10", func(b *testing.B) {
		bench(b, reduceOf(engine.Max, small, engine.Domain{64, 10}, 1), 0, 4*640)
	})
}

// reduceOf folds v, a load from input 0, over all but the first out axes.
func reduceOf(f engine.Monoid, v *engine.Expr, dom engine.Domain, out int) *engine.Task {
	acc := engine.AccType(v.DType)
	if f.IsArg() {
		acc = tensor.Int64
	}
	return &engine.Task{
		Kind: engine.Reduce, Name: f.String(), Axes: dom, Groups: []int{out, len(dom) - out},
		Ins:   []engine.Operand{{DType: v.DType, Len: dom.Size()}},
		Outs:  []engine.Operand{{DType: acc, Len: dom[:out].Size()}},
		Folds: []engine.Fold{{Monoid: f, Value: v, Acc: acc}}, Values: []*engine.Expr{engine.Acc(0, acc)},
	}
}

func BenchmarkContract(b *testing.B) {
	for _, s := range [][4]int{{1, 4, 4, 4}, {1, 64, 10, 784}, {1, 512, 512, 512}, {1, 1024, 1024, 1024}, {64, 64, 64, 32}, {1, 1, 2048, 2048},
		{1, 32, 288, 20000}} {
		for _, tb := range []bool{false, true} {
			b.Run(fmt.Sprintf("%v/tb=%v", s, tb), func(b *testing.B) {
				bench(b, matmul(tensor.Float32, s[0], s[1], s[2], s[3], false, tb), 2*float64(s[0]*s[1]*s[2]*s[3]), 0)
			})
		}
	}
	b.Run("int32 256", func(b *testing.B) {
		bench(b, matmul(tensor.Int32, 1, 256, 256, 256, false, true), 2*math.Pow(256, 3), 0)
	})
	b.Run("float64 512", func(b *testing.B) {
		bench(b, matmul(tensor.Float64, 1, 512, 512, 512, false, true), 2*math.Pow(512, 3), 0)
	})
	for _, s := range [][5]int{{64, 28, 28, 1, 8}, {64, 14, 14, 8, 16}, {8, 28, 28, 32, 64}} {
		b.Run(fmt.Sprintf("conv%v", s), func(b *testing.B) {
			bench(b, conv(s[0], s[1], s[2], s[3], s[4]), 18*float64(s[0]*s[1]*s[2]*s[3]*s[4]), 0)
		})
	}
}
