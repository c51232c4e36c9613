package ops

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/vector"
)

// Sigmoid returns the logistic function of x, element by element:
//
//	y = 1 / (1 + e^-x)
//
// x is a float. Errors: dtype is not a float.
func Sigmoid(x *Node) *Node { return apply("sigmoid", nil, x) }

var _ = define(Op{
	Name:     "sigmoid",
	Category: "activation",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad: func(b *Back) {
		y := b.Out()
		b.Add(0, b.Times(Mul(y, Sub(ScalarLike(y, 1), y))))
	},
	// The sum has terms of one sign, so the errors of exp (3), + and / only
	// add up; e^-x overflows only where y is below every normal number.
	Scalar: scalarOf("1.0f / exp_plus_1(-a)", 25, real1(sigmoidOf)),
})

func sigmoidOf(a float64) float64 { return 1 / (1 + hostExp(-a)) }

// SiLU returns the sigmoid linear unit of x, also called swish, element by
// element:
//
//	y = x / (1 + e^-x)
//
// x is a float; -Inf gives NaN. Errors: dtype is not a float.
// Source: Elfwing, Uchibe and Doya, Sigmoid-Weighted Linear Units (2017),
// section 2.
func SiLU(x *Node) *Node { return apply("silu", nil, x) }

var _ = define(Op{
	Name:     "silu",
	Category: "activation",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad: func(b *Back) {
		x := limited(b.In(0), 1000) // the slope is 0 or 1 beyond
		s := Sigmoid(x)
		b.Add(0, b.Times(Mul(s, Add(ScalarLike(s, 1), Mul(x, Sub(ScalarLike(s, 1), s))))))
	},
	Scalar: scalarOf("a / exp_plus_1(-a)", 25, real1(func(a float64) float64 { return a / (1 + hostExp(-a)) })),
})

// ReLU returns the rectified linear unit of x, element by element:
//
//	y = max(x, 0)
//
// NaN stays NaN. x is any number. The derivative at 0 is 0. Errors: dtype is
// bool.
func ReLU(x *Node) *Node { return apply("relu", nil, x) }

var _ = define(Op{
	Name:     "relu",
	Category: "activation",
	Operands: operandX,
	DTypes:   numbers,
	Result:   same,
	Grad: func(b *Back) {
		zero := ScalarLike(b.Out(), 0) // the sign of y tells that of x, which need not be kept
		b.Add(0, Where(Greater(b.Out(), zero), b.Grad(), zero))
	},
	Scalar: scalarOf("a < 0 ? 0 : a", 1, blocks1{vector.Positive, positiveTo[float64], positiveTo[int64], positiveTo[uint64]}.host),
	// The derivative has a step at 0, which random floats do not hit.
})

func positiveTo[T register](dst, a []T) {
	a = a[:len(dst)]
	for i := range dst {
		if dst[i] = a[i]; a[i] < 0 {
			dst[i] = 0
		}
	}
}

// LeakyReLU returns the leaky rectified linear unit of x, element by element:
//
//	y = x where x > 0, else slope · x
//
// x is a float; slope is rounded to its dtype. The derivative at 0 is slope.
// Errors: dtype is not a float.
// Source: Maas, Hannun and Ng, Rectifier Nonlinearities (2013), section 2.
func LeakyReLU(x *Node, slope float64) *Node { return apply("leaky_relu", slopeAttr{slope}, x) }

type slopeAttr struct {
	Slope float64 `default:"0.01" doc:"factor of what is negative"`
}

var _ = define(Op{
	Name:       "leaky_relu",
	Category:   "activation",
	Operands:   operandX,
	Attributes: AttributesOf[slopeAttr](),
	DTypes:     floats,
	Result:     same,
	Compose: func(c *Call) *Node {
		x := c.In[0]
		return Where(Greater(x, ScalarLike(x, 0)), x, Mul(x, ScalarLike(x, c.Attr.(slopeAttr).Slope)))
	},
})

// ELU returns the exponential linear unit of x, element by element:
//
//	y = x where x > 0, else alpha · (e^x - 1)
//
// x is a float; alpha is rounded to its dtype. The derivative at 0 is alpha.
// Errors: dtype is not a float.
// Source: Clevert, Unterthiner and Hochreiter, Exponential Linear Units (2015),
// section 3.
func ELU(x *Node, alpha float64) *Node { return apply("elu", eluAttr{alpha}, x) }

type eluAttr struct {
	Alpha float64 `default:"1" doc:"factor of e^x - 1 where x is negative"`
}

var _ = define(Op{
	Name:       "elu",
	Category:   "activation",
	Operands:   operandX,
	Attributes: AttributesOf[eluAttr](),
	DTypes:     floats,
	Result:     same,
	Compose: func(c *Call) *Node {
		x := c.In[0]
		return Where(Greater(x, ScalarLike(x, 0)), x, Mul(ScalarLike(x, c.Attr.(eluAttr).Alpha), Expm1(x)))
	},
	// Not through the composition: e^x of a large x would be infinite there,
	// and infinity times the 0 of the branch not taken is NaN.
	Grad: func(b *Back) {
		x, d := b.In(0), b.Grad()
		zero := ScalarLike(x, 0)
		slope := Mul(ScalarLike(x, b.Attr().(eluAttr).Alpha), Exp(Where(Greater(x, zero), zero, x)))
		b.Add(0, Where(Greater(x, zero), d, chain(d, slope)))
	},
})

