package ops

import (
	"fmt"

	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Softmax returns the normalised exponentials of x along axis:
//
//	y[p, i] = exp(x[p, i] - m) / Σ_j exp(x[p, j] - m),  m = max_j x[p, j]
//
// which neither overflows nor underflows everywhere. x is a float; 16-bit
// floats are computed in float32. A slice that holds NaN or +Inf, or nothing
// but -Inf, gives NaN. Errors: dtype is not a float; the axis does not exist or
// is empty.
func Softmax(x *Node, axis int) *Node { return apply("softmax", axisAttr{axis}, x) }

var _ = define(Op{
	Name:       "softmax",
	Category:   "normalization",
	Attributes: AttributesOf[axisAttr](),
	Operands:   operandX,
	DTypes:     floats,
	Result:     normalised,
	Compose: func(c *Call) *Node {
		_, e, s := shiftedExp(c.In[0], c.Attr.(axisAttr).Axis)
		return Cast(Mul(e, Div(ScalarLike(s, 1), s)), c.dt(0)) // one division a row; the sum is at least 1
	},
	// ∂L/∂x = y · (dy - Σ dy·y): the maximum cancels out of it.
	Grad: func(b *Back) {
		y, d := widen(b.Out()), widen(b.Grad())
		s := foldAlong(Sum, chain(d, y), b.Attr().(axisAttr).Axis)
		b.Add(0, Cast(chain(Sub(d, s), y), b.In(0).dtype))
	},
})

// LogSoftmax returns the logarithm of [Softmax], computed without taking the
// logarithm of small numbers:
//
//	y[p, i] = x[p, i] - m - log Σ_j exp(x[p, j] - m),  m = max_j x[p, j]
//
// Otherwise as Softmax.
func LogSoftmax(x *Node, axis int) *Node { return apply("log_softmax", axisAttr{axis}, x) }

var _ = define(Op{
	Name:       "log_softmax",
	Category:   "normalization",
	Attributes: AttributesOf[axisAttr](),
	Operands:   operandX,
	DTypes:     floats,
	Result:     normalised,
	Compose: func(c *Call) *Node {
		z, _, s := shiftedExp(c.In[0], c.Attr.(axisAttr).Axis)
		return Cast(Sub(z, Log(s)), c.dt(0))
	},
	// ∂L/∂x = dy - softmax(x) · Σ dy.
	Grad: func(b *Back) {
		y, d := widen(b.Out()), widen(b.Grad())
		s := foldAlong(Sum, d, b.Attr().(axisAttr).Axis)
		b.Add(0, Cast(Sub(d, chain(s, Exp(y))), b.In(0).dtype))
	},
})

// shiftedExp gives z = x - max x, e^z and Σ e^z along axis, all in float32 or
// float64, the sum with an axis of extent 1.
func shiftedExp(x *Node, axis int) (z, e, s *Node) {
	x = widen(x)
	z = Sub(x, foldAlong(Max, x, axis))
	e = Exp(z)
	return z, e, foldAlong(Sum, e, axis)
}

// foldAlong reduces x over axis and leaves an axis of extent 1 in its place.
func foldAlong(fold func(x *Node, axes ...int) *Node, x *Node, axis int) *Node {
	return ExpandDims(fold(x, axis), axis)
}

// widen gives x in float32 if it is a 16-bit float: compositions do so where a
// value that is stored on the way must not be rounded to 16 bits.
func widen(x *Node) *Node {
	if x.dtype == tensor.Float16 || x.dtype == tensor.BFloat16 {
		return Cast(x, tensor.Float32)
	}
	return x
}

// normalised is the rule of ops that normalise along an axis.
func normalised(c *Call) ([]int, tensor.DType, error) {
	a, err := shapes.Axis(c.Attr.(axisAttr).Axis, len(c.shape(0)))
	if err != nil {
		return nil, 0, err
	}
	if c.shape(0)[a] == 0 {
		return nil, 0, fmt.Errorf("axis %d of %v is empty: there is nothing to normalise", a, c.shape(0))
	}
	return same(c)
}
