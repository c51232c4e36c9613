package gallery

import "math"

// Gauss returns the weights of a Gaussian filter with this standard deviation, whose sum is 1: an odd number of them, to four
// deviations on both sides, as scipy.ndimage takes them.
func Gauss(sigma float64) []float64 {
	r := int(4*sigma + 0.5)
	w, sum := make([]float64, 2*r+1), 0.0
	for k := range w {
		w[k] = math.Exp(-float64((k-r)*(k-r)) / (2 * sigma * sigma))
		sum += w[k]
	}
	for k := range w {
		w[k] /= sum
	}
	return w
}
