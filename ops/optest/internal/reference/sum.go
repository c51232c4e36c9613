package reference

import (
	"math"

	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Sum accumulates products into one element of a result.
type Sum struct {
	Y     spec.Array
	Terms []float64
}

func NewSum(dt tensor.DType, shape []int) Sum {
	s := Sum{Y: spec.NewArray(dt, shape...)}
	if s.Y.F != nil {
		s.Terms = make([]float64, s.Y.Len())
	}
	return s
}

// Add adds a[i]·b[j] to element p.
func (s Sum) Add(p int, a spec.Array, i int, b spec.Array, j int) {
	switch y := s.Y; {
	case y.F != nil:
		v := a.F[i] * b.F[j]
		y.F[p] += v
		s.Terms[p] += math.Abs(v)
	case y.I != nil:
		y.I[p] = WrapInt(y.DType, y.I[p]+a.I[i]*b.I[j])
	default:
		y.U[p] = WrapUint(y.DType, y.U[p]+a.U[i]*b.U[j])
	}
}

// Plus adds a[i] to element p.
func (s Sum) Plus(p int, a spec.Array, i int) {
	switch y := s.Y; {
	case y.F != nil:
		y.F[p] += a.F[i]
		s.Terms[p] += math.Abs(a.F[i])
	case y.I != nil:
		y.I[p] = WrapInt(y.DType, y.I[p]+a.I[i])
	default:
		y.U[p] = WrapUint(y.DType, y.U[p]+a.U[i])
	}
}
