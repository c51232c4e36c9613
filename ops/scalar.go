package ops

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// Constructors for engine.Scalar.Host: the function of an element-wise op on the
// CPU path, one function per register class. A narrow integer is computed in
// 64 bits and wrapped by the engine afterwards.

type hostFunc = func(out tensor.DType, in []tensor.DType, dst engine.Block, args []engine.Block)

// real1 is an element-wise function of one float.
func real1(f func(float64) float64) hostFunc { return engine.HostOf1(f) }

// real2 is an element-wise function of two floats.
func real2(f func(a, b float64) float64) hostFunc { return engine.HostOf2(f) }

// number1 is an element-wise function of one number, by register class. A nil
// entry means that the op does not take that class.
type number1 struct {
	f32 func(float32) float32
	f64 func(float64) float64
	i64 func(int64) int64
	u64 func(uint64) uint64
}

func (h number1) host(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
	switch engine.ClassOf(out) {
	case engine.ClassF32:
		each1(dst.F32, args[0].F32, h.f32)
	case engine.ClassF64:
		each1(dst.F64, args[0].F64, h.f64)
	case engine.ClassI64:
		each1(dst.I64, args[0].I64, h.i64)
	case engine.ClassU64:
		each1(dst.U64, args[0].U64, h.u64)
	}
}

// number2 is an element-wise function of two numbers, by register class.
type number2 struct {
	f32 func(a, b float32) float32
	f64 func(a, b float64) float64
	i64 func(a, b int64) int64
	u64 func(a, b uint64) uint64
}

func (h number2) host(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
	switch engine.ClassOf(out) {
	case engine.ClassF32:
		each2(dst.F32, args[0].F32, args[1].F32, h.f32)
	case engine.ClassF64:
		each2(dst.F64, args[0].F64, args[1].F64, h.f64)
	case engine.ClassI64:
		each2(dst.I64, args[0].I64, args[1].I64, h.i64)
	case engine.ClassU64:
		each2(dst.U64, args[0].U64, args[1].U64, h.u64)
	}
}

// test1 is a predicate of one float.
type test1 struct {
	f32 func(float32) bool
	f64 func(float64) bool
}

func (h test1) host(_ tensor.DType, in []tensor.DType, dst engine.Block, args []engine.Block) {
	if engine.ClassOf(in[0]) == engine.ClassF64 {
		holds1(dst.U64, args[0].F64, h.f64)
	} else {
		holds1(dst.U64, args[0].F32, h.f32)
	}
}

// test2 is a predicate of two values, by register class.
type test2 struct {
	f32 func(a, b float32) bool
	f64 func(a, b float64) bool
	i64 func(a, b int64) bool
	u64 func(a, b uint64) bool
}

func (h test2) host(_ tensor.DType, in []tensor.DType, dst engine.Block, args []engine.Block) {
	switch engine.ClassOf(in[0]) {
	case engine.ClassF32:
		holds2(dst.U64, args[0].F32, args[1].F32, h.f32)
	case engine.ClassF64:
		holds2(dst.U64, args[0].F64, args[1].F64, h.f64)
	case engine.ClassI64:
		holds2(dst.U64, args[0].I64, args[1].I64, h.i64)
	case engine.ClassU64:
		holds2(dst.U64, args[0].U64, args[1].U64, h.u64)
	}
}

// blocks1 is number1 for ops so common that a call per element is too much.
type blocks1 struct {
	f32 func(dst, a []float32)
	f64 func(dst, a []float64)
	i64 func(dst, a []int64)
	u64 func(dst, a []uint64)
}

func (h blocks1) host(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
	switch engine.ClassOf(out) {
	case engine.ClassF32:
		h.f32(dst.F32, args[0].F32)
	case engine.ClassF64:
		h.f64(dst.F64, args[0].F64)
	case engine.ClassI64:
		h.i64(dst.I64, args[0].I64)
	case engine.ClassU64:
		h.u64(dst.U64, args[0].U64)
	}
}

// blocks2 is number2 for ops so common that a call per element is too much.
type blocks2 struct {
	f32 func(dst, a, b []float32)
	f64 func(dst, a, b []float64)
	i64 func(dst, a, b []int64)
	u64 func(dst, a, b []uint64)
}

func (h blocks2) host(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
	switch engine.ClassOf(out) {
	case engine.ClassF32:
		h.f32(dst.F32, args[0].F32, args[1].F32)
	case engine.ClassF64:
		h.f64(dst.F64, args[0].F64, args[1].F64)
	case engine.ClassI64:
		h.i64(dst.I64, args[0].I64, args[1].I64)
	case engine.ClassU64:
		h.u64(dst.U64, args[0].U64, args[1].U64)
	}
}

func each1[T any](dst, a []T, f func(T) T) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] = f(a[i])
	}
}

func each2[T any](dst, a, b []T, f func(a, b T) T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = f(a[i], b[i])
	}
}

func holds1[T any](dst []uint64, a []T, f func(T) bool) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] = truth(f(a[i]))
	}
}

func holds2[T any](dst []uint64, a, b []T, f func(a, b T) bool) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = truth(f(a[i], b[i]))
	}
}

// truth is a bool in its register.
func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// register is a type in which the host computes.
type register interface {
	float32 | float64 | int64 | uint64
}

// float is a register type for floats.
type float interface{ float32 | float64 }

// scalarOf is an element-wise function with one OpenCL C expression for all
// dtypes; see engine.Scalar for its notation.
func scalarOf(c string, flops float64, host hostFunc) *engine.Scalar {
	return &engine.Scalar{OpenCL: c, Host: host, Flops: flops}
}

// scalarFor is an element-wise function whose OpenCL C expression depends on
// the dtype of its first operand.
func scalarFor(c func(dt tensor.DType) string, flops float64, host hostFunc) *engine.Scalar {
	return &engine.Scalar{
		OpenCLFor: func(_ tensor.DType, in []tensor.DType) string { return c(in[0]) },
		Host:      host,
		Flops:     flops,
	}
}
