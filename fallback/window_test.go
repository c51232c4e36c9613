package fallback

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// depthwise is a depthwise convolution of images of c channels with windows of 3 x 3, padded by 1.
func depthwise(n, h, w, c, stride int, last bool) *engine.Task {
	ax := engine.AxisIndex // n, y, x, c or n, c, y, x | ky, kx
	out := func(n int) int { return (n-1)/stride + 1 }
	oy, ox, oc := 1, 2, 3
	dom := engine.Domain{n, out(h), out(w), c, 3, 3}
	if !last {
		oy, ox, oc = 2, 3, 1
		dom = engine.Domain{n, c, out(h), out(w), 3, 3}
	}
	y := ax(oy).Mul(int64(stride)).Add(ax(4)).AddConst(-1)
	x := ax(ox).Mul(int64(stride)).Add(ax(5)).AddConst(-1)
	in := ax(0).Mul(int64(h * w * c)).Add(y.Mul(int64(w * c))).Add(x.Mul(int64(c))).Add(ax(oc))
	wt := ax(4).Mul(int64(3 * c)).Add(ax(5).Mul(int64(c))).Add(ax(oc))
	if !last {
		in = ax(0).Mul(int64(h * w * c)).Add(ax(oc).Mul(int64(h * w))).Add(y.Mul(int64(w))).Add(x)
		wt = ax(oc).Mul(9).Add(ax(4).Mul(3)).Add(ax(5))
	}
	pad := []engine.Cond{{X: y, Lo: 0, Hi: int64(h)}, {X: x, Lo: 0, Hi: int64(w)}}
	mul := binary32("mul", func(d, a, b []float32) {
		for i := range d {
			d[i] = a[i] * b[i]
		}
	})
	mul.Function = engine.FnMul
	v := engine.Apply(mul, tensor.Float32, engine.Load(0, tensor.Float32, in, pad), engine.Load(1, tensor.Float32, wt, nil))
	return &engine.Task{
		Kind: engine.Reduce, Name: "depthwise", Axes: dom, Groups: []int{4, 2},
		Ins:   []engine.Operand{{DType: tensor.Float32, Len: int64(n * h * w * c)}, {DType: tensor.Float32, Len: int64(9 * c)}},
		Outs:  []engine.Operand{{DType: tensor.Float32, Len: dom[:4].Size()}},
		Folds: []engine.Fold{{Monoid: engine.Sum, Value: v, Acc: tensor.Float32}}, Values: []*engine.Expr{engine.Acc(0, tensor.Float32)},
	}
}

func TestDepthwiseConvolutionsAgreeWithTheirDefinition(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 3))
	for _, e := range []*Engine{New(&Options{Workers: 2}), smallLimits(2)} {
		defer e.Close()
		for _, s := range [][5]int{{2, 9, 11, 5, 1}, {1, 12, 21, 17, 2}, {1, 8, 40, 8, 3}, {1, 33, 70, 3, 1}, {1, 5, 4, 96, 2}} {
			for _, last := range []bool{true, false} {
				task := depthwise(s[0], s[1], s[2], s[3], s[4], last)
				name := fmt.Sprint(s, last)
				seq := prepare(t, e, task).(*sequence)
				short := task.Axes[3] < minWindowRun
				require.Equal(t, short, seq.tasks[0].Runner.(*reduceTask[float32]).windows == nil, name)
				require.NoError(t, seq.Close())
				ins := make([][]byte, 2)
				for i, in := range task.Ins {
					ins[i] = bytesOf(tensor.Float32, in.Len, func(int64) float64 { return float64(r.IntN(5) - 2) })
				}
				requireNaive(t, e, task, ins...)
				ins[1] = bytesOf(tensor.Float32, task.Ins[1].Len, func(i int64) float64 {
					if i == 4 { // times the zeros outside as well
						return math.Inf(1)
					}
					return 1
				})
				requireNaive(t, e, task, ins...)
			}
		}
	}
}
