package ops

import (
	"github.com/anycl/anycl/engine"
	"math"

	"github.com/anycl/anycl/tensor"
)

// Floor returns the largest whole number not above x, element by element:
//
//	y = ⌊x⌋
//
// x is a float. The derivative is 0. Errors: dtype is not a float.
func Floor(x *Node) *Node { return apply("floor", nil, x) }

var _ = define(Op{
	Name:     "floor",
	Category: "rounding",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Flat:     true,
	Scalar:   scalarOf("floor(a)", 1, real1(math.Floor)),
})

// Ceil returns the smallest whole number not below x, element by element:
//
//	y = ⌈x⌉
//
// x is a float. The derivative is 0. Errors: dtype is not a float.
func Ceil(x *Node) *Node { return apply("ceil", nil, x) }

var _ = define(Op{
	Name:     "ceil",
	Category: "rounding",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Flat:     true,
	Scalar:   scalarOf("ceil(a)", 1, real1(math.Ceil)),
})

// Round returns the whole number nearest to x, of two the even one, element by
// element:
//
//	y = ⌊x + 1/2⌋, and 2·⌊x/2 + 1/2⌋ where x + 1/2 is whole
//
// x is a float. The derivative is 0. Errors: dtype is not a float.
func Round(x *Node) *Node { return apply("round", nil, x) }

var _ = define(Op{
	Name:     "round",
	Category: "rounding",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Flat:     true,
	Scalar:   scalarOf("rint(a)", 1, real1(math.RoundToEven)),
})

// Trunc returns x without its fraction, element by element:
//
//	y = sign(x) · ⌊|x|⌋
//
// x is a float. The derivative is 0. Errors: dtype is not a float.
func Trunc(x *Node) *Node { return apply("trunc", nil, x) }

var _ = define(Op{
	Name:     "trunc",
	Category: "rounding",
	Operands: operandX,
	DTypes:   floats,
	Result:   same,
	Flat:     true,
	Scalar:   scalarOf("trunc(a)", 1, real1(math.Trunc)),
})

// Abs returns the absolute value of x, element by element:
//
//	y = |x|
//
// x is any number; the smallest signed integer wraps to itself. The derivative
// at 0 is 0. Errors: dtype is bool.
func Abs(x *Node) *Node { return apply("abs", nil, x) }

var _ = define(Op{
	Name:     "abs",
	Complex:  ofParts(complexAbs),
	Category: "arithmetic",
	Operands: operandX,
	DTypes:   numbers,
	Result:   realResult,
	Grad:     func(b *Back) { b.Add(0, b.Times(Sign(b.In(0)))) },
	function: engine.FnAbs,
	Scalar: scalarFor(func(dt tensor.DType) string {
		switch {
		case dt.IsFloat():
			return "fabs(a)"
		case dt.IsSigned() && dt.Size() < 4:
			return "($T)abs((int)a)" // vectors of narrow ones crash LLVM under Mesa
		case dt.IsSigned():
			return "($T)abs(a)" // abs gives the unsigned type, which holds them all
		default:
			return "a"
		}
	}, 1, number1{
		f32: func(a float32) float32 { return math.Float32frombits(math.Float32bits(a) &^ (1 << 31)) },
		f64: math.Abs,
		i64: func(a int64) int64 { return max(a, -a) },
		u64: func(a uint64) uint64 { return a },
	}.host),
})

// Sign returns the sign of x, element by element:
//
//	y = -1 where x < 0, 1 where x > 0, else x
//
// so that zeros keep their sign and NaN stays NaN. x is any number. Errors:
// dtype is bool.
func Sign(x *Node) *Node { return apply("sign", nil, x) }

var _ = define(Op{
	Name:     "sign",
	Complex:  ofParts(complexSign),
	Category: "arithmetic",
	Operands: operandX,
	DTypes:   numbers,
	Result:   same,
	Flat:     true,
	Scalar:   scalarOf("a > 0 ? 1 : a < 0 ? -1 : a", 2, number1{signOf[float32], signOf[float64], signOf[int64], signOfUnsigned}.host),
})

func signOf[T float32 | float64 | int64](a T) T {
	switch {
	case a > 0:
		return 1
	case a < 0:
		return -1
	}
	return a
}

func signOfUnsigned(a uint64) uint64 { return min(a, 1) }
