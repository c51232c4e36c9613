package ops

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// CELU returns the continuously differentiable exponential linear unit of x, element by element:
//
//	y = x where x > 0, else alpha · (e^(x/alpha) - 1)
//
// x is a float; alpha is rounded to its dtype. Errors: dtype is not a float; alpha is 0.
// Source: Barron, Continuously Differentiable Exponential Linear Units (2017).
func CELU(x *Node, alpha float64) *Node { return apply("celu", celuAttr{alpha}, x) }

type celuAttr struct {
	Alpha float64 `default:"1" doc:"what the result of negative numbers goes to, but for the sign"`
}

var _ = define(Op{
	Name: "celu", Category: "activation", Attributes: AttributesOf[celuAttr](), Operands: operandX, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		if a := c.Attr.(celuAttr).Alpha; a == 0 || a != a {
			return nil, 0, fmt.Errorf("alpha is %v", a)
		}
		return same(c)
	},
	Compose: func(c *Call) *Node {
		x := c.In[0]
		alpha := ScalarLike(x, c.Attr.(celuAttr).Alpha)
		return Where(Greater(x, ScalarLike(x, 0)), x, Mul(alpha, Expm1(Div(x, alpha))))
	},
	Grad: func(b *Back) { // as ELU: e^x of a large x is not to be computed
		x, d := b.In(0), b.Grad()
		zero, alpha := ScalarLike(x, 0), ScalarLike(x, b.Attr().(celuAttr).Alpha)
		positive := Greater(x, zero)
		b.Add(0, Where(positive, d, Mul(d, Exp(Div(Where(positive, zero, x), alpha)))))
	},
})

// SELU returns the scaled exponential linear unit of x, element by element:
//
//	y = λ · ELU(x, α),  λ = 1.0507..., α = 1.6732...
//
// which keeps mean 0 and variance 1. By name the op has them as attributes gamma and alpha. x is a float. Errors: dtype is not a float.
// Source: Klambauer et al., Self-Normalizing Neural Networks (2017), equation 2.
func SELU(x *Node) *Node { return apply("selu", nil, x) }

type seluAttr struct {
	Alpha float64 `default:"1.6732632423543772" doc:"factor of e^x - 1 where x is negative"`
	Gamma float64 `default:"1.0507009873554805" doc:"factor of all"`
}

var _ = define(Op{
	Name: "selu", Category: "activation", Attributes: AttributesOf[seluAttr](), Operands: operandX, DTypes: floats, Result: same,
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(seluAttr), widen(c.In[0])
		return Cast(Mul(ScalarLike(x, a.Gamma), ELU(x, a.Alpha)), c.dt(0))
	},
})

// SoftSign returns x / (1 + |x|), element by element. x is a float; an infinity gives NaN. Errors: dtype is not a float.
func SoftSign(x *Node) *Node { return apply("softsign", nil, x) }

var _ = define(Op{
	Name: "softsign", Category: "activation", Operands: operandX, DTypes: floats, Result: same,
	Compose: func(c *Call) *Node {
		x := c.In[0]
		return Div(x, Add(ScalarLike(x, 1), Abs(x)))
	},
	Grad: func(b *Back) {
		x := b.In(0)
		b.Add(0, b.Over(Square(Add(ScalarLike(x, 1), Abs(x)))))
	},
})

// TanhShrink returns x - tanh x, element by element. x is a float. Errors: dtype is not a float.
func TanhShrink(x *Node) *Node { return apply("tanhshrink", nil, x) }

var _ = define(Op{
	Name: "tanhshrink", Category: "activation", Operands: operandX, DTypes: floats, Result: same,
	Compose: func(c *Call) *Node { return Sub(c.In[0], Tanh(c.In[0])) },
	Grad:    func(b *Back) { b.Add(0, b.Times(Square(Tanh(b.In(0))))) },
})

// Mish returns a smooth form of ReLU that is not monotonic, element by element:
//
//	y = x · tanh(log(1 + e^x))
//
// x is a float; -Inf gives NaN. Errors: dtype is not a float.
// Source: Misra, Mish: A Self Regularized Non-Monotonic Activation Function (2019), section 2.
func Mish(x *Node) *Node { return apply("mish", nil, x) }

