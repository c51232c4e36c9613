package opinfo

import (
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
		fresh("new_zeros", "g.Zeros(dtype, shape...)", 0),
		fresh("new_ones", "g.Ones(dtype, shape...)", 1),
		fresh("new_full", "g.Full(dtype, value, shape...)", 0),
		plain("zeros", "g.Zeros(dtype, shape...)", 0),
		plain("ones", "g.Ones(dtype, shape...)", 1),
		plain("full", "g.Full(dtype, value, shape...)", 0),
		{Torch: "zero_", Go: "g.Full(dtype, 0, x.Shape()...)", Note: "in place in PyTorch", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			return list(full(c.g, x.DType(), 0, x.Shape()))
		}},
		{Torch: "fill", Signature: "input value", Go: "g.Full(dtype, value, x.Shape()...)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			return list(full(c.g, x.DType(), c.float("value", 0), x.Shape()))
		}},
	}
}
