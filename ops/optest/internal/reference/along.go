package reference

import (
	"math"

	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// Slice is one run of a tensor along an axis, with the terms of its softmax.
type Slice struct {
	Raw     []float64 // x
	Shifted []float64 // x - max x
	Exps    []float64 // e^shifted
	Sum     float64   // Σ exps
	N       float64
	Y       []float64 // to be filled
	Terms   []float64
}

func NewSlice(x []float64) Slice {
	n := len(x)
	s := Slice{
		Raw: x, Shifted: make([]float64, n), Exps: make([]float64, n), N: float64(n),
		Y: make([]float64, n), Terms: make([]float64, n),
	}
	top := math.Inf(-1)
	for _, v := range x {
		top = math.Max(top, v)
	}
	for i, v := range x {
		s.Shifted[i] = v - top
		s.Exps[i] = math.Exp(v - top)
		s.Sum += s.Exps[i]
	}
	return s
}

// AlongAxis fills y and terms of every slice along an axis.
func AlongAxis(x spec.Array, axis int, fill func(s Slice)) spec.Result {
	axis = WrapAxis(axis, len(x.Shape))
	y := spec.NewArray(x.DType, x.Shape...)
	terms := make([]float64, y.Len())
	n, inner := x.Shape[axis], spec.Count(x.Shape[axis+1:])
	for first := range x.Len() {
		if n == 0 || first/inner%n != 0 {
			continue // not the first element of a slice
		}
		run := make([]float64, n)
		for i := range run {
			run[i] = x.F[first+i*inner]
		}
		s := NewSlice(run)
		fill(s)
		for i := range run {
			y.F[first+i*inner], terms[first+i*inner] = s.Y[i], s.Terms[i]
		}
	}
	return spec.Result{Array: y, Terms: terms, N: 1}
}
