package optest

import (
	"fmt"
	"math"
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
// What a reference returns in F is not rounded to DType: that is what errors
// are measured against.
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
	switch n := count(shape); {
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
func (a Array) Len() int { return count(a.Shape) }

// float is element i as a float64, to which 64-bit integers round.
func (a Array) float(i int) float64 {
	switch {
	case a.F != nil:
		return a.F[i]
	case a.I != nil:
		return float64(a.I[i])
	default:
		return float64(a.U[i])
	}
}

// index is element i of an integer array as an int.
func (a Array) index(i int) int {
	if a.I != nil {
		return int(a.I[i])
	}
	return int(min(a.U[i], math.MaxInt64))
}

// copy sets element i to element j of b, which has the same dtype.
func (a Array) copy(i int, b Array, j int) {
	switch {
	case a.F != nil:
		a.F[i] = b.F[j]
	case a.I != nil:
		a.I[i] = b.I[j]
	default:
		a.U[i] = b.U[j]
	}
}

// text is element i as people write it.
func (a Array) text(i int) string {
	switch {
	case a.DType == tensor.Bool:
		return fmt.Sprint(a.U[i] != 0)
	case a.F != nil:
		return fmt.Sprintf("%.9g", a.F[i])
	case a.I != nil:
		return fmt.Sprint(a.I[i])
	default:
		return fmt.Sprint(a.U[i])
	}
}

// FromTensor reads t.
func FromTensor(t *tensor.Tensor) Array {
	a := NewArray(t.DType(), t.Shape()...)
	switch t.DType() {
	case tensor.Bool:
		for i, v := range elements[bool](t) {
			if v {
				a.U[i] = 1
			}
		}
	case tensor.Int8:
		widen(a.I, elements[int8](t))
	case tensor.Int16:
		widen(a.I, elements[int16](t))
	case tensor.Int32:
		widen(a.I, elements[int32](t))
	case tensor.Int64:
		widen(a.I, elements[int64](t))
	case tensor.Uint8:
		widen(a.U, elements[uint8](t))
	case tensor.Uint16:
		widen(a.U, elements[uint16](t))
	case tensor.Uint32:
		widen(a.U, elements[uint32](t))
	case tensor.Uint64:
		widen(a.U, elements[uint64](t))
	case tensor.Float16:
		for i, v := range elements[tensor.Half](t) {
			a.F[i] = v.Float64()
		}
	case tensor.BFloat16:
		for i, v := range elements[tensor.BF16](t) {
			a.F[i] = v.Float64()
		}
	case tensor.Float32:
		widen(a.F, elements[float32](t))
	case tensor.Float64:
		widen(a.F, elements[float64](t))
	}
	return a
}

// Tensor rounds a to its dtype.
func (a Array) Tensor() *tensor.Tensor {
	t := tensor.Must(tensor.New(a.DType, a.Shape...))
	switch a.DType {
	case tensor.Bool:
		for i := range elements[bool](t) {
			elements[bool](t)[i] = a.U[i] != 0
		}
	case tensor.Int8:
		narrow(elements[int8](t), a.I)
	case tensor.Int16:
		narrow(elements[int16](t), a.I)
	case tensor.Int32:
		narrow(elements[int32](t), a.I)
	case tensor.Int64:
		narrow(elements[int64](t), a.I)
	case tensor.Uint8:
		narrow(elements[uint8](t), a.U)
	case tensor.Uint16:
		narrow(elements[uint16](t), a.U)
	case tensor.Uint32:
		narrow(elements[uint32](t), a.U)
	case tensor.Uint64:
		narrow(elements[uint64](t), a.U)
	case tensor.Float16:
		for i, v := range a.F {
			elements[tensor.Half](t)[i] = tensor.HalfFrom64(v)
		}
	case tensor.BFloat16:
		for i, v := range a.F {
			elements[tensor.BF16](t)[i] = tensor.BF16From64(v)
		}
	case tensor.Float32:
		narrow(elements[float32](t), a.F)
	case tensor.Float64:
		narrow(elements[float64](t), a.F)
	}
	return t
}

// elements are the elements of a tensor whose dtype T is known to match.
func elements[T tensor.Elem](t *tensor.Tensor) []T {
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

// wrapInt keeps the low bits of v that a signed integer of dtype dt holds.
func wrapInt(dt tensor.DType, v int64) int64 {
	shift := 64 - 8*dt.Size()
	return v << shift >> shift
}

// wrapUint keeps the low bits of v that an unsigned integer of dtype dt holds.
func wrapUint(dt tensor.DType, v uint64) uint64 {
	shift := 64 - 8*dt.Size()
	return v << shift >> shift
}

// count is the number of elements of a shape.
func count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// coordinates yields every coordinate of a box in row-major order with its
// position. The slice is reused.
func coordinates(shape []int) func(yield func(int, []int) bool) {
	return func(yield func(int, []int) bool) {
		at := make([]int, len(shape))
		for i := range count(shape) {
			rest := i
			for a := len(shape) - 1; a >= 0; a-- {
				at[a], rest = rest%shape[a], rest/shape[a]
			}
			if !yield(i, at) {
				return
			}
		}
	}
}

// position is where the element at a coordinate stands in row-major order.
func position(shape, at []int) int {
	p := 0
	for a, d := range shape {
		p = p*d + at[a]
	}
	return p
}

// stretched is the position in an array of shape from of the element that
// broadcasting shows at a coordinate of a larger shape.
func stretched(from, at []int) int {
	p, lead := 0, len(at)-len(from)
	for a, d := range from {
		if p *= d; d != 1 {
			p += at[lead+a]
		}
	}
	return p
}
