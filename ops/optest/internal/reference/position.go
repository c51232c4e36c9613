package reference

import "github.com/anycl/anycl/ops/optest/internal/spec"

// Coordinates yields every coordinate of a box in row-major order with its
// Position. The slice is reused.
func Coordinates(shape []int) func(yield func(int, []int) bool) {
	return func(yield func(int, []int) bool) {
		at := make([]int, len(shape))
		for i := range spec.Count(shape) {
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

// Position is where the element at a coordinate stands in row-major order.
func Position(shape, at []int) int {
	p := 0
	for a, d := range shape {
		p = p*d + at[a]
	}
	return p
}

// Stretched is the position in an array of shape from of the element that
// broadcasting shows at a coordinate of a larger shape.
func Stretched(from, at []int) int {
	p, lead := 0, len(at)-len(from)
	for a, d := range from {
		if p *= d; d != 1 {
			p += at[lead+a]
		}
	}
	return p
}

// Coordinate is where the element at a row-major position stands.
func Coordinate(shape []int, p int) []int {
	at := make([]int, len(shape))
	for a := len(shape) - 1; a >= 0; a-- {
		at[a], p = p%shape[a], p/shape[a]
	}
	return at
}

// WrapAxis counts a negative axis from the end.
func WrapAxis(axis, rank int) int {
	if axis < 0 {
		return axis + rank
	}
	return axis
}

// Broadcast is the NumPy broadcast of two shapes that are known to fit.
func Broadcast(a, b []int) []int {
	n := max(len(a), len(b))
	out := make([]int, n)
	for i := range out {
		da, db := 1, 1
		if k := i - n + len(a); k >= 0 {
			da = a[k]
		}
		if k := i - n + len(b); k >= 0 {
			db = b[k]
		}
		out[i] = da
		if da == 1 {
			out[i] = db
		}
	}
	return out
}

// Pick is the array of a shape whose element at a coordinate is x's element at
// a position.
func Pick(x spec.Array, shape []int, from func(at []int) int) spec.Result {
	y := spec.NewArray(x.DType, shape...)
	for p, at := range Coordinates(shape) {
		CopyElement(y, p, x, from(at))
	}
	return Exactly(y)
}
