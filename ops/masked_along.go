package ops

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// MaskedSoftmax returns the [Softmax] along axis of the elements of the float x where mask is true; elsewhere it is 0:
//
//	y[p, i] = exp(x[p, i]) / Σ_j exp(x[p, j])  where mask[p, i], over the j where mask[p, j]
//
// mask is a bool of any shape that broadcasts to that of x; nil: all elements take part. A slice where nothing takes part gives NaN. The
// softmax of a scalar is that of a vector of one element. Errors: the mask is no bool or does not broadcast to x; dtype of x is not a
// float; the axis does not exist.
// Source: PyTorch, function torch.masked.softmax.
func MaskedSoftmax(x, mask *Node, axis int) *Node {
	return applyMasked("masked_softmax", axisAttr{axis}, x, mask)
}

// MaskedLogSoftmax returns the logarithms of [MaskedSoftmax], as [LogSoftmax] does: -Inf where mask is false. Otherwise as MaskedSoftmax.
func MaskedLogSoftmax(x, mask *Node, axis int) *Node {
	return applyMasked("masked_log_softmax", axisAttr{axis}, x, mask)
}

// MaskedSoftmin returns the [MaskedSoftmax] of -x.
func MaskedSoftmin(x, mask *Node, axis int) *Node {
	return applyMasked("masked_softmin", axisAttr{axis}, x, mask)
}

// MaskedCumSum returns the running sums along axis of the elements of x where mask is true:
//
//	y[p, i] = Σ_j x[p, j] where mask[p, j],  j <= i
//
// Elements where mask is false count as 0, and have sums too. x is any number, as in [CumSum]. Otherwise as [MaskedSoftmax].
// Source: PyTorch, function torch.masked.cumsum.
func MaskedCumSum(x, mask *Node, axis int) *Node {
	return applyMasked("masked_cumsum", axisAttr{axis}, x, mask)
}

// MaskedCumProd returns the running products along axis of the elements of x where mask is true; others count as 1. Otherwise as
// [MaskedCumSum].
func MaskedCumProd(x, mask *Node, axis int) *Node {
	return applyMasked("masked_cumprod", axisAttr{axis}, x, mask)
}

// MaskedLogAddExp returns [LogAddExp] of a and b, in which elements count as -Inf where their mask is false: log(e^a + e^b) where both
// are true, one of the operands where one is, -Inf where none is. The masks are bools; each broadcasts with its operand, and nil is true
// everywhere. Otherwise as LogAddExp.
// Source: PyTorch, function torch.masked.logaddexp.
func MaskedLogAddExp(a, aMask, b, bMask *Node) *Node {
	return LogAddExp(maskedOut(a, aMask), maskedOut(b, bMask))
}

func maskedOut(x, mask *Node) *Node {
	if mask == nil {
		return x
	}
	return Where(mask, x, math.Inf(-1))
}

// maskedAlong is an op along an axis. A scalar counts as a vector of one element.
func maskedAlong(name, category string, dtypes []tensor.DType, value float64, of func(x *Node, axis int) *Node) Op {
	return Op{
		Name: name, Category: category, Attributes: AttributesOf[axisAttr](), Operands: operandsMasked, DTypes: dtypes,
		Complete: func(c *Call) error {
			axis, err := shapes.Axis(c.Attr.(axisAttr).Axis, max(len(c.shape(0)), 1))
			c.Attr = axisAttr{axis}
			return err
		},
		Result: func(c *Call) ([]int, tensor.DType, error) {
			if err := maskFits(c); err != nil {
				return nil, 0, err
			}
			return same(c)
		},
		Compose: func(c *Call) *Node {
			x := c.masked(c.In[0], value)
			if x.Rank() == 0 {
				return Reshape(of(Reshape(x, 1), 0))
			}
			return of(x, c.Attr.(axisAttr).Axis)
		},
	}
}

// Slices without elements have a softmax too, of no elements.
var _ = define(maskedAlong("masked_softmax", "normalization", floats, math.Inf(-1), orEmpty(Softmax)))

var _ = define(maskedAlong("masked_log_softmax", "normalization", floats, math.Inf(-1), orEmpty(LogSoftmax)))

var _ = define(maskedAlong("masked_softmin", "normalization", floats, math.Inf(1), orEmpty(Softmin)))

func orEmpty(of func(x *Node, axis int) *Node) func(x *Node, axis int) *Node {
	return func(x *Node, axis int) *Node {
		if x.shape[axis] == 0 {
			return x
		}
		return of(x, axis)
	}
}

var _ = define(maskedAlong("masked_cumsum", "scan", numbers, 0, func(x *Node, axis int) *Node { return CumSum(x, axis, nil) }))

var _ = define(maskedAlong("masked_cumprod", "scan", numbers, 1, func(x *Node, axis int) *Node { return CumProd(x, axis, nil) }))

// MaskedNormalize returns x with every vector along axis divided by the p-norm of its elements where mask is true, as [MaskedNorm] has
// it; elsewhere it is 0:
//
//	y[q, i] = x[q, i] / max(‖x[q]‖_p, eps) where mask[q, i]
//
// x is a float. Errors: p is NaN; eps is negative; otherwise as [MaskedSoftmax].
// Source: PyTorch, function torch.masked.normalize.
func MaskedNormalize(x, mask *Node, p float64, axis int, eps float64) *Node {
	return applyMasked("masked_normalize", normalizeAttr{p, axis, eps}, x, mask)
}

var _ = define(Op{
	Name: "masked_normalize", Category: "normalization", Attributes: AttributesOf[normalizeAttr](), Operands: operandsMasked, DTypes: floats,
	Complete: func(c *Call) (err error) {
		a := c.Attr.(normalizeAttr)
		a.Axis, err = shapes.Axis(a.Axis, max(len(c.shape(0)), 1))
		c.Attr = a
		return err
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		if a := c.Attr.(normalizeAttr); math.IsNaN(a.P) || !(a.Eps >= 0) || math.IsInf(a.Eps, 1) {
			return nil, 0, fmt.Errorf("the norm is %v and eps %v", a.P, a.Eps)
		}
		if err := maskFits(c); err != nil {
			return nil, 0, err
		}
		return same(c)
	},
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(normalizeAttr), widen(c.In[0])
		axes := []int{}
		if x.Rank() > 0 {
			axes = append(axes, a.Axis)
		}
		norm := KeepDims(VectorNorm(c.masked(x, outsideNorm(a.P)), a.P, axes...))
		return Cast(Div(c.masked(x, 0), Maximum(norm, a.Eps)), c.dt(0))
	},
})
