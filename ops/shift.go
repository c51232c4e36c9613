package ops

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

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
