package ops

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// And returns the conjunction of a and b, element by element, with NumPy
// broadcasting:
//
//	y = a ∧ b
//
// a and b have the same dtype, bool or an integer, whose bits are combined.
// Errors: dtypes differ or are floats; shapes do not broadcast.
func And[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("and", nil, a, b) }

var _ = define(Op{
	Name:     "and",
	Category: "logic",
	Operands: operandsAB,
	DTypes:   bits,
	Result:   broadcast,
	function: engine.FnAnd,
	Scalar:   scalarOf("a & b", 1, number2{i64: andOf[int64], u64: andOf[uint64]}.host),
})

// Or returns the disjunction of a and b, element by element, with NumPy
// broadcasting:
//
//	y = a ∨ b
//
// Otherwise as [And].
func Or[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("or", nil, a, b) }

var _ = define(Op{
	Name:     "or",
	Category: "logic",
	Operands: operandsAB,
	DTypes:   bits,
	Result:   broadcast,
	function: engine.FnOr,
	Scalar:   scalarOf("a | b", 1, number2{i64: orOf[int64], u64: orOf[uint64]}.host),
})

// Xor returns the exclusive disjunction of a and b, element by element, with
// NumPy broadcasting:
//
//	y = a ⊕ b
//
// Otherwise as [And].
func Xor[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("xor", nil, a, b) }

var _ = define(Op{
	Name:     "xor",
	Category: "logic",
	Operands: operandsAB,
	DTypes:   bits,
	Result:   broadcast,
	Scalar:   scalarOf("a ^ b", 1, number2{i64: xorOf[int64], u64: xorOf[uint64]}.host),
})

func andOf[T int64 | uint64](a, b T) T { return a & b }
func orOf[T int64 | uint64](a, b T) T  { return a | b }
func xorOf[T int64 | uint64](a, b T) T { return a ^ b }

// Not returns the negation of x, element by element:
//
//	y = ¬x
//
// x is bool or an integer, whose bits are inverted. Errors: dtype is a float.
func Not(x *Node) *Node { return apply("not", nil, x) }

var _ = define(Op{
	Name:     "not",
	Category: "logic",
	Operands: operandX,
	DTypes:   bits,
	Result:   same,
	function: engine.FnNot,
	Scalar: scalarFor(func(dt tensor.DType) string {
		if dt == tensor.Bool {
			return "!a"
		}
		return "~a"
	}, 1, func(out tensor.DType, in []tensor.DType, dst engine.Block, args []engine.Block) {
		h := number1{i64: func(a int64) int64 { return ^a }, u64: func(a uint64) uint64 { return ^a }}
		if out == tensor.Bool {
			h.u64 = func(a uint64) uint64 { return a ^ 1 }
		}
		h.host(out, in, dst, args)
	}),
})
