package ops

import "math"

// IsNaN reports which elements of x are NaN:
//
//	y = x ≠ x
//
// x is a float, the result bool. Errors: dtype is not a float.
func IsNaN(x *Node) *Node { return apply("is_nan", nil, x) }

var _ = define(Op{
	Name:     "is_nan",
	Complex:  eitherPart(IsNaN),
	Category: "comparison",
	Operands: operandX,
	DTypes:   floats,
	Result:   sameBool,
	Flat:     true,
	Scalar:   scalarOf("isnan(a)", 1, test1{isNaN[float32], isNaN[float64]}.host),
})

// IsInf reports which elements of x are infinite, of either sign:
//
//	y = |x| = ∞
//
// x is a float, the result bool. Errors: dtype is not a float.
func IsInf(x *Node) *Node { return apply("is_inf", nil, x) }

var _ = define(Op{
	Name:     "is_inf",
	Complex:  eitherPart(IsInf),
	Category: "comparison",
	Operands: operandX,
	DTypes:   floats,
	Result:   sameBool,
	Flat:     true,
	Scalar:   scalarOf("isinf(a)", 1, test1{isInf[float32], isInf[float64]}.host),
})

// IsFinite reports which elements of x are neither infinite nor NaN:
//
//	y = |x| < ∞
//
// x is a float, the result bool. Errors: dtype is not a float.
func IsFinite(x *Node) *Node { return apply("is_finite", nil, x) }

var _ = define(Op{
	Name:     "is_finite",
	Complex:  ofParts(func(re, im *Node) *Node { return And(IsFinite(re), IsFinite(im)) }),
	Category: "comparison",
	Operands: operandX,
	DTypes:   floats,
	Result:   sameBool,
	Flat:     true,
	Scalar:   scalarOf("isfinite(a)", 1, test1{isFinite[float32], isFinite[float64]}.host),
})

func isNaN[T float](a T) bool    { return a != a }
func isInf[T float](a T) bool    { return math.IsInf(float64(a), 0) }
func isFinite[T float](a T) bool { return a-a == 0 }
