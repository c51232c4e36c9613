package fft

import (
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// halfHost is unpack of step.cl, or pack, of a given number of rows.
func halfHost[T float](rows, h int, conjugate, pack bool, out *tensor.Tensor, ins []*tensor.Tensor) {
	x, roots, y := pairsOf[T](ins[0]), tensor.MustSlice[T](ins[1]), pairsOf[T](out)
	sign := T(1) // of imaginary parts
	if conjugate != pack {
		sign = -1
	}
	parts := max(1, h/hostPart)
	fallback.Parallel(rows*parts, func(from, to int) {
		for i := from; i < to; i++ {
			a, k, end := i/parts, 1+(h-1)*(i%parts)/parts, 1+(h-1)*(i%parts+1)/parts
			if pack {
				packHost(x[a*(h+1):][:h+1], y[a*h:][:h], roots, k, end, sign)
			} else {
				unpackHost(x[a*h:][:h], y[a*(h+1):][:h+1], roots, k, end, sign)
			}
		}
	})
}

// packHost computes elements k to end of a row, and with the first of these that before.
func packHost[T float](z, to []pair[T], roots []T, k, end int, sign T) {
	h := len(to)
	if k == 1 {
		to[0] = pair[T]{z[0].re + z[h].re, z[0].re - z[h].re}
	}
	cos, sin := roots[:h+1], roots[h+1:][:h+1]
	k += halfVectors(z, to, cos, sin, k, end, h, halfConsts(sign, -sign, 1, 1, 1))
	back := z[h-end+1 : h-k+1]
	for i := range back {
		a, b, c, d := z[k+i], back[len(back)-1-i], cos[k+i], sin[k+i]
		er, ei := a.re-b.re, (a.im+b.im)*sign
		to[k+i] = pair[T]{a.re + b.re + (er*d - ei*c), (a.im-b.im)*sign + (er*c + ei*d)}
	}
}

// unpackHost computes elements k to end of a row, and with the first of these those at both ends.
func unpackHost[T float](z, to []pair[T], roots []T, k, end int, sign T) {
	h := len(z)
	if k == 1 {
		to[0], to[h] = pair[T]{re: z[0].re + z[0].im}, pair[T]{re: z[0].re - z[0].im}
	}
	cos, sin := roots[:h+1], roots[h+1:][:h+1]
	k += halfVectors(z, to, cos, sin, k, end, h, halfConsts(1, -1, -1, 0.5, sign/2))
	back := z[h-end+1 : h-k+1]
	for i := range back {
		a, b, c, d := z[k+i], back[len(back)-1-i], cos[k+i], sin[k+i]
		er, ei := a.re-b.re, a.im+b.im
		to[k+i] = pair[T]{(a.re + b.re + (er*d + ei*c)) / 2, (a.im - b.im + (ei*d - er*c)) * sign / 2}
	}
}
