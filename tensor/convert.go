package tensor

import (
	"fmt"
	"math"
)

// A value on its way between dtypes, or to a caller who asked for a float64, is carried in the
// widest type of its class, which holds it exactly: int64, uint64 or float64.
type carrier interface{ int64 | uint64 | float64 }

type integer interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64
}

type number interface{ integer | float32 | float64 }

// Cast returns a contiguous copy of t with its elements converted to dt. These rules hold on
// every device and on the CPU path:
//
//   - to bool: everything but 0 is true, NaN too;
//   - from bool: false is 0, true is 1;
//   - integer to integer: the low bits are kept (two's complement), so a value that does not fit wraps;
//   - float to integer: truncated toward zero; beyond the range it is the nearest bound; NaN is 0;
//   - to float: rounded once to nearest, ties to even; beyond the range it is infinite;
//   - to complex: the real part is converted as to float, the imaginary one is 0;
//   - from complex: the real part is converted; to bool: everything but 0 is true; to complex: both parts are converted.
//
// Errors: dt is not a dtype.
func Cast(t *Tensor, dt DType) (*Tensor, error) {
	if !dt.Valid() {
		return nil, fmt.Errorf("tensor: cast %s %s to %s, which is not a dtype", t.dtype, ShapeString(t.shape), dt)
	}
	if dt == t.dtype {
		return t.Clone(), nil
	}
	if _, err := checkSize(dt, t.shape); err != nil {
		return nil, err
	}
	dst := contiguous(dt, t.shape, t.n, AlignedBytes(t.n*dt.Size()))
	switch {
	case dt.IsComplex() || t.dtype.IsComplex():
		castComplex(dst, t)
	case t.dtype.IsFloat():
		castThrough(dst, t, storeFloats)
	case t.dtype.IsSigned():
		castThrough(dst, t, storeInts[int64])
	default:
		castThrough(dst, t, storeInts[uint64])
	}
	return dst, nil
}

// castThrough converts block by block, so that the carried values stay in cache.
func castThrough[C carrier](dst, src *Tensor, store func(*Tensor, int, []C)) {
	at := 0
	var block [512]C
	for r := range src.runs() {
		for r.n > 0 {
			part := block[:min(r.n, len(block))]
			load(part, src, r.offset, r.stride)
			store(dst, at, part)
			at += len(part)
			r.offset += len(part) * r.stride
			r.n -= len(part)
		}
	}
}

// load reads elements of t at equal distances in storage. C must be the carrier of t's dtype, or
// float64, to which 64-bit integers round.
func load[C carrier](dst []C, t *Tensor, offset, stride int) {
	switch t.dtype {
	case Bool:
		loadBools(dst, storage[bool](t), offset, stride)
	case Int8:
		loadNumbers(dst, storage[int8](t), offset, stride)
	case Uint8:
		loadNumbers(dst, storage[uint8](t), offset, stride)
	case Int16:
		loadNumbers(dst, storage[int16](t), offset, stride)
	case Uint16:
		loadNumbers(dst, storage[uint16](t), offset, stride)
	case Int32:
		loadNumbers(dst, storage[int32](t), offset, stride)
	case Uint32:
		loadNumbers(dst, storage[uint32](t), offset, stride)
	case Int64:
		loadNumbers(dst, storage[int64](t), offset, stride)
	case Uint64:
		loadNumbers(dst, storage[uint64](t), offset, stride)
	case Float16:
		loadNarrow(dst, storage[Half](t), offset, stride)
	case BFloat16:
		loadNarrow(dst, storage[BF16](t), offset, stride)
	case Float32:
		loadNumbers(dst, storage[float32](t), offset, stride)
	case Float64:
		loadNumbers(dst, storage[float64](t), offset, stride)
	case Complex64: // the real parts
		loadNumbers(dst, storage[float32](t), 2*offset, 2*stride)
	case Complex128:
		loadNumbers(dst, storage[float64](t), 2*offset, 2*stride)
	}
}

func loadNumbers[C carrier, T number](dst []C, src []T, offset, stride int) {
	if stride == 1 {
		for i, v := range src[offset:][:len(dst)] {
			dst[i] = C(v)
		}
		return
	}
	for i := range dst {
		dst[i] = C(src[offset+i*stride])
	}
}

