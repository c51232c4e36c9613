package ops

import (
	"math"

	"github.com/anycl/anycl/tensor"
)

// Rem returns the remainder of the truncated division a / b, element by
// element, with NumPy broadcasting:
//
//	y = a - b · trunc(a / b)
//
// It has the sign of a, as Go's % and C's fmod, and is exact. a and b have the
// same dtype, any number. The remainder of a division by the integer 0 is 0, by
// the float 0 NaN. Errors: as [Add].
func Rem[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("rem", nil, a, b) }

var _ = define(Op{
	Name:     "rem",
	Category: "arithmetic",
	Operands: operandsAB,
	DTypes:   numbers,
	Result:   broadcast,
	Grad: func(b *Back) {
		b.Add(0, b.Grad())
		if b.Wants(1) { // a - y is a whole multiple of b but for rounding
			quotient := Round(Div(Sub(b.In(0), b.Out()), b.In(1)))
			b.Add(1, Neg(b.Times(quotient)))
		}
	},
	Scalar: scalarFor(func(dt tensor.DType) string {
		switch {
		case dt.IsFloat():
			return "fmod(a, b)"
		case dt.IsSigned():
			return "b == 0 || b == -1 ? 0 : a % b" // the machine traps on both
		default:
			return "b == 0 ? 0 : a % b"
		}
	}, 8, number2{
		f32: func(a, b float32) float32 { return float32(math.Mod(float64(a), float64(b))) }, // exact in both
		f64: math.Mod,
		i64: remOf[int64],
		u64: remOf[uint64],
	}.host),
})

func remOf[T int64 | uint64](a, b T) T {
	if b == 0 {
		return 0
	}
	return a % b // Go gives 0 for -1
}
