package reference

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// FloatAt is element i as a float64, to which 64-bit integers round.
func FloatAt(a spec.Array, i int) float64 {
	switch {
	case a.F != nil:
		return a.F[i]
	case a.I != nil:
		return float64(a.I[i])
	default:
		return float64(a.U[i])
	}
}

// IndexAt is element i of an integer array as an int.
func IndexAt(a spec.Array, i int) int {
	if a.I != nil {
		return int(a.I[i])
	}
	return int(min(a.U[i], math.MaxInt64))
}

// WholeAt is element i of an integer array.
func WholeAt(a spec.Array, i int) int64 {
	if a.I != nil {
		return a.I[i]
	}
	return int64(a.U[i])
}

// SetWholeAt sets element i of an integer array.
func SetWholeAt(a spec.Array, i int, v int64) {
	if a.I != nil {
		a.I[i] = v
	} else {
		a.U[i] = uint64(v)
	}
}

// CopyElement sets element i to element j of b, which has the same dtype.
func CopyElement(a spec.Array, i int, b spec.Array, j int) {
	switch {
	case a.F != nil:
		a.F[i] = b.F[j]
	case a.I != nil:
		a.I[i] = b.I[j]
	default:
		a.U[i] = b.U[j]
	}
}

// TextAt is element i as people write it.
func TextAt(a spec.Array, i int) string {
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

// ZeroAt reports whether element p is zero or false.
func ZeroAt(a spec.Array, p int) bool {
	switch {
	case a.F != nil:
		return a.F[p] == 0
	case a.I != nil:
		return a.I[p] == 0
	}
	return a.U[p] == 0
}

// WrapInt keeps the low bits of v that a signed integer of dtype dt holds.
func WrapInt(dt tensor.DType, v int64) int64 {
	shift := 64 - 8*dt.Size()
	return v << shift >> shift
}

// WrapUint keeps the low bits of v that an unsigned integer of dtype dt holds.
func WrapUint(dt tensor.DType, v uint64) uint64 {
	shift := 64 - 8*dt.Size()
	return v << shift >> shift
}

// Joined is a vector with the elements of b at its end.
func Joined(a, b spec.Array) spec.Array {
	a.F, a.I, a.U = append(a.F, b.F...), append(a.I, b.I...), append(a.U, b.U...)
	a.Shape = []int{a.Shape[0] + b.Len()}
	return a
}

// Truth is 1 for true, as bools are held.
func Truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
