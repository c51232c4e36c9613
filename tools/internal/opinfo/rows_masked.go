package opinfo

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// masked are the functions of torch.masked, of the elements where mask holds.
func masked() []*Row {
	// fold is a row for a reduction in which elements that are masked out count as value.
	fold := func(name, text string, value float64, f func(x *ops.Node, axes ...int) *ops.Node) *Row {
		return &Row{Torch: "masked." + name, Signature: "input dim keepdim", Go: text, Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			axes := c.axes("dim", x)
			return list(c.kept(f(c.unmasked(x, value), axes...), x, axes))
		}}
	}
	positions := func(name, text string, value float64, f func(x *ops.Node, axis int) *ops.Node) *Row {
		return &Row{Torch: "masked." + name, Signature: "input dim keepdim", Go: text, Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			y := c.unmasked(x, value)
			if !c.has("dim") {
				return list(c.kept(cast(f(ops.Reshape(y, y.Size()), 0), x.DType()), x, c.axes("none", x)))
			}
			return list(c.kept(cast(argOf(f, y, c.int("dim", 0)), x.DType()), x, c.axes("dim", x)))
		}}
	}
	along := func(name, text string, value float64, f func(c *Call, x *ops.Node, a int) *ops.Node) *Row {
		return &Row{Torch: "masked." + name, Signature: "input dim", Go: text, Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			return list(f(c, c.unmasked(x, value), axis(x, c.int("dim", 0))))
		}}
	}
	inf := math.Inf(1)
	ranked := func(op string) func(c *Call, x *ops.Node, a int) *ops.Node {
		return func(_ *Call, x *ops.Node, a int) *ops.Node {
			if x.Rank() == 0 {
				return ops.Reshape(call(op, attrs{"axis": 0}, ops.Reshape(x, 1)))
			}
			return call(op, attrs{"axis": a}, x)
		}
	}
	moments := func(name, text string, root bool) *Row {
		return &Row{Torch: "masked." + name, Signature: "input dim unbiased", Go: text, Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			axes := c.axes("dim", x)
			n, mean := c.maskedMean(x, axes)
			centred := ops.Sub(x, keep(mean, x, axes))
			v := ops.Sum(c.unmaskedBy(ops.Square(centred), 0), axes...)
			if c.bool("unbiased", true) {
				n = ops.Maximum(ops.Sub(n, 1), 0)
			}
			v = ops.Div(v, n)
			if root {
				v = ops.Sqrt(v)
			}
			return list(c.kept(v, x, axes))
		}}
	}
	return []*Row{
		fold("sum", "ops.Sum(ops.Where(mask, x, 0), dim...)", 0, ops.Sum),
		fold("prod", "ops.Prod(ops.Where(mask, x, 1), dim...)", 1, ops.Prod),
		fold("amax", "ops.Max(ops.Where(mask, x, math.Inf(-1)), dim...)", -inf, ops.Max),
		fold("amin", "ops.Min(ops.Where(mask, x, math.Inf(1)), dim...)", inf, ops.Min),
		fold("logsumexp", "ops.LogSumExp(ops.Where(mask, x, math.Inf(-1)), dim...)", -inf, ops.LogSumExp),
		positions("argmax", "ops.ArgMax(ops.Where(mask, x, math.Inf(-1)), dim)", -inf, ops.ArgMax),
		positions("argmin", "ops.ArgMin(ops.Where(mask, x, math.Inf(1)), dim)", inf, ops.ArgMin),
		along("softmax", "ops.Softmax(ops.Where(mask, x, math.Inf(-1)), dim)", -inf, ranked("softmax")),
		along("log_softmax", "ops.LogSoftmax(ops.Where(mask, x, math.Inf(-1)), dim)", -inf, ranked("log_softmax")),
		along("softmin", "ops.Softmin(ops.Where(mask, x, math.Inf(1)), dim)", inf, ranked("softmin")),
		along("cumsum", "ops.CumSum(ops.Where(mask, x, 0), dim, nil)", 0, ranked("cumsum")),
		along("cumprod", "ops.CumProd(ops.Where(mask, x, 1), dim, nil)", 1, ranked("cumprod")),
		{Torch: "masked.mean", Signature: "input dim keepdim", Go: "ops.Div(ops.Sum(ops.Where(mask, x, 0), dim...), count)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			axes := c.axes("dim", x)
			_, mean := c.maskedMean(x, axes)
			return list(c.kept(mean, x, axes))
		}},
		moments("var", "ops.Div(ops.Sum(ops.Where(mask, ops.Square(centred), 0), dim...), count)", false),
		moments("std", "ops.Sqrt(ops.Div(ops.Sum(ops.Where(mask, ops.Square(centred), 0), dim...), count))", true),
		{Torch: "masked.norm", Signature: "input ord dim keepdim", Go: "ops.VectorNorm(ops.Where(mask, x, 0), p, dim...)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			axes := c.axes("dim", x)
			p := c.float("ord", 2)
			value := 0.0
			if p < 0 {
				value = inf
			}
			return list(c.kept(c.norm(c.unmasked(x, value), p, axes), x, axes))
		}},
		{Torch: "masked.normalize", Signature: "input ord dim eps", Go: "ops.Normalize(x, p, dim, eps)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			p, a := c.float("ord", 2), axis(x, c.int("dim", 0))
			if p > 0 && !c.has("mask") {
				return list(call("normalize", attrs{"p": p, "axis": a, "eps": c.float("eps", 1e-12)}, x))
			}
			c.as("ops.Div(x, ops.Maximum(ops.KeepDims(ops.VectorNorm(x, p, dim)), eps))")
			value := 0.0
			if p < 0 {
				value = inf
			}
			n := keep(c.norm(c.unmasked(x, value), p, []int{a}), x, []int{a})
			return list(ops.Div(x, ops.Maximum(n, c.float("eps", 1e-12))))
		}},
		{Torch: "masked.logaddexp", Signature: "input other", Go: "ops.LogAddExp(ops.Where(mask, x, math.Inf(-1)), ops.Where(mask, y, math.Inf(-1)))", Build: func(c *Call) []*ops.Node {
			x, y := c.x("input"), c.x("other")
			if m := c.x("input_mask"); m != nil {
				x = ops.Where(m, x, scalar(x, -inf))
			}
			if m := c.x("other_mask"); m != nil {
				y = ops.Where(m, y, scalar(y, -inf))
			}
			return list(call("logaddexp", nil, x, y))
		}},
		{Torch: "masked.median", Signature: "input dim keepdim", Go: "ops.NanMedian(ops.Where(mask, x, math.NaN()), dim)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			a := axis(x, c.int("dim", 0))
			y := list(ops.NanMedian(c.unmasked(x, math.NaN()), medianAxes(x, a)...))
			return list(c.kept(y[0], x, []int{a}))
		}},
	}
}

func medianAxes(x *ops.Node, a int) []int {
	if x.Rank() == 0 {
		return []int{}
	}
	return []int{a}
}

// unmasked is x with value where the mask does not hold.
func (c *Call) unmasked(x *ops.Node, value float64) *ops.Node { return c.unmaskedBy(x, value) }

func (c *Call) unmaskedBy(x *ops.Node, value float64) *ops.Node {
	m := c.x("mask")
	if m == nil {
		return x
	}
	return ops.Where(m, x, scalar(x, value))
}

// maskedMean is the mean of what is not masked out, and how many these are.
func (c *Call) maskedMean(x *ops.Node, axes []int) (n, mean *ops.Node) {
	there := c.x("mask")
	if there == nil {
		there = c.g.Full(tensor.Bool, 1)
	}
	n = ops.Sum(ops.Cast(ops.BroadcastTo(there, x.Shape()...), x.DType()), axes...)
	return n, ops.Div(ops.Sum(c.unmasked(x, 0), axes...), n)
}
