package opinfo

import (
	"github.com/anycl/anycl/ops"
)

// statistics are running folds, medians, quantiles and counts.
func statistics() []*Row {
	running := func(torch, text string, f func(x *ops.Node, a int) []*ops.Node) *Row {
		return &Row{Torch: torch, Signature: "input dim dtype", Go: text, Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			x = cast(x, c.dtype("dtype", x.DType()))
			if x.Rank() > 0 {
				return f(x, axis(x, c.int("dim", 0)))
			}
			out := f(ops.Reshape(x, 1), 0)
			for i, y := range out {
				out[i] = ops.Reshape(y)
			}
			return out
		}}
	}
	median := func(torch, name string, f func(x *ops.Node, axes ...int) *ops.Node,
		pair func(x *ops.Node, axis int) (values, positions *ops.Node)) *Row {
		return &Row{Torch: torch, Signature: "input dim keepdim", Go: "values, positions := ops." + name + "WithIndex(x, dim)",
			Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				if !c.has("dim") {
					c.as("ops." + name + "(x)")
					return list(f(x, c.axes("none", x)...))
				}
				axes := c.axes("dim", x)
				v, p := withIndex(pair, x, c.int("dim", 0))
				return list(c.kept(v, x, axes), c.kept(p, x, axes))
			}}
	}
	quantile := func(torch, name string, ignore bool) *Row {
		return &Row{Torch: torch, Signature: "input q dim keepdim", Go: "ops." + name +
			"(x, q, &ops.QuantileOptions{Interpolation: interpolation}, dim...)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			axes := c.axes("dim", x)
			q := c.operand("q", x)
			y := ops.Quantile(x, q, &ops.QuantileOptions{Interpolation: c.str("interpolation", "linear"), IgnoreNaN: ignore}, axes...)
			if c.bool("keepdim", false) && x.Rank() > 0 {
				shape := x.Shape()
				for _, a := range axes {
					shape[a] = 1
				}
				y = ops.Reshape(y, append(q.Shape(), shape...)...)
			}
			return list(y)
		}}
	}
	return []*Row{
		running("cumsum", "ops.CumSum(x, dim, nil)", func(x *ops.Node, a int) []*ops.Node { return list(ops.CumSum(x, a, nil)) }),
		running("cumprod", "ops.CumProd(x, dim, nil)", func(x *ops.Node, a int) []*ops.Node { return list(ops.CumProd(x, a, nil)) }),
		running("logcumsumexp", "ops.LogCumSumExp(x, dim, nil)",
			func(x *ops.Node, a int) []*ops.Node { return list(ops.LogCumSumExp(x, a, nil)) }),
		running("cummax", "values, positions := ops.CumMax(x, dim, nil)", func(x *ops.Node, a int) []*ops.Node {
			v, p := ops.CumMax(x, a, nil)
			return list(v, p)
		}),
		running("cummin", "values, positions := ops.CumMin(x, dim, nil)", func(x *ops.Node, a int) []*ops.Node {
			v, p := ops.CumMin(x, a, nil)
			return list(v, p)
		}),
		median("median", "Median", ops.Median, ops.MedianWithIndex), median("nanmedian", "NanMedian", ops.NanMedian, ops.NanMedianWithIndex),
		quantile("quantile", "Quantile", false), quantile("nanquantile", "NanQuantile", true),
		{Torch: "mode", Signature: "input dim keepdim", Go: "values, positions := ops.Mode(x, dim)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			v, p := withIndex(ops.Mode, x, c.int("dim", -1))
			if x.Rank() == 0 {
				return list(v, p)
			}
			axes := []int{axis(x, c.int("dim", -1))}
			return list(c.kept(v, x, axes), c.kept(p, x, axes))
		}},
		{Torch: "sort", Signature: "input dim descending stable",
			Go: "values, positions := ops.Sort(x, dim, &ops.SortOptions{Descending: descending})", Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				v, p := withIndex(func(x *ops.Node, a int) (_, _ *ops.Node) {
					return ops.Sort(x, a, &ops.SortOptions{Descending: c.bool("descending", false)})
				}, x, c.int("dim", -1))
				return list(v, p)
			}},
		{Torch: "argsort", Signature: "input dim descending", Go: "ops.ArgSort(x, dim, &ops.SortOptions{Descending: descending})",
			Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				if x.Rank() == 0 {
					return list(ops.Reshape(ops.ArgSort(ops.Reshape(x, 1), 0, nil)))
				}
				return list(ops.ArgSort(x, c.int("dim", -1), &ops.SortOptions{Descending: c.bool("descending", false)}))
			}},
		{Torch: "msort", Go: "values, positions := ops.Sort(x, 0, nil)", Build: func(c *Call) []*ops.Node {
			v, _ := withIndex(func(x *ops.Node, a int) (_, _ *ops.Node) { return ops.Sort(x, a, nil) }, c.x("input"), 0)
			return list(v)
		}},
		{Torch: "topk", Signature: "input k dim largest sorted",
			Go: "values, positions := ops.TopK(x, k, dim, &ops.TopKOptions{Smallest: !largest})", Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				o := &ops.TopKOptions{Smallest: !c.bool("largest", true)}
				v, p := withIndex(func(x *ops.Node, a int) (_, _ *ops.Node) { return ops.TopK(x, c.int("k", 1), a, o) }, x, c.int("dim", -1))
				return list(v, p)
			}},
	}
}
