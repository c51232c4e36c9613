package spec

import (
	"slices"

	"github.com/anycl/anycl/tensor"
)

// Array is a host array in which references compute: the elements in
// row-major order, in the widest type of their class. Exactly one of F, I and
// U is used.
//
//	F  float16, bfloat16, float32, float64
//	I  int8, int16, int32, int64
//	U  bool (0 or 1), uint8, uint16, uint32, uint64
//
// Values that a reference returns in F are not rounded to DType, because errors
// are measured against them.
type Array struct {
	DType tensor.DType
	Shape []int
	F     []float64
	I     []int64
	U     []uint64
}

// NewArray is an array of zeros.
func NewArray(dt tensor.DType, shape ...int) Array {
	a := Array{DType: dt, Shape: slices.Clone(shape)}
	switch n := Count(shape); {
	case dt.IsFloat():
		a.F = make([]float64, n)
	case dt.IsSigned():
		a.I = make([]int64, n)
	default:
		a.U = make([]uint64, n)
	}
	return a
}

// Len is the number of elements.
func (a Array) Len() int { return Count(a.Shape) }

// FromTensor reads t.
func FromTensor(t *tensor.Tensor) Array {
	a := NewArray(t.DType(), t.Shape()...)
	switch t.DType() {
	case tensor.Bool:
		for i, v := range Elements[bool](t) {
			if v {
				a.U[i] = 1
			}
		}
	case tensor.Int8:
		widen(a.I, Elements[int8](t))
	case tensor.Int16:
		widen(a.I, Elements[int16](t))
	case tensor.Int32:
		widen(a.I, Elements[int32](t))
	case tensor.Int64:
		widen(a.I, Elements[int64](t))
	case tensor.Uint8:
		widen(a.U, Elements[uint8](t))
	case tensor.Uint16:
		widen(a.U, Elements[uint16](t))
	case tensor.Uint32:
		widen(a.U, Elements[uint32](t))
	case tensor.Uint64:
		widen(a.U, Elements[uint64](t))
	case tensor.Float16:
		for i, v := range Elements[tensor.Half](t) {
			a.F[i] = v.Float64()
		}
	case tensor.BFloat16:
		for i, v := range Elements[tensor.BF16](t) {
			a.F[i] = v.Float64()
		}
	case tensor.Float32:
		widen(a.F, Elements[float32](t))
	case tensor.Float64:
		widen(a.F, Elements[float64](t))
	}
	return a
}

// Tensor rounds a to its dtype.
func (a Array) Tensor() *tensor.Tensor {
	t := tensor.Must(tensor.New(a.DType, a.Shape...))
	switch a.DType {
	case tensor.Bool:
		for i := range Elements[bool](t) {
			Elements[bool](t)[i] = a.U[i] != 0
		}
	case tensor.Int8:
		narrow(Elements[int8](t), a.I)
	case tensor.Int16:
		narrow(Elements[int16](t), a.I)
	case tensor.Int32:
		narrow(Elements[int32](t), a.I)
	case tensor.Int64:
		narrow(Elements[int64](t), a.I)
	case tensor.Uint8:
		narrow(Elements[uint8](t), a.U)
	case tensor.Uint16:
		narrow(Elements[uint16](t), a.U)
	case tensor.Uint32:
		narrow(Elements[uint32](t), a.U)
	case tensor.Uint64:
		narrow(Elements[uint64](t), a.U)
	case tensor.Float16:
		for i, v := range a.F {
			Elements[tensor.Half](t)[i] = tensor.HalfFrom64(v)
		}
	case tensor.BFloat16:
		for i, v := range a.F {
			Elements[tensor.BF16](t)[i] = tensor.BF16From64(v)
		}
	case tensor.Float32:
		narrow(Elements[float32](t), a.F)
	case tensor.Float64:
		narrow(Elements[float64](t), a.F)
	}
	return t
}

// Elements are the elements of a tensor whose dtype T is known to match.
func Elements[T tensor.Elem](t *tensor.Tensor) []T {
	s, err := tensor.ToSlice[T](t)
	if err != nil {
		panic(err) // the caller switched on the dtype
	}
	return s
}

type plain interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

func widen[W, N plain](dst []W, src []N) {
	for i, v := range src {
		dst[i] = W(v)
	}
}

func narrow[N, W plain](dst []N, src []W) {
	for i, v := range src {
		dst[i] = N(v)
	}
}

// Count is the number of elements of a shape.
func Count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
