package ops

import (
	"github.com/anycl/anycl/engine"
	"math"

	"github.com/anycl/anycl/internal/hostmath"
)

// Exp returns e to the power of x, element by element:
//
//	y = e^x
//
// x is a float. Errors: dtype is not a float.
func Exp(x *Node) *Node { return apply("exp", nil, x) }

var _ = define(Op{
	Name:     "exp",
	Complex:  ofParts(complexExp),
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, b.Times(b.Out())) },
	function: engine.FnExp,
	Scalar:   scalarOf("exp(a)", 20, real1(hostExp)),
})

// hostExp is math.Exp, whose assembly for amd64 overflows from 1023.5 log(2) on, where e^a is still finite.
func hostExp(a float64) float64 {
	if a > 709 && a < 710 { // e^(a-1) times e in two parts
		y := math.Exp(a - 1)
		return math.FMA(y, math.E, y*1.4456468917292502e-16)
	}
	return math.Exp(a)
}

// hostHalfExp is e^a / 2, which overflows later than e^a.
func hostHalfExp(a float64) float64 {
	if a > 709 && a < 711 { // e^(a-2) times e²/2 in two parts
		y := hostExp(a - 2)
		return math.FMA(y, 3.694528049465325, y*-8.985569748919574e-17)
	}
	return math.Exp(a) / 2
}

// Exp2 returns 2 to the power of x, element by element:
//
//	y = 2^x
//
// x is a float. Errors: dtype is not a float.
func Exp2(x *Node) *Node { return apply("exp2", nil, x) }

var _ = define(Op{
	Name:     "exp2",
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad: func(b *Back) {
		b.Add(0, b.Times(Mul(b.Out(), ScalarLike(b.Out(), math.Ln2))))
	},
	Scalar: scalarOf("exp2(a)", 20, real1(math.Exp2)),
})

// Expm1 returns e to the power of x, less 1, exact also for small x:
//
//	y = e^x - 1
//
// x is a float. Errors: dtype is not a float.
func Expm1(x *Node) *Node { return apply("expm1", nil, x) }

var _ = define(Op{
	Name:     "expm1",
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, b.Times(Exp(b.In(0)))) }, // y + 1 would cancel
	Scalar:   scalarOf("expm1(a)", 20, real1(math.Expm1)),
})

// Log returns the natural logarithm of x, element by element:
//
//	y = log x
//
// x is a float; zero gives -Inf, a negative number NaN. Errors: dtype is not a
// float.
func Log(x *Node) *Node { return apply("log", nil, x) }

var _ = define(Op{
	Name:     "log",
	Complex:  ofParts(complexLog),
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, b.Over(b.In(0))) },
	Scalar:   scalarOf("log(a)", 20, real1(hostmath.Log)),
})

// Log2 returns the logarithm of x to base 2, element by element:
//
//	y = log x / log 2
//
// x is a float; zero gives -Inf, a negative number NaN. Errors: dtype is not a
// float.
func Log2(x *Node) *Node { return apply("log2", nil, x) }

var _ = define(Op{
	Name:     "log2",
	Complex:  ofParts(scaledLog(2)),
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, b.Over(Mul(b.In(0), ScalarLike(b.In(0), math.Ln2)))) },
	Scalar:   scalarOf("log2(a)", 20, real1(log2Of)),
})

// log2Of keeps its precision just below 1, where math.Log2 subtracts 1 from
// the exponent of x.
func log2Of(a float64) float64 {
	if a > 0.5 && a < 2 {
		return math.Log1p(a-1) / math.Ln2
	}
	return math.Log2(a)
}

// Log1p returns the natural logarithm of 1 + x, exact also for small x:
//
//	y = log(1 + x)
//
// x is a float; -1 gives -Inf, less NaN. Errors: dtype is not a float.
func Log1p(x *Node) *Node { return apply("log1p", nil, x) }

var _ = define(Op{
	Name:     "log1p",
	Category: "elementary function",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, b.Over(Add(b.In(0), ScalarLike(b.In(0), 1)))) },
	Scalar:   scalarOf("log1p(a)", 20, real1(math.Log1p)),
})
