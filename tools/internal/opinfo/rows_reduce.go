package opinfo

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// reducer is a row for a reduction over the axes of the argument dim.
func reducer(torch, text string, f func(c *Call, x *ops.Node, axes []int) *ops.Node) *Row {
	return &Row{Torch: torch, Signature: "input dim keepdim dtype", Go: text, Note: "keepdim: ops.KeepDims around it", Build: func(c *Call) []*ops.Node {
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
	extreme := func(torch, name string, f func(x *ops.Node, axes ...int) *ops.Node, arg func(x *ops.Node, axis int) *ops.Node) []*Row {
		return []*Row{
			{Torch: torch + ".reduction_no_dim", Go: "ops." + name + "(x)", Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				return list(f(x, c.axes("none", x)...))
			}},
			{Torch: torch + ".reduction_with_dim", Signature: "input dim keepdim", Go: "ops." + name + "(x, dim), ops.Arg" + name + "(x, dim)", Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				axes := c.axes("dim", x)
				return list(c.kept(f(x, axes...), x, axes), c.kept(argOf(arg, x, c.int("dim", 0)), x, axes))
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
		plain("mean", "Mean", ops.Mean), plain("amax", "Max", ops.Max), plain("amin", "Min", ops.Min), plain("logsumexp", "LogSumExp", ops.LogSumExp),
		reducer("sum", "ops.Sum(x, dim...)", func(_ *Call, x *ops.Node, axes []int) *ops.Node { return ops.Sum(widened(x), axes...) }),
		reducer("prod", "ops.Prod(x, dim...)", func(_ *Call, x *ops.Node, axes []int) *ops.Node { return ops.Prod(widened(x), axes...) }),
		reducer("all", "ops.All(ops.Cast(x, tensor.Bool), dim...)", func(_ *Call, x *ops.Node, axes []int) *ops.Node { return ops.Every(truth(x), axes...) }),
		reducer("any", "ops.Any(ops.Cast(x, tensor.Bool), dim...)", func(_ *Call, x *ops.Node, axes []int) *ops.Node { return ops.Any(truth(x), axes...) }),
		reducer("count_nonzero", "ops.CountNonzero(x, dim...)", func(_ *Call, x *ops.Node, axes []int) *ops.Node {
			return ops.Sum(ops.Cast(ops.NotEqual(x, zero(x)), tensor.Int64), axes...)
		}),
		reducer("nansum", "ops.NanSum(x, dim...)", func(_ *Call, x *ops.Node, axes []int) *ops.Node {
			return ops.Sum(ops.Where(ops.IsNaN(x), zero(x), x), axes...)
		}),
		reducer("nanmean", "ops.NanMean(x, dim...)", func(_ *Call, x *ops.Node, axes []int) *ops.Node {
			there := ops.Not(ops.IsNaN(x))
			return ops.Div(ops.Sum(ops.Where(there, x, zero(x)), axes...), ops.Sum(ops.Cast(there, x.DType()), axes...))
		}),
		arg("argmax", "ArgMax", ops.ArgMax), arg("argmin", "ArgMin", ops.ArgMin),
		{Torch: "aminmax", Signature: "input dim keepdim", Go: "ops.Min(x, dim), ops.Max(x, dim)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			axes := c.axes("dim", x)
			return list(c.kept(ops.Min(x, axes...), x, axes), c.kept(ops.Max(x, axes...), x, axes))
		}},
		{Torch: "sum_to_size", Signature: "input *size", Go: "ops.SumTo(x, shape...)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			size := c.ints("size")
			c.as("ops.Reshape(ops.Sum(x, axes...), shape...)")
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
			return list(ops.Sum(diagonalOf(x, 0, 0, 1)))
		}},
	}
	rows = append(rows, extreme("max", "Max", ops.Max, ops.ArgMax)...)
	rows = append(rows, extreme("min", "Min", ops.Min, ops.ArgMin)...)
	return append(rows, spread()...)
}

// argOf is the position along an axis, also in a scalar.
func argOf(f func(x *ops.Node, axis int) *ops.Node, x *ops.Node, a int) *ops.Node {
	if x.Rank() == 0 {
		return f(ops.Reshape(x, 1), 0)
	}
	return f(x, a)
}

// widened is x as PyTorch sums it: bools and integers in int64.
func widened(x *ops.Node) *ops.Node {
	if !x.DType().IsFloat() {
		return cast(x, tensor.Int64)
	}
	return x
}

func zero(x *ops.Node) *ops.Node { return scalar(x, 0) }

// spread are variances, deviations and norms.
func spread() []*Row {
	variance := func(torch, text string, root, mean bool) *Row {
		return &Row{Torch: torch, Signature: "input dim unbiased keepdim", Go: text, Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			if b, ok := c.values["dim"].(bool); ok { // torch.var(x, unbiased)
				c.values["unbiased"] = b
				delete(c.values, "dim")
			}
			axes := c.axes("dim", x)
			correction := 1.0
			if !c.bool("unbiased", true) {
				correction = 0
			}
			correction = c.float("correction", correction)
			v := varianceOf(x, axes, correction)
			if root {
				v = ops.Sqrt(v)
			}
			out := list(c.kept(v, x, axes))
			if mean {
				out = append(out, c.kept(ops.Mean(x, axes...), x, axes))
			}
			return out
		}}
	}
	norm := func(torch string) *Row {
		return &Row{Torch: torch, Signature: "input p dim keepdim dtype", Go: "ops.Norm(x, p, dim...)", Build: func(c *Call) []*ops.Node {
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
		variance("var", "ops.Var(x, correction, dim...)", false, false), variance("std", "ops.Std(x, correction, dim...)", true, false),
		variance("var_mean", "ops.Var(x, correction, dim...), ops.Mean(x, dim...)", false, true),
		variance("std_mean", "ops.Std(x, correction, dim...), ops.Mean(x, dim...)", true, true),
		norm("norm"), norm("norm.nuc"), norm("norm.fro"), norm("norm.inf"),
		{Torch: "dist", Signature: "input other p", Go: "ops.Norm(ops.Sub(x, y), p)", Build: func(c *Call) []*ops.Node {
			d := ops.Sub(c.x("input"), c.x("other"))
			return list(c.norm(d, c.float("p", 2), c.axes("none", d)))
		}},
		{Torch: "linalg.vector_norm", Signature: "input ord dim keepdim dtype", Go: "ops.Norm(x, p, dim...)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			axes := c.axes("dim", x)
			return list(c.kept(c.norm(x, c.float("ord", 2), axes), x, axes))
		}},
		{Torch: "linalg.matrix_norm", Signature: "input ord dim keepdim dtype", Go: "ops.MatrixNorm(a, order, axes...)", Build: func(c *Call) []*ops.Node {
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
	return &Row{Torch: torch, Signature: "input ord dim keepdim dtype", Go: "ops.Norm(x, p, dim...)", Note: "norms of matrices: ops.MatrixNorm", Build: func(c *Call) []*ops.Node {
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
		c.as("ops.MatrixNorm(a, order, axes...)")
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
	return call("matrix_norm", attrs{"order": order, "axes": axes}, x)
}

// norm is the p-norm over axes.
func (c *Call) norm(x *ops.Node, p float64, axes []int) *ops.Node {
	m := ops.Abs(x)
	switch {
	case math.IsInf(p, 1):
		return ops.Max(m, axes...)
	case math.IsInf(p, -1):
		return ops.Min(m, axes...)
	case p == 0:
		return ops.Sum(ops.Cast(ops.NotEqual(x, zero(x)), x.DType()), axes...)
	case p == 1:
		return ops.Sum(m, axes...)
	case p == 2:
		return ops.Sqrt(ops.Sum(ops.Square(x), axes...))
	}
	return ops.Pow(ops.Sum(ops.Pow(m, scalar(m, p)), axes...), scalar(m, 1/p))
}

// varianceOf divides by the number of elements less a correction.
func varianceOf(x *ops.Node, axes []int, correction float64) *ops.Node {
	n := 1.0
	for _, a := range axes {
		n *= float64(x.Dim(a))
	}
	return ops.Mul(ops.Variance(x, axes...), scalar(x, n/math.Max(0, n-correction)))
}

// diagonalOf is the diagonal of two axes, as the last axis.
func diagonalOf(x *ops.Node, offset, a, b int) *ops.Node {
	a, b = axis(x, a), axis(x, b)
	perm := make([]int, 0, x.Rank())
	for i := range x.Rank() {
		if i != a && i != b {
			perm = append(perm, i)
		}
	}
	x = ops.Transpose(x, append(perm, a, b)...)
	rows, cols := x.Dim(-2), x.Dim(-1)
	top, left := max(0, -offset), max(0, offset)
	n := max(0, min(rows-top, cols-left))
	x = cutOut(cutOut(x, x.Rank()-2, min(top, rows), n), x.Rank()-1, min(left, cols), n)
	if n == 0 {
		return ops.Reshape(x, x.Shape()[:x.Rank()-1]...)
	}
	// The elements of a square that are n + 1 apart are its diagonal.
	flat := ops.Reshape(x, append(x.Shape()[:x.Rank()-2], n*n)...)
	return ops.Slice(flat, ops.Range{Axis: flat.Rank() - 1, Step: n + 1})
}
