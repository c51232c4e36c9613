package opinfo

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/anycl/anycl/tensor"
)

// How far a result may be from PyTorch's: |got - want| <= atol + rtol·|want|.
const (
	forwardRel, forwardAbs = 1e-4, 1e-5
	gradRel, gradAbs       = 1e-3, 1e-4
)

// differs says how got differs from PyTorch's result, or nothing. Positions and counts are compared by value, whatever the width of
// the integers; every other dtype has to be PyTorch's.
func differs(got, want *tensor.Tensor, rel, abs float64) string {
	if want == nil {
		return "" // none was given
	}
	switch {
	case got.DType() == want.DType(), got.DType().IsInt() && want.DType().IsInt():
	default:
		return fmt.Sprintf("dtype %v, not %v", got.DType(), want.DType())
	}
	if !tensor.EqualShapes(got.Shape(), want.Shape()) {
		return fmt.Sprintf("shape %v, not %v", got.Shape(), want.Shape())
	}
	at := func(t *tensor.Tensor, i int) any { return t.Float64At(i) }
	same := func(i int) bool { return near(got.Float64At(i), want.Float64At(i), rel, abs) }
	switch {
	case want.DType().IsComplex():
		at = func(t *tensor.Tensor, i int) any { return t.Complex128At(i) }
		same = func(i int) bool {
			g, w := got.Complex128At(i), want.Complex128At(i)
			size := abs + rel*cmplx.Abs(w) // of the whole number: one part may be a small difference of large ones
			return near(real(g), real(w), 0, size) && near(imag(g), imag(w), 0, size)
		}
	case !want.DType().IsFloat():
		rel, abs = 0, 0
	}
	first, count := -1, 0
	for i := range got.Len() {
		if !same(i) {
			if count++; first < 0 {
				first = i
			}
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("element %d is %v, not %v (%d of %d differ)", first, at(got, first), at(want, first), count, got.Len())
}

func near(g, w, rel, abs float64) bool {
	switch {
	case g == w, math.IsNaN(g) && math.IsNaN(w):
		return true
	case math.IsInf(w, 0), math.IsNaN(w), math.IsNaN(g):
		return false
	}
	return math.Abs(g-w) <= abs+rel*math.Abs(w)
}

// meaning is the part of a derivative by matrices that counts, by the rule of [Row].Same.
func meaning(t *tensor.Tensor, rule string) *tensor.Tensor {
	if rule == "" || t.Rank() < 2 {
		return t
	}
	t = t.Clone()
	n, cols := t.Shape()[t.Rank()-2], t.Shape()[t.Rank()-1]
	for m := 0; m < t.Len(); m += n * cols {
		for i := range n {
			for j := range cols {
				at, across := m+i*cols+j, m+j*cols+i
				switch {
				case rule == "symmetric" && i < j:
					v := (t.Float64At(at) + t.Float64At(across)) / 2
					t.SetFloat64(at, v)
					t.SetFloat64(across, v)
				case rule == "lower" && i < j, rule == "upper" && i > j:
					t.SetFloat64(at, 0)
				}
			}
		}
	}
	return t
}
