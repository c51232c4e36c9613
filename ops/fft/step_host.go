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
		room := make([]T, 4*s.M*hostWide)
		for b := from; b < to; b++ {
			a, l, lanes := b*hostWide, 0, min(s.Batch-b*hostWide, hostWide)
			if s.Lines != 1 {
				a, l = b/across, b%across*hostWide
				lanes = min(s.Lines-l, hostWide)
			}
			size := s.M * lanes
			r, i, r2, i2 := room[:size], room[size:2*size], room[2*size:3*size], room[3*size:4*size]
			if s.Conjugate {
				loadHost(s, x, a, l, lanes, i, r)
			} else {
				loadHost(s, x, a, l, lanes, r, i)
			}
			n, side := s.M, lanes
			for _, radix := range passes {
				pass := passOf[T](radix)
				pass(radix, r, i, r2, i2, n, side, s.M, roots)
				r, i, r2, i2 = r2, i2, r, i
				n, side = n/radix, side*radix
			}
			if s.Turned {
				turnHost(s, turns, l, lanes, r, i)
			}
			if s.Conjugate {
				r, i = i, r
			}
			storeHost(s, y, a, l, lanes, r, i)
		}
	})
}

// loadHost reads the lanes from row a and line l on: element j of lane e goes to r[j*lanes+e] and i.
func loadHost[T float](s *stepAttr, x []T, a, l, lanes int, r, i []T) {
	stride, lane, first := s.Lines, 1, a*s.M*s.Lines+l
	if s.Lines == 1 {
		stride, lane, first = 1, s.M, a*s.M
	}
	for j := range s.M {
		at := 2 * (first + j*stride)
		to, too := r[j*lanes:][:lanes], i[j*lanes:][:lanes]
		for e := range to {
			to[e], too[e] = x[at], x[at+1]
			at += 2 * lane
		}
	}
}

// storeHost writes lanes where they go.
func storeHost[T float](s *stepAttr, y []T, a, l, lanes int, r, i []T) {
	switch {
	case s.Lines == 1, s.Turned && s.Inner == 1:
		first := (a*s.Lines + l) * s.M
		for e := range lanes {
			to := y[2*(first+e*s.M):][:2*s.M]
			for k := range s.M {
				to[2*k], to[2*k+1] = r[k*lanes+e], i[k*lanes+e]
			}
		}
	case s.Turned:
		var first [hostWide]int
		for e := range lanes {
			line := l + e
			first[e] = 2 * ((a*(s.Lines/s.Inner)+line/s.Inner)*s.M*s.Inner + line%s.Inner)
		}
		for k := range s.M {
			for e, at := range first[:lanes] {
				at += 2 * k * s.Inner
				y[at], y[at+1] = r[k*lanes+e], i[k*lanes+e]
			}
		}
	default:
		for k := range s.M {
			to := y[2*((a*s.M+k)*s.Lines+l):][:2*lanes]
			for e := range lanes {
				to[2*e], to[2*e+1] = r[k*lanes+e], i[k*lanes+e]
			}
		}
	}
}

// turnHost multiplies lanes by roots of unity.
func turnHost[T float](s *stepAttr, turns []T, l, lanes int, r, i []T) {
	others := s.Lines / s.Inner
	var of [hostWide]int // which root each lane takes
	for e := range lanes {
		of[e] = (l + e) / s.Inner
	}
	for k := range s.M {
		cos, sin := turns[k*others:][:others], turns[(s.M+k)*others+stepPad:][:others]
		re, im := r[k*lanes:][:lanes], i[k*lanes:][:lanes]
		for e, x := range re {
			c, d, y := cos[of[e]], sin[of[e]], im[e]
			re[e], im[e] = x*c-y*d, x*d+y*c
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
