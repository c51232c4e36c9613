package tensor

import (
	"fmt"
	"iter"
)

// At returns the element at an index for each axis as a float64: 64-bit integers are rounded, bools are 0 or 1, and of complex numbers
// it is the real part (see [Tensor.ComplexAt]). Errors: not one index an axis, or one out of range.
func (t *Tensor) At(index ...int) (float64, error) {
	offset, err := t.offsetAt(index)
	if err != nil {
		return 0, err
	}
	return t.loadOne(offset), nil
}

// SetAt converts v by the rules of [Cast] and writes it at an index for each axis. Errors: not one
// index an axis, or one out of range.
func (t *Tensor) SetAt(v float64, index ...int) error {
	offset, err := t.offsetAt(index)
	if err != nil {
		return err
	}
	storeFloats(t, offset, []float64{v})
	return nil
}

// Float64At returns element i in row-major order, as [Tensor.At] does. It panics when i is not
// in [0, Len()), as indexing a slice does.
func (t *Tensor) Float64At(i int) float64 { return t.loadOne(t.offsetOf(i)) }

// SetFloat64 converts v by the rules of [Cast] and writes it to element i in row-major order. It
// panics when i is not in [0, Len()), as indexing a slice does.
func (t *Tensor) SetFloat64(i int, v float64) { storeFloats(t, t.offsetOf(i), []float64{v}) }

// All yields each row-major index with its element, as [Tensor.At] returns it.
func (t *Tensor) All() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		var block [256]float64
		i := 0
		for r := range t.runs() {
			for r.n > 0 {
				part := block[:min(r.n, len(block))]
				load(part, t, r.offset, r.stride)
				for _, v := range part {
					if !yield(i, v) {
						return
					}
					i++
				}
				r.offset += len(part) * r.stride
				r.n -= len(part)
			}
		}
	}
}

func (t *Tensor) loadOne(offset int) float64 {
	var v [1]float64
	load(v[:], t, offset, 1)
	return v[0]
}

// offsetAt returns where in storage the element at index lies.
func (t *Tensor) offsetAt(index []int) (int, error) {
	if len(index) != t.Rank() {
		return 0, fmt.Errorf("tensor: %d indices for a tensor of shape %s", len(index), ShapeString(t.shape))
	}
	offset := t.offset
	for axis, i := range index {
		if i < 0 || i >= t.shape[axis] {
			return 0, fmt.Errorf("tensor: index %v is out of range for the shape %s", index, ShapeString(t.shape))
		}
		offset += i * t.strides[axis]
	}
	return offset, nil
}

// offsetOf returns where in storage the element with a row-major index lies.
func (t *Tensor) offsetOf(linear int) int {
	if linear < 0 || linear >= t.n {
		panic(fmt.Sprintf("tensor: element %d of a tensor with %d", linear, t.n))
	}
	offset := t.offset
	for i := len(t.shape) - 1; i >= 0; i-- {
		offset += linear % t.shape[i] * t.strides[i]
		linear /= t.shape[i]
	}
	return offset
}
