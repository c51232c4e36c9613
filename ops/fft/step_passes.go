package fft

import "math"

// hostRadices are the passes of a transform of m elements in Go, where a radix of 8 needs more registers than there are.
func hostRadices(m int) (all []int) {
	for _, r := range radices(m) {
		switch r {
		case 8:
			all = append(all, 4, 2)
		default:
			all = append(all, r)
		}
	}
	twos := 0
	for _, r := range all {
		if r == 2 {
			twos++
		}
	}
	for ; twos >= 2; twos -= 2 { // two of them are one of 4
		all = append(without(without(all, 2), 2), 4)
	}
	return all
}

// without is all but the first of that value.
func without(all []int, v int) []int {
	for i, r := range all {
		if r == v {
			return append(all[:i:i], all[i+1:]...)
		}
	}
	return all
}

// lines are one element of hostWide transforms: their real parts, and then their imaginary ones. That is one address for both, so that
// those of a pass stay in registers.
type lines[T float] [2 * hostWide]T

// turned is y times the root of unity c + di.
func (y *lines[T]) turned(c, d T) {
	for q := range hostWide {
		a, b := y[q], y[q+hostWide]
		y[q], y[q+hostWide] = a*c-b*d, a*d+b*c
	}
}

// A hostPass takes transforms of n numbers, side apart, to radix transforms of n/radix, as those of passes.cl; w are the roots of a
// transform of m.
type hostPass[T float] func(radix int, x, y []lines[T], n, side, m int, w []T)

func passOf[T float](radix int) hostPass[T] {
	switch radix {
	case 2:
		return pass2[T]
	case 3:
		return pass3[T]
	case 4:
		return pass4[T]
	case 5:
		return pass5[T]
	}
	return passOdd[T]
}

func pass2[T float](_ int, x, y []lines[T], n, side, m int, w []T) {
	far := side * (n / 2)
	for p := range n / 2 {
		at := 2 * p * (m / n)
		c, d := w[at], w[at+1]
		for s := range side {
			x0, x1 := &x[side*p+s], &x[side*p+s+far]
			y0, y1 := &y[2*side*p+s], &y[side*(2*p+1)+s]
			for q := range hostWide {
				a, b, e, f := x0[q], x0[q+hostWide], x1[q], x1[q+hostWide]
				y0[q], y0[q+hostWide] = a+e, b+f
				a, b = a-e, b-f
				y1[q], y1[q+hostWide] = a*c-b*d, a*d+b*c
			}
		}
	}
}

func pass3[T float](_ int, x, y []lines[T], n, side, m int, w []T) {
	far, root3 := side*(n/3), T(math.Sqrt(3)/2)
	for p := range n / 3 {
		at := 2 * p * (m / n)
		c1, d1, c2, d2 := w[at], w[at+1], w[2*at], w[2*at+1]
		for s := range side {
			x0, x1, x2 := &x[side*p+s], &x[side*p+s+far], &x[side*p+s+2*far]
			y0, y1, y2 := &y[3*side*p+s], &y[side*(3*p+1)+s], &y[side*(3*p+2)+s]
			for q := range hostWide {
				ar, ai, br, bi, cr, ci := x0[q], x0[q+hostWide], x1[q], x1[q+hostWide], x2[q], x2[q+hostWide]
				tr, ti := br+cr, bi+ci
				dr, di := (br-cr)*root3, (bi-ci)*root3
				mr, mi := ar-tr/2, ai-ti/2
				y0[q], y0[q+hostWide] = ar+tr, ai+ti
				br, bi, cr, ci = mr+di, mi-dr, mr-di, mi+dr
				y1[q], y1[q+hostWide] = br*c1-bi*d1, br*d1+bi*c1
				y2[q], y2[q+hostWide] = cr*c2-ci*d2, cr*d2+ci*c2
			}
		}
	}
}

func pass4[T float](_ int, x, y []lines[T], n, side, m int, w []T) {
	far := side * (n / 4)
	for p := range n / 4 {
		at := 2 * p * (m / n)
		c1, d1, c2, d2, c3, d3 := w[at], w[at+1], w[2*at], w[2*at+1], w[3*at], w[3*at+1]
		for s := range side {
			x0, x1, x2, x3 := &x[side*p+s], &x[side*p+s+far], &x[side*p+s+2*far], &x[side*p+s+3*far]
			y0, y1, y2, y3 := &y[4*side*p+s], &y[side*(4*p+1)+s], &y[side*(4*p+2)+s], &y[side*(4*p+3)+s]
			if p == 0 { // roots of 1
				for q := range hostWide {
					ar, ai, br, bi := x0[q]+x2[q], x0[q+hostWide]+x2[q+hostWide], x0[q]-x2[q], x0[q+hostWide]-x2[q+hostWide]
					cr, ci, dr, di := x1[q]+x3[q], x1[q+hostWide]+x3[q+hostWide], x1[q]-x3[q], x1[q+hostWide]-x3[q+hostWide]
					y0[q], y0[q+hostWide] = ar+cr, ai+ci
					y1[q], y1[q+hostWide] = br+di, bi-dr
					y2[q], y2[q+hostWide] = ar-cr, ai-ci
					y3[q], y3[q+hostWide] = br-di, bi+dr
				}
				continue
			}
			for q := range hostWide {
				ar, ai, br, bi := x0[q]+x2[q], x0[q+hostWide]+x2[q+hostWide], x0[q]-x2[q], x0[q+hostWide]-x2[q+hostWide]
				cr, ci, dr, di := x1[q]+x3[q], x1[q+hostWide]+x3[q+hostWide], x1[q]-x3[q], x1[q+hostWide]-x3[q+hostWide]
				y0[q], y0[q+hostWide] = ar+cr, ai+ci
				er, ei := br+di, bi-dr
				y1[q], y1[q+hostWide] = er*c1-ei*d1, er*d1+ei*c1
				er, ei = ar-cr, ai-ci
				y2[q], y2[q+hostWide] = er*c2-ei*d2, er*d2+ei*c2
				er, ei = br-di, bi+dr
				y3[q], y3[q+hostWide] = er*c3-ei*d3, er*d3+ei*c3
			}
		}
	}
}

