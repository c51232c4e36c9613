package ops

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// Cast returns x with its elements converted to dt, by the rules of
// [tensor.Cast]:
//
//   - to bool: everything but 0 is true, NaN too;
//   - integer to integer: the low bits are kept;
//   - float to integer: truncated toward zero; beyond the range it is the
//     nearest bound; NaN is 0;
//   - to float: rounded once to nearest, ties to even.
//
// The derivative is cast back. A cast to x's own dtype is x. Errors: dt is not
// a dtype.
func Cast(x *Node, dt tensor.DType) *Node {
	if x != nil && !x.bad && x.dtype == dt {
		return x
	}
	return apply("cast", castAttr{dt}, x)
}

type castAttr struct {
	DType tensor.DType `attr:"dtype" doc:"of the result"`
}

var _ = define(Op{
	Name:    "cast",
	Complex: complexCast, Category: "conversion", simplify: unchanged,
	Attributes: AttributesOf[castAttr](),
	Operands:   operandX,
	DTypes:     every,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		dt := c.Attr.(castAttr).DType
		if !dt.Valid() {
			return nil, 0, fmt.Errorf("%v is not a dtype to cast to", dt)
		}
		return c.shape(0), dt, nil
	},
	Grad:     func(b *Back) { b.Add(0, Cast(b.Grad(), b.In(0).dtype)) },
	function: engine.FnCast,
	Scalar:   scalarOf("$cast(a)", 2, castHost),
})

// castHost converts between register classes. Operations that a narrower dtype than its
// register needs (a range, a rounding) are done here, but for the wrapping of
// integers, which the engine does after every op.
func castHost(out tensor.DType, in []tensor.DType, dst engine.Block, args []engine.Block) {
	switch engine.ClassOf(in[0]) {
	case engine.ClassF32:
		castFloat(out, dst, args[0].F32)
	case engine.ClassF64:
		castFloat(out, dst, args[0].F64)
	case engine.ClassI64:
		castInt(out, dst, args[0].I64)
	case engine.ClassU64:
		castInt(out, dst, args[0].U64)
	}
}

func castFloat[T float](out tensor.DType, dst engine.Block, a []T) {
	switch {
	case out == tensor.Bool:
		holds1(dst.U64, a, func(v T) bool { return v != 0 })
	case out == tensor.Float16:
		convert(dst.F32, a, func(v T) float32 { return tensor.HalfFrom64(float64(v)).Float32() })
	case out == tensor.BFloat16:
		convert(dst.F32, a, func(v T) float32 { return tensor.BF16From64(float64(v)).Float32() })
	case out == tensor.Float32:
		convert(dst.F32, a, func(v T) float32 { return float32(v) })
	case out == tensor.Float64:
		convert(dst.F64, a, func(v T) float64 { return float64(v) })
	case out.IsSigned():
		high := int64(1)<<(width(out)-1) - 1
		convert(dst.I64, a, func(v T) int64 { return saturated(v, -high-1, high) })
	default:
		high := ^uint64(0) >> (64 - width(out))
		convert(dst.U64, a, func(v T) uint64 { return saturated(v, 0, high) })
	}
}

func castInt[T int64 | uint64](out tensor.DType, dst engine.Block, a []T) {
	switch {
	case out == tensor.Bool:
		holds1(dst.U64, a, func(v T) bool { return v != 0 })
	case out == tensor.Float16: // beyond 2^53, where float64 rounds, it is infinite
		convert(dst.F32, a, func(v T) float32 { return tensor.HalfFrom64(float64(v)).Float32() })
	case out == tensor.BFloat16:
		convert(dst.F32, a, func(v T) float32 { return tensor.BF16From64(oddFloat64(v)).Float32() })
	case out == tensor.Float32:
		convert(dst.F32, a, func(v T) float32 { return float32(v) })
	case out == tensor.Float64:
		convert(dst.F64, a, func(v T) float64 { return float64(v) })
	case out.IsSigned():
		convert(dst.I64, a, func(v T) int64 { return int64(v) })
	default:
		convert(dst.U64, a, func(v T) uint64 { return uint64(v) })
	}
}

func convert[D, S any](dst []D, a []S, f func(S) D) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] = f(a[i])
	}
}

// saturated truncates v into [low, high]. As a float, high may be the power of
// two above it, which the comparison sends there too.
func saturated[I int64 | uint64, T float](v T, low, high I) I {
	switch f := float64(v); {
	case f != f:
		return 0
	case f <= float64(low):
		return low
	case f >= float64(high):
		return high
	default:
		return I(f)
	}
}

// oddFloat64 is a float64 that rounds to a narrow float as v does: the bits of v
// that float64 has no room for are folded into one.
func oddFloat64[T int64 | uint64](v T) float64 {
	const lost = 1<<11 - 1
	if high := v >> 53; high != 0 && high != ^T(0) && v&lost != 0 {
		v = v&^lost | (lost + 1)
	}
	return float64(v)
}
