package fallback

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
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
		for i, got := range typed[float32](runTask(t, e, task, 0, in)) {
			require.InEpsilon(t, v*(n+5), got, 1e-6, "%d of %d", i, outs)
		}
	}
	across := []*engine.Index{engine.AxisIndex(0), engine.AxisIndex(1)}
	wide := bytesOf(f32, 16, func(int64) float64 { return 0.1 })
	down := reduceOf(engine.Sum, engine.Load(0, f32, across[1].Mul(0).Add(across[0]), nil), engine.Domain{16, n + 5}, 1)
	down.Ins[0].Len = 16
	for i, got := range typed[float32](runTask(t, e, down, 0, wide)) {
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
			out := typed[float32](runTask(t, e, task, 0, bytesOf(f32, 1, func(int64) float64 { return 0.1 })))
			for i, got := range out {
				want := []float64{2, 2 + v*float64(n-1), 2 + v}[i/d]
				require.InEpsilon(t, want, got, 1e-6, fmt.Sprintf("element %d of %d updates of %d", i, n, d))
			}
		}
	}
}