func pass5[T float](_ int, x, y []lines[T], n, side, m int, w []T) {
	far := side * (n / 5)
	cos1, sin1, cos2, sin2 := T(math.Cos(2*math.Pi/5)), T(math.Sin(2*math.Pi/5)), T(math.Cos(4*math.Pi/5)), T(math.Sin(4*math.Pi/5))
	for p := range n / 5 {
		at := 2 * p * (m / n)
		for s := range side {
			x0, x1, x2, x3, x4 := &x[side*p+s], &x[side*p+s+far], &x[side*p+s+2*far], &x[side*p+s+3*far], &x[side*p+s+4*far]
			y0, y1, y2, y3, y4 := &y[5*side*p+s], &y[side*(5*p+1)+s], &y[side*(5*p+2)+s], &y[side*(5*p+3)+s], &y[side*(5*p+4)+s]
			for q := range hostWide {
				ar, ai := x0[q], x0[q+hostWide]
				t1r, t1i, d1r, d1i := x1[q]+x4[q], x1[q+hostWide]+x4[q+hostWide], x1[q]-x4[q], x1[q+hostWide]-x4[q+hostWide]
				t2r, t2i, d2r, d2i := x2[q]+x3[q], x2[q+hostWide]+x3[q+hostWide], x2[q]-x3[q], x2[q+hostWide]-x3[q+hostWide]
				y0[q], y0[q+hostWide] = ar+t1r+t2r, ai+t1i+t2i
				mr, mi := ar+t1r*cos1+t2r*cos2, ai+t1i*cos1+t2i*cos2
				nr, ni := d1r*sin1+d2r*sin2, d1i*sin1+d2i*sin2
				y1[q], y1[q+hostWide], y4[q], y4[q+hostWide] = mr+ni, mi-nr, mr-ni, mi+nr
				mr, mi = ar+t1r*cos2+t2r*cos1, ai+t1i*cos2+t2i*cos1
				nr, ni = d1r*sin2-d2r*sin1, d1i*sin2-d2i*sin1
				y2[q], y2[q+hostWide], y3[q], y3[q+hostWide] = mr+ni, mi-nr, mr-ni, mi+nr
			}
			if p > 0 {
				y1.turned(w[at], w[at+1])
				y2.turned(w[2*at], w[2*at+1])
				y3.turned(w[3*at], w[3*at+1])
				y4.turned(w[4*at], w[4*at+1])
			}
		}
	}
}

// passOdd is a pass of an odd radix: elements j and radix-j are taken together, and so are the results.
func passOdd[T float](radix int, x, y []lines[T], n, side, m int, w []T) {
	var sums, differences [longPrime/2 + 1]lines[T]
	h, far, step := radix/2, side*(n/radix), m/radix
	for p := range n / radix {
		for s := range side {
			x0 := &x[side*p+s]
			all := *x0
			for j := 1; j <= h; j++ {
				a, b, t, u := &x[side*p+s+far*j], &x[side*p+s+far*(radix-j)], &sums[j], &differences[j]
				for q := range all {
					t[q], u[q] = a[q]+b[q], a[q]-b[q]
					all[q] += t[q]
				}
			}
			y[side*radix*p+s] = all
			for k := 1; k <= h; k++ {
				even, odd := *x0, lines[T]{}
				for j, at := 1, k; j <= h; j++ {
					c, d, t, u := w[2*at*step], w[2*at*step+1], &sums[j], &differences[j]
					for q := range even {
						even[q] += t[q] * c
						odd[q] += u[q] * d
					}
					if at += k; at >= radix {
						at -= radix
					}
				}
				front, back := &y[side*(radix*p+k)+s], &y[side*(radix*p+radix-k)+s]
				for q := range hostWide {
					mr, mi, nr, ni := even[q], even[q+hostWide], odd[q], odd[q+hostWide]
					front[q], front[q+hostWide], back[q], back[q+hostWide] = mr-ni, mi+nr, mr+ni, mi-nr
				}
				at := 2 * p * (m / n)
				front.turned(w[at*k], w[at*k+1])
				back.turned(w[at*(radix-k)], w[at*(radix-k)+1])
			}
		}
	}
}
