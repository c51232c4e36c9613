package tensor

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
)

// AsReal returns a view of complex numbers as pairs along a new last axis, the real part and the imaginary one: complex64
// [3] as float32 [3 2]. Errors: t is not complex.
func (t *Tensor) AsReal() (*Tensor, error) {
	if !t.dtype.IsComplex() {
		return nil, fmt.Errorf("tensor: %s %s is not complex", t.dtype, ShapeString(t.shape))
	}
	return t.parts(), nil
}

// AsComplex returns a view of pairs along the last axis, the real part and the imaginary one, as complex numbers without
// that axis: float32 [3 2] as complex64 [3]. Errors: t is not float32 or float64, or has no last axis of 2; strides for
// which a pair is not one element, in which case [Tensor.Contiguous] helps.
func (t *Tensor) AsComplex() (*Tensor, error) {
	dt, last := t.dtype.Complex(), t.Rank()-1
	switch {
	case dt == Invalid:
		return nil, fmt.Errorf("tensor: %s %s has no complex dtype with such parts", t.dtype, ShapeString(t.shape))
	case last < 0 || t.shape[last] != 2:
		return nil, fmt.Errorf("tensor: %s %s has no last axis of 2, for real and imaginary parts", t.dtype, ShapeString(t.shape))
	case t.n > 0 && (t.strides[last] != 1 || t.offset%2 != 0):
		return nil, fmt.Errorf("tensor: strides %v at %d are not those of complex numbers", t.strides, t.offset)
	}
	c := &Tensor{dtype: dt, shape: slices.Clone(t.shape[:last]), strides: slices.Clone(t.strides[:last]), offset: t.offset / 2, n: t.n / 2,
		data: t.data}
	for i, s := range c.strides {
		if s%2 != 0 && c.shape[i] > 1 && t.n > 0 {
			return nil, fmt.Errorf("tensor: strides %v are not those of complex numbers", t.strides)
		}
		c.strides[i] = s / 2
	}
	return c, nil
}

// parts is AsReal of a complex tensor.
func (t *Tensor) parts() *Tensor {
	r := &Tensor{dtype: t.dtype.Part(), shape: append(slices.Clone(t.shape), 2), offset: 2 * t.offset, n: 2 * t.n, data: t.data}
	for _, s := range t.strides {
		r.strides = append(r.strides, 2*s)
	}
	r.strides = append(r.strides, 1)
	return r
}

// ComplexAt returns the element at an index for each axis as a complex128; numbers that are not complex have the imaginary
// part 0. Errors: not one index an axis, or one out of range.
func (t *Tensor) ComplexAt(index ...int) (complex128, error) {
	offset, err := t.offsetAt(index)
	if err != nil {
		return 0, err
	}
	return t.complexOne(offset), nil
}

// SetComplexAt converts v by the rules of [Cast] and writes it at an index for each axis. Errors: not one index an axis, or
// one out of range.
func (t *Tensor) SetComplexAt(v complex128, index ...int) error {
	offset, err := t.offsetAt(index)
	if err != nil {
		return err
	}
	switch t.dtype {
	case Complex64:
		storage[complex64](t)[offset] = complex64(v)
	case Complex128:
		storage[complex128](t)[offset] = v
	case Bool:
		storage[bool](t)[offset] = v != 0
	default:
		storeFloats(t, offset, []float64{real(v)})
	}
	return nil
}

// Complex128At returns element i in row-major order, as [Tensor.ComplexAt] does. It panics when i is not in [0, Len()), as
// indexing a slice does.
func (t *Tensor) Complex128At(i int) complex128 { return t.complexOne(t.offsetOf(i)) }

func (t *Tensor) complexOne(offset int) complex128 {
	switch t.dtype {
	case Complex64:
		return complex128(storage[complex64](t)[offset])
	case Complex128:
		return storage[complex128](t)[offset]
	}
	return complex(t.loadOne(offset), 0)
}

// castComplex is Cast where src, dst or both are complex. dst is contiguous and all zero.
func castComplex(dst, src *Tensor) {
	switch {
	case !dst.dtype.IsComplex() && dst.dtype != Bool:
		castParts(dst, src, 0)
	case !dst.dtype.IsComplex():
		to, at := storage[bool](dst), 0
		for r := range src.runs() {
			for i := range r.n {
				to[at] = src.complexOne(r.offset+i*r.stride) != 0
				at++
			}
		}
	case src.dtype.IsComplex():
		both := contiguous(dst.dtype.Part(), append(slices.Clone(dst.shape), 2), 2*dst.n, dst.data)
		castThrough(both, src.parts(), storeFloats)
	default:
		re, _ := Cast(src, dst.dtype.Part()) // a valid dtype
		pairs := contiguous(re.dtype, []int{2 * dst.n}, 2*dst.n, dst.data)
		if re.dtype == Float32 {
			everySecond(storage[float32](pairs), storage[float32](re)[:re.n])
		} else {
			everySecond(storage[float64](pairs), storage[float64](re)[:re.n])
		}
	}
}

// everySecond writes src to every second element of dst.
func everySecond[T float32 | float64](dst, src []T) {
	for i, v := range src {
		dst[2*i] = v
	}
}

// castParts converts the real parts of src, or with part 1 the imaginary ones, to dst.
func castParts(dst, src *Tensor, part int) {
	p := src.parts()
	p.offset += part
	p.shape, p.strides, p.n = p.shape[:len(p.shape)-1], p.strides[:len(p.strides)-1], src.n
	castThrough(dst, p, storeFloats)
}

// complexCloseness is closeness of contiguous tensors of which at least one is complex.
func complexCloseness(a, b *Tensor, rtol, atol float64, yield func(int, bool) bool) {
	for i := range a.n {
		x, y := a.complexOne(a.offset+i), b.complexOne(b.offset+i)
		same := x == y || cmplx.IsNaN(x) && cmplx.IsNaN(y)
		if d := cmplx.Abs(x - y); !same {
			same = d <= atol+rtol*cmplx.Abs(y) && !math.IsInf(d, 0) && !cmplx.IsInf(y)
		}
		if !yield(i, same) {
			return
		}
	}
}