// GELU returns the Gaussian error linear unit of x, element by element:
//
//	y = x · Φ(x) = x/2 · erfc(-x/√2)
//
// where Φ is the distribution function of the standard normal distribution. x
// is a float; -Inf gives NaN. Errors: dtype is not a float.
// Source: Hendrycks and Gimpel, Gaussian Error Linear Units (2016), section 2.
func GELU(x *Node) *Node { return apply("gelu", nil, x) }

var _ = define(Op{
	Name:     "gelu",
	Category: "activation",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad: func(b *Back) {
		x := limited(b.In(0), 50) // the slope is 0 or 1 beyond
		half := ScalarLike(x, 0.5)
		cdf := Mul(half, Add(ScalarLike(x, 1), Erf(Mul(x, ScalarLike(x, math.Sqrt2/2)))))
		pdf := Mul(ScalarLike(x, 1/math.Sqrt(2*math.Pi)), Exp(Neg(Mul(half, Square(x)))))
		b.Add(0, b.Times(Add(cdf, Mul(x, pdf))))
	},
	Scalar: scalarOf("0.5f * a * erfc(-a * M_SQRT1_2_F)", 35, real1(func(a float64) float64 {
		return a / 2 * math.Erfc(-a*(math.Sqrt2/2))
	})),
	// erfc is good to 16; its argument z, good to 1, moves it by up to
	// 2z² + 1 times as much, which is x² + 1 = 17 at x = -4. 1 + erf instead
	// would lose every digit there.
})

// GELUTanh returns the usual approximation of GELU, element by element:
//
//	y = x/2 · (1 + tanh u) = x / (1 + e^-2u),  u = √(2/π) · (x + 0.044715 x³)
//
// x is a float; -Inf gives NaN. It differs from GELU by up to 0.0005. Errors: dtype is not a float.
// Source: Hendrycks and Gimpel, Gaussian Error Linear Units (2016), section 2.
func GELUTanh(x *Node) *Node { return apply("gelu_tanh", nil, x) }

// The factors of x and of x³ in the exponent -2u.
var geluLinear, geluCubic = -2 * math.Sqrt(2/math.Pi), -2 * math.Sqrt(2/math.Pi) * 0.044715

var _ = define(Op{
	Name:     "gelu_tanh",
	Category: "activation",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad: func(b *Back) {
		x := limited(b.In(0), 50) // the slope is 0 or 1 beyond
		linear, cubic, square := ScalarLike(x, -geluLinear), ScalarLike(x, -geluCubic), Square(x)
		s := Sigmoid(Mul(x, Add(linear, Mul(cubic, square))))
		slope := Add(linear, Mul(ScalarLike(x, -3*geluCubic), square)) // of 2u
		b.Add(0, b.Times(Mul(s, Add(ScalarLike(x, 1), Mul(Mul(x, slope), Sub(ScalarLike(x, 1), s))))))
	},
	Scalar: scalarOf(fmt.Sprintf("a / exp_plus_1(a * (%.17gf + %.17gf * a * a))", geluLinear, geluCubic), 30, real1(func(a float64) float64 {
		return a / (1 + math.Exp(a*(geluLinear+geluCubic*a*a)))
	})),
	// 6 as SiLU; the exponent is good to 2, which counts as often as it is large: 11 at x = -4.
})

// Softplus returns a smooth form of ReLU, element by element:
//
//	y = log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)
//
// x is a float. Errors: dtype is not a float.
// Source: Dugas et al., Incorporating Second-Order Functional Knowledge (2000),
// section 2.
func Softplus(x *Node) *Node { return apply("softplus", nil, x) }

var _ = define(Op{
	Name:     "softplus",
	Category: "activation",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, b.Times(Sigmoid(b.In(0)))) },
	Scalar: scalarOf("fmax(a, 0.0f) + log1p(exp(-fabs(a)))", 45, real1(func(a float64) float64 {
		return math.Max(a, 0) + math.Log1p(math.Exp(-math.Abs(a)))
	})),
})

// HardSwish returns a piecewise approximation of SiLU, element by element:
//
//	y = x · min(max(x + 3, 0), 6) / 6
//
// x is a float; -Inf gives NaN. The derivative is 0 at -3 and 1 at 3. Errors:
// dtype is not a float.
// Source: Howard et al., Searching for MobileNetV3 (2019), section 5.2.
func HardSwish(x *Node) *Node { return apply("hardswish", nil, x) }

var _ = define(Op{
	Name:     "hardswish",
	Category: "activation",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad: func(b *Back) {
		x, d := b.In(0), b.Grad()
		three := ScalarLike(x, 3)
		slope := Div(Add(Add(x, x), three), ScalarLike(x, 6))
		inside := Where(Greater(x, ScalarLike(x, -3)), slope, ScalarLike(x, 0))
		b.Add(0, chain(d, Where(Less(x, three), inside, ScalarLike(x, 1))))
	},
	// Divided first, because 6·x may overflow.
	Scalar: scalarOf("a * (fmin(fmax(a + 3.0f, 0.0f), 6.0f) / 6.0f)", 6, real1(func(a float64) float64 {
		return a * (math.Min(math.Max(a+3, 0), 6) / 6)
	})),
})
