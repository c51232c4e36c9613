package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Sum returns the sums of x over the named axes, which vanish; over all axes
// when none is named:
//
//	y[p] = Σ_q x[p, q]
//
// A list of axes that is empty but not nil, as Sum(x, axes...) may be given, reduces nothing. [KeepDims] puts the axes back
// with extent 1. The axes 0 and -1 of a scalar count as no axis. All reductions do so.
//
// x is any number and keeps its dtype: integers of b bits wrap modulo 2^b, also
// narrow ones (the int8 sum of 100 and 100 is -56: Cast first), floats of 16 bits are
// summed in float32. A sum of n floats is off by at most
//
//	(128 + log2 n + n u / 64) u Σ|x|,  u = 2^-24 for float32, 2^-53 for float64
//
// and as a rule by a few u, on every device: values are
// added in short runs and these in compensated totals. With [Target.FastMath] that holds on CPU
// drivers; other compilers may drop the compensation. The same is true of results computed from sums: means,
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
	return apply(name, ir.ReduceAttr{Axes: axes}, x)
}

// completeAxes resolves the axes of a reduction.
func completeAxes(c *Call) error {
	axes, err := shapes.Axes(c.Attr.(ir.ReduceAttr).Axes, len(c.shape(0)))
	c.Attr = ir.ReduceAttr{Axes: axes}
	return err
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
	axes, shape := c.Attr.(ir.ReduceAttr).Axes, reduced(c)
	if len(axes) == 0 {
		return nil, 0, errors.New("a scalar has no axis")
	}
	for _, a := range axes {
		if c.shape(0)[a] == 0 && ir.Product(shape) > 0 {
			return nil, 0, fmt.Errorf("axis %d of %v is empty and has no extreme", a, c.shape(0))
		}
	}
	return shape, tensor.Int64, nil
}

// spread undoes the shape of a reduction: y with the lost axes back, repeated.
func spread(y, like *Node, axes []int) *Node {
	return BroadcastTo(ExpandDims(y, axes...), like.shape...)
}

// spread is the function spread for a reduction over axes that may be none: then all.
func (b *Back) spread(y *Node) *Node {
	axes := b.Attr().(ir.ReduceAttr).Axes
	if len(axes) == 0 {
		return y
	}
	return spread(y, b.In(0), axes)
}

var _ = define(Op{
	Name:    "sum",
	role:    roleSum,
	Complex: eachPart, Category: "reduction",
	Attributes: AttributesOf[ir.ReduceAttr](), Complete: completeAxes,
	Operands: operandX, DTypes: numbers, Result: reduceResult,
	kind: ir.KindReduce, fold: engine.Sum,
	Grad: func(b *Back) { b.Add(0, b.spread(b.Grad())) },
})

var _ = define(Op{
	Name:    "prod",
	Complex: complexProd, Category: "reduction",
	Attributes: AttributesOf[ir.ReduceAttr](), Complete: completeAxes,
	Operands: operandX, DTypes: numbers, Result: reduceResult,
	kind: ir.KindReduce, fold: engine.Prod,
	Grad: func(b *Back) {
		rest := others(b.In(0), b.Attr().(ir.ReduceAttr).Axes)
		b.Add(0, chain(b.spread(b.Grad()), rest))
	},
})

var _ = define(Op{
	Name: "max", Category: "reduction",
	Attributes: AttributesOf[ir.ReduceAttr](), Complete: completeAxes,
	Operands: operandX, DTypes: numbers, Result: reduceResult,
	kind: ir.KindReduce, fold: engine.Max,
	Grad: extremeGrad,
})

var _ = define(Op{
	Name: "min", Category: "reduction",
	Attributes: AttributesOf[ir.ReduceAttr](), Complete: completeAxes,
	Operands: operandX, DTypes: numbers, Result: reduceResult,
	kind: ir.KindReduce, fold: engine.Min,
	Grad: extremeGrad,
})

func extremeGrad(b *Back) {
	x := b.In(0)
	hit := Cast(Equal(x, b.spread(b.Out())), x.dtype)
	share := reduction("sum", hit, b.Attr().(ir.ReduceAttr).Axes)
	b.Add(0, chain(b.spread(b.Over(share)), hit))
}

var _ = define(Op{
	Name: "argmax", Category: "reduction",
	Attributes: AttributesOf[ir.ReduceAttr](), Complete: completeAxes,
	Operands: operandX, DTypes: numbers, Result: argResult, Flat: true,
	kind: ir.KindReduce, fold: engine.ArgMax,
})

var _ = define(Op{
	Name: "argmin", Category: "reduction",
	Attributes: AttributesOf[ir.ReduceAttr](), Complete: completeAxes,
	Operands: operandX, DTypes: numbers, Result: argResult, Flat: true,
	kind: ir.KindReduce, fold: engine.ArgMin,
})

// KeepDims returns y, the result of a reduction, with the axes that it has lost back in their places with extent 1, so that
// it broadcasts against the operand:
//
//	centred := ops.Sub(x, ops.KeepDims(ops.Mean(x, 1)))
//
// It costs nothing. A reduction is every op whose attributes have a method ReducedAxes() []int, also one that another package
// defines. Errors: y is no result of a reduction.
func KeepDims(y *Node) *Node {
	if y == nil || y.bad {
		return apply("reshape", nil, y)
	}
	n := y
	if of, _, ok := y.result(); ok {
		n = of
	}
	a, ok := n.attr.(interface{ ReducedAxes() []int })
	if !ok || len(n.in) == 0 {
		return y.graph.fail("keep_dims", []*Node{y}, errors.New("the operand is no result of a reduction"))
	}
	axes := a.ReducedAxes()
	if len(y.shape)+len(axes) != len(n.in[0].shape) { // rows of values that a reduction keeps, for one
		return y.graph.fail("keep_dims", []*Node{y}, errors.New("the reduction has not removed its axes"))
	}
	return ExpandDims(y, slices.Clone(axes)...)
}