var _ = define(Op{
	Name: "mish", Category: "activation", Operands: operandX, DTypes: floats, Result: same,
	Compose: func(c *Call) *Node { return Mul(c.In[0], Tanh(Softplus(c.In[0]))) },
	Grad: func(b *Back) {
		x := limited(b.In(0), 100) // the slope is 0 or 1 beyond
		t := Tanh(Softplus(x))
		b.Add(0, b.Times(Add(t, Mul(Mul(x, Sigmoid(x)), Sub(ScalarLike(x, 1), Square(t))))))
	},
})

// LogSigmoid returns the logarithm of the logistic function, element by element:
//
//	y = log(1 / (1 + e^-x)) = -log(1 + e^-x)
//
// x is a float. Errors: dtype is not a float.
func LogSigmoid(x *Node) *Node { return apply("logsigmoid", nil, x) }

var _ = define(Op{
	Name: "logsigmoid", Category: "activation", Operands: operandX, DTypes: floats, Result: same,
	Compose: func(c *Call) *Node { return Neg(Softplus(Neg(c.In[0]))) },
})

// SoftplusBeta is [Softplus] with a sharpness, and a line where it is one but for rounding:
//
//	y = 1/beta · log(1 + e^(beta·x)),  x where beta·x > threshold
//
// PyTorch has beta = 1 and threshold = 20 unless told otherwise. x is a float. Errors: dtype is not a float; beta is 0.
// Source: PyTorch, class Softplus.
func SoftplusBeta(x *Node, beta, threshold float64) *Node {
	return apply("softplus_beta", softplusAttr{beta, threshold}, x)
}

type softplusAttr struct {
	Beta      float64 `default:"1" doc:"how sharp the bend is"`
	Threshold float64 `default:"20" doc:"of beta·x, above which the result is x"`
}

var _ = define(Op{
	Name: "softplus_beta", Category: "activation", Attributes: AttributesOf[softplusAttr](), Operands: operandX, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		if a := c.Attr.(softplusAttr).Beta; a == 0 || a != a {
			return nil, 0, fmt.Errorf("beta is %v", a)
		}
		return same(c)
	},
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(softplusAttr), c.In[0]
		beta := ScalarLike(x, a.Beta)
		t := Mul(x, beta)
		return Where(Greater(t, ScalarLike(x, a.Threshold)), x, Div(Softplus(t), beta))
	},
})

// QuickGELU returns an approximation of GELU by the logistic function, element by element:
//
//	y = x / (1 + e^(-1.702 x))
//
// By name the op has the factor as attribute alpha. x is a float; -Inf gives NaN. Errors: dtype is not a float.
// Source: Hendrycks and Gimpel, Gaussian Error Linear Units (2016), section 2; ONNX Runtime, operator QuickGelu.
func QuickGELU(x *Node) *Node { return apply("quick_gelu", nil, x) }

type quickGELUAttr struct {
	Alpha float64 `default:"1.702" doc:"factor of x in the exponent"`
}

var _ = define(Op{
	Name: "quick_gelu", Category: "activation", Attributes: AttributesOf[quickGELUAttr](), Operands: operandX, DTypes: floats, Result: same,
	Compose: func(c *Call) *Node {
		x := widen(c.In[0])
		return Cast(Mul(x, Sigmoid(Mul(x, ScalarLike(x, c.Attr.(quickGELUAttr).Alpha)))), c.dt(0))
	},
	Grad: func(b *Back) {
		alpha := b.Attr().(quickGELUAttr).Alpha
		x := limited(b.In(0), 1000)
		s, t := Sigmoid(Mul(x, ScalarLike(x, alpha))), Mul(x, ScalarLike(x, alpha))
		b.Add(0, b.Times(Mul(s, Add(ScalarLike(s, 1), Mul(t, Sub(ScalarLike(s, 1), s))))))
	},
})

// GLU returns the gated linear unit of x: its first half along axis times the logistic function of its second:
//
//	y = a / (1 + e^-b),  x = [a, b] along axis
//
// x is a float. Errors: dtype is not a float; the axis does not exist or has an odd extent.
// Source: Dauphin et al., Language Modeling with Gated Convolutional Networks (2017), section 2.
func GLU(x *Node, axis int) *Node { return apply("glu", gateAttr{axis}, x) }

// SwiGLU returns the gated linear unit of x whose gate is [SiLU]: that of its first half along axis times its second:
//
//	y = a / (1 + e^-a) · b,  x = [a, b] along axis
//
// Otherwise as [GLU].
// Source: Shazeer, GLU Variants Improve Transformer (2020), equation 5.
func SwiGLU(x *Node, axis int) *Node { return apply("swiglu", gateAttr{axis}, x) }

