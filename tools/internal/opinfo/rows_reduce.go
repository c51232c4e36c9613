package opinfo

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// reducer is a row for a reduction over the axes of the argument dim.
func reducer(torch, text string, f func(c *Call, x *ops.Node, axes []int) *ops.Node) *Row {
	return &Row{Torch: torch, Signature: "input dim keepdim dtype", Go: text, Note: "keepdim: ops.KeepDims around it",
		Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			x = cast(x, c.dtype("dtype", x.DType()))
			axes := c.axes("dim", x)
			return list(c.kept(f(c, x, axes), x, axes))
		}}
}

// reductions fold axes.
func reductions() []*Row {
	plain := func(torch, function string, f func(x *ops.Node, axes ...int) *ops.Node) *Row {
		return reducer(torch, "ops."+function+"(x, dim...)", func(_ *Call, x *ops.Node, axes []int) *ops.Node { return f(x, axes...) })
	}
	// extreme is a row for the largest or smallest elements and where they stand.
	extreme := func(torch, name string, f func(x *ops.Node, axes ...int) *ops.Node,
		pair func(x *ops.Node, axis int) (values, positions *ops.Node)) []*Row {
		return []*Row{
			{Torch: torch + ".reduction_no_dim", Go: "ops." + name + "(x)", Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				return list(f(x, c.axes("none", x)...))
			}},
			{Torch: torch + ".reduction_with_dim", Signature: "input dim keepdim", Go: "values, positions := ops." + name + "WithIndex(x, dim)",
				Build: func(c *Call) []*ops.Node {
					x := c.x("input")
					axes := c.axes("dim", x)
					v, p := withIndex(pair, x, c.int("dim", 0))
					return list(c.kept(v, x, axes), c.kept(p, x, axes))
				}},
		}
	}
	arg := func(torch, name string, f func(x *ops.Node, axis int) *ops.Node) *Row {
		return &Row{Torch: torch, Signature: "input dim keepdim", Go: "ops." + name + "(x, dim)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			if !c.has("dim") {
				c.as("ops." + name + "(ops.Reshape(x, -1), 0)")
				y := f(ops.Reshape(x, x.Size()), 0)
				return list(c.kept(y, x, c.axes("none", x)))
			}
			return list(c.kept(argOf(f, x, c.int("dim", 0)), x, c.axes("dim", x)))
		}}
	}
	rows := []*Row{
		plain("mean", "Mean", ops.Mean), plain("amax", "Max", ops.Max), plain("amin", "Min", ops.Min),
		plain("logsumexp", "LogSumExp", ops.LogSumExp),
		reducer("sum", "ops.Sum(x, dim...)", func(_ *Call, x *ops.Node, axes []int) *ops.Node { return ops.Sum(widened(x), axes...) }),
		reducer("prod", "ops.Prod(x, dim...)", func(_ *Call, x *ops.Node, axes []int) *ops.Node { return ops.Prod(widened(x), axes...) }),
		reducer("all", "ops.All(ops.Cast(x, tensor.Bool), dim...)",
			func(_ *Call, x *ops.Node, axes []int) *ops.Node { return verdict(ops.All(truth(x), axes...), x) }),
		reducer("any", "ops.Any(ops.Cast(x, tensor.Bool), dim...)",
			func(_ *Call, x *ops.Node, axes []int) *ops.Node { return verdict(ops.Any(truth(x), axes...), x) }),
		reducer("count_nonzero", "ops.CountNonzero(x, dim...)", func(_ *Call, x *ops.Node, axes []int) *ops.Node {
			return ops.CountNonzero(x, axes...)
		}),
		reducer("nansum", "ops.NanSum(x, dim...)", func(c *Call, x *ops.Node, axes []int) *ops.Node {
			if !x.DType().IsFloat() {
				c.as("ops.Sum(x, dim...)")
				return ops.Sum(widened(x), axes...)
			}
			return ops.NanSum(x, axes...)
		}),
		reducer("nanmean", "ops.NanMean(x, dim...)", func(_ *Call, x *ops.Node, axes []int) *ops.Node {
			return ops.NanMean(x, axes...)
		}),
		arg("argmax", "ArgMax", ops.ArgMax), arg("argmin", "ArgMin", ops.ArgMin),
		{Torch: "aminmax", Signature: "input dim keepdim", Go: "smallest, largest := ops.MinMax(x, dim...)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			axes := c.axes("dim", x)
			lo, hi := ops.MinMax(x, axes...)
			if x.Rank() == 0 && c.has("dim") && c.bool("keepdim", false) {
				return list(ops.Reshape(lo, 1), ops.Reshape(hi, 1)) // PyTorch keeps an axis that was not there
			}
			return list(c.kept(lo, x, axes), c.kept(hi, x, axes))
		}},
		{Torch: "sum_to_size", Signature: "input *size", Go: "ops.Reshape(ops.Sum(x, axes...), shape...)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			size := c.ints("size")
			axes := []int{}
			for i, n := range x.Shape() {
				if k := i - x.Rank() + len(size); k < 0 || size[k] == 1 && n != 1 {
					axes = append(axes, i)
				}
			}
			return list(ops.Reshape(ops.Sum(x, axes...), size...))
		}},
		{Torch: "trace", Go: "ops.Trace(x)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			return list(ops.Trace(x))
		}},
	}
	rows = append(rows, extreme("max", "Max", ops.Max, ops.MaxWithIndex)...)
	rows = append(rows, extreme("min", "Min", ops.Min, ops.MinWithIndex)...)
	return append(rows, spread()...)
}

