package opinfo

import (
	"github.com/anycl/anycl/ops"
)

// masked are the functions of torch.masked, of the elements where mask holds.
func masked() []*Row {
	fold := func(name, function string, f func(x, mask *ops.Node, axes ...int) *ops.Node) *Row {
		return &Row{Torch: "masked." + name, Signature: "input dim keepdim", Go: "ops." + function + "(x, mask, dim...)",
			Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				axes := c.axes("dim", x)
				if name == "sum" || name == "prod" {
					x = widened(x)
				}
				return list(c.kept(f(x, c.x("mask"), axes...), x, axes))
			}}
	}
	positions := func(name, function string, f func(x, mask *ops.Node, axes ...int) *ops.Node) *Row {
		r := fold(name, function, func(x, mask *ops.Node, axes ...int) *ops.Node { return cast(f(x, mask, axes...), x.DType()) })
		r.Note = "positions are int64; PyTorch's have the dtype of x: ops.Cast around it"
		return r
	}
	along := func(name, function string, f func(x, mask *ops.Node, axis int) *ops.Node) *Row {
		return &Row{Torch: "masked." + name, Signature: "input dim", Go: "ops." + function + "(x, mask, dim)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			return list(f(x, c.x("mask"), axis(x, c.int("dim", 0))))
		}}
	}
	moments := func(name, function string, f func(x, mask *ops.Node, correction float64, axes ...int) *ops.Node) *Row {
		return &Row{Torch: "masked." + name, Signature: "input dim unbiased", Go: "ops." + function + "(x, mask, correction, dim...)",
			Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				axes := c.axes("dim", x)
				correction := 0.0
				if c.bool("unbiased", true) {
					correction = 1
				}
				return list(c.kept(f(x, c.x("mask"), correction, axes...), x, axes))
			}}
	}
	return []*Row{
		fold("sum", "MaskedSum", ops.MaskedSum), fold("prod", "MaskedProd", ops.MaskedProd), fold("mean", "MaskedMean", ops.MaskedMean),
		fold("amax", "MaskedMax", ops.MaskedMax), fold("amin", "MaskedMin", ops.MaskedMin),
		fold("logsumexp", "MaskedLogSumExp", ops.MaskedLogSumExp),
		positions("argmax", "MaskedArgMax", ops.MaskedArgMax), positions("argmin", "MaskedArgMin", ops.MaskedArgMin),
		along("softmax", "MaskedSoftmax", ops.MaskedSoftmax), along("log_softmax", "MaskedLogSoftmax", ops.MaskedLogSoftmax),
		along("softmin", "MaskedSoftmin", ops.MaskedSoftmin),
		along("cumsum", "MaskedCumSum", ops.MaskedCumSum), along("cumprod", "MaskedCumProd", ops.MaskedCumProd),
		moments("var", "MaskedVar", ops.MaskedVar), moments("std", "MaskedStd", ops.MaskedStd),
		{Torch: "masked.norm", Signature: "input ord dim keepdim", Go: "ops.MaskedNorm(x, mask, p, dim...)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			axes := c.axes("dim", x)
			return list(c.kept(ops.MaskedNorm(x, c.x("mask"), c.float("ord", 2), axes...), x, axes))
		}},
		{Torch: "masked.normalize", Signature: "input ord dim eps", Go: "ops.MaskedNormalize(x, mask, p, dim, eps)",
			Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				return list(ops.MaskedNormalize(x, c.x("mask"), c.float("ord", 2), axis(x, c.int("dim", 0)), c.float("eps", 1e-12)))
			}},
		{Torch: "masked.logaddexp", Signature: "input other", Go: "ops.MaskedLogAddExp(x, xMask, y, yMask)", Build: func(c *Call) []*ops.Node {
			return list(ops.MaskedLogAddExp(c.x("input"), c.x("input_mask"), c.x("other"), c.x("other_mask")))
		}},
		{Torch: "masked.median", Signature: "input dim keepdim", Go: "ops.MaskedMedian(x, mask, dim)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			axes := []int{}
			if x.Rank() > 0 {
				axes = append(axes, axis(x, c.int("dim", 0)))
			}
			return list(c.kept(ops.MaskedMedian(x, c.x("mask"), axes...), x, axes))
		}},
	}
}
