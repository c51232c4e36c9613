package special

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/hostmath"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// LGamma returns the logarithm of the magnitude of the gamma function, element by element:
//
//	y = log |Γ(x)|
//
// x is a float; 0 and negative whole numbers give +Inf. Errors: dtype is not a float.
func LGamma(x *ops.Node) *ops.Node { return ops.Apply("special.lgamma", nil, x) }

// GammaLn is [LGamma], under its name in SciPy and JAX.
func GammaLn(x *ops.Node) *ops.Node { return LGamma(x) }

var _ = ops.MustDefine(ops.Op{
	Name: "special.lgamma", Category: "special function", Operands: operandX, DTypes: dtypes.Floats, Result: ops.SameResult,
	Grad: func(b *ops.Back) { b.Add(0, b.Times(Digamma(b.In(0)))) },
	Scalar: scalarOf1("special_lgamma(a)", 60, func(a float64) float64 {
		if math.IsInf(a, 0) { // as in C
			return math.Inf(1)
		}
		if a != 0 && math.Abs(a) < 0x1p-1000 { // math.Log of subnormals is wrong on some machines
			return -hostmath.Log(math.Abs(a))
		}
		y, _ := math.Lgamma(a)
		return y
	}),
})

// Digamma returns the derivative of the logarithm of the gamma function, element by element:
//
//	y = Γ'(x) / Γ(x)
//
// x is a float; 0 gives an infinity of the other sign, negative whole numbers give NaN. Errors: dtype is not a float.
func Digamma(x *ops.Node) *ops.Node { return ops.Apply("special.digamma", nil, x) }

var _ = ops.MustDefine(ops.Op{
	Name: "special.digamma", Category: "special function", Operands: operandX, DTypes: dtypes.Floats, Result: ops.SameResult,
	Grad:   func(b *ops.Back) { b.Add(0, b.Times(Polygamma(1, b.In(0)))) },
	Scalar: scalarOf1("special_digamma(a)", 60, digammaOf),
})

func digammaOf(a float64) float64 {
	switch {
	case a == 0:
		return math.Copysign(math.Inf(1), -math.Copysign(1, a))
	case math.IsInf(a, 1):
		return a
	case a < 0 && a == math.Floor(a):
		return math.NaN()
	}
	y := 0.0
	if a < 0 {
		y, a = -math.Pi*hostmath.CosPi(a)/hostmath.SinPi(a), 1-a
	}
	for ; a < 10; a++ {
		y -= 1 / a
	}
	z := 1 / (a * a)
	p := 0.0
	for _, c := range []float64{1. / 12, -691. / 32760, 1. / 132, -1. / 240, 1. / 252, -1. / 120, 1. / 12} { // Bernoulli numbers
		p = p*z + c
	}
	return y + math.Log(a) - 1/(2*a) - z*p
}

// Polygamma returns the derivative of order n of [Digamma], element by element:
//
//	y = dⁿ/dxⁿ digamma(x) = (-1)^(n+1) n! ζ(n+1, x)
//
// x is a float. Errors: dtype is not a float; n is negative or above 30.
func Polygamma(n int, x *ops.Node) *ops.Node {
	return ops.Apply("special.polygamma", polygammaAttr{n}, x)
}

