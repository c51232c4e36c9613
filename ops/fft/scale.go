package fft

import (
	"fmt"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

type scaleAttr struct{ Count, To int }

// scaled are rows of pairs x, [..., n, 2], times by, cut or continued by zeros to as many as to.
func scaled(x *ops.Node, by []complex128, to int) *ops.Node {
	half := len(by) + stepPad
	table := make([]float64, 2*half)
	for k, w := range by {
		table[k], table[half+k] = real(w), imag(w)
	}
	return ops.Apply("fft.scale", scaleAttr{len(by), to}, x, constant(x, table, 2*half))
}

var _ = ops.MustDefine(ops.Op{
	Name: "fft.scale", Hidden: true, DTypes: dtypes.Wide, Attributes: ops.AttributesOf[scaleAttr](),
	Operands: []ops.Operand{{Name: "x"}, {Name: "by"}},
	NoGrad:   "fft.FFT has it",
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		s, a := c.Shape(0), c.Attr.(scaleAttr)
		if len(s) < 2 || s[len(s)-1] != 2 || s[len(s)-2] < a.Count {
			return nil, 0, fmt.Errorf("x is %v, without rows of %d pairs", s, a.Count)
		}
		s[len(s)-2] = a.To
		return s, c.DType(0), nil
	},
	Kernel: func(c *ops.Call) ops.KernelOptions {
		a, s := c.Attr.(scaleAttr), c.Shape(0)
		rows, from, to := ir.Product(s[:len(s)-2]), s[len(s)-2], a.To
		k := rowsOf(c.DType(0), "scale", to, rows, min(to/256, stepItems))
		k.Args = []any{int32(a.Count), int32(from), int32(to), int32(k.CPU.Global[0])}
		k.Host = func(outs, ins []*tensor.Tensor) error {
			if outs[0].DType() == tensor.Float64 {
				scaleHost[float64](rows, from, a, outs[0], ins)
			} else {
				scaleHost[float32](rows, from, a, outs[0], ins)
			}
			return nil
		}
		return k
	},
})

func scaleHost[T float](rows, from int, a scaleAttr, out *tensor.Tensor, ins []*tensor.Tensor) {
	x, by, y := pairsOf[T](ins[0]), tensor.MustSlice[T](ins[1]), pairsOf[T](out)
	parts := max(1, a.To/hostPart)
	fallback.Parallel(rows*parts, func(first, end int) {
		for i := first; i < end; i++ {
			row, k, last := i/parts, a.To*(i%parts)/parts, a.To*(i%parts+1)/parts
			to := y[row*a.To:][k:last]
			n := max(0, min(a.Count, last)-k)
			if n > 0 {
				z, cos, sin := x[row*from+k:][:n], by[k:][:n], by[a.Count+stepPad+k:][:n]
				for i, v := range z {
					c, d := cos[i], sin[i]
					to[i] = pair[T]{v.re*c - v.im*d, v.re*d + v.im*c}
				}
			}
			clear(to[n:])
		}
	})
}
