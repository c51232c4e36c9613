package codegen

import (
	"fmt"
	"math"
	"strconv"

	"github.com/anycl/anycl/tensor"
)

// StorageType is the OpenCL C type of an element in memory. Half stands only
// behind pointers, which needs no half arithmetic.
func StorageType(dt tensor.DType) string {
	switch dt {
	case tensor.Float16:
		return "half"
	case tensor.BFloat16:
		return "ushort"
	}
	return RegType(dt)
}

// RegType is the OpenCL C type in which a value of dt is computed. Bool is an
// uchar of 0 or 1, because bool has no defined size in OpenCL C.
func RegType(dt tensor.DType) string {
	switch dt {
	case tensor.Bool, tensor.Uint8:
		return "uchar"
	case tensor.Int8:
		return "char"
	case tensor.Int16:
		return "short"
	case tensor.Uint16:
		return "ushort"
	case tensor.Int32:
		return "int"
	case tensor.Uint32:
		return "uint"
	case tensor.Int64:
		return "long"
	case tensor.Uint64:
		return "ulong"
	case tensor.Float64:
		return "double"
	default:
		return "float"
	}
}

// RegSize is the size of a RegType in bytes.
func RegSize(dt tensor.DType) int64 {
	if IsHalfType(dt) {
		return 4
	}
	return int64(dt.Size())
}

// RingType is the unsigned type in which sums and products of dt are computed:
// signed overflow is undefined in C, and narrow types promote to a signed int.
func RingType(dt tensor.DType) string {
	if dt.Size() == 8 {
		return "ulong"
	}
	return "uint"
}

// IsHalfType reports whether values of dt are stored in 16 bits and computed in float.
func IsHalfType(dt tensor.DType) bool { return dt == tensor.Float16 || dt == tensor.BFloat16 }

// castExpr converts x, a value of dtype from, to dtype to. Floats go to
// integers by truncation, saturated, NaN to 0; integers wrap; to bool means
// "not zero"; to a half type rounds once to nearest even.
func castExpr(from, to tensor.DType, x string) string {
	switch {
	case from == to:
		return x
	case to == tensor.Bool:
		return fmt.Sprintf("(uchar)(%s != 0)", x)
	case IsHalfType(to):
		switch from {
		case tensor.Float64, tensor.Int64, tensor.Uint64, tensor.Int32, tensor.Uint32:
			x = fmt.Sprintf("odd_from_%s(%s)", RegType(from), x)
		}
		return fmt.Sprintf("round_%v(%s)", to, x)
	case to.IsInt() && from.IsFloat() && to.Size() < 4:
		// All in int: narrow conversions that saturate, and narrow selections of clamped values, crash
		// LLVM under Mesa, and few compilers make vectors of them.
		lo, hi := int64(0), int64(1)<<(8*to.Size())-1
		if to.IsSigned() {
			lo, hi = -(hi+1)/2, hi/2
		}
		return fmt.Sprintf("(%s)(%s != %s ? 0 : (int)clamp(%s, (%s)%d, (%s)%d))", RegType(to), x, x, x, RegType(from), lo, RegType(from), hi)
	case to.IsInt() && from.IsFloat():
		return fmt.Sprintf("(%s != %s ? (%s)0 : convert_%s_sat_rtz(%s))", x, x, RegType(to), RegType(to), x)
	default:
		return fmt.Sprintf("(%s)(%s)", RegType(to), x)
	}
}

// Literal is the constant of dtype dt, exactly.
func Literal(dt tensor.DType, f float64, i int64) string {
	switch {
	case dt == tensor.Float64:
		return floatLiteral(f, 64, "")
	case dt.IsFloat():
		return floatLiteral(float64(float32(f)), 32, "f")
	}
	switch dt {
	case tensor.Int64:
		if i == math.MinInt64 {
			return "(-0x7fffffffffffffffL - 1)"
		}
		return parenNegative(i) + "L"
	case tensor.Uint64:
		return strconv.FormatUint(uint64(i), 10) + "UL"
	case tensor.Uint32:
		return strconv.FormatUint(uint64(uint32(i)), 10) + "U"
	case tensor.Int32:
		if int32(i) == math.MinInt32 {
			return "(-0x7fffffff - 1)"
		}
		return parenNegative(int64(int32(i)))
	case tensor.Int16:
		i = int64(int16(i))
	case tensor.Uint16:
		i = int64(uint16(i))
	case tensor.Int8:
		i = int64(int8(i))
	case tensor.Uint8:
		i = int64(uint8(i))
	}
	return fmt.Sprintf("(%s)%d", RegType(dt), i)
}

// parenNegative leaves the parentheses to the declaration, where a literal
// stands alone.
func parenNegative(i int64) string { return strconv.FormatInt(i, 10) }

func floatLiteral(f float64, bits int, suffix string) string {
	switch {
	case math.IsNaN(f):
		return "NAN"
	case math.IsInf(f, 1):
		return "INFINITY"
	case math.IsInf(f, -1):
		return "-INFINITY"
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e6 {
		s := strconv.FormatFloat(f, 'f', 1, bits)
		return s + suffix // the sign of -0.0 is kept
	}
	return strconv.FormatFloat(f, 'x', -1, bits) + suffix
}
