package routine

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// Values are ordered by unsigned keys that ascend as the values do, those of
// floats by engine.FloatKey32 and the like with the sign bit turned over. Keys
// of a descending order are turned over.
//
// Source: Herf, Radix Tricks (2001); Terdiman, Radix Sort Revisited (2000).

// keyFunc gives the keys of elements [at, at+len(dst)), descending if flip is all ones.
type keyFunc[K uint32 | uint64] func(dst []K, at int64, flip K)

// keys32 makes the keys of an input of at most four bytes a value.
func keys32(dt tensor.DType, mem []byte) keyFunc[uint32] {
	switch dt {
	case tensor.Bool, tensor.Uint8:
		return bitKeys[uint8](mem, 0)
	case tensor.Int8:
		return bitKeys[uint8](mem, 1<<7)
	case tensor.Uint16:
		return bitKeys[uint16](mem, 0)
	case tensor.Int16:
		return bitKeys[uint16](mem, 1<<15)
	case tensor.Uint32:
		return bitKeys[uint32](mem, 0)
	case tensor.Int32:
		return bitKeys[uint32](mem, 1<<31)
	case tensor.Float16:
		return halfKeys(mem, 0x7c00)
	case tensor.BFloat16:
		return halfKeys(mem, 0x7f80)
	default:
		return func(dst []uint32, at int64, flip uint32) {
			for i, v := range work.Typed[float32](mem)[at:][:len(dst)] {
				dst[i] = floatKey32(v) ^ flip
			}
		}
	}
}

// keys64 makes the keys of an input of eight bytes a value.
func keys64(dt tensor.DType, mem []byte) keyFunc[uint64] {
	xs := work.Typed[uint64](mem)
	switch dt {
	case tensor.Uint64, tensor.Int64:
		sign := uint64(0)
		if dt == tensor.Int64 {
			sign = 1 << 63
		}
		return func(dst []uint64, at int64, flip uint64) {
			for i, b := range xs[at:][:len(dst)] {
				dst[i] = b ^ sign ^ flip
			}
		}
	default:
		return func(dst []uint64, at int64, flip uint64) {
			for i, v := range work.Typed[float64](mem)[at:][:len(dst)] {
				dst[i] = floatKey64(v) ^ flip
			}
		}
	}
}

// bitKeys are the keys of integers whose sign bit, if any, is sign.
func bitKeys[T uint8 | uint16 | uint32](mem []byte, sign T) keyFunc[uint32] {
	xs := work.Typed[T](mem)
	return func(dst []uint32, at int64, flip uint32) {
		for i, b := range xs[at:][:len(dst)] {
			dst[i] = uint32(b^sign) ^ flip
		}
	}
}

// halfKeys are the keys of 16-bit floats with the given bits of infinity.
func halfKeys(mem []byte, inf uint16) keyFunc[uint32] {
	xs := work.Typed[uint16](mem)
	return func(dst []uint32, at int64, flip uint32) {
		for i, b := range xs[at:][:len(dst)] {
			k := b ^ (uint16(int16(b)>>15) | 1<<15)
			switch m := b & (1<<15 - 1); {
			case m == 0:
				k = 1 << 15
			case m > inf:
				k = 1<<16 - 1
			}
			dst[i] = uint32(k) ^ flip
		}
	}
}

func floatKey32(v float32) uint32 { return uint32(engine.FloatKey32(v)) ^ 1<<31 }

func floatKey64(v float64) uint64 { return uint64(engine.FloatKey64(v)) ^ 1<<63 }
