package ops

import (
	"fmt"
	mathbits "math/bits"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// PopCount returns how many bits of x are 1, element by element, in x's dtype; of a negative number those of its two's
// complement. x is an integer. Errors: dtype is not an integer.
func PopCount(x *Node) *Node { return apply("popcount", nil, x) }

var _ = define(Op{
	Name:     "popcount",
	Category: "logic",
	Operands: operandX,
	DTypes:   ints,
	Result:   same,
	Scalar:   scalarOf("popcount(a)", 1, bitCount(func(a uint64, _ uint64) int { return mathbits.OnesCount64(a) })),
})

// CountLeadingZeros returns how many bits of x before its first 1 are 0, element by element, in x's dtype; of 0 all that it has. x is
// an integer. Errors: dtype is not an integer.
func CountLeadingZeros(x *Node) *Node { return apply("count_leading_zeros", nil, x) }

var _ = define(Op{
	Name:     "count_leading_zeros",
	Category: "logic",
	Operands: operandX,
	DTypes:   ints,
	Result:   same,
	Scalar:   scalarOf("clz(a)", 1, bitCount(func(a, width uint64) int { return mathbits.LeadingZeros64(a) - 64 + int(width) })),
})

// bitCount is a function of the bits of an integer and of how many these are.
func bitCount(f func(a, width uint64) int) hostFunc {
	return func(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
		w := width(out)
		mask := ^uint64(0) >> (64 - w)
		for i, a := range args[0].I64 {
			dst.I64[i] = int64(f(uint64(a)&mask, w))
		}
		for i, a := range args[0].U64 {
			dst.U64[i] = uint64(f(a&mask, w))
		}
	}
}

// GCD returns the greatest common divisor of a and b, element by element, with NumPy broadcasting:
//
//	y = the largest number that divides a and b;  |a| where b = 0
//
// It is not negative, but for that of the smallest integer and 0, which wraps. a and b have the same integer dtype. Errors: dtypes differ
// or are no integers; shapes do not broadcast.
func GCD[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("gcd", nil, a, b) }

// LCM returns the least common multiple of a and b, element by element, with NumPy broadcasting:
//
//	y = |a · b| / gcd(a, b);  0 where one of them is 0
//
// It wraps where it is too large. Otherwise as [GCD].
func LCM[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("lcm", nil, a, b) }

var _ = define(divisorOp("gcd", gcdOf))

var _ = define(divisorOp("lcm", func(a, b uint64) uint64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a / gcdOf(a, b) * b
}))

func divisorOp(name string, f func(a, b uint64) uint64) Op {
	return Op{
		Name: name, Category: "arithmetic", Operands: operandsAB, DTypes: ints, Result: broadcast,
		Scalar: scalarFor(func(dt tensor.DType) string {
			if dt.IsSigned() {
				return "($T)special_" + name + "(a < 0 ? 0UL - (ulong)a : (ulong)a, b < 0 ? 0UL - (ulong)b : (ulong)b)"
			}
			return "($T)special_" + name + "((ulong)a, (ulong)b)"
		}, 60, number2{i64: func(a, b int64) int64 { return int64(f(magnitudeOf(a), magnitudeOf(b))) }, u64: f}.host),
	}
}

