package fft

import (
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

type float interface{ float32 | float64 }

// hostWide is how many transforms are side by side on the host: about a cache line of them.
const hostWide = 8

// stepHost is the kernels of step.cl in Go.
func stepHost[T float](s *stepAttr, out *tensor.Tensor, ins []*tensor.Tensor) {
	x, roots, turns, y := tensor.MustSlice[T](ins[0]), tensor.MustSlice[T](ins[1]), tensor.MustSlice[T](ins[2]), tensor.MustSlice[T](out)
	across, passes := (s.Lines+hostWide-1)/hostWide, hostRadices(s.M)
	fallback.Parallel(s.blocks(hostWide), func(from, to int) {
		x1, x2 := make([]lines[T], s.M), make([]lines[T], s.M)
		for b := from; b < to; b++ {
			a, l, lanes := b*hostWide, 0, min(s.Batch-b*hostWide, hostWide)
			if s.Lines != 1 {
				a, l = b/across, b%across*hostWide
				lanes = min(s.Lines-l, hostWide)
			}
			loadHost(s, x, a, l, lanes, x1)
			n, side := s.M, 1
			for _, radix := range passes {
				passOf[T](radix)(radix, x1, x2, n, side, s.M, roots)
				x1, x2 = x2, x1
				n, side = n/radix, side*radix
			}
			if s.Turned {
				turnHost(s, turns, l, lanes, x1)
			}
			storeHost(s, y, a, l, lanes, x1)
		}
	})
}

// parts are where the real and the imaginary parts are in lines. The transform of the other sign is that of pairs whose parts
// are exchanged, exchanged again.
func (s *stepAttr) parts() (re, im int) {
	if s.Conjugate {
		return hostWide, 0
	}
	return 0, hostWide
}

// loadHost reads the lanes from row a and line l on: element j of lane e goes to x1[j].
func loadHost[T float](s *stepAttr, x []T, a, l, lanes int, x1 []lines[T]) {
	re, im := s.parts()
	if s.Lines > 1 {
		for j := range x1 {
			of, to := x[2*((a*s.M+j)*s.Lines+l):][:2*lanes], &x1[j]
			for e := range lanes {
				to[re+e], to[im+e] = of[2*e], of[2*e+1]
			}
		}
		return
	}
	for e := range lanes {
		of := x[2*(a+e)*s.M:][:2*s.M]
		for j := range x1 {
			x1[j][re+e], x1[j][im+e] = of[2*j], of[2*j+1]
		}
	}
}

// storeHost writes lanes where they go.
func storeHost[T float](s *stepAttr, y []T, a, l, lanes int, x1 []lines[T]) {
	re, im := s.parts()
	switch {
	case s.Lines == 1, s.Turned && s.Inner == 1:
		first := 2 * (a*s.Lines + l) * s.M
		for e := range lanes {
			to := y[first+2*e*s.M:][:2*s.M]
			for k := range x1 {
				to[2*k], to[2*k+1] = x1[k][re+e], x1[k][im+e]
			}
		}
	case s.Turned:
		var first [hostWide]int
		for e := range lanes {
			line := l + e
			first[e] = 2 * ((a*(s.Lines/s.Inner)+line/s.Inner)*s.M*s.Inner + line%s.Inner)
		}
		for k := range x1 {
			for e, at := range first[:lanes] {
				at += 2 * k * s.Inner
				y[at], y[at+1] = x1[k][re+e], x1[k][im+e]
			}
		}
	default:
		for k := range x1 {
			to, of := y[2*((a*s.M+k)*s.Lines+l):][:2*lanes], &x1[k]
			for e := range lanes {
				to[2*e], to[2*e+1] = of[re+e], of[im+e]
			}
		}
	}
}

// turnHost multiplies lanes by roots of unity.
func turnHost[T float](s *stepAttr, turns []T, l, lanes int, x1 []lines[T]) {
	others := s.Lines / s.Inner
	var of [hostWide]int // which root each lane takes
	for e := range lanes {
		of[e] = (l + e) / s.Inner
	}
	for k := range x1 {
		cos, sin, y := turns[k*others:][:others], turns[(s.M+k)*others+stepPad:][:others], &x1[k]
		for e, at := range of {
			c, d, a, b := cos[at], sin[at], y[e], y[e+hostWide]
			y[e], y[e+hostWide] = a*c-b*d, a*d+b*c
		}
	}
}

// halfHost is unpack of step.cl, or pack, of a given number of rows.
func halfHost[T float](rows, h int, conjugate, pack bool, out *tensor.Tensor, ins []*tensor.Tensor) {
	x, roots, y := tensor.MustSlice[T](ins[0]), tensor.MustSlice[T](ins[1]), tensor.MustSlice[T](out)
	cos, sin := roots[:h+1], roots[h+1:]
	sign := T(1) // of imaginary parts
	if conjugate != pack {
		sign = -1
	}
	fallback.Parallel(rows, func(from, to int) {
		for a := from; a < to; a++ {
			if pack {
				z, to := x[2*a*(h+1):][:2*h+2], y[2*a*h:][:2*h]
				to[0], to[1] = z[0]+z[2*h], z[0]-z[2*h]
				for k := 1; k < h; k++ {
					o := 2 * (h - k)
					ar, ai, br, bi, c, d := z[2*k], z[2*k+1]*sign, z[o], z[o+1]*sign, cos[k], sin[k]
					er, ei := ar-br, ai+bi
					to[2*k], to[2*k+1] = ar+br+(er*d-ei*c), ai-bi+(er*c+ei*d)
				}
				continue
			}
			z, to := x[2*a*h:][:2*h], y[2*a*(h+1):][:2*h+2]
			to[0], to[1] = z[0]+z[1], 0
			to[2*h], to[2*h+1] = z[0]-z[1], 0
			for k := 1; k < h; k++ {
				o := 2 * (h - k)
				ar, ai, br, bi, c, d := z[2*k], z[2*k+1], z[o], z[o+1], cos[k], sin[k]
				er, ei := ar-br, ai+bi
				to[2*k], to[2*k+1] = (ar+br+(er*d+ei*c))/2, (ai-bi+(ei*d-er*c))*sign/2
			}
		}
	})
}
