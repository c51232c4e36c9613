package fallback

import (
	"unsafe"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
)

// classBytes is the size of one value in a register of class c.
func classBytes(c engine.Class) int {
	if c == engine.ClassF32 {
		return 4
	}
	return 8
}

// newBlock is mem as registers of class c.
func newBlock(c engine.Class, mem []byte) (b engine.Block) {
	switch c {
	case engine.ClassF32:
		b.F32 = work.Typed[float32](mem)
	case engine.ClassF64:
		b.F64 = work.Typed[float64](mem)
	case engine.ClassI64:
		b.I64 = work.Typed[int64](mem)
	default:
		b.U64 = work.Typed[uint64](mem)
	}
	return b
}

// cut is values from to to of b.
func cut(b engine.Block, from, to int) engine.Block {
	switch {
	case b.F32 != nil:
		b.F32 = b.F32[from:to]
	case b.F64 != nil:
		b.F64 = b.F64[from:to]
	case b.I64 != nil:
		b.I64 = b.I64[from:to]
	case b.U64 != nil:
		b.U64 = b.U64[from:to]
	}
	return b
}

// start is where the values of b lie.
func start(b engine.Block) unsafe.Pointer {
	switch {
	case b.F32 != nil:
		return unsafe.Pointer(unsafe.SliceData(b.F32))
	case b.F64 != nil:
		return unsafe.Pointer(unsafe.SliceData(b.F64))
	case b.I64 != nil:
		return unsafe.Pointer(unsafe.SliceData(b.I64))
	default:
		return unsafe.Pointer(unsafe.SliceData(b.U64))
	}
}

// copyBlock copies src to dst, of one class.
func copyBlock(dst, src engine.Block) {
	copy(dst.F32, src.F32)
	copy(dst.F64, src.F64)
	copy(dst.I64, src.I64)
	copy(dst.U64, src.U64)
}

// constBlock is n times the constant v of class c.
func constBlock(c engine.Class, v engine.Const, n int) (b engine.Block) {
	switch c {
	case engine.ClassF32:
		b.F32 = make([]float32, n)
		fill(b.F32, float32(v.Float))
	case engine.ClassF64:
		b.F64 = make([]float64, n)
		fill(b.F64, v.Float)
	case engine.ClassI64:
		b.I64 = make([]int64, n)
		fill(b.I64, v.Int)
	default:
		b.U64 = make([]uint64, n)
		fill(b.U64, uint64(v.Int))
	}
	return b
}
