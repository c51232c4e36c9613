package ops

import (
	"math"

	"github.com/anycl/anycl/tensor"
)

// Mod returns the remainder of the floored division a / b, element by element, with NumPy broadcasting:
//
//	y = a - b · ⌊a / b⌋
//
// It has the sign of b, as Python's % and remainder in NumPy and PyTorch; [Rem] has that of a. a and b have the
// same dtype, any number. The remainder of a division by the integer 0 is 0, by the float 0 NaN. Errors: as [Add].
func Mod[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("mod", nil, a, b) }

// Remainder is [Mod], under its name in NumPy and PyTorch.
func Remainder[A, B NodeOrNumber](a A, b B) *Node { return Mod(a, b) }

// Fmod is [Rem], under its name in C, NumPy and PyTorch.
func Fmod[A, B NodeOrNumber](a A, b B) *Node { return Rem(a, b) }

var _ = define(Op{
	Name:     "mod",
	Category: "arithmetic",
	Operands: operandsAB,
	DTypes:   numbers,
	Result:   broadcast,
	Grad: func(b *Back) {
		b.Add(0, b.Grad())
		if b.Wants(1) {
			b.Add(1, Neg(b.Times(FloorDivide(b.In(0), b.In(1)))))
		}
	},
	Scalar: scalarFor(func(dt tensor.DType) string {
		switch {
		case dt.IsFloat():
			return "fmod(a, b) != 0.0f && (fmod(a, b) < 0.0f) != (b < 0.0f) ? fmod(a, b) + b : fmod(a, b)"
		case dt.IsSigned():
			return "b == 0 || b == -1 ? 0 : a % b != 0 && (a % b < 0) != (b < 0) ? a % b + b : a % b"
		default:
			return "b == 0 ? 0 : a % b"
		}
	}, 10, number2{
		f32: func(a, b float32) float32 { return float32(modOf(float64(a), float64(b))) },
		f64: modOf,
		i64: func(a, b int64) int64 {
			if b == 0 {
				return 0
			}
			if r := a % b; r != 0 && (r < 0) != (b < 0) {
				return r + b
			} else {
				return r
			}
		},
		u64: remOf[uint64],
	}.host),
})

func modOf(a, b float64) float64 {
	r := math.Mod(a, b)
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}

// FloorDivide returns the quotient a / b rounded towards -∞, element by element, with NumPy broadcasting:
//
//	y = ⌊a / b⌋ = (a - Mod(a, b)) / b
//
// as Python's //, also where a / b rounds up to a whole number. a and b have the same dtype, any number. A division by the integer 0
// gives 0, by the float 0 the value of a / b. The derivative is 0. Errors: as [Add].
func FloorDivide[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("floor_divide", nil, a, b) }

var _ = define(Op{
	Name:     "floor_divide",
	Category: "arithmetic",
	Operands: operandsAB,
	DTypes:   numbers,
	Result:   broadcast,
	Flat:     true,
	Scalar: scalarFor(func(dt tensor.DType) string {
		switch {
		case dt.IsFloat(): // the difference is a whole multiple of b but for rounding
			return "b == 0.0f ? a / b : rint((a - fmod(a, b)) / b) - (fmod(a, b) != 0.0f && (fmod(a, b) < 0.0f) != (b < 0.0f) ? 1.0f : 0.0f)"
		case dt.IsSigned():
			return "b == 0 ? 0 : b == -1 ? ($T)(0UL - (ulong)a) : a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0)"
		default:
			return "b == 0 ? 0 : a / b"
		}
	}, 12, number2{
		f32: func(a, b float32) float32 { return float32(floorDivideOf(float64(a), float64(b))) },
		f64: floorDivideOf,
		i64: func(a, b int64) int64 {
			if b == 0 {
				return 0
			}
			q := a / b
			if r := a % b; r != 0 && (r < 0) != (b < 0) {
				q--
			}
			return q
		},
		u64: func(a, b uint64) uint64 {
			if b == 0 {
				return 0
			}
			return a / b
		},
	}.host),
})

func floorDivideOf(a, b float64) float64 {
	if b == 0 {
		return a / b
	}
	r := math.Mod(a, b)
	q := math.RoundToEven((a - r) / b)
	if r != 0 && (r < 0) != (b < 0) {
		q--
	}
	return q
}

// TruncDivide returns the quotient a / b rounded towards 0, element by element, with NumPy broadcasting:
//
//	y = trunc(a / b)
//
// also where a / b rounds up to a whole number. a and b have the same dtype, any number; of integers it is [Div]. The derivative is 0.
// Errors: as [Add].
func TruncDivide[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("trunc_divide", nil, a, b) }

var _ = define(Op{
	Name:     "trunc_divide",
	Category: "arithmetic",
	Operands: operandsAB,
	DTypes:   numbers,
	Result:   broadcast,
	Flat:     true,
	Scalar: scalarFor(func(dt tensor.DType) string {
		if dt.IsFloat() {
			return "b == 0.0f || isinf(a) ? a / b : rint((a - fmod(a, b)) / b)"
		}
		if dt.IsSigned() {
			return "b == 0 ? 0 : b == -1 ? ($T)(0UL - (ulong)a) : a / b"
		}
		return "b == 0 ? 0 : a / b"
	}, 10, number2{
		f32: func(a, b float32) float32 { return float32(truncDivideOf(float64(a), float64(b))) },
		f64: truncDivideOf,
		i64: func(a, b int64) int64 {
			if b == 0 {
				return 0
			}
			return a / b
		},
		u64: func(a, b uint64) uint64 {
			if b == 0 {
				return 0
			}
			return a / b
		},
	}.host),
})

func truncDivideOf(a, b float64) float64 {
	if b == 0 || math.IsInf(a, 0) {
		return a / b
	}
	return math.RoundToEven((a - math.Mod(a, b)) / b)
}

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
