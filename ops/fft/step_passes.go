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

// A hostPass takes transforms of n numbers, side apart, to radix transforms of n/radix, as those of passes.cl; w are the roots of a
// transform of m.
type hostPass[T float] func(radix int, xr, xi, yr, yi []T, n, side, m int, w []T)

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

func pass2[T float](_ int, xr, xi, yr, yi []T, n, side, m int, w []T) {
	far := side * (n / 2)
	for p := range n / 2 {
		at := p * (m / n)
		c, d := w[2*at], w[2*at+1]
		ar, ai, br, bi := xr[side*p:][:side], xi[side*p:][:side], xr[side*p+far:][:side], xi[side*p+far:][:side]
		r0, i0, r1, i1 := yr[2*side*p:][:side], yi[2*side*p:][:side], yr[side*(2*p+1):][:side], yi[side*(2*p+1):][:side]
		for q, a := range ar {
			b, e, f := ai[q], br[q], bi[q]
			r0[q], i0[q] = a+e, b+f
			a, b = a-e, b-f
			r1[q], i1[q] = a*c-b*d, a*d+b*c
		}
	}
}

func pass3[T float](_ int, xr, xi, yr, yi []T, n, side, m int, w []T) {
	far, root3 := side*(n/3), T(math.Sqrt(3)/2)
	for p := range n / 3 {
		at := 2 * p * (m / n)
		c1, d1, c2, d2 := w[at], w[at+1], w[2*at], w[2*at+1]
		x0r, x0i := xr[side*p:][:side], xi[side*p:][:side]
		x1r, x1i := xr[side*p+far:][:side], xi[side*p+far:][:side]
		x2r, x2i := xr[side*p+2*far:][:side], xi[side*p+2*far:][:side]
		y0r, y0i := yr[3*side*p:][:side], yi[3*side*p:][:side]
		y1r, y1i := yr[side*(3*p+1):][:side], yi[side*(3*p+1):][:side]
		y2r, y2i := yr[side*(3*p+2):][:side], yi[side*(3*p+2):][:side]
		for q, ar := range x0r {
			ai := x0i[q]
			tr, ti := x1r[q]+x2r[q], x1i[q]+x2i[q]
			dr, di := (x1r[q]-x2r[q])*root3, (x1i[q]-x2i[q])*root3
			mr, mi := ar-tr/2, ai-ti/2
			y0r[q], y0i[q] = ar+tr, ai+ti
			br, bi, er, ei := mr+di, mi-dr, mr-di, mi+dr
			y1r[q], y1i[q] = br*c1-bi*d1, br*d1+bi*c1
			y2r[q], y2i[q] = er*c2-ei*d2, er*d2+ei*c2
		}
	}
}

func pass4[T float](_ int, xr, xi, yr, yi []T, n, side, m int, w []T) {
	far := side * (n / 4)
	for p := range n / 4 {
		at := 2 * p * (m / n)
		c1, d1, c2, d2, c3, d3 := w[at], w[at+1], w[2*at], w[2*at+1], w[3*at], w[3*at+1]
		x0r, x0i := xr[side*p:][:side], xi[side*p:][:side]
		x1r, x1i := xr[side*p+far:][:side], xi[side*p+far:][:side]
		x2r, x2i := xr[side*p+2*far:][:side], xi[side*p+2*far:][:side]
		x3r, x3i := xr[side*p+3*far:][:side], xi[side*p+3*far:][:side]
		y0r, y0i := yr[4*side*p:][:side], yi[4*side*p:][:side]
		y1r, y1i := yr[side*(4*p+1):][:side], yi[side*(4*p+1):][:side]
		y2r, y2i := yr[side*(4*p+2):][:side], yi[side*(4*p+2):][:side]
		y3r, y3i := yr[side*(4*p+3):][:side], yi[side*(4*p+3):][:side]
		for q := range x0r {
			ar, ai, br, bi := x0r[q]+x2r[q], x0i[q]+x2i[q], x0r[q]-x2r[q], x0i[q]-x2i[q]
			cr, ci, dr, di := x1r[q]+x3r[q], x1i[q]+x3i[q], x1r[q]-x3r[q], x1i[q]-x3i[q]
			y0r[q], y0i[q] = ar+cr, ai+ci
			er, ei := br+di, bi-dr
			y1r[q], y1i[q] = er*c1-ei*d1, er*d1+ei*c1
			er, ei = ar-cr, ai-ci
			y2r[q], y2i[q] = er*c2-ei*d2, er*d2+ei*c2
			er, ei = br-di, bi+dr
			y3r[q], y3i[q] = er*c3-ei*d3, er*d3+ei*c3
		}
	}
}

