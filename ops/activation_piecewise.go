package ops

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/tensor"
)

// Activations that are straight lines, or nearly, with steps or corners between them.

// ReLU6 returns ReLU limited to 6, element by element:
//
//	y = min(max(x, 0), 6)
//
// NaN stays NaN. x is a float. The derivative at 0 and 6 is 0. Errors: dtype is not a float.
// Source: Howard et al., MobileNets (2017).
func ReLU6(x *Node) *Node { return apply("relu6", nil, x) }

var _ = define(Op{
	Name: "relu6", Category: "activation", Operands: operandX, DTypes: floats, Result: same,
	Compose: func(c *Call) *Node { return Clip(c.In[0], 0, 6) },
	Grad:    func(b *Back) { b.between(0, 6) },
})

// between passes the derivative on where operand 0 lies between the limits.
func (b *Back) between(lo, hi float64) {
	x := b.In(0)
	b.Add(0, Where(And(Greater(x, ScalarLike(x, lo)), Less(x, ScalarLike(x, hi))), b.Grad(), ScalarLike(x, 0)))
}

// HardTanh returns x limited to [lo, hi], element by element, as [Clip] does; PyTorch has -1 and 1 unless told otherwise. x is a float.
// The derivative at the limits is 0. Errors: dtype is not a float; as Clip.
func HardTanh(x *Node, lo, hi float64) *Node { return apply("hardtanh", hardTanhAttr{lo, hi}, x) }

type hardTanhAttr struct {
	Lo float64 `default:"-1" doc:"smallest value of the result"`
	Hi float64 `default:"1" doc:"largest value of the result"`
}

var _ = define(Op{
	Name: "hardtanh", Category: "activation", Attributes: AttributesOf[hardTanhAttr](), Operands: operandX, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		if a := c.Attr.(hardTanhAttr); !(a.Lo <= a.Hi) {
			return nil, 0, fmt.Errorf("nothing lies in [%v, %v]", a.Lo, a.Hi)
		}
		return same(c)
	},
	Compose: func(c *Call) *Node {
		a := c.Attr.(hardTanhAttr)
		return Clip(c.In[0], a.Lo, a.Hi)
	},
	Grad: func(b *Back) {
		a := b.Attr().(hardTanhAttr)
		b.between(a.Lo, a.Hi)
	},
})

// HardSigmoid returns a piecewise approximation of the logistic function, element by element:
//
//	y = min(max(x/6 + 1/2, 0), 1)
//
// By name the op has the slope as attribute alpha and the offset as beta, for ONNX, where they are 0.2 and 0.5. NaN stays NaN. x is a
// float. The derivative at the corners is 0. Errors: dtype is not a float.
// Source: ONNX, operator HardSigmoid.
func HardSigmoid(x *Node) *Node { return apply("hardsigmoid", hardSigmoidAttr{1. / 6, 0.5}, x) }

type hardSigmoidAttr struct {
	Alpha float64 `default:"0.16666666666666666" doc:"slope between the corners"`
	Beta  float64 `default:"0.5" doc:"value at 0"`
}

var _ = define(Op{
	Name: "hardsigmoid", Category: "activation", Attributes: AttributesOf[hardSigmoidAttr](), Operands: operandX, DTypes: floats, Result: same,
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(hardSigmoidAttr), c.In[0]
		return Clip(a.line(x), 0, 1)
	},
	Grad: func(b *Back) {
		a, x := b.Attr().(hardSigmoidAttr), b.In(0)
		y := a.line(x)
		inside := And(Greater(y, ScalarLike(y, 0)), Less(y, ScalarLike(y, 1)))
		b.Add(0, Where(inside, b.Times(ScalarLike(x, a.Alpha)), ScalarLike(x, 0)))
	},
})

// line is the linear function Alpha·x + Beta of HardSigmoid, before it is clipped. For the slope 1/6, which no float is, it divides by 6.
func (a hardSigmoidAttr) line(x *Node) *Node {
	if a.Alpha == 1./6 {
		return Div(Add(x, ScalarLike(x, 6*a.Beta)), ScalarLike(x, 6))
	}
	return Add(Mul(x, ScalarLike(x, a.Alpha)), ScalarLike(x, a.Beta))
}

// HardShrink returns x with small elements set to 0, element by element:
//
//	y = x where |x| > lambda, else 0
//
// NaN stays NaN. x is a float. Errors: dtype is not a float.
// Source: PyTorch, class Hardshrink, where lambda is 0.5 unless given.
func HardShrink(x *Node, lambda float64) *Node {
	return apply("hardshrink", shrinkAttr{Lambda: lambda}, x)
}

// SoftShrink returns x moved towards 0, element by element:
//
//	y = x - lambda where x > lambda, x + lambda where x < -lambda, else 0
//
// NaN stays NaN. x is a float. The derivative at ±lambda is 0. Errors: dtype is not a float; lambda is negative or NaN.
// Source: PyTorch, class Softshrink, where lambda is 0.5 unless given.
func SoftShrink(x *Node, lambda float64) *Node {
	return apply("softshrink", shrinkAttr{Lambda: lambda}, x)
}

type shrinkAttr struct {
	Lambda float64 `default:"0.5" doc:"what is nearer to 0 becomes 0"`
}