// withIndex is an op with positions along an axis, also of a scalar.
func withIndex(f func(x *ops.Node, axis int) (values, positions *ops.Node), x *ops.Node, a int) (values, positions *ops.Node) {
	if x.Rank() > 0 {
		return f(x, a)
	}
	values, positions = f(ops.Reshape(x, 1), 0)
	return ops.Reshape(values), ops.Reshape(positions)
}

// argOf is the position along an axis, also in a scalar.
func argOf(f func(x *ops.Node, axis int) *ops.Node, x *ops.Node, a int) *ops.Node {
	if x.Rank() == 0 {
		return f(ops.Reshape(x, 1), 0)
	}
	return f(x, a)
}

// verdict is a bool as PyTorch gives it for x: as uint8 where x is.
func verdict(y, x *ops.Node) *ops.Node {
	if x.DType() == tensor.Uint8 {
		return ops.Cast(y, tensor.Uint8)
	}
	return y
}

func widened(x *ops.Node) *ops.Node {
	if !x.DType().IsFloat() {
		return cast(x, tensor.Int64)
	}
	return x
}

func zero(x *ops.Node) *ops.Node { return scalar(x, 0) }

// spread are variances, deviations and norms.
func spread() []*Row {
	variance := func(torch, text string, f func(x *ops.Node, correction float64, axes ...int) []*ops.Node) *Row {
		return &Row{Torch: torch, Signature: "input dim unbiased keepdim", Go: text, Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			if b, ok := c.value("dim").(bool); ok { // torch.var(x, unbiased)
				c.values["unbiased"] = b
				delete(c.values, "dim")
			}
			axes := c.axes("dim", x)
			correction := 1.0
			if !c.bool("unbiased", true) {
				correction = 0
			}
			correction = c.float("correction", correction)
			out := f(x, correction, axes...)
			for i := range out {
				out[i] = c.kept(out[i], x, axes)
			}
			return out
		}}
	}
	norm := func(torch string) *Row {
		return &Row{Torch: torch, Signature: "input p dim keepdim dtype", Go: "ops.VectorNorm(x, p, dim...)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			axes := c.axes("dim", x)
			p := 2.0
			switch s := c.str("p", ""); s {
			case "nuc":
				return list(c.kept(c.matrixNorm(x, "nuc", c.pairOfAxes("dim", x)), x, axes))
			case "fro", "":
				if c.has("p") && s == "" {
					p = c.float("p", 2)
				}
			}
			return list(c.kept(c.norm(x, p, axes), x, axes))
		}}
	}
	return []*Row{
		variance("var", "ops.Var(x, correction, dim...)",
			func(x *ops.Node, k float64, axes ...int) []*ops.Node { return list(ops.Var(x, k, axes...)) }),
		variance("std", "ops.Std(x, correction, dim...)",
			func(x *ops.Node, k float64, axes ...int) []*ops.Node { return list(ops.Std(x, k, axes...)) }),
		variance("var_mean", "mean, variance := ops.VarMean(x, correction, dim...)", func(x *ops.Node, k float64, axes ...int) []*ops.Node {
			m, v := ops.VarMean(x, k, axes...)
			return list(v, m)
		}),
		variance("std_mean", "mean, deviation := ops.StdMean(x, correction, dim...)", func(x *ops.Node, k float64, axes ...int) []*ops.Node {
			m, d := ops.StdMean(x, k, axes...)
			return list(d, m)
		}),
		norm("norm"), norm("norm.nuc"), norm("norm.fro"), norm("norm.inf"),
		{Torch: "dist", Signature: "input other p", Go: "ops.Dist(x, y, p)", Build: func(c *Call) []*ops.Node {
			return list(ops.Dist(c.x("input"), c.x("other"), c.float("p", 2)))
		}},
		{Torch: "linalg.vector_norm", Signature: "input ord dim keepdim dtype", Go: "ops.VectorNorm(x, p, dim...)",
			Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				axes := c.axes("dim", x)
				return list(c.kept(c.norm(x, c.float("ord", 2), axes), x, axes))
			}},
		{Torch: "linalg.matrix_norm", Signature: "input ord dim keepdim dtype", Go: "linalg.MatrixNorm(a, order, axes...)",
			Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				axes := c.pairOfAxes("dim", x)
				order := "fro"
				if c.has("ord") {
					order = c.matrixOrder("ord")
				}
				return list(c.kept(c.matrixNorm(x, order, axes), x, axes))
			}},
		linalgNorm("linalg.norm"), linalgNorm("linalg.norm.subgradients_at_zero"),
	}
}

