package tensor

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/anycl/anycl/internal/ram"
)

// Alignment is the alignment in bytes of storage that this package allocates: a cache line, which drivers ask for before
// they use host memory in place.
const Alignment = 64

// maxBytes bounds one allocation: more than any host has, less than where make panics.
const maxBytes = min(1<<46, uint64(^uint(0)>>1)-Alignment)

// Tensor is an array of elements of one dtype in host memory. See the package comment.
type Tensor struct {
	dtype   DType
	shape   []int
	strides []int  // in elements; may be 0 (broadcast) or negative (flip)
	offset  int    // of the element at index 0, in elements of data
	n       int    // number of elements
	data    []byte // the whole storage, aligned at least to the element size
}

// New returns a contiguous tensor of zeros. Without a shape it is a scalar. Errors: a dtype that
// is not valid, a negative size, more bytes than the machine has.
func New(dt DType, shape ...int) (*Tensor, error) {
	n, err := checkSize(dt, shape)
	if err != nil {
		return nil, err
	}
	if err := ram.Check(int64(n) * int64(dt.Size())); err != nil {
		return nil, fmt.Errorf("tensor: %v%v: %w", dt, shape, err)
	}
	return contiguous(dt, shape, n, AlignedBytes(n*dt.Size())), nil
}

// FromSlice returns a tensor over data itself: it copies nothing, and writes to either are seen in
// both. Without a shape it has one axis as long as data (for a scalar, see [Scalar] and
// [FromBytes]). Errors: a shape that does not hold exactly len(data) elements.
func FromSlice[T Elem](data []T, shape ...int) (*Tensor, error) {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	return FromBytes(DTypeOf[T](), bytesOf(data), shape...)
}

// FromBytes returns a contiguous tensor over data itself, which holds the elements in row-major
// order and in the host's byte order. Without a shape it is a scalar. Bytes of a bool must be 0
// or 1. Errors: a dtype that is not valid, a length other than the shape's, an address that is
// not a multiple of the element size.
func FromBytes(dt DType, data []byte, shape ...int) (*Tensor, error) {
	n, err := checkSize(dt, shape)
	if err != nil {
		return nil, err
	}
	switch {
	case len(data)%dt.Size() != 0:
		return nil, fmt.Errorf("tensor: shape %s of %s takes %d bytes, the data has %d", ShapeString(shape), dt, n*dt.Size(), len(data))
	case n*dt.Size() != len(data):
		return nil, fmt.Errorf("tensor: shape %s of %s takes %d elements, the data has %d",
			ShapeString(shape), dt, n, len(data)/dt.Size())
	}
	if n > 0 && uintptr(unsafe.Pointer(unsafe.SliceData(data)))%uintptr(dt.Part().Size()) != 0 {
		return nil, fmt.Errorf("tensor: data of %s is not aligned to %d bytes", dt, dt.Part().Size())
	}
	return contiguous(dt, shape, n, data), nil
}

// Scalar returns a tensor of rank 0 that holds v.
func Scalar[T Elem](v T) *Tensor {
	dt := DTypeOf[T]()
	t := contiguous(dt, nil, 1, AlignedBytes(dt.Size()))
	storage[T](t)[0] = v
	return t
}

// Must returns v, a tensor or the elements of one, and panics if err is not nil. It is for tests, examples and package
// variables, where the arguments are constants, and for calls whose errors the program excludes.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// ToSlice returns the elements in row-major order. It shares memory with t when t is contiguous
// and copies otherwise. Errors: T is not the Go type of t's dtype.
func ToSlice[T Elem](t *Tensor) ([]T, error) {
	if want := DTypeOf[T](); t.dtype != want {
		return nil, fmt.Errorf("tensor: a %s tensor read as %s (convert with tensor.Cast)", t.dtype, want)
	}
	c := t.Contiguous()
	return storage[T](c)[c.offset : c.offset+c.n : c.offset+c.n], nil
}

// MustSlice is [ToSlice] where the dtype of t is known to be T's, as in the function Host of a kernel, whose operands have the
// dtypes of its nodes. It panics where it is not.
func MustSlice[T Elem](t *Tensor) []T { return Must(ToSlice[T](t)) }

