package reference

import (
	"cmp"
	"math"

	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// CompareAt compares elements i and j of a; NaN is larger than every number.
func CompareAt(a spec.Array, i, j int) int {
	switch {
	case a.F != nil:
		p, q := math.IsNaN(a.F[i]), math.IsNaN(a.F[j])
		switch {
		case p && q:
			return 0
		case p:
			return 1
		case q:
			return -1
		}
		return cmp.Compare(a.F[i], a.F[j])
	case a.I != nil:
		return cmp.Compare(a.I[i], a.I[j])
	}
	return cmp.Compare(a.U[i], a.U[j])
}

// Beats reports whether element q of x goes before element p of y; a NaN goes
// before every number.
func Beats(x spec.Array, q int, y spec.Array, p int, smallest bool) bool {
	switch {
	case x.F != nil:
		a, b := x.F[q], y.F[p]
		if math.IsNaN(a) || math.IsNaN(b) {
			return math.IsNaN(a) && !math.IsNaN(b)
		}
		return smallest && a < b || !smallest && a > b
	case x.I != nil:
		return smallest && x.I[q] < y.I[p] || !smallest && x.I[q] > y.I[p]
	default:
		return smallest && x.U[q] < y.U[p] || !smallest && x.U[q] > y.U[p]
	}
}

// SortsBefore is the order in which NaN stands after all numbers.
func SortsBefore(x spec.Array, q int, y spec.Array, p int) bool {
	switch {
	case x.F != nil:
		return x.F[q] < y.F[p] || math.IsNaN(y.F[p]) && !math.IsNaN(x.F[q])
	case x.I != nil:
		return x.I[q] < y.I[p]
	}
	return x.U[q] < y.U[p]
}
