package opinfo

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// creation are tensors made of numbers.
func creation() []*Row {
	like := func(torch, text string, v float64) *Row {
		return &Row{Torch: torch, Signature: "input fill_value", Go: text, Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			return list(full(c.g, c.dtype("dtype", x.DType()), c.float("fill_value", v), x.Shape()))
		}}
	}
	fresh := func(torch, text string, v float64) *Row {
		return &Row{Torch: torch, Signature: "input size fill_value", Go: text, Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			return list(full(c.g, c.dtype("dtype", x.DType()), c.float("fill_value", v), c.ints("size")))
		}}
	}
	plain := func(torch, text string, v float64) *Row {
		return &Row{Torch: torch, Signature: "input fill_value", Go: text, Build: func(c *Call) []*ops.Node {
			return list(full(c.g, c.dtype("dtype", tensor.Float32), c.float("fill_value", v), c.ints("input")))
		}}
	}
	return []*Row{
		like("zeros_like", "g.Full(dtype, 0, x.Shape()...)", 0),
		like("ones_like", "g.Full(dtype, 1, x.Shape()...)", 1),
		like("full_like", "g.Full(dtype, value, x.Shape()...)", 0),
		fresh("new_zeros", "g.Full(dtype, 0, shape...)", 0),
		fresh("new_ones", "g.Full(dtype, 1, shape...)", 1),
		fresh("new_full", "g.Full(dtype, value, shape...)", 0),
		plain("zeros", "g.Full(dtype, 0, shape...)", 0),
		plain("ones", "g.Full(dtype, 1, shape...)", 1),
		plain("full", "g.Full(dtype, value, shape...)", 0),
		{Torch: "zero_", Go: "g.Full(dtype, 0, x.Shape()...)", Note: "in place in PyTorch", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			return list(full(c.g, x.DType(), 0, x.Shape()))
		}},
		{Torch: "fill", Signature: "input value", Go: "g.Full(dtype, value, x.Shape()...)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			return list(full(c.g, x.DType(), c.float("value", 0), x.Shape()))
		}},
		{Torch: "arange", Signature: "end start step", Go: "g.Arange(dtype, start, stop, step)", Build: func(c *Call) []*ops.Node {
			// The cases give torch.arange's first argument first, which is the end where it is alone.
			start, end, step := 0.0, c.float("end", 0), 1.0
			if c.has("start") {
				start, end = c.float("end", 0), c.float("start", 0)
			}
			step = c.float("step", 1)
			n := int(math.Max(0, math.Ceil((end-start)/step)))
			dt := c.dtype("dtype", tensor.Float32)
			i := c.g.Iota(dt, 0, n)
			c.as("ops.Add(ops.Mul(g.Iota(dtype, 0, n), step), start)")
			return list(plus(times(i, step), start))
		}},
	}
}
