package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Sum returns the sums of x over the named axes, which vanish; over all axes
// when none is named:
//
//	y[p] = Σ_q x[p, q]
//
// x is any number and keeps its dtype: integers of b bits wrap modulo 2^b, also
// narrow ones (the int8 sum of 100 and 100 is -56: Cast first), floats of 16 bits are
// summed in float32. A sum of n floats is off by at most
//
//	(128 + log2 n + n u / 64) u Σ|x|,  u = 2^-24 for float32, 2^-53 for float64
//
// and as a rule by a few u, on every device: values are
// added in short runs and these in compensated totals. With [Target.FastMath] that holds on CPU
// drivers; other compilers may drop the compensation. The same is true of what is made of sums: means,
// variances, norms, softmax, gradients of broadcasts. The sum of nothing is 0. Errors: dtype is bool; an
// axis does not exist or is named twice.
func Sum(x *Node, axes ...int) *Node { return reduction("sum", x, axes) }

// Prod returns the products of x over the named axes, or over all. A product of n floats is off by
// at most n u of itself where n is at most 64. A longer one is multiplied in a type with more digits, or carries
// its rounding error along, on every device: it is off by
//
//	(1 + n 2^-29) u  for float32, n up to 2^30 (1 u beyond), on CPUs and on devices with float64
//	(1 + 3 n u) u    for float64, and for float32 on devices without float64
//
// as long as no part of the product overflows or underflows: float32 on devices with float64 has more
// range on the way, everything else has that of its dtype. With [Target.FastMath] the same is true on CPU
// drivers. The product of nothing is 1. Otherwise as [Sum].
func Prod(x *Node, axes ...int) *Node { return reduction("prod", x, axes) }

// Max returns the largest elements of x over the named axes, or over all. NaN
// beats every number. The maximum of nothing is -Inf, or the smallest integer.
// The derivative is shared equally by all elements that reach the maximum.
// Otherwise as [Sum].
func Max(x *Node, axes ...int) *Node { return reduction("max", x, axes) }

// Min returns the smallest elements of x over the named axes, or over all. NaN
// beats every number. The minimum of nothing is +Inf, or the largest integer.
// Otherwise as [Max].
func Min(x *Node, axes ...int) *Node { return reduction("min", x, axes) }

// ArgMax returns the positions along axis of the largest elements of x, as
// int64: of the first one where several are equal, of the first NaN where there
// is one. Errors: dtype is bool; the axis does not exist or is empty.
func ArgMax(x *Node, axis int) *Node { return reduction("argmax", x, []int{axis}) }

// ArgMin returns the positions along axis of the smallest elements of x, as
// int64. Otherwise as [ArgMax].
func ArgMin(x *Node, axis int) *Node { return reduction("argmin", x, []int{axis}) }

func reduction(name string, x *Node, axes []int) *Node {
	if x == nil || x.bad {
		return apply(name, nil, x)
	}
	resolved, err := axesOf(axes, x.Rank())
	if err != nil {
		return x.graph.fail(name, []*Node{x}, err)
	}
	return apply(name, ir.ReduceAttr{resolved}, x)
}

func reduced(c *Call) []int {
	shape := []int{}
	for a, d := range c.shape(0) {
		if !slices.Contains(c.Attr.(ir.ReduceAttr).Axes, a) {
			shape = append(shape, d)
		}
	}
	return shape
}

func reduceResult(c *Call) ([]int, tensor.DType, error) { return reduced(c), c.dt(0), nil }

func argResult(c *Call) ([]int, tensor.DType, error) {
	a := c.Attr.(ir.ReduceAttr).Axes[0]
	shape := reduced(c)
	if c.shape(0)[a] == 0 && ir.Product(shape) > 0 {
		return nil, 0, fmt.Errorf("axis %d of %v is empty and has no extreme", a, c.shape(0))
	}
	return shape, tensor.Int64, nil
}

// spread undoes the shape of a reduction: y with the lost axes back, repeated.
func spread(y, like *Node, axes []int) *Node {
	return BroadcastTo(ExpandDims(y, axes...), like.shape...)
}

// spreadOver is spread for a reduction over axes that may be none: then all.
func (b *Back) spread(y *Node) *Node {
	axes := b.node.attr.(ir.ReduceAttr).Axes
	if len(axes) == 0 {
		return y
	}
	return spread(y, b.In(0), axes)
}