type polygammaAttr struct {
	N int `doc:"order of the derivative"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "special.polygamma", Category: "special function", Attributes: ops.AttributesOf[polygammaAttr](), Operands: operandX,
	DTypes: dtypes.Floats,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		if n := c.Attr.(polygammaAttr).N; n < 0 || n > 30 {
			return nil, 0, fmt.Errorf("the order %d is not one of 0 to 30", n)
		}
		return ops.SameResult(c)
	},
	Compose: func(c *ops.Call) *ops.Node {
		n, x := c.Attr.(polygammaAttr).N, c.In[0]
		if n == 0 {
			return Digamma(x)
		}
		x = ops.Widen(x)
		sign := float64(2*(n%2) - 1)
		return ops.Cast(ops.Mul(Zeta(float64(n+1), x), sign*math.Gamma(float64(n+1))), c.DType(0))
	},
	Grad: func(b *ops.Back) {
		b.Add(0, b.Times(Polygamma(b.Attr().(polygammaAttr).N+1, b.In(0))))
	},
})

// Zeta returns the Hurwitz zeta function, element by element, with NumPy broadcasting:
//
//	y = Σ_{k >= 0} (q + k)^-s
//
// s and q have the same float dtype. s below 1 gives NaN, 1 gives +Inf; so do 0 and negative whole q. The second derivative by s is the
// last one; where q is not positive there is none by s: it is NaN. Errors: dtypes differ or are no floats; shapes do not broadcast.
func Zeta[S, Q ops.NodeOrNumber](s S, q Q) *ops.Node {
	return ops.ApplyNumbers("special.zeta", nil, s, q)
}

var _ = ops.MustDefine(ops.Op{
	Name: "special.zeta", Category: "special function", Operands: []ops.Operand{{Name: "s"}, {Name: "q"}}, DTypes: dtypes.Floats,
	Result: ops.BroadcastResult,
	Grad: func(b *ops.Back) {
		s, q := b.In(0), b.In(1)
		if b.Wants(0) {
			b.Add(0, b.Times(ops.Apply("special.zeta_slope", zetaSlopeAttr{1}, s, q)))
		}
		b.Add(1, ops.Neg(b.Times(ops.Mul(s, Zeta(ops.Add(s, 1), q)))))
	},
	Scalar: scalarOf2("special_zeta(a, b)", 400, zetaOf),
})

func zetaOf(s, q float64) float64 {
	switch {
	case s != s || q != q || s < 1:
		return math.NaN()
	case s == 1 || q <= 0 && q == math.Floor(q):
		return math.Inf(1)
	case q <= 0 && s != math.Floor(s):
		return math.NaN()
	case math.IsInf(s, 1):
		return math.Pow(math.Abs(q), -s)
	}
	return mathext.Zeta(s, q)
}

// MvLGamma returns the logarithm of the gamma function of p variables, element by element:
//
//	y = p(p-1)/4 · log π + Σ_{j < p} log Γ(x - j/2)
//
// x is a float, above (p-1)/2. Errors: dtype is not a float; p is not positive or above 100.
func MvLGamma(x *ops.Node, p int) *ops.Node { return ops.Apply("special.mvlgamma", mvlgammaAttr{p}, x) }

type mvlgammaAttr struct {
	P int `doc:"number of variables"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "special.mvlgamma", Category: "special function", Attributes: ops.AttributesOf[mvlgammaAttr](), Operands: operandX,
	DTypes: dtypes.Floats,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		if p := c.Attr.(mvlgammaAttr).P; p < 1 || p > 100 {
			return nil, 0, fmt.Errorf("%d variables are not 1 to 100", p)
		}
		return ops.SameResult(c)
	},
	Compose: func(c *ops.Call) *ops.Node {
		p, x := c.Attr.(mvlgammaAttr).P, ops.Widen(c.In[0])
		y := LGamma(x)
		for j := 1; j < p; j++ {
			y = ops.Add(y, LGamma(ops.Sub(x, float64(j)/2)))
		}
		return ops.Cast(ops.Add(y, float64(p*(p-1))/4*math.Log(math.Pi)), c.DType(0))
	},
})

// LBeta returns the logarithm of the beta function, element by element, with NumPy broadcasting:
//
//	y = log Γ(a) + log Γ(b) - log Γ(a + b)
//
// a and b have the same float dtype. Errors: dtypes differ or are no floats; shapes do not broadcast.
func LBeta(a, b *ops.Node) *ops.Node {
	return ops.Sub(ops.Add(LGamma(a), LGamma(b)), LGamma(ops.Add(a, b)))
}

// IGamma returns the regularised lower incomplete gamma function, element by element, with NumPy broadcasting:
//
//	y = 1/Γ(a) · ∫_0^x t^(a-1) e^-t dt
//
// a and x have the same float dtype, and are not negative. The derivative by a is that of its series or its continued fraction, which go
// on for 20000 terms at most and so lose digits where a and x are above 10^7; its own derivative by a is NaN: none is known here. Errors:
// dtypes differ or are no floats; shapes do not broadcast.
func IGamma[A, B ops.NodeOrNumber](a A, x B) *ops.Node {
	return ops.ApplyNumbers("special.igamma", nil, a, x)
}

// IGammaC returns 1 - [IGamma], the upper incomplete gamma function, exact also where it is small.
func IGammaC[A, B ops.NodeOrNumber](a A, x B) *ops.Node {
	return ops.ApplyNumbers("special.igammac", nil, a, x)
}

var _ = ops.MustDefine(incompleteOp("igamma", 1, mathext.GammaIncReg))

var _ = ops.MustDefine(incompleteOp("igammac", -1, mathext.GammaIncRegComp))

// unknown gives operand i the derivative NaN, which nobody takes for a number.
func unknown(b *ops.Back, i int) {
	if b.Wants(i) {
		b.Add(i, b.Times(ops.ScalarLike(b.Grad(), math.NaN())))
	}
}

func incompleteOp(name string, sign float64, f func(a, x float64) float64) ops.Op {
	return ops.Op{
		Name: "special." + name, Category: "special function", Operands: []ops.Operand{{Name: "a"}, {Name: "x"}}, DTypes: dtypes.Floats,
		Result: ops.BroadcastResult,
		Grad: func(b *ops.Back) { // x^(a-1) e^-x / Γ(a)
			a, x := b.In(0), b.In(1)
			if b.Wants(0) {
				b.Add(0, ops.Mul(b.Times(ops.Apply("special.igamma_slope", nil, a, x)), sign))
			}
			b.Add(1, ops.Mul(b.Times(gammaDensity(a, x)), sign))
		},
		Scalar: scalarOf2("special_"+name+"(a, b)", 600, func(a, x float64) float64 {
			switch {
			case !(a >= 0) || !(x >= 0) || a == 0 && x == 0 || math.IsInf(a, 1) && math.IsInf(x, 1):
				return math.NaN()
			case a == 0 || math.IsInf(x, 1):
				return (1 + sign) / 2
			case x == 0 || math.IsInf(a, 1):
				return (1 - sign) / 2
			}
			return f(a, x)
		}),
	}
}
