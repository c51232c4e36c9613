package ops

import (
	"github.com/anycl/anycl/engine"
	"math"
)

// Equal reports where a and b are equal, element by element, with NumPy
// broadcasting:
//
//	y = a = b
//
// NaN equals nothing, and the two zeros are equal. a and b have the same dtype,
// any; the result is bool. Errors: dtypes differ; shapes do not broadcast.
func Equal[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("equal", nil, a, b) }

var _ = define(Op{
	Name: "equal",
	Complex: func(c *Call) *Node {
		return And(Equal(Real(c.In[0]), Real(c.In[1])), Equal(Imag(c.In[0]), Imag(c.In[1])))
	},
	Category: "comparison",
	Operands: operandsAB,
	DTypes:   every,
	Result:   compare,
	Flat:     true,
	function: engine.FnEqual,
	Scalar:   scalarOf("a == b", 1, test2{equal[float32], equal[float64], equal[int64], equal[uint64]}.host),
})

// NotEqual reports where a and b differ, element by element, with NumPy
// broadcasting:
//
//	y = a ≠ b
//
// NaN differs from everything. Otherwise as [Equal].
func NotEqual[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("not_equal", nil, a, b) }

var _ = define(Op{
	Name: "not_equal",
	Complex: func(c *Call) *Node {
		return Or(NotEqual(Real(c.In[0]), Real(c.In[1])), NotEqual(Imag(c.In[0]), Imag(c.In[1])))
	},
	Category: "comparison",
	Operands: operandsAB,
	DTypes:   every,
	Result:   compare,
	Flat:     true,
	function: engine.FnNotEqual,
	Scalar:   scalarOf("a != b", 1, test2{notEqual[float32], notEqual[float64], notEqual[int64], notEqual[uint64]}.host),
})

// Less reports where a is below b, element by element, with NumPy broadcasting:
//
//	y = a < b
//
// False where either is NaN; of bools, false is below true. a and b have the
// same dtype, any; the result is bool. Errors: as [Equal].
func Less[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("less", nil, a, b) }

var _ = define(Op{
	Name:     "less",
	Category: "comparison",
	Operands: operandsAB,
	DTypes:   every,
	Result:   compare,
	Flat:     true,
	function: engine.FnLess,
	Scalar:   scalarOf("a < b", 1, test2{less[float32], less[float64], less[int64], less[uint64]}.host),
})

// LessEqual reports where a is not above b, element by element, with NumPy
// broadcasting:
//
//	y = a ≤ b
//
// Otherwise as [Less].
func LessEqual[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("less_equal", nil, a, b) }

var _ = define(Op{
	Name:     "less_equal",
	Category: "comparison",
	Operands: operandsAB,
	DTypes:   every,
	Result:   compare,
	Flat:     true,
	function: engine.FnLessEqual,
	Scalar:   scalarOf("a <= b", 1, test2{lessEqual[float32], lessEqual[float64], lessEqual[int64], lessEqual[uint64]}.host),
})

// Greater reports where a is above b, element by element, with NumPy
// broadcasting:
//
//	y = a > b
//
// Otherwise as [Less].
func Greater[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("greater", nil, a, b) }

var _ = define(Op{
	Name:     "greater",
	Category: "comparison",
	Operands: operandsAB,
	DTypes:   every,
	Result:   compare,
	Flat:     true,
	function: engine.FnGreater,
	Scalar:   scalarOf("a > b", 1, test2{greater[float32], greater[float64], greater[int64], greater[uint64]}.host),
})

// GreaterEqual reports where a is not below b, element by element, with NumPy
// broadcasting:
//
//	y = a ≥ b
//
// Otherwise as [Less].
func GreaterEqual[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("greater_equal", nil, a, b) }

var _ = define(Op{
	Name:     "greater_equal",
	Category: "comparison",
	Operands: operandsAB,
	DTypes:   every,
	Result:   compare,
	Flat:     true,
	function: engine.FnGreaterEqual,
	Scalar:   scalarOf("a >= b", 1, test2{greaterEqual[float32], greaterEqual[float64], greaterEqual[int64], greaterEqual[uint64]}.host),
})

func equal[T register](a, b T) bool        { return a == b }
func notEqual[T register](a, b T) bool     { return a != b }
func less[T register](a, b T) bool         { return a < b }
func lessEqual[T register](a, b T) bool    { return a <= b }
func greater[T register](a, b T) bool      { return a > b }
func greaterEqual[T register](a, b T) bool { return a >= b }

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
	function: engine.FnIsNaN,
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
	function: engine.FnIsInf,
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
	function: engine.FnIsFinite,
	Scalar:   scalarOf("isfinite(a)", 1, test1{isFinite[float32], isFinite[float64]}.host),
})

func isNaN[T float](a T) bool    { return a != a }
func isInf[T float](a T) bool    { return math.IsInf(float64(a), 0) }
func isFinite[T float](a T) bool { return a-a == 0 }
