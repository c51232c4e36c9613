package ops

import (
	"fmt"

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

// Where returns a where c holds and b elsewhere, element by element, with NumPy
// broadcasting:
//
//	y = c ? a : b
//
// c is bool; a and b have the same dtype, any. An element that is not chosen leaves no
// trace in y, be it NaN, and none in derivatives: a branch that is not chosen is given the derivative 0, and 0 times an
// infinite or undefined derivative behind it is 0, see [Back.Times]; the derivative of Where(x > 0, √x, x) at -1 is 1.
// a or b may be a number. Errors: c is not bool; the dtypes of a and b differ; shapes
// do not broadcast.
func Where[A, B NodeOrNumber](c *Node, a A, b B) *Node {
	return apply("where", nil, append([]*Node{c}, nodesOf("where", nil, a, b)...)...)
}

var _ = define(Op{
	Name:     "where",
	Complex:  eachPart,
	Category: "selection",
	Operands: []Operand{{Name: "c", DTypes: bools}, {Name: "a"}, {Name: "b"}},
	DTypes:   every, // of a and b
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape, err := broadcastShapes(&Call{In: c.In[1:]})
		if err != nil {
			return nil, 0, err
		}
		full, err := tensor.Broadcast(shape, c.shape(0))
		if err != nil {
			return nil, 0, fmt.Errorf("shapes do not broadcast: condition %v x %v", c.shape(0), shape)
		}
		return full, c.dt(1), nil
	},
	Grad: func(b *Back) {
		zero := ScalarLike(b.Grad(), 0)
		b.Add(1, Where(b.In(0), b.Grad(), zero))
		b.Add(2, Where(b.In(0), zero, b.Grad()))
	},
	function: engine.FnSelect,
	Scalar: scalarOf("a ? b : c", 1, func(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
		c, a, b := args[0].U64, args[1], args[2]
		switch engine.ClassOf(out) {
		case engine.ClassF32:
			choose(dst.F32, c, a.F32, b.F32)
		case engine.ClassF64:
			choose(dst.F64, c, a.F64, b.F64)
		case engine.ClassI64:
			choose(dst.I64, c, a.I64, b.I64)
		case engine.ClassU64:
			choose(dst.U64, c, a.U64, b.U64)
		}
	}),
})

func choose[T any](dst []T, c []uint64, a, b []T) {
	c, a, b = c[:len(dst)], a[:len(dst)], b[:len(dst)]
	for i := range dst {
		v := b[i]
		if c[i] != 0 {
			v = a[i]
		}
		dst[i] = v
	}
}
