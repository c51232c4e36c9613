package ops

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// MaskedSum returns the sums of the elements of x where mask is true, over the named axes, which vanish, or over all:
//
//	y[p] = Σ_q x[p, q] where mask[p, q]
//
// mask is a bool of any shape that broadcasts to that of x; nil: all elements take part. The same is true of all functions Masked*. The
// sum of nothing is
// 0. x is any number, as in [Sum]. Errors: the mask is no bool or does not broadcast to x; otherwise as Sum.
// Source: PyTorch, function torch.masked.sum.
func MaskedSum(x, mask *Node, axes ...int) *Node { return maskedReduction("masked_sum", x, mask, axes) }

// MaskedProd returns the products of the elements of x where mask is true. The product of nothing is 1. Otherwise as [MaskedSum] and
// [Prod].
func MaskedProd(x, mask *Node, axes ...int) *Node {
	return maskedReduction("masked_prod", x, mask, axes)
}

// MaskedMax returns the largest elements of x where mask is true: of nothing -Inf, or the smallest integer. Otherwise as [MaskedSum] and
// [Max].
// Source: PyTorch, function torch.masked.amax.
func MaskedMax(x, mask *Node, axes ...int) *Node { return maskedReduction("masked_max", x, mask, axes) }

// MaskedMin returns the smallest elements of x where mask is true: of nothing +Inf, or the largest integer. Otherwise as [MaskedSum] and
// [Min].
// Source: PyTorch, function torch.masked.amin.
func MaskedMin(x, mask *Node, axes ...int) *Node { return maskedReduction("masked_min", x, mask, axes) }

// MaskedArgMax returns the positions of the largest elements of x where mask is true, as int64, over the named axes, which vanish, or
// over all. Through several axes positions are counted in row-major order. Elements where mask is false count as -Inf, or the smallest
// integer: where nothing is larger, the position is that of the first element, which may be one of them. Errors: a result is of no
// elements; otherwise as [MaskedSum].
// Source: PyTorch, function torch.masked.argmax, whose positions have the dtype of x.
func MaskedArgMax(x, mask *Node, axes ...int) *Node {
	return maskedReduction("masked_argmax", x, mask, axes)
}

// MaskedArgMin returns the positions of the smallest elements of x where mask is true; others count as +Inf, or the largest integer.
// Otherwise as [MaskedArgMax].
func MaskedArgMin(x, mask *Node, axes ...int) *Node {
	return maskedReduction("masked_argmin", x, mask, axes)
}

// MaskedMean returns the means of the elements of the float x where mask is true; of nothing it is NaN. Otherwise as [MaskedSum].
func MaskedMean(x, mask *Node, axes ...int) *Node {
	return maskedReduction("masked_mean", x, mask, axes)
}

// MaskedLogSumExp returns log Σ exp(x) over the elements of the float x where mask is true: of nothing -Inf. Otherwise as [MaskedSum] and
// [LogSumExp].
func MaskedLogSumExp(x, mask *Node, axes ...int) *Node {
	return maskedReduction("masked_log_sum_exp", x, mask, axes)
}

// MaskedMedian returns the medians of the elements of the float x where mask is true, of an even number the lower one in the middle. NaN
// does not take part either. The median of nothing is NaN. Errors: a result is of no elements; otherwise as [MaskedSum].
func MaskedMedian(x, mask *Node, axes ...int) *Node {
	return maskedReduction("masked_median", x, mask, axes)
}

func maskedReduction(name string, x, mask *Node, axes []int) *Node {
	return applyMasked(name, ir.ReduceAttr{Axes: axes}, x, mask)
}

func applyMasked(name string, attr any, x, mask *Node) *Node {
	if mask == nil {
		return apply(name, attr, x)
	}
	return apply(name, attr, x, mask)
}

var operandsMasked = []Operand{{Name: "x"}, {Name: "mask", DTypes: bools, Optional: true}}