func loadNarrow[C carrier, T interface{ Float32() float32 }](dst []C, src []T, offset, stride int) {
	for i := range dst {
		dst[i] = C(src[offset+i*stride].Float32())
	}
}

func loadBools[C carrier](dst []C, src []bool, offset, stride int) {
	for i := range dst {
		dst[i] = 0
		if src[offset+i*stride] {
			dst[i] = 1
		}
	}
}

// storeInts converts src to t's dtype and writes it to storage from at on.
func storeInts[C int64 | uint64](t *Tensor, at int, src []C) {
	switch t.dtype {
	case Bool:
		each(storage[bool](t)[at:], src, func(v C) bool { return v != 0 })
	case Int8:
		assign(storage[int8](t)[at:], src)
	case Uint8:
		assign(storage[uint8](t)[at:], src)
	case Int16:
		assign(storage[int16](t)[at:], src)
	case Uint16:
		assign(storage[uint16](t)[at:], src)
	case Int32:
		assign(storage[int32](t)[at:], src)
	case Uint32:
		assign(storage[uint32](t)[at:], src)
	case Int64:
		assign(storage[int64](t)[at:], src)
	case Uint64:
		assign(storage[uint64](t)[at:], src)
	case Float16:
		each(storage[Half](t)[at:], src, func(v C) Half { return HalfFrom64(float64(sticky(v))) })
	case BFloat16:
		each(storage[BF16](t)[at:], src, func(v C) BF16 { return BF16From64(float64(sticky(v))) })
	case Float32:
		assign(storage[float32](t)[at:], src)
	case Float64:
		assign(storage[float64](t)[at:], src)
	}
}

// storeFloats converts src to t's dtype and writes it to storage from at on.
func storeFloats(t *Tensor, at int, src []float64) {
	switch t.dtype {
	case Bool:
		each(storage[bool](t)[at:], src, func(v float64) bool { return v != 0 })
	case Int8:
		saturate(storage[int8](t)[at:], src, math.MinInt8, math.MaxInt8)
	case Uint8:
		saturate(storage[uint8](t)[at:], src, 0, math.MaxUint8)
	case Int16:
		saturate(storage[int16](t)[at:], src, math.MinInt16, math.MaxInt16)
	case Uint16:
		saturate(storage[uint16](t)[at:], src, 0, math.MaxUint16)
	case Int32:
		saturate(storage[int32](t)[at:], src, math.MinInt32, math.MaxInt32)
	case Uint32:
		saturate(storage[uint32](t)[at:], src, 0, math.MaxUint32)
	case Int64:
		saturate(storage[int64](t)[at:], src, math.MinInt64, math.MaxInt64)
	case Uint64:
		saturate(storage[uint64](t)[at:], src, 0, math.MaxUint64)
	case Float16:
		each(storage[Half](t)[at:], src, HalfFrom64)
	case BFloat16:
		each(storage[BF16](t)[at:], src, BF16From64)
	case Float32:
		assign(storage[float32](t)[at:], src)
	case Float64:
		assign(storage[float64](t)[at:], src)
	case Complex64:
		each(storage[complex64](t)[at:], src, func(v float64) complex64 { return complex(float32(v), 0) })
	case Complex128:
		each(storage[complex128](t)[at:], src, func(v float64) complex128 { return complex(v, 0) })
	}
}

// assign converts by Go's rules, which are this package's but for a float that leaves an integer's range.
func assign[T number, C carrier](dst []T, src []C) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = T(v)
	}
}

func each[T Elem, C carrier](dst []T, src []C, convert func(C) T) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = convert(v)
	}
}

func saturate[T integer](dst []T, src []float64, low, high T) {
	// float64(high) rounds up to 2^63 or 2^64 for the widest types; the comparison still holds.
	lowest, highest := float64(low), float64(high)
	for i, v := range src {
		switch {
		case v != v:
			dst[i] = 0
		case v <= lowest:
			dst[i] = low
		case v >= highest:
			dst[i] = high
		default:
			dst[i] = T(v)
		}
	}
}

// sticky returns a value that float64 holds exactly and that rounds to a narrow float as v does:
// above 2^53 the bits that float64 would drop are folded into one. Rounding v itself to float64
// first would round twice.
func sticky[C int64 | uint64](v C) C {
	const lost = 1<<11 - 1
	if high := v >> 53; high != 0 && high != ^C(0) && v&lost != 0 {
		return v&^lost | 1<<11
	}
	return v
}
