package tensor

import (
	"fmt"
	"math"
	"slices"
)

// Equal reports whether a and b have the same dtype, shape and elements. Elements are compared as
// values: a NaN equals a NaN, and -0 equals 0. Strides do not matter.
func Equal(a, b *Tensor) bool {
	if a.dtype != b.dtype || !slices.Equal(a.shape, b.shape) {
		return false
	}
	if a.dtype.IsComplex() {
		return Equal(a.parts(), b.parts())
	}
	for _, same := range closeness(a, b, 0, 0) {
		if !same {
			return false
		}
	}
	return true
}

// AllClose reports whether a and b have the same shape and every pair of elements satisfies
//
//	|a - b| <= atol + rtol * |b|
//
// A NaN is close to a NaN and an infinity to itself; of complex numbers |z| is the absolute value, and a number with a part that
// is no finite number is close to what has equal parts, any NaN a NaN. The dtypes may differ. When the answer is
// false, the text names the first difference in row-major order and counts all.
func AllClose(a, b *Tensor, rtol, atol float64) (bool, string) {
	if !slices.Equal(a.shape, b.shape) {
		return false, fmt.Sprintf("shapes differ: %s and %s", ShapeString(a.shape), ShapeString(b.shape))
	}
	first, differing := 0, 0
	for i, same := range closeness(a, b, rtol, atol) {
		if !same {
			if differing == 0 {
				first = i
			}
			differing++
		}
	}
	if differing == 0 {
		return true, ""
	}
	x, y := a.text(a.offsetOf(first)), b.text(b.offsetOf(first))
	return false, fmt.Sprintf("%d of %d elements differ, first at %v: %s and %s (allowed: %g + %g * |%s|)",
		differing, a.n, unravel(first, a.shape), x, y, atol, rtol, y)
}

// closeness yields, in row-major order, whether each pair of elements of a and b is close. The
// shapes are equal.
func closeness(a, b *Tensor, rtol, atol float64) func(yield func(int, bool) bool) {
	return func(yield func(int, bool) bool) {
		a, b := a.Contiguous(), b.Contiguous()
		if a.dtype.IsComplex() || b.dtype.IsComplex() {
			complexCloseness(a, b, rtol, atol, yield)
			return
		}
		exact := !a.dtype.IsFloat() && !b.dtype.IsFloat()
		var x, y [256]float64
		for from := 0; from < a.n; from += len(x) {
			n := min(a.n-from, len(x))
			load(x[:n], a, a.offset+from, 1)
			load(y[:n], b, b.offset+from, 1)
			for i := range n {
				diff := math.Abs(x[i] - y[i])
				if exact && max(math.Abs(x[i]), math.Abs(y[i])) >= 1<<53 {
					diff = integerDistance(a, b, from+i)
				}
				same := x[i] == y[i] && !(diff > 0) || // infinities: diff is NaN
					math.IsNaN(x[i]) && math.IsNaN(y[i]) ||
					diff <= atol+rtol*math.Abs(y[i]) && !math.IsInf(diff, 0)
				if !yield(from+i, same) {
					return
				}
			}
		}
	}
}

// integerDistance returns |a - b| of element i of two contiguous tensors of integers, which a
// difference of float64s would lose above 2^53.
func integerDistance(a, b *Tensor, i int) float64 {
	aNeg, aMag := signAndMagnitude(a, a.offset+i)
	bNeg, bMag := signAndMagnitude(b, b.offset+i)
	if aNeg != bNeg {
		return float64(aMag) + float64(bMag)
	}
	return float64(max(aMag, bMag) - min(aMag, bMag))
}

func signAndMagnitude(t *Tensor, offset int) (bool, uint64) {
	if !t.dtype.IsSigned() {
		var v [1]uint64
		load(v[:], t, offset, 1)
		return false, v[0]
	}
	var v [1]int64
	load(v[:], t, offset, 1)
	if v[0] < 0 {
		return true, -uint64(v[0])
	}
	return false, uint64(v[0])
}

// unravel returns the index on each axis of a row-major index.
func unravel(linear int, shape []int) []int {
	index := make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		index[i] = linear % shape[i]
		linear /= shape[i]
	}
	return index
}