// maskFits says why the mask of c does not broadcast to its x.
func maskFits(c *Call) error {
	if len(c.In) < 2 {
		return nil
	}
	if s, err := tensor.Broadcast(c.shape(0), c.shape(1)); err != nil || !tensor.EqualShapes(s, c.shape(0)) {
		return fmt.Errorf("the mask of shape %v does not broadcast to %v", c.shape(1), c.shape(0))
	}
	return nil
}

// masked is x, of the shape of operand 0, with a value where the mask of c is false.
func (c *Call) masked(x *Node, value float64) *Node {
	if len(c.In) < 2 {
		return x
	}
	return Where(c.In[1], x, ScalarLike(x, value))
}

// maskedCount is how many elements take part in each result of a reduction, in x's dtype.
func (c *Call) maskedCount(x *Node, axes []int) *Node {
	there := ScalarLike(x, 1)
	if len(c.In) == 2 {
		there = Cast(c.In[1], x.dtype)
	}
	return reduction("sum", BroadcastTo(there, x.shape...), axes)
}

func maskedOp(name string, dtypes []tensor.DType, result tensor.DType, compose func(c *Call) *Node) Op {
	o := composedReduction(name, dtypes, result, compose)
	of := o.Result
	o.Operands = operandsMasked
	o.Result = func(c *Call) ([]int, tensor.DType, error) {
		if err := maskFits(c); err != nil {
			return nil, 0, err
		}
		return of(c)
	}
	return o
}

// neverEmpty adds the error of a reduction that has no result for no elements.
func neverEmpty(o Op) Op {
	of := o.Result
	o.Result = func(c *Call) ([]int, tensor.DType, error) {
		if foldSize(c) == 0 && ir.Product(reduced(c)) > 0 {
			return nil, 0, fmt.Errorf("nothing is chosen from the axes %v of %v, which are empty", c.axes(), c.shape(0))
		}
		return of(c)
	}
	return o
}

var _ = define(maskedOp("masked_sum", numbers, tensor.Invalid, func(c *Call) *Node {
	return reduction("sum", c.masked(c.In[0], 0), c.axes())
}))

var _ = define(maskedOp("masked_prod", numbers, tensor.Invalid, func(c *Call) *Node {
	return reduction("prod", c.masked(c.In[0], 1), c.axes())
}))

var _ = define(maskedOp("masked_max", numbers, tensor.Invalid, func(c *Call) *Node {
	return reduction("max", c.maskedExtreme(true), c.axes())
}))

var _ = define(maskedOp("masked_min", numbers, tensor.Invalid, func(c *Call) *Node {
	return reduction("min", c.maskedExtreme(false), c.axes())
}))

// maskedExtreme is x with the lowest or the highest value of its dtype where the mask of c is false.
func (c *Call) maskedExtreme(lowest bool) *Node {
	x := c.In[0]
	if len(c.In) < 2 {
		return x
	}
	return Where(c.In[1], x, x.graph.Const(extremeOf(x.dtype, lowest)))
}

var _ = define(neverEmpty(maskedOp("masked_argmax", numbers, tensor.Int64, func(c *Call) *Node {
	return maskedPosition("argmax", c.maskedExtreme(true), c.axes())
})))

var _ = define(neverEmpty(maskedOp("masked_argmin", numbers, tensor.Int64, func(c *Call) *Node {
	return maskedPosition("argmin", c.maskedExtreme(false), c.axes())
})))

func maskedPosition(arg string, x *Node, axes []int) *Node {
	if len(axes) == 1 {
		return reduction(arg, x, axes)
	}
	return reduction(arg, joinedRows(x, axes), []int{-1})
}

var _ = define(maskedOp("masked_mean", floats, tensor.Invalid, func(c *Call) *Node {
	x := widen(c.In[0])
	return Cast(c.maskedMean(x, c.axes(), c.maskedCount(x, c.axes())), c.dt(0))
}))

func (c *Call) maskedMean(x *Node, axes []int, count *Node) *Node {
	return Div(reduction("sum", c.masked(x, 0), axes), count)
}

var _ = define(maskedOp("masked_log_sum_exp", floats, tensor.Invalid, func(c *Call) *Node {
	return reduction("log_sum_exp", c.masked(c.In[0], math.Inf(-1)), c.axes())
}))

