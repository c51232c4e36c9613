package ops

import (
	"math"

	"github.com/anycl/anycl/internal/hostmath"
)

// LogAddExp returns the logarithm of the sum of exponentials, element by element, with NumPy broadcasting:
//
//	y = log(e^a + e^b) = max(a, b) + log(1 + e^-|a - b|)
//
// a and b have the same float dtype. Errors: dtypes differ or are no floats; shapes do not broadcast.
func LogAddExp[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("logaddexp", nil, a, b) }

var _ = define(Op{
	Name:     "logaddexp",
	Category: "arithmetic",
	Operands: operandsAB,
	DTypes:   floats,
	Result:   broadcast,
	Grad:     func(b *Back) { b.shareOfExponentials(1) },
	Scalar:   scalarOf("a == b ? a + M_LN2_F : fmax(a, b) + log1p(exp(-fabs(a - b)))", 45, real2(logAddExpOf)),
})

func logAddExpOf(a, b float64) float64 {
	if a == b { // also infinities, which have no difference
		return a + math.Ln2
	}
	return math.Max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b)))
}

// shareOfExponentials passes the derivative on by the shares of both terms; factor is the logarithm of the base.
func (b *Back) shareOfExponentials(factor float64) {
	x, y := b.In(0), b.In(1)
	same := And(Equal(x, y), IsInf(x)) // infinities have no difference
	d := Mul(Where(same, ScalarLike(x, 0), Sub(x, y)), ScalarLike(x, factor))
	b.Add(0, b.Times(Sigmoid(d)))
	b.Add(1, b.Times(Sigmoid(Neg(d))))
}

// LogAddExp2 is [LogAddExp] to base 2:
//
//	y = log₂(2^a + 2^b)
func LogAddExp2[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("logaddexp2", nil, a, b) }

var _ = define(Op{
	Name:     "logaddexp2",
	Category: "arithmetic",
	Operands: operandsAB,
	DTypes:   floats,
	Result:   broadcast,
	Grad:     func(b *Back) { b.shareOfExponentials(math.Ln2) },
	Scalar: scalarOf("a == b ? a + 1.0f : fmax(a, b) + M_LOG2E_F * log1p(exp2(-fabs(a - b)))", 45, real2(func(a, b float64) float64 {
		if a == b {
			return a + 1
		}
		return math.Max(a, b) + math.Log2E*math.Log1p(math.Exp2(-math.Abs(a-b)))
	})),
})

// XLogY returns a · log b, element by element, with NumPy broadcasting:
//
//	y = a · log b,  0 where a = 0 and b is not NaN
//
// The derivative by a is 0 where a = 0 and b <= 0, that by b where a = 0. a and b have the same float dtype. Errors: dtypes differ or are
// no floats; shapes do not broadcast.
func XLogY[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("xlogy", nil, a, b) }

var _ = define(Op{
	Name:     "xlogy",
	Category: "arithmetic",
	Operands: operandsAB,
	DTypes:   floats,
	Result:   broadcast,
	Grad:     func(b *Back) { b.timesLogarithm(XLogY, b.In(1), 0) },
	Scalar: scalarOf("a == 0.0f && !isnan(b) ? 0.0f : a * log(b)", 22, real2(func(a, b float64) float64 {
		if a == 0 && b == b {
			return 0
		}
		return a * hostmath.Log(b)
	})),
})

// timesLogarithm is the gradient of a · log, of(d, b) being d · log, where the argument of the logarithm is given and b is to be above
// least.
func (b *Back) timesLogarithm(of func(a, b *Node) *Node, argument *Node, least float64) {
	x, y, d := b.In(0), b.In(1), b.Grad()
	zero, none := ScalarLike(x, 0), Equal(x, ScalarLike(x, 0))
	pole := And(none, LessEqual(y, ScalarLike(y, least)))
	b.Add(0, Where(pole, zero, of(d, Where(pole, ScalarLike(y, 1), y))))
	b.Add(1, Where(none, zero, chainOver(chain(d, x), Where(none, ScalarLike(y, 1), argument))))
}

// XLog1PY returns a · log(1 + b), element by element, with NumPy broadcasting, 0 where a = 0 and b is not NaN. Otherwise as [XLogY].
func XLog1PY[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("xlog1py", nil, a, b) }

var _ = define(Op{
	Name:     "xlog1py",
	Category: "arithmetic",
	Operands: operandsAB,
	DTypes:   floats,
	Result:   broadcast,
	Grad:     func(b *Back) { b.timesLogarithm(XLog1PY, Add(b.In(1), ScalarLike(b.In(1), 1)), -1) },
	Scalar: scalarOf("a == 0.0f && !isnan(b) ? 0.0f : a * log1p(b)", 22, real2(func(a, b float64) float64 {
		if a == 0 && b == b {
			return 0
		}
		return a * math.Log1p(b)
	})),
})

// Entr returns the entropy of one probability, element by element:
//
//	y = -x · log x,  0 at x = 0, -Inf below
//
// x is a float. Errors: dtype is not a float.
// Source: SciPy, function special.entr.
func Entr(x *Node) *Node { return apply("entr", nil, x) }

var _ = define(Op{
	Name:     "entr",
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad: func(b *Back) {
		b.Add(0, Neg(b.Times(Add(Log(b.In(0)), ScalarLike(b.In(0), 1)))))
	},
	Scalar: scalarOf("isnan(a) ? a : a > 0.0f ? -a * log(a) : a == 0.0f ? 0.0f : -($T)INFINITY", 24, real1(func(a float64) float64 {
		switch {
		case a != a:
			return a
		case a > 0:
			return -a * hostmath.Log(a)
		case a == 0:
			return 0
		}
		return math.Inf(-1)
	})),
})
