package fft

import (
	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/ops"
)

// convolved is a transform of any length as a convolution: with jk = (j² + k² - (k - j)²)/2,
//
//	y[k] = c[k] · Σ_j (x[j] · c[j]) · conj c[k - j],   c[j] = exp(-πi j²/n)
//
// and the sum by transforms of a length that has short factors.
// Source: Bluestein, A Linear Filtering Approach to the Computation of Discrete Fourier Transform (1970).
func convolved(x *ops.Node, conjugate bool) *ops.Node {
	axis := x.Rank() - 2
	n := x.Dim(axis)
	m := even(2*n - 1)
	chirp, filter := make([]complex128, n), make([]complex128, m)
	for j := range n {
		square := j * j % (2 * n)
		chirp[j] = unit(square, 2*n, conjugate)
		filter[j] = unit(square, 2*n, !conjugate)
		filter[(m-j)%m] = filter[j]
	}
	spectrum := fourier.NewCmplxFFT(m).Coefficients(nil, filter)
	for i := range spectrum {
		spectrum[i] /= complex(float64(m), 0)
	}
	batch := ir.Product(x.Shape()[:axis])
	y := steps(x, batch, m, 1, false, scaling{before: chirp})
	return steps(y, batch, m, 1, true, scaling{spectrum, chirp})
}

// times multiplies pairs, along the axis before the last, by complex constants.
func times(x *ops.Node, by []complex128) *ops.Node {
	re, im := make([]float64, len(by)), make([]float64, 2*len(by))
	for i, c := range by {
		re[i], im[2*i], im[2*i+1] = real(c), -imag(c), imag(c)
	}
	return multiplied(x, -1, constant(x, re, len(by), 1), constant(x, im, len(by), 2))
}
