package tensor

import (
	"fmt"
	"math/bits"
	"slices"
)

// Shape lists the size of each axis, outermost first. The empty shape is that of a scalar.
type Shape = []int

// NumElems returns the product of the sizes, 1 for a scalar. A negative size is an error, and so
// is a product of the non-zero sizes above the largest int, even where another size is 0.
func NumElems(shape []int) (int, error) {
	n, zero := 1, false
	for _, size := range shape {
		if size < 0 {
			return 0, fmt.Errorf("tensor: shape %s has a negative size", ShapeString(shape))
		}
		if size == 0 {
			zero = true
			continue
		}
		hi, lo := bits.Mul(uint(n), uint(size))
		if hi != 0 || int(lo) < 0 {
			return 0, fmt.Errorf("tensor: shape %s has too many elements", ShapeString(shape))
		}
		n = int(lo)
	}
	if zero {
		return 0, nil
	}
	return n, nil
}

// EqualShapes reports whether a and b have the same axes; nil equals empty.
func EqualShapes(a, b []int) bool { return slices.Equal(a, b) }

// ShapeString returns a shape as text: "[2 3]", and "[]" for a scalar.
func ShapeString(shape []int) string { return fmt.Sprint(shape) }

// Broadcast returns the shape that a and b have in common by NumPy's rules: the shorter is
// extended on the left with ones, and on each axis the sizes are equal or one of them is 1.
// Source: NumPy user guide, "Broadcasting".
func Broadcast(a, b []int) ([]int, error) {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	lead := len(a) - len(b)
	for i, size := range b {
		switch {
		case out[lead+i] == size || size == 1:
		case out[lead+i] == 1:
			out[lead+i] = size
		default:
			return nil, fmt.Errorf("tensor: shapes %s and %s do not broadcast: axis %d from the end has %d and %d",
				ShapeString(a), ShapeString(b), len(b)-i, out[lead+i], size)
		}
	}
	if _, err := NumElems(out); err != nil {
		return nil, err
	}
	return out, nil
}

// rowMajor returns the strides, in elements, of a contiguous array with a shape that NumElems accepts.
func rowMajor(shape []int) []int {
	strides := make([]int, len(shape))
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= max(shape[i], 1)
	}
	return strides
}

// axisOf maps an axis that may count from the end (-1 is the last) into [0, rank).
func axisOf(axis, rank int) (int, error) {
	if axis < -rank || axis >= rank {
		return 0, fmt.Errorf("axis %d is out of range for rank %d", axis, rank)
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}