var _ = define(neverEmpty(maskedOp("masked_median", floats, tensor.Invalid, func(c *Call) *Node {
	return reduction("nanmedian", c.masked(c.In[0], math.NaN()), c.axes())
})))

// MaskedVar returns the variances of the n elements of the float x where mask is true, over the named axes, which vanish, or over all:
//
//	y[p] = Σ_q (x[p, q] - mean[p])² / max(n[p] - correction, 0) where mask[p, q]
//
// in two passes, so that a large mean does not cancel. The correction is 1 for the variance of a sample, 0 for that of a population. The
// variance of nothing is NaN. Otherwise as [MaskedSum].
// Source: PyTorch, function torch.masked.var.
func MaskedVar(x, mask *Node, correction float64, axes ...int) *Node {
	return applyMasked("masked_var", varAttr{axes, correction}, x, mask)
}

// MaskedStd returns the square roots of the variances of [MaskedVar]. The derivative where a variance is 0 is NaN.
func MaskedStd(x, mask *Node, correction float64, axes ...int) *Node {
	return applyMasked("masked_std", varAttr{axes, correction}, x, mask)
}

func maskedVarOp(name string, of func(variance *Node) *Node) Op {
	return Op{
		Name: name, Category: "reduction", Attributes: AttributesOf[varAttr](), Operands: operandsMasked, DTypes: floats,
		Complete: func(c *Call) (err error) {
			a := c.Attr.(varAttr)
			a.Axes, err = shapes.Axes(a.Axes, len(c.shape(0)))
			c.Attr = a
			return err
		},
		Result: func(c *Call) ([]int, tensor.DType, error) {
			return withoutAxes(c.shape(0), c.Attr.(varAttr).Axes), c.dt(0), maskFits(c)
		},
		Compose: func(c *Call) *Node {
			a, x := c.Attr.(varAttr), widen(c.In[0])
			n := c.maskedCount(x, a.Axes)
			mean := c.maskedMean(x, a.Axes, n)
			d := c.masked(Square(Sub(x, spreadBack(mean, x, a.Axes))), 0)
			v := Div(reduction("sum", d, a.Axes), Maximum(Sub(n, ScalarLike(n, a.Correction)), 0))
			return Cast(of(v), c.dt(0))
		},
	}
}

var _ = define(maskedVarOp("masked_var", func(v *Node) *Node { return v }))

var _ = define(maskedVarOp("masked_std", func(v *Node) *Node { return Sqrt(v) }))

// MaskedNorm returns the norms of the vectors of the elements of the float x where mask is true, along the named axes, which vanish, or
// of all, as [VectorNorm] does. The norm of nothing is 0, and +Inf with an ord below 0. Errors: ord is NaN; otherwise as [MaskedSum].
// Source: PyTorch, function torch.masked.norm.
func MaskedNorm(x, mask *Node, ord float64, axes ...int) *Node {
	return applyMasked("masked_norm", vectorNormAttr{axes, ord}, x, mask)
}

var _ = define(Op{
	Name: "masked_norm", Category: "reduction", Attributes: AttributesOf[vectorNormAttr](), Operands: operandsMasked, DTypes: floats,
	Complete: func(c *Call) (err error) {
		a := c.Attr.(vectorNormAttr)
		a.Axes, err = shapes.Axes(a.Axes, len(c.shape(0)))
		c.Attr = a
		return err
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(vectorNormAttr)
		if math.IsNaN(a.Ord) {
			return nil, 0, fmt.Errorf("ord is %v", a.Ord)
		}
		return withoutAxes(c.shape(0), a.Axes), c.dt(0), maskFits(c)
	},
	Compose: func(c *Call) *Node {
		a := c.Attr.(vectorNormAttr)
		return apply("vector_norm", a, c.masked(c.In[0], outsideNorm(a.Ord)))
	},
})

// outsideNorm is the element that does not change a norm.
func outsideNorm(ord float64) float64 {
	if ord < 0 {
		return math.Inf(1)
	}
	return 0
}
