package taskref

import (
	"encoding/binary"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// value is a number in a register: f for floats, i for the rest (the bits of a
// uint64).
type value struct {
	f float64
	i int64
}

// wrap cuts v to the register type of dt.
func wrap(dt tensor.DType, v value) value {
	switch dt {
	case tensor.Float64:
		return value{f: v.f}
	case tensor.Float16, tensor.BFloat16, tensor.Float32:
		return value{f: float64(float32(v.f))}
	case tensor.Bool:
		if v.i != 0 {
			return value{i: 1}
		}
		return value{}
	case tensor.Int8:
		return value{i: int64(int8(v.i))}
	case tensor.Uint8:
		return value{i: int64(uint8(v.i))}
	case tensor.Int16:
		return value{i: int64(int16(v.i))}
	case tensor.Uint16:
		return value{i: int64(uint16(v.i))}
	case tensor.Int32:
		return value{i: int64(int32(v.i))}
	case tensor.Uint32:
		return value{i: int64(uint32(v.i))}
	}
	return value{i: v.i}
}

// load reads element i of memory that holds dt.
func load(dt tensor.DType, mem []byte, i int64) value {
	b := mem[i*int64(dt.Size()):]
	switch dt {
	case tensor.Float16:
		return value{f: tensor.Half(binary.NativeEndian.Uint16(b)).Float64()}
	case tensor.BFloat16:
		return value{f: tensor.BF16(binary.NativeEndian.Uint16(b)).Float64()}
	case tensor.Float32:
		return value{f: float64(math.Float32frombits(binary.NativeEndian.Uint32(b)))}
	case tensor.Float64:
		return value{f: math.Float64frombits(binary.NativeEndian.Uint64(b))}
	}
	switch dt.Size() {
	case 1:
		return wrap(dt, value{i: int64(b[0])})
	case 2:
		return wrap(dt, value{i: int64(binary.NativeEndian.Uint16(b))})
	case 4:
		return wrap(dt, value{i: int64(binary.NativeEndian.Uint32(b))})
	default:
		return value{i: int64(binary.NativeEndian.Uint64(b))}
	}
}

// store writes v, a value of dtype dt, to element i of memory.
func store(dt tensor.DType, mem []byte, i int64, v value) {
	b := mem[i*int64(dt.Size()):]
	switch dt {
	case tensor.Float16:
		binary.NativeEndian.PutUint16(b, uint16(tensor.HalfFrom64(v.f)))
	case tensor.BFloat16:
		binary.NativeEndian.PutUint16(b, uint16(tensor.BF16From64(v.f)))
	case tensor.Float32:
		binary.NativeEndian.PutUint32(b, math.Float32bits(float32(v.f)))
	case tensor.Float64:
		binary.NativeEndian.PutUint64(b, math.Float64bits(v.f))
	default:
		switch dt.Size() {
		case 1:
			b[0] = byte(v.i)
		case 2:
			binary.NativeEndian.PutUint16(b, uint16(v.i))
		case 4:
			binary.NativeEndian.PutUint32(b, uint32(v.i))
		default:
			binary.NativeEndian.PutUint64(b, uint64(v.i))
		}
	}
}

// block is v as the argument or result of a scalar function.
func block(dt tensor.DType, v value) engine.Block {
	switch engine.ClassOf(dt) {
	case engine.ClassF32:
		return engine.Block{F32: []float32{float32(v.f)}}
	case engine.ClassF64:
		return engine.Block{F64: []float64{v.f}}
	case engine.ClassI64:
		return engine.Block{I64: []int64{v.i}}
	default:
		return engine.Block{U64: []uint64{uint64(v.i)}}
	}
}

// set puts v into b, a block for values of dtype dt.
func set(dt tensor.DType, b engine.Block, v value) {
	switch engine.ClassOf(dt) {
	case engine.ClassF32:
		b.F32[0] = float32(v.f)
	case engine.ClassF64:
		b.F64[0] = v.f
	case engine.ClassI64:
		b.I64[0] = v.i
	default:
		b.U64[0] = uint64(v.i)
	}
}

func unblock(dt tensor.DType, b engine.Block) value {
	switch engine.ClassOf(dt) {
	case engine.ClassF32:
		return value{f: float64(b.F32[0])}
	case engine.ClassF64:
		return value{f: b.F64[0]}
	case engine.ClassI64:
		return wrap(dt, value{i: b.I64[0]})
	default:
		return wrap(dt, value{i: int64(b.U64[0])})
	}
}

// convert carries v from register to register: a number keeps its value, an
// integer wraps.
func convert(from, to tensor.DType, v value) value {
	switch {
	case from.IsFloat() && !to.IsFloat():
		v = value{i: int64(v.f)}
	case !from.IsFloat() && to.IsFloat():
		if from == tensor.Uint64 {
			v = value{f: float64(uint64(v.i))}
		} else {
			v = value{f: float64(v.i)}
		}
	}
	return wrap(to, v)
}

// less orders two values of dtype dt.
func less(dt tensor.DType, a, b value) bool {
	switch {
	case dt.IsFloat():
		return a.f < b.f
	case dt == tensor.Uint64:
		return uint64(a.i) < uint64(b.i)
	default:
		return a.i < b.i
	}
}

func isNaN(v value) bool { return v.f != v.f }