// AlignedBytes returns n zero bytes whose address is a multiple of [Alignment]; n below 0 counts as 0.
func AlignedBytes(n int) []byte {
	n = max(n, 0)
	raw := make([]byte, n+Alignment-1)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw))) % Alignment)
	if n >= ram.LargeFrom {
		_ = ram.PreferLargePages(raw) // advice: without large pages the memory is only slower
	}
	return raw[skip : skip+n : skip+n]
}

// DType returns the type of the elements.
func (t *Tensor) DType() DType { return t.dtype }

// Shape returns the size of each axis. The slice is t's own: read it, do not change it.
func (t *Tensor) Shape() Shape { return t.shape }

// Strides returns, for each axis, how many elements of storage lie between neighbours: 0 along a
// broadcast axis, negative along a flipped one. The slice is t's own: read it, do not change it.
func (t *Tensor) Strides() []int { return t.strides }

// Offset returns where in storage the element at index 0 of every axis lies, in elements.
func (t *Tensor) Offset() int { return t.offset }

// Rank returns the number of axes, 0 for a scalar.
func (t *Tensor) Rank() int { return len(t.shape) }

// Len returns the number of elements.
func (t *Tensor) Len() int { return t.n }

// NumBytes returns the bytes that the elements take when contiguous.
func (t *Tensor) NumBytes() int { return t.n * t.dtype.Size() }

// IsContiguous reports whether the elements lie one after the other in row-major order. The
// stride of an axis of size 1 does not matter; a tensor without elements is contiguous.
func (t *Tensor) IsContiguous() bool {
	step := 1
	for i := len(t.shape) - 1; i >= 0 && t.n > 0; i-- {
		if t.shape[i] != 1 && t.strides[i] != step {
			return false
		}
		step *= t.shape[i]
	}
	return true
}

// Bytes returns the memory of the elements, shared with t, and true; or nil and false when t is
// not contiguous. What is written to a bool tensor must be 0 or 1.
func (t *Tensor) Bytes() ([]byte, bool) {
	if !t.IsContiguous() {
		return nil, false
	}
	from, to := t.offset*t.dtype.Size(), (t.offset+t.n)*t.dtype.Size()
	return t.data[from:to:to], true
}

// Contiguous returns t itself when it is contiguous, and a contiguous copy otherwise.
func (t *Tensor) Contiguous() *Tensor {
	if t.IsContiguous() {
		return t
	}
	return t.Clone()
}

// Clone returns a contiguous copy of t in memory of its own.
func (t *Tensor) Clone() *Tensor {
	c := contiguous(t.dtype, t.shape, t.n, AlignedBytes(t.NumBytes()))
	switch t.dtype.Size() {
	case 1:
		gather[uint8](c, t)
	case 2:
		gather[uint16](c, t)
	case 4:
		gather[uint32](c, t)
	case 8:
		gather[uint64](c, t)
	case 16:
		gather[complex128](c, t)
	}
	return c
}

// gather copies the elements of src, of a size that T has, into the contiguous dst at offset 0.
func gather[T uint8 | uint16 | uint32 | uint64 | complex128](dst, src *Tensor) {
	to, from := storage[T](dst), storage[T](src)
	for r := range src.runs() {
		if r.stride == 1 {
			to = to[copy(to, from[r.offset:r.offset+r.n]):]
			continue
		}
		for i := range r.n {
			to[i] = from[r.offset+i*r.stride]
		}
		to = to[r.n:]
	}
}

// checkSize returns the number of elements of a shape whose bytes can be allocated.
func checkSize(dt DType, shape []int) (int, error) {
	if !dt.Valid() {
		return 0, fmt.Errorf("tensor: %s is not a dtype that can hold data", dt)
	}
	n, err := NumElems(shape)
	if err != nil {
		return 0, err
	}
	if uint64(n) > maxBytes/uint64(dt.Size()) {
		return 0, fmt.Errorf("tensor: shape %s of %s takes too many bytes", ShapeString(shape), dt)
	}
	return n, nil
}

// contiguous returns a header over data, which has room for the n elements of shape.
func contiguous(dt DType, shape []int, n int, data []byte) *Tensor {
	shape = slices.Clone(shape)
	return &Tensor{dtype: dt, shape: shape, strides: rowMajor(shape), n: n, data: data}
}

// storage returns the whole storage of t as elements of a type of t's element size.
func storage[T Elem](t *Tensor) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(t.data))), len(t.data)/int(unsafe.Sizeof(zero)))
}

// bytesOf returns the memory of s.
func bytesOf[T Elem](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}