var _ = define(Op{
	Name: "sum", Arity: 1, DTypes: numbers, Result: reduceResult,
	kind: ir.KindReduce, fold: engine.Sum,
	Grad:    func(b *Back) { b.Add(0, b.spread(b.Grad())) },
	Samples: reductions(Sum, -4, 4),
})

var _ = define(Op{
	Name: "prod", Arity: 1, DTypes: numbers, Result: reduceResult,
	kind: ir.KindReduce, fold: engine.Prod,
	Grad: func(b *Back) {
		rest := others(b.In(0), b.node.attr.(ir.ReduceAttr).Axes)
		b.Add(0, Mul(b.spread(b.Grad()), rest))
	},
	Samples: reductions(Prod, 0.8, 1.25),
})

var _ = define(Op{
	Name: "max", Arity: 1, DTypes: numbers, Result: reduceResult,
	kind: ir.KindReduce, fold: engine.Max,
	Grad:    extremeGrad,
	Samples: append(reductions(Max, -4, 4), specialReduction(Max)...),
})

var _ = define(Op{
	Name: "min", Arity: 1, DTypes: numbers, Result: reduceResult,
	kind: ir.KindReduce, fold: engine.Min,
	Grad:    extremeGrad,
	Samples: append(reductions(Min, -4, 4), specialReduction(Min)...),
})

func extremeGrad(b *Back) {
	x := b.In(0)
	hit := Cast(Equal(x, b.spread(b.Out())), x.dtype)
	share := reduction("sum", hit, b.node.attr.(ir.ReduceAttr).Axes)
	b.Add(0, Mul(hit, b.spread(Div(b.Grad(), share))))
}

var _ = define(Op{
	Name: "argmax", Arity: 1, DTypes: numbers, Result: argResult, Flat: true,
	kind: ir.KindReduce, fold: engine.ArgMax,
	Samples: argReductions(ArgMax),
})

var _ = define(Op{
	Name: "argmin", Arity: 1, DTypes: numbers, Result: argResult, Flat: true,
	kind: ir.KindReduce, fold: engine.ArgMin,
	Samples: argReductions(ArgMin),
})

// reductions are samples of call with values in [lo, hi]: few and many rows, short and
// long folds, inner, outer, middle and all axes.
func reductions(call func(x *Node, axes ...int) *Node, lo, hi float64) []Sample {
	var out []Sample
	for _, c := range []struct {
		label string
		shape []int
		axes  []int
	}{
		{"inner", []int{7, 33}, []int{1}},
		{"outer", []int{33, 7}, []int{0}},
		{"middle", []int{3, 17, 5}, []int{1}},
		{"two", []int{4, 9, 5, 3}, []int{0, 2}},
		{"all", []int{5, 7, 3}, nil},
		{"scalar", []int{}, nil},
		{"empty fold", []int{4, 0}, []int{1}},
		{"empty result", []int{0, 4}, []int{1}},
		{"long", []int{2, 5003}, []int{-1}},
		{"tall", []int{3001, 3}, []int{0}},
	} {
		out = append(out, Sample{
			Label: c.label, Operands: []Operand{{Shape: c.shape, Lo: lo, Hi: hi}}, Attr: c.axes,
			Build: func(in []*Node) *Node { return call(in[0], c.axes...) },
		})
	}
	return out
}

func specialReduction(call func(x *Node, axes ...int) *Node) []Sample {
	return []Sample{{
		Label: "special", Operands: []Operand{{Shape: []int{31, 40}, Special: true}}, Attr: []int{1},
		Build: func(in []*Node) *Node { return call(in[0], 1) },
	}}
}

func argReductions(call func(x *Node, axis int) *Node) []Sample {
	var out []Sample
	for _, c := range []struct {
		label string
		o     Operand
		axis  int
	}{
		{"inner", Operand{Shape: []int{7, 33}}, 1},
		{"outer", Operand{Shape: []int{33, 7}}, 0},
		{"middle", Operand{Shape: []int{3, 17, 5}}, -2},
		{"one", Operand{Shape: []int{4, 1}}, 1},
		{"ties", Operand{Shape: []int{5, 64}, Lo: 0, Hi: 3}, 1},
		{"long", Operand{Shape: []int{2, 5003}}, 1},
		{"empty result", Operand{Shape: []int{0, 4}}, 1},
		{"special", Operand{Shape: []int{31, 40}, Special: true}, 1},
	} {
		out = append(out, Sample{
			Label: c.label, Operands: []Operand{c.o}, Attr: c.axis,
			Build: func(in []*Node) *Node { return call(in[0], c.axis) },
		})
	}
	return out
}
