package importer

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// reduction is how axes of x are folded; empty is the result where there is nothing to fold.
type reduction struct {
	f     func(x *ops.Node, axes ...int) *ops.Node
	empty float64
	// since is the version in which axes became an input.
	since int64
}

func reduce(r reduction) func(*call) []*value {
	return func(c *call) []*value {
		x := c.x(0)
		axes, given := c.intsOrInput("axes", 1, r.since)
		keep, noop := c.flag("keepdims", true), c.flag("noop_with_empty_axes", false)
		if !given || len(axes) == 0 {
			axes = make([]int, 0, x.Rank())
			if !noop {
				for i := range x.Rank() {
					axes = append(axes, i)
				}
			}
		}
		gone := make([]bool, x.Rank())
		for i, a := range axes {
			a = c.axis(a, x.Rank())
			axes[i] = a
			if a < x.Rank() {
				gone[a] = true
			}
		}
		var kept, short []int
		extent := 1
		for i, d := range x.Shape() {
			switch {
			case !gone[i]:
				kept, short = append(kept, d), append(short, d)
			default:
				kept, extent = append(kept, 1), extent*d
			}
		}
		if !keep {
			kept = short
		}
		if x.Rank() == 0 {
			axes = []int{}
		}
		if extent == 0 {
			return out(c.b.g.Full(x.DType(), identity(x.DType(), r.empty), kept...))
		}
		return out(ops.Reshape(r.f(x, axes...), kept...))
	}
}

// identity is v in the range of a dtype.
func identity(dt tensor.DType, v float64) float64 {
	if dt.IsFloat() || !math.IsInf(v, 0) {
		return v
	}
	t := tensor.Must(tensor.FromSlice([]float64{v}, 1))
	return tensor.Must(tensor.Cast(t, dt)).Float64At(0)
}

// boolean reduces bools as numbers.
func boolean(f func(x *ops.Node, axes ...int) *ops.Node) func(x *ops.Node, axes ...int) *ops.Node {
	return func(x *ops.Node, axes ...int) *ops.Node {
		if x.DType() != tensor.Bool {
			return f(x, axes...)
		}
		return ops.Cast(f(ops.Cast(x, tensor.Uint8), axes...), tensor.Bool)
	}
}

// real computes integers in float64.
func real(f func(x *ops.Node, axes ...int) *ops.Node) func(x *ops.Node, axes ...int) *ops.Node {
	return func(x *ops.Node, axes ...int) *ops.Node {
		if x.DType().IsFloat() {
			return f(x, axes...)
		}
		return ops.Cast(f(ops.Cast(x, tensor.Float64), axes...), x.DType())
	}
}

var inf = math.Inf(1)

var _ = define(func() []*operator {
	return []*operator{
		{name: "ReduceSum", since: 1, build: reduce(reduction{f: ops.Sum, since: 13})},
		{name: "ReduceMean", since: 1, build: reduce(reduction{f: real(ops.Mean), empty: math.NaN(), since: 18})},
		{name: "ReduceProd", since: 1, build: reduce(reduction{f: ops.Prod, empty: 1, since: 18})},
		{name: "ReduceMax", since: 1, build: reduce(reduction{f: boolean(ops.Max), empty: -inf, since: 18})},
		{name: "ReduceMin", since: 1, build: reduce(reduction{f: boolean(ops.Min), empty: inf, since: 18})},
		{name: "ReduceL1", since: 1, build: reduce(reduction{f: func(x *ops.Node, axes ...int) *ops.Node {
			return ops.Sum(ops.Abs(x), axes...)
		}, since: 18})},
		{name: "ReduceL2", since: 1, build: reduce(reduction{f: real(func(x *ops.Node, axes ...int) *ops.Node {
			return ops.Sqrt(ops.Sum(ops.Square(x), axes...))
		}), since: 18})},
		{name: "ReduceSumSquare", since: 1, build: reduce(reduction{f: func(x *ops.Node, axes ...int) *ops.Node {
			return ops.Sum(ops.Square(x), axes...)
		}, since: 18})},
		{name: "ReduceLogSum", since: 1, build: reduce(reduction{f: real(func(x *ops.Node, axes ...int) *ops.Node {
			return ops.Log(ops.Sum(x, axes...))
		}), empty: -inf, since: 18})},
		{name: "ReduceLogSumExp", since: 1, build: reduce(reduction{f: real(ops.LogSumExp), empty: -inf, since: 18})},
		{name: "ArgMax", since: 1, build: argExtreme(ops.ArgMax)},
		{name: "ArgMin", since: 1, build: argExtreme(ops.ArgMin)},
		{name: "CumSum", since: 11, build: cumulative(ops.CumSum)},
		{name: "CumProd", since: 26, build: cumulative(ops.CumProd)},
	}
})

func argExtreme(f func(x *ops.Node, axis int) *ops.Node) func(*call) []*value {
	return func(c *call) []*value {
		x := c.x(0)
		axis := c.axis(c.int("axis", 0), x.Rank())
		shape := x.Shape()
		last := c.flag("select_last_index", false)
		if last {
			x = ops.Flip(x, axis)
		}
		y := f(x, axis)
		if last {
			y = ops.Sub(shape[axis]-1, y)
		}
		if c.flag("keepdims", true) {
			shape[axis] = 1
			y = ops.Reshape(y, shape...)
		}
		return out(y)
	}
}

func cumulative(f func(x *ops.Node, axis int, o *ops.CumSumOptions) *ops.Node) func(*call) []*value {
	return func(c *call) []*value {
		x, axis := c.x(0), int(c.num(1, 0))
		return out(f(x, c.axis(axis, x.Rank()), &ops.CumSumOptions{Exclusive: c.flag("exclusive", false), Reverse: c.flag("reverse", false)}))
	}
}