func pass5[T float](_ int, xr, xi, yr, yi []T, n, side, m int, w []T) {
	far := side * (n / 5)
	cos1, sin1, cos2, sin2 := T(math.Cos(2*math.Pi/5)), T(math.Sin(2*math.Pi/5)), T(math.Cos(4*math.Pi/5)), T(math.Sin(4*math.Pi/5))
	for p := range n / 5 {
		at := 2 * p * (m / n)
		e1, f1, e2, f2 := w[at], w[at+1], w[2*at], w[2*at+1]
		e3, f3, e4, f4 := w[3*at], w[3*at+1], w[4*at], w[4*at+1]
		x0r, x0i := xr[side*p:][:side], xi[side*p:][:side]
		x1r, x1i := xr[side*p+far:][:side], xi[side*p+far:][:side]
		x2r, x2i := xr[side*p+2*far:][:side], xi[side*p+2*far:][:side]
		x3r, x3i := xr[side*p+3*far:][:side], xi[side*p+3*far:][:side]
		x4r, x4i := xr[side*p+4*far:][:side], xi[side*p+4*far:][:side]
		y0r, y0i := yr[5*side*p:][:side], yi[5*side*p:][:side]
		y1r, y1i := yr[side*(5*p+1):][:side], yi[side*(5*p+1):][:side]
		y2r, y2i := yr[side*(5*p+2):][:side], yi[side*(5*p+2):][:side]
		y3r, y3i := yr[side*(5*p+3):][:side], yi[side*(5*p+3):][:side]
		y4r, y4i := yr[side*(5*p+4):][:side], yi[side*(5*p+4):][:side]
		for q, ar := range x0r {
			ai := x0i[q]
			t1r, t1i, d1r, d1i := x1r[q]+x4r[q], x1i[q]+x4i[q], x1r[q]-x4r[q], x1i[q]-x4i[q]
			t2r, t2i, d2r, d2i := x2r[q]+x3r[q], x2i[q]+x3i[q], x2r[q]-x3r[q], x2i[q]-x3i[q]
			y0r[q], y0i[q] = ar+t1r+t2r, ai+t1i+t2i
			mr, mi := ar+t1r*cos1+t2r*cos2, ai+t1i*cos1+t2i*cos2
			nr, ni := d1r*sin1+d2r*sin2, d1i*sin1+d2i*sin2
			br, bi := mr+ni, mi-nr
			y1r[q], y1i[q] = br*e1-bi*f1, br*f1+bi*e1
			br, bi = mr-ni, mi+nr
			y4r[q], y4i[q] = br*e4-bi*f4, br*f4+bi*e4
			mr, mi = ar+t1r*cos2+t2r*cos1, ai+t1i*cos2+t2i*cos1
			nr, ni = d1r*sin2-d2r*sin1, d1i*sin2-d2i*sin1
			br, bi = mr+ni, mi-nr
			y2r[q], y2i[q] = br*e2-bi*f2, br*f2+bi*e2
			br, bi = mr-ni, mi+nr
			y3r[q], y3i[q] = br*e3-bi*f3, br*f3+bi*e3
		}
	}
}

// passOdd is a pass of an odd radix: elements j and radix-j are taken together, and so are the results.
func passOdd[T float](radix int, xr, xi, yr, yi []T, n, side, m int, w []T) {
	var tr, ti, ur, ui [longPrime/2 + 1]T
	h, far, step := radix/2, side*(n/radix), m/radix
	for p := range n / radix {
		for q := range side {
			from, to := side*p+q, side*radix*p+q
			zr, zi := xr[from], xi[from]
			sr, si := zr, zi
			for j := 1; j <= h; j++ {
				a, b := from+far*j, from+far*(radix-j)
				tr[j], ti[j], ur[j], ui[j] = xr[a]+xr[b], xi[a]+xi[b], xr[a]-xr[b], xi[a]-xi[b]
				sr, si = sr+tr[j], si+ti[j]
			}
			yr[to], yi[to] = sr, si
			for k := 1; k <= h; k++ {
				mr, mi, nr, ni := zr, zi, T(0), T(0)
				for j, at := 1, k; j <= h; j++ {
					c, d := w[2*at*step], w[2*at*step+1]
					mr, mi, nr, ni = mr+tr[j]*c, mi+ti[j]*c, nr+ur[j]*d, ni+ui[j]*d
					if at += k; at >= radix {
						at -= radix
					}
				}
				for _, e := range [2]struct {
					k    int
					r, i T
				}{{k, mr - ni, mi + nr}, {radix - k, mr + ni, mi - nr}} {
					at := 2 * p * e.k * (m / n)
					c, d := w[at], w[at+1]
					yr[to+side*e.k], yi[to+side*e.k] = e.r*c-e.i*d, e.r*d+e.i*c
				}
			}
		}
	}
}
