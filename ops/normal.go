package ops

import (
	"math"

	"github.com/anycl/anycl/internal/hostmath"
)

// Erfinv returns the number whose error function is x, element by element:
//
//	erf(y) = x
//
// x is a float; ±1 gives infinities, beyond the result is NaN. Errors: dtype is not a float.
func Erfinv(x *Node) *Node { return apply("erfinv", nil, x) }

var _ = define(Op{
	Name: "erfinv", Category: "special function", Operands: operandX, DTypes: floats, Result: same,
	Grad: func(b *Back) {
		b.Add(0, b.Times(Mul(Exp(Square(b.Out())), math.Sqrt(math.Pi)/2)))
	},
	Scalar: scalarOf("special_erfinv(a)", 200, real1(math.Erfinv)),
})

// Erfcx returns the scaled complementary error function of x, element by element:
//
//	y = e^(x²) · erfc(x)
//
// x is a float. Errors: dtype is not a float.
func Erfcx(x *Node) *Node { return apply("erfcx", nil, x) }

var _ = define(Op{
	Name: "erfcx", Category: "special function", Operands: operandX, DTypes: floats, Result: same,
	Grad: func(b *Back) {
		y := b.Out()
		b.Add(0, b.Times(Sub(Mul(Mul(b.In(0), 2), y), ScalarLike(y, 2/math.Sqrt(math.Pi)))))
	},
	Scalar: scalarOf("special_erfcx(a)", 60, real1(erfcxOf)),
})

// erfcxOf is the product below 8, and a continued fraction from there on.
func erfcxOf(x float64) float64 {
	if x < 8 {
		if x < -27 {
			return math.Inf(1)
		}
		s := x * x
		return hostExp(s) * (1 + math.FMA(x, x, -s)) * math.Erfc(x)
	}
	if x > 1e8 {
		return 1 / math.Sqrt(math.Pi) / x // √π x may overflow
	}
	f := x // x + (1/2)/(x + 1/(x + (3/2)/(x + ...)))
	for k := 40; k >= 1; k-- {
		f = x + float64(k)/2/f
	}
	return 1 / (math.Sqrt(math.Pi) * f)
}

// LogNDTR returns the logarithm of the distribution function of the standard normal distribution, exact also far below, element by element:
//
//	y = log NDTR(x)
//
// x is a float. Errors: dtype is not a float.
func LogNDTR(x *Node) *Node { return apply("log_ndtr", nil, x) }

var _ = define(Op{
	Name: "log_ndtr", Category: "special function", Operands: operandX, DTypes: floats, Result: same,
	Grad: func(b *Back) { // the density by the distribution: 2 / √(2π) / erfcx(-x/√2)
		x := b.In(0)
		b.Add(0, chainOver(Mul(b.Grad(), math.Sqrt(2/math.Pi)), Erfcx(Mul(x, -math.Sqrt2/2))))
	},
	Scalar: scalarOf("special_log_ndtr(a)", 80, real1(logNDTROf)),
})

func logNDTROf(x float64) float64 {
	if x < -1 {
		return math.Log(erfcxOf(-x*(math.Sqrt2/2))/2) - x*x/2
	}
	return math.Log1p(-math.Erfc(x*(math.Sqrt2/2)) / 2)
}

// NDTRI returns the number below which a standard normal variable lies with the probability x, element by element:
//
//	NDTR(y) = x
//
// x is a float; 0 and 1 give infinities, beyond the result is NaN. Errors: dtype is not a float.
func NDTRI(x *Node) *Node { return apply("ndtri", nil, x) }

var _ = define(Op{
	Name: "ndtri", Category: "special function", Operands: operandX, DTypes: floats, Result: same,
	Grad: func(b *Back) {
		b.Add(0, b.Times(Mul(Exp(Mul(Square(b.Out()), 0.5)), math.Sqrt(2*math.Pi))))
	},
	Scalar: scalarOf("special_ndtri(a)", 250, real1(ndtriOf)),
})

func ndtriOf(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p > 0.5:
		return -ndtriOf(1 - p)
	case p == 0:
		return math.Inf(-1)
	case p == 0.5:
		return 0
	case p > 0.02:
		return math.Sqrt2 * math.Erfinv(2*p-1)
	}
	// Newton's method for the logarithm.
	l := hostmath.Log(p)
	s := math.Sqrt(-2 * l)
	x := math.Log(math.Sqrt(2*math.Pi)*s)/s - s
	for range 5 {
		x -= (logNDTROf(x) - l) * math.Sqrt(math.Pi/2) * erfcxOf(-x*(math.Sqrt2/2))
	}
	return x
}
