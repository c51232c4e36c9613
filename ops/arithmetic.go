package ops

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/vector"
	"github.com/anycl/anycl/tensor"
)

// Add returns a + b, element by element, with NumPy broadcasting:
//
//	y = a + b
//
// a and b have the same dtype, any number; integers wrap. Errors: dtypes
// differ or are bool; shapes do not broadcast.
func Add[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("add", nil, a, b) }

var _ = define(Op{
	Name:     "add",
	role:     roleAdd,
	Complex:  eachPart,
	Category: "arithmetic",
	simplify: func(n *ir.Node) *ir.Node {
		switch {
		case isZero(n.In[1], true):
			return repeats(n, 0)
		case isZero(n.In[0], true):
			return repeats(n, 1)
		}
		return nil
	},
	Operands: operandsAB,
	DTypes:   numbers,
	Result:   broadcast,
	Grad:     func(b *Back) { b.Add(0, b.Grad()); b.Add(1, b.Grad()) },
	function: engine.FnAdd,
	Scalar:   scalarOf("a + b", 1, blocks2{vector.Add, addTo[float64], addTo[int64], addTo[uint64]}.host),
})

func addTo[T register](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

// Sub returns a - b, element by element, with NumPy broadcasting:
//
//	y = a - b
//
// a and b have the same dtype, any number; integers wrap. Errors: as Add.
func Sub[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("sub", nil, a, b) }

var _ = define(Op{
	Name:     "sub",
	Complex:  eachPart,
	Category: "arithmetic",
	simplify: func(n *ir.Node) *ir.Node {
		if isZero(n.In[1], false) {
			return repeats(n, 0)
		}
		return nil
	},
	Operands: operandsAB,
	DTypes:   numbers,
	Result:   broadcast,
	Grad:     func(b *Back) { b.Add(0, b.Grad()); b.Add(1, Neg(b.Grad())) },
	function: engine.FnSub,
	Scalar:   scalarOf("a - b", 1, blocks2{vector.Sub, subTo[float64], subTo[int64], subTo[uint64]}.host),
})

func subTo[T register](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] - b[i]
	}
}

// Mul returns a · b, element by element, with NumPy broadcasting:
//
//	y = a · b
//
// a and b have the same dtype, any number; integers wrap. Errors: as Add.
func Mul[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("mul", nil, a, b) }

var _ = define(Op{
	Name:     "mul",
	Complex:  ofFourParts(complexProduct),
	Category: "arithmetic",
	simplify: func(n *ir.Node) *ir.Node {
		switch {
		case isValue(n.In[1], 1):
			return repeats(n, 0)
		case isValue(n.In[0], 1):
			return repeats(n, 1)
		}
		return nil
	},
	Operands: operandsAB,
	DTypes:   numbers,
	Result:   broadcast,
	Grad: func(b *Back) {
		b.Add(0, b.Times(b.In(1)))
		b.Add(1, b.Times(b.In(0)))
	},
	function: engine.FnMul,
	Scalar:   scalarOf("a * b", 1, blocks2{vector.Mul, mulTo[float64], mulTo[int64], mulTo[uint64]}.host),
})

func mulTo[T register](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

// Div returns a / b, element by element, with NumPy broadcasting:
//
//	y = a / b
//
// a and b have the same dtype, any number. Integers truncate toward zero; a
// division by the integer 0 gives 0, and the smallest integer divided by -1
// wraps to itself. Errors: as Add.
func Div[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("div", nil, a, b) }

var _ = define(Op{
	Name:     "div",
	Complex:  ofFourParts(complexQuotient),
	Category: "arithmetic",
	simplify: func(n *ir.Node) *ir.Node {
		if isValue(n.In[1], 1) {
			return repeats(n, 0)
		}
		return nil
	},
	Operands: operandsAB,
	DTypes:   numbers,
	Result:   broadcast,
	Grad: func(b *Back) {
		d := b.Over(b.In(1))
		b.Add(0, d)
		b.Add(1, Neg(chain(d, b.Out())))
	},
	function: engine.FnDiv,
	Scalar: scalarFor(func(dt tensor.DType) string {
		switch {
		case dt.IsFloat():
			return "a / b"
		case dt.IsSigned():
			// The machine traps on both, and a signed negation may overflow.
			return "b == 0 ? 0 : b == -1 ? ($T)(0UL - (ulong)a) : a / b"
		default:
			return "b == 0 ? 0 : a / b"
		}
	}, 4, blocks2{vector.Div, divTo[float64], wholeDivTo[int64], wholeDivTo[uint64]}.host),
})

func divTo[T float](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] / b[i]
	}
}

// wholeDivTo is 0 where b is. Go wraps where b is -1. dst may be a or b.
func wholeDivTo[T int64 | uint64](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i, d := range b {
		var q T
		if d != 0 {
			q = a[i] / d
		}
		dst[i] = q
	}
}

// Neg returns -x, element by element:
//
//	y = -x
//
// x is any number; unsigned integers wrap. Errors: dtype is bool.
func Neg(x *Node) *Node { return apply("neg", nil, x) }

var _ = define(Op{
	Name:     "neg",
	Complex:  eachPart,
	Category: "arithmetic",
	simplify: func(n *ir.Node) *ir.Node {
		if x := n.In[0]; x.Op == n.Op {
			return x.In[0]
		}
		return nil
	},
	Operands: operandX,
	DTypes:   numbers,
	Result:   same,
	Grad:     func(b *Back) { b.Add(0, Neg(b.Grad())) },
	Scalar: scalarOf("-a", 1, number1{
		f32: func(a float32) float32 { return -a },
		f64: func(a float64) float64 { return -a },
		i64: func(a int64) int64 { return -a },
		u64: func(a uint64) uint64 { return -a },
	}.host),
})
