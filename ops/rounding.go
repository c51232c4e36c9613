package ops

import "math"

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