func gcdOf(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func magnitudeOf(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

// LogicalAnd returns whether both a and b are not 0, element by element, with NumPy broadcasting, as bool. a and b have
// the same dtype, any; NaN is not 0. Errors: dtypes differ; shapes do not broadcast.
func LogicalAnd[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("logical_and", nil, a, b) }

// LogicalOr returns whether a or b is not 0. Otherwise as [LogicalAnd].
func LogicalOr[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("logical_or", nil, a, b) }

// LogicalXor returns whether one of a and b is not 0, and the other is. Otherwise as [LogicalAnd].
func LogicalXor[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("logical_xor", nil, a, b) }

// LogicalNot returns whether x is 0, element by element, as bool. x has any dtype.
func LogicalNot(x *Node) *Node { return apply("logical_not", nil, x) }

var _ = define(logicalOp("logical_and", And))

var _ = define(logicalOp("logical_or", Or))

var _ = define(logicalOp("logical_xor", Xor))

func logicalOp(name string, of func(a, b *Node) *Node) Op {
	return Op{
		Name: name, Category: "logic", Operands: operandsAB, DTypes: every, Result: compare, Flat: true,
		Compose: func(c *Call) *Node { return of(truthOf(c.In[0]), truthOf(c.In[1])) },
	}
}

// truthOf is x as a bool: whether it is not 0.
func truthOf(x *Node) *Node {
	if x.dtype == tensor.Bool {
		return x
	}
	return NotEqual(x, ScalarLike(x, 0))
}

var _ = define(Op{
	Name: "logical_not", Category: "logic", Operands: operandX, DTypes: every, Result: sameBool, Flat: true,
	Compose: func(c *Call) *Node { return Not(truthOf(c.In[0])) },
})

// CloseOptions say which numbers IsClose takes as close. nil stands for RTol 1e-5 and ATol 1e-8, those of NumPy and PyTorch.
type CloseOptions struct {
	RTol, ATol float64
	EqualNaN   bool // NaN is close to NaN
}

// IsClose returns whether a and b are nearly equal, element by element, with NumPy broadcasting, as bool:
//
//	y = |a - b| <= ATol + RTol · |b|, or a = b
//
// An infinity is close to itself alone. a and b have the same float dtype. Errors: dtypes differ or are no floats; shapes do not broadcast.
func IsClose[A, B NodeOrNumber](a A, b B, o *CloseOptions) *Node {
	at := closeAttr{1e-5, 1e-8, false}
	if o != nil {
		at = closeAttr(*o)
	}
	return applyNumbers("is_close", at, a, b)
}

type closeAttr struct {
	RTol     float64 `attr:"rtol" default:"0.00001" doc:"how far off in units of |b|"`
	ATol     float64 `attr:"atol" default:"0.00000001" doc:"how far off beside"`
	EqualNaN bool    `attr:"equal_nan" default:"false" doc:"NaN is close to NaN"`
}

var _ = define(Op{
	Name: "is_close", Category: "comparison", Attributes: AttributesOf[closeAttr](), Operands: operandsAB, DTypes: floats, Result: compare,
	Flat: true,
	Compose: func(c *Call) *Node {
		a, x, y := c.Attr.(closeAttr), c.In[0], c.In[1]
		p, q := widen(x), widen(y)
		off := Abs(Sub(p, q))
		near := LessEqual(off, Add(ScalarLike(q, a.ATol), Mul(ScalarLike(q, a.RTol), Abs(q))))
		is := Or(Equal(x, y), And(near, IsFinite(off)))
		if a.EqualNaN {
			is = Or(is, And(IsNaN(x), IsNaN(y)))
		}
		return is
	},
})

// ShiftLeft returns a shifted left by b bits, element by element, with NumPy
// broadcasting:
//
//	y = a · 2^b, wrapped
//
// A negative b, or one not below the width of the dtype, shifts every bit out:
// 0. a and b have the same integer dtype. Errors: dtypes differ or are no
// integers; shapes do not broadcast.
func ShiftLeft[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("shift_left", nil, a, b) }

var _ = define(Op{
	Name:     "shift_left",
	Category: "logic",
	Operands: operandsAB,
	DTypes:   ints,
	Result:   broadcast,
	Scalar: scalarFor(func(dt tensor.DType) string {
		return outside(dt) + " ? 0 : ($T)((ulong)a << b)" // in ulong nothing overflows
	}, 2, shiftHost(
		func(a int64, n uint64) int64 { return a << n },
		func(a, n uint64) uint64 { return a << n },
	)),
})

// ShiftRight returns a shifted right by b bits, element by element, with NumPy
// broadcasting:
//
//	y = ⌊a / 2^b⌋
//
// A negative b, or one not below the width of the dtype, leaves only the sign:
// 0, or -1 for a negative a. a and b have the same integer dtype. Errors: as
// [ShiftLeft].
func ShiftRight[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("shift_right", nil, a, b) }

var _ = define(Op{
	Name:     "shift_right",
	Category: "logic",
	Operands: operandsAB,
	DTypes:   ints,
	Result:   broadcast,
	Scalar: scalarFor(func(dt tensor.DType) string {
		if dt.IsSigned() {
			return outside(dt) + " ? (a < 0 ? -1 : 0) : a >> b" // OpenCL C fills with the sign
		}
		return outside(dt) + " ? 0 : a >> b"
	}, 2, shiftHost(
		func(a int64, n uint64) int64 { return a >> n },
		func(a, n uint64) uint64 { return a >> n },
	)),
})

// outside is the condition that b is no shift distance for dt. OpenCL C would
// take it modulo the width of a, promoted.
func outside(dt tensor.DType) string { return fmt.Sprintf("(ulong)b >= %d", width(dt)) }

// width is the number of bits of an integer dtype.
func width(dt tensor.DType) uint64 { return 8 * uint64(dt.Size()) }

// shiftHost shifts in 64 bits. Go shifts bits out for any distance from 64 on;
// between the width of a narrow dtype and 64 a left shift leaves the lower bits
// clear, and a right shift of a widened value ends at its sign.
func shiftHost(i64 func(a int64, n uint64) int64, u64 func(a, n uint64) uint64) hostFunc {
	return number2{
		i64: func(a, b int64) int64 { return i64(a, uint64(b)) },
		u64: u64,
	}.host
}
