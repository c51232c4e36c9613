package fallback

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/internal/vector"
	"github.com/anycl/anycl/tensor"
)

// reg is a register type: one per engine.Class.
type reg interface {
	float32 | float64 | int64 | uint64
}

// lane is the slice of b that holds values of R.
func lane[R reg](b *engine.Block) *[]R {
	var p any
	switch any((*R)(nil)).(type) {
	case *float32:
		p = &b.F32
	case *float64:
		p = &b.F64
	case *int64:
		p = &b.I64
	default:
		p = &b.U64
	}
	return p.(*[]R)
}

// codec moves values between memory, as T, and registers, as R.
type codec[T any, R reg] struct {
	// load sets dst[i] = mem[at+i*stride].
	load func(dst []R, mem []T, at, stride int64)
	// pick sets dst[i] = mem[at[i]] where ok is nil or ok[i] is not 0, else 0.
	pick func(dst []R, mem []T, at []int64, ok []uint64)
	// store sets dst[i] = src[i], rounded or wrapped.
	store func(dst []T, src []R)
	// same is set where T is R: the registers can lie in memory.
	same func(mem []T) []R
}

// wide is the codec of a T that R holds exactly, wrapped by a store.
func wide[T work.Number, R reg]() codec[T, R] {
	return codec[T, R]{
		load: func(dst []R, mem []T, at, stride int64) {
			if stride == 1 {
				for i, v := range mem[at:][:len(dst)] {
					dst[i] = R(v)
				}
				return
			}
			strided(dst, mem, at, stride, func(v T) R { return R(v) })
		},
		pick: func(dst []R, mem []T, at []int64, ok []uint64) {
			pick(dst, mem, at, ok, func(v T) R { return R(v) })
		},
		store: func(dst []T, src []R) {
			for i, v := range src[:len(dst)] {
				dst[i] = T(v)
			}
		},
	}
}

// plain is the codec of a dtype that is its own register type.
func plain[R reg]() codec[R, R] {
	return codec[R, R]{
		load: func(dst []R, mem []R, at, stride int64) {
			switch stride {
			case 1:
				src := mem[at:][:len(dst)]
				if len(dst) > 16 {
					copy(dst, src)
					return
				}
				//lint:ignore S1001 a few values are sooner moved than memmove is called
				for i, v := range src {
					dst[i] = v
				}
			case 0:
				fill(dst, mem[at])
			default:
				for i := range dst {
					dst[i] = mem[at]
					at += stride
				}
			}
		},
		pick: func(dst []R, mem []R, at []int64, ok []uint64) {
			if ok == nil {
				for i, a := range at[:len(dst)] {
					dst[i] = mem[a]
				}
				return
			}
			pick(dst, mem, at, ok, func(v R) R { return v })
		},
		store: func(dst []R, src []R) { copy(dst, src) },
		same:  func(mem []R) []R { return mem },
	}
}

// via is the codec of a T that functions widen and narrow.
func via[T any, R reg](widen func(T) R, narrow func(R) T) codec[T, R] {
	return codec[T, R]{
		load: func(dst []R, mem []T, at, stride int64) { strided(dst, mem, at, stride, widen) },
		pick: func(dst []R, mem []T, at []int64, ok []uint64) { pick(dst, mem, at, ok, widen) },
		store: func(dst []T, src []R) {
			for i, v := range src[:len(dst)] {
				dst[i] = narrow(v)
			}
		},
	}
}

func strided[T any, R reg](dst []R, mem []T, at, stride int64, widen func(T) R) {
	if stride == 0 {
		fill(dst, widen(mem[at]))
		return
	}
	for i := range dst {
		dst[i] = widen(mem[at])
		at += stride
	}
}

func pick[T any, R reg](dst []R, mem []T, at []int64, ok []uint64, widen func(T) R) {
	at = at[:len(dst)]
	for i, a := range at {
		if ok != nil && ok[i] == 0 {
			dst[i] = 0
			continue
		}
		dst[i] = widen(mem[a])
	}
}

func fill[R any](dst []R, v R) {
	for i := range dst {
		dst[i] = v
	}
}

var (
	boolCodec = via(
		func(b uint8) uint64 { return min(uint64(b), 1) },
		func(v uint64) uint8 { return uint8(min(v, 1)) })
	halfCodec = via(tensor.Half.Float32, tensor.HalfFrom)
	bf16Codec = via(tensor.BF16.Float32, tensor.BF16From)
)

// wrap brings an integer block back to the width of dt. Other dtypes need
// nothing.
func wrap(dt tensor.DType, b engine.Block) {
	switch dt {
	case tensor.Int8:
		for i, v := range b.I64 {
			b.I64[i] = int64(int8(v))
		}
	case tensor.Int16:
		for i, v := range b.I64 {
			b.I64[i] = int64(int16(v))
		}
	case tensor.Int32:
		vector.SignExtend32(b.I64)
	case tensor.Uint8:
		mask(b.U64, 0xff)
	case tensor.Uint16:
		mask(b.U64, 0xffff)
	case tensor.Uint32:
		mask(b.U64, 0xffffffff)
	}
}

func mask(x []uint64, m uint64) {
	for i := range x {
		x[i] &= m
	}
}

// narrow reports whether values of dt must be wrapped after an operation.
func narrow(dt tensor.DType) bool { return dt.IsInt() && dt.Size() < 8 }

// convert copies src to dst between register classes, as Go converts: a
// negative integer wraps, a float loses its fraction.
func convert(dst, src engine.Block) {
	switch {
	case src.F32 != nil:
		convertFrom(dst, src.F32)
	case src.F64 != nil:
		convertFrom(dst, src.F64)
	case src.I64 != nil:
		convertFrom(dst, src.I64)
	case src.U64 != nil:
		convertFrom(dst, src.U64)
	}
}

func convertFrom[S reg](dst engine.Block, src []S) {
	switch {
	case dst.F32 != nil:
		convertTo(dst.F32, src)
	case dst.F64 != nil:
		convertTo(dst.F64, src)
	case dst.I64 != nil:
		convertTo(dst.I64, src)
	case dst.U64 != nil:
		convertTo(dst.U64, src)
	}
}

func convertTo[D, S reg](dst []D, src []S) {
	for i, v := range src[:len(dst)] {
		dst[i] = D(v)
	}
}
