package reference

import (
	"slices"

	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// MatMul is the product of the last two axes; a vector is a row on the left
// and a column on the right.
func MatMul(a, b spec.Array) spec.Result {
	left, right := slices.Clone(a.Shape), slices.Clone(b.Shape)
	if len(left) == 1 {
		left = []int{1, left[0]}
	}
	if len(right) == 1 {
		right = []int{right[0], 1}
	}
	m, k, n := left[len(left)-2], left[len(left)-1], right[len(right)-1]
	left, right = left[:len(left)-2], right[:len(right)-2]
	batch := Broadcast(left, right)

	s := NewSum(a.DType, append(slices.Clone(batch), m, n))
	for p, at := range Coordinates(s.Y.Shape) {
		row, column := at[len(batch)], at[len(batch)+1]
		i := (Stretched(left, at[:len(batch)])*m + row) * k
		j := Stretched(right, at[:len(batch)])*k*n + column
		for q := range k {
			s.Add(p, a, i+q, b, j+q*n)
		}
	}
	shape := batch
	if len(a.Shape) > 1 {
		shape = append(shape, m)
	}
	if len(b.Shape) > 1 {
		shape = append(shape, n)
	}
	s.Y.Shape = shape
	return spec.Result{Array: s.Y, Terms: s.Terms, N: float64(k)}
}