var _ = define(Op{
	Name: "hardshrink", Category: "activation", Attributes: AttributesOf[shrinkAttr](), Operands: operandX, DTypes: floats, Result: same,
	Compose: func(c *Call) *Node {
		x := c.In[0]
		return Where(LessEqual(Abs(x), ScalarLike(x, c.Attr.(shrinkAttr).Lambda)), ScalarLike(x, 0), x)
	},
})

var _ = define(Op{
	Name: "softshrink", Category: "activation", Attributes: AttributesOf[shrinkAttr](), Operands: operandX, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		if l := c.Attr.(shrinkAttr).Lambda; !(l >= 0) {
			return nil, 0, fmt.Errorf("lambda is %v, which is not 0 or above", l)
		}
		return same(c)
	},
	Compose: func(c *Call) *Node {
		x, l := c.In[0], c.Attr.(shrinkAttr).Lambda
		return Sub(x, Clip(x, -l, l))
	},
	Grad: func(b *Back) {
		x := b.In(0)
		far := Greater(Abs(x), ScalarLike(x, b.Attr().(shrinkAttr).Lambda))
		b.Add(0, Where(far, b.Grad(), ScalarLike(x, 0)))
	},
})

// Shrink returns x moved towards 0 by bias, with small elements set to 0, element by element:
//
//	y = x - bias where x > lambda, x + bias where x < -lambda, else 0
//
// NaN gives 0. x is a float. Errors: dtype is not a float.
// Source: ONNX, operator Shrink.
func Shrink(x *Node, lambda, bias float64) *Node {
	return apply("shrink", shrinkBiasAttr{lambda, bias}, x)
}

type shrinkBiasAttr struct {
	Lambda float64 `attr:"lambd" default:"0.5" doc:"what is nearer to 0 becomes 0"`
	Bias   float64 `default:"0" doc:"how far the rest moves"`
}

var _ = define(Op{
	Name: "shrink", Category: "activation", Attributes: AttributesOf[shrinkBiasAttr](), Operands: operandX, DTypes: floats, Result: same,
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(shrinkBiasAttr), c.In[0]
		bias, zero := ScalarLike(x, a.Bias), ScalarLike(x, 0)
		below := Where(Less(x, ScalarLike(x, -a.Lambda)), Add(x, bias), zero)
		return Where(Greater(x, ScalarLike(x, a.Lambda)), Sub(x, bias), below)
	},
})

// Threshold returns x where it is above a threshold and a value elsewhere, element by element:
//
//	y = x where x > threshold, else value
//
// NaN gives value. x is any number. Errors: dtype is bool.
func Threshold(x *Node, threshold, value float64) *Node {
	return apply("threshold", thresholdAttr{threshold, value}, x)
}

// ThresholdedReLU is [Threshold] with the value 0; ONNX has alpha = 1 unless told otherwise.
func ThresholdedReLU(x *Node, alpha float64) *Node { return Threshold(x, alpha, 0) }

type thresholdAttr struct {
	Threshold float64 `default:"0" doc:"above which x stays"`
	Value     float64 `default:"0" doc:"what the rest becomes"`
}

var _ = define(Op{
	Name: "threshold", Category: "activation", Attributes: AttributesOf[thresholdAttr](), Operands: operandX, DTypes: numbers, Result: same,
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(thresholdAttr), c.In[0]
		t := a.Threshold
		if x.dtype.IsInt() {
			t = math.Floor(t)
		}
		return Where(Greater(x, ScalarLike(x, t)), x, ScalarLike(x, a.Value))
	},
})

// PReLU returns the leaky rectified linear unit of x with a slope that is learned, element by element:
//
//	y = x where x > 0, else slope · x
//
// slope broadcasts against x by the NumPy rules, but for a vector with x of two axes or more: that is one slope for each
// channel, along axis 1, as in PyTorch. Both have the same float dtype. The derivative at 0 is slope. Errors: dtypes; slope does not
// broadcast to x.
// Source: He et al., Delving Deep into Rectifiers (2015), section 2.1.
func PReLU(x, slope *Node) *Node { return apply("prelu", nil, x, slope) }

var _ = define(Op{
	Name: "prelu", Category: "activation", Operands: []Operand{{Name: "x"}, {Name: "slope"}}, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		x, s := c.shape(0), c.shape(1)
		if len(s) == 1 && len(x) >= 2 {
			if s[0] != 1 && s[0] != x[1] {
				return nil, 0, fmt.Errorf("%d slopes are not one of each of the %d channels of %v", s[0], x[1], x)
			}
			return x, c.dt(0), nil
		}
		shape, err := broadcastShapes(c)
		if err == nil && fmt.Sprint(shape) != fmt.Sprint(x) {
			err = fmt.Errorf("slopes %v do not broadcast to %v", s, x)
		}
		return shape, c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		x, s := c.In[0], c.In[1]
		if s.Rank() == 1 && x.Rank() >= 2 {
			for range x.Rank() - 2 {
				s = ExpandDims(s, -1)
			}
		}
		return Where(Greater(x, ScalarLike(x, 0)), x, Mul(s, x))
	},
})

// RReLU returns the randomised leaky rectified linear unit in inference: [LeakyReLU] with the slope in
// the middle between lower and upper. PyTorch has 1/8 and 1/3 unless told otherwise.
// Source: Xu et al., Empirical Evaluation of Rectified Activations (2015), section 2.
func RReLU(x *Node, lower, upper float64) *Node { return LeakyReLU(x, (lower+upper)/2) }
