package ocltest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// RandomBytes are n elements of dt: small numbers for floats, all bits for
// integers, 0 and 1 for bools.
func RandomBytes(r *rand.Rand, dt tensor.DType, n int64) []byte {
	out := make([]byte, n*int64(dt.Size()))
	for i := range n {
		PutAt(dt, out, i, r.NormFloat64(), r.Uint64())
	}
	return out
}

// PutAt stores f, or the bits of u, as element i.
func PutAt(dt tensor.DType, out []byte, i int64, f float64, u uint64) {
	b := out[i*int64(dt.Size()):]
	switch dt {
	case tensor.Bool:
		b[0] = byte(u & 1)
	case tensor.Float16:
		binary.NativeEndian.PutUint16(b, uint16(tensor.HalfFrom64(f)))
	case tensor.BFloat16:
		binary.NativeEndian.PutUint16(b, uint16(tensor.BF16From64(f)))
	case tensor.Float32:
		binary.NativeEndian.PutUint32(b, math.Float32bits(float32(f)))
	case tensor.Float64:
		binary.NativeEndian.PutUint64(b, math.Float64bits(f))
	default:
		switch dt.Size() {
		case 1:
			b[0] = byte(u)
		case 2:
			binary.NativeEndian.PutUint16(b, uint16(u))
		case 4:
			binary.NativeEndian.PutUint32(b, uint32(u))
		default:
			binary.NativeEndian.PutUint64(b, u)
		}
	}
}

// RandomInputs are floats in [-1, 1) and integers of either sign in [-9, 9].
func RandomInputs(t *engine.Task, seed uint64) [][]byte {
	r := rand.New(rand.NewPCG(seed, 77))
	var ins [][]byte
	for _, o := range t.Ins {
		var b []byte
		for range o.Len {
			f := r.Float64()*2 - 1
			switch o.DType {
			case tensor.Float16:
				b = binary.LittleEndian.AppendUint16(b, uint16(tensor.HalfFrom64(f)))
			case tensor.BFloat16:
				b = binary.LittleEndian.AppendUint16(b, uint16(tensor.BF16From64(f)))
			case tensor.Float32:
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(f)))
			case tensor.Float64:
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
			case tensor.Bool:
				b = append(b, byte(r.IntN(2)))
			default:
				v := uint64(int64(f * 10))
				b = append(b, binary.LittleEndian.AppendUint64(nil, v)[:o.DType.Size()]...)
			}
		}
		ins = append(ins, b)
	}
	return ins
}

// Filled is n elements v of dt, a float.
func Filled(dt tensor.DType, n int64, v float64) []byte {
	mem := make([]byte, n*int64(dt.Size()))
	for i := range n {
		PutAt(dt, mem, i, v, 0)
	}
	return mem
}
