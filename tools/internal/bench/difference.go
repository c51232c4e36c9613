package bench

import (
	"math"

	"github.com/anycl/anycl/tensor"
)

// furthest is the largest difference of corresponding elements and the largest
// element of want. at is the first place where one of them is not finite and the
// other is something else; else it is -1.
func furthest(got, want *tensor.Tensor) (diff, largest float64, at int) {
	a, errA := tensor.ToSlice[float32](got)
	b, errB := tensor.ToSlice[float32](want)
	if errA == nil && errB == nil { // most results, and large ones
		return furthestOf(len(a), func(i int) (x, y float64) { return float64(a[i]), float64(b[i]) })
	}
	return furthestOf(got.Len(), func(i int) (x, y float64) { return got.Float64At(i), want.Float64At(i) })
}

func furthestOf(n int, pair func(i int) (x, y float64)) (diff, largest float64, at int) {
	for i := range n {
		x, y := pair(i)
		d := math.Abs(x - y)
		if !(d <= math.MaxFloat64) { // NaN or infinite
			if x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
				return 0, 0, i
			}
			continue
		}
		diff, largest = max(diff, d), max(largest, math.Abs(y))
	}
	return diff, largest, -1
}
