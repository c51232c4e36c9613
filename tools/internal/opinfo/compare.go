package opinfo

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/tensor"
)

// How far a result may be from PyTorch's: |got - want| <= atol + rtol·|want|.
const (
	forwardRel, forwardAbs = 1e-4, 1e-5
	gradRel, gradAbs       = 1e-3, 1e-4
)

// differs says how got differs from what PyTorch gave, or nothing. Positions and counts are compared by value, whatever the width of
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
	if !want.DType().IsFloat() {
		rel, abs = 0, 0
	}
	first, count := -1, 0
	for i := range got.Len() {
		if g, w := got.Float64At(i), want.Float64At(i); !near(g, w, rel, abs) {
			if count++; first < 0 {
				first = i
			}
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("element %d is %v, not %v (%d of %d differ)", first, got.Float64At(first), want.Float64At(first), count, got.Len())
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