func linalgNorm(torch string) *Row {
	return &Row{Torch: torch, Signature: "input ord dim keepdim dtype", Go: "ops.VectorNorm(x, p, dim...)",
		Note: "norms of matrices: linalg.MatrixNorm", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			dims := c.ints("dim")
			if !c.has("ord") || len(dims) == 1 || len(dims) == 0 && x.Rank() == 1 {
				axes := c.axes("dim", x)
				return list(c.kept(c.norm(x, c.float("ord", 2), axes), x, axes))
			}
			axes := []int{0, 1}
			if len(dims) == 2 {
				axes = c.pairOfAxes("dim", x)
			}
			c.as("linalg.MatrixNorm(a, order, axes...)")
			return list(c.kept(c.matrixNorm(x, c.matrixOrder("ord"), axes), x, axes))
		}}
}

func (c *Call) pairOfAxes(name string, x *ops.Node) []int {
	axes := c.ints(name)
	if len(axes) != 2 {
		return []int{x.Rank() - 2, x.Rank() - 1}
	}
	return []int{axis(x, axes[0]), axis(x, axes[1])}
}

func (c *Call) matrixNorm(x *ops.Node, order string, axes []int) *ops.Node {
	return call("linalg.matrix_norm", attrs{"order": order, "axes": axes}, x)
}

// norm is the p-norm over axes.
func (c *Call) norm(x *ops.Node, p float64, axes []int) *ops.Node {
	return ops.VectorNorm(x, p, axes...)
}