type gateAttr struct {
	Axis int `default:"-1" doc:"that is cut in halves"`
}

var _ = define(gatedOp("glu", func(a, b *Node) *Node { return Mul(a, Sigmoid(b)) }))

var _ = define(gatedOp("swiglu", func(a, b *Node) *Node { return Mul(SiLU(a), b) }))

func gatedOp(name string, of func(a, b *Node) *Node) Op {
	return Op{
		Name: name, Category: "activation", Attributes: AttributesOf[gateAttr](), Operands: operandX, DTypes: floats,
		Complete: func(c *Call) error {
			if len(c.shape(0)) == 0 {
				return errors.New("a scalar has no halves")
			}
			axis, err := shapes.Axis(c.Attr.(gateAttr).Axis, len(c.shape(0)))
			c.Attr = gateAttr{axis}
			return err
		},
		Result: func(c *Call) ([]int, tensor.DType, error) {
			shape, axis := slices.Clone(c.shape(0)), c.Attr.(gateAttr).Axis
			if shape[axis]%2 != 0 {
				return nil, 0, fmt.Errorf("axis %d of %v has no halves", axis, shape)
			}
			shape[axis] /= 2
			return shape, c.dt(0), nil
		},
		Compose: func(c *Call) *Node {
			x, axis := c.In[0], c.Attr.(gateAttr).Axis
			half := x.shape[axis] / 2
			return of(part(x, axis, 0, half), part(x, axis, half, half))
		},
	}
}

// part is count steps of an axis of x from start on.
func part(x *Node, axis, start, count int) *Node {
	a := allOf(x)
	a.Start[axis], a.Shape[axis] = start, count
	if count == 0 {
		a.Start[axis] = 0
	}
	return apply("slice", a, x)
}

// Softmin returns the [Softmax] of -x along axis:
//
//	y = e^-x / Σ e^-x
//
// Errors: as Softmax.
func Softmin(x *Node, axis int) *Node { return apply("softmin", axisAttr{axis}, x) }

var _ = define(Op{
	Name: "softmin", Category: "normalization", Attributes: AttributesOf[axisAttr](), Operands: operandX, DTypes: floats,
	Complete: func(c *Call) error {
		axis, err := shapes.Axis(c.Attr.(axisAttr).Axis, len(c.shape(0)))
		c.Attr = axisAttr{axis}
		return err
	},
	Result:  same,
	Compose: func(c *Call) *Node { return Softmax(Neg(c.In[0]), c.Attr.(axisAttr).Axis) },
})

// NDTR returns the distribution function of the standard normal distribution, element by element:
//
//	y = 1/√(2π) · ∫_-∞^x e^(-t²/2) dt = 1/2 · erfc(-x/√2)
//
// x is a float. Errors: dtype is not a float.
func NDTR(x *Node) *Node { return apply("ndtr", nil, x) }

var _ = define(Op{
	Name: "ndtr", Category: "elementary function", Operands: operandX, DTypes: floats, Result: same,
	Grad: func(b *Back) { b.Add(0, b.Times(normalDensity(b.In(0)))) },
	Scalar: scalarOf("0.5f * erfc(-a * M_SQRT1_2_F)", 35, real1(func(a float64) float64 {
		return math.Erfc(-a*(math.Sqrt2/2)) / 2
	})),
})

// normalDensity is the density of the standard normal distribution, e^(-x²/2) / √(2π).
func normalDensity(x *Node) *Node {
	half := ScalarLike(x, math.Sqrt2/2)
	return Mul(ScalarLike(x, 1/(2*math.Sqrt2)), apply("erf_slope", nil, Mul(x, half)))
}

// Erfc returns the complementary error function of x, exact also where erf is nearly 1, element by element:
//
//	y = 1 - erf(x) = 2/√π · ∫_x^∞ e^(-t²) dt
//
// x is a float. Errors: dtype is not a float.
func Erfc(x *Node) *Node { return apply("erfc", nil, x) }

var _ = define(Op{
	Name: "erfc", Category: "elementary function", Operands: operandX, DTypes: floats, Result: same,
	Grad:   func(b *Back) { b.Add(0, Neg(b.Times(apply("erf_slope", nil, b.In(0))))) },
	Scalar: scalarOf("erfc(a)", 30, real1(math.Erfc)),
})
