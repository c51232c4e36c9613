package fft

func pass5[T float](p *hostPass[T], x, y []pair[T], a *places) {
	cos1, sin1, cos2, sin2 := p.consts[0], p.consts[1], p.consts[2], p.consts[3]
	for t := range a.times {
		x0, x1, x2, x3, x4 := in(x, a, t, 0), in(x, a, t, 1), in(x, a, t, 2), in(x, a, t, 3), in(x, a, t, 4)
		y0, y1, y2, y3, y4 := out(y, a, t, 0), out(y, a, t, 1), out(y, a, t, 2), out(y, a, t, 3), out(y, a, t, 4)
		if a.conjugate {
			y1, y2, y3, y4 = y4, y3, y2, y1
		}
		w, turn := p.of(t)
		var w1, w2, w3, w4 pair[T]
		if turn {
			w1, w2, w3, w4 = w[0], w[1], w[2], w[3]
		}
		for l, a0 := range x0 {
			a1, a2, a3, a4 := x1[l], x2[l], x3[l], x4[l]
			t1r, t1i, d1r, d1i := a1.re+a4.re, a1.im+a4.im, a1.re-a4.re, a1.im-a4.im
			t2r, t2i, d2r, d2i := a2.re+a3.re, a2.im+a3.im, a2.re-a3.re, a2.im-a3.im
			y0[l] = pair[T]{a0.re + t1r + t2r, a0.im + t1i + t2i}
			mr, mi := a0.re+t1r*cos1+t2r*cos2, a0.im+t1i*cos1+t2i*cos2
			nr, ni := d1r*sin1+d2r*sin2, d1i*sin1+d2i*sin2
			v1, v4 := pair[T]{mr + ni, mi - nr}, pair[T]{mr - ni, mi + nr}
			mr, mi = a0.re+t1r*cos2+t2r*cos1, a0.im+t1i*cos2+t2i*cos1
			nr, ni = d1r*sin2-d2r*sin1, d1i*sin2-d2i*sin1
			v2, v3 := pair[T]{mr + ni, mi - nr}, pair[T]{mr - ni, mi + nr}
			if turn {
				v1, v2 = pair[T]{v1.re*w1.re - v1.im*w1.im, v1.re*w1.im + v1.im*w1.re}, pair[T]{v2.re*w2.re - v2.im*w2.im, v2.re*w2.im + v2.im*w2.re}
				v3, v4 = pair[T]{v3.re*w3.re - v3.im*w3.im, v3.re*w3.im + v3.im*w3.re}, pair[T]{v4.re*w4.re - v4.im*w4.im, v4.re*w4.im + v4.im*w4.re}
			}
			y1[l], y2[l], y3[l], y4[l] = v1, v2, v3, v4
		}
	}
}

// oddSums are the roots of unity by which passOdd multiplies, for each k those of all j, to half of radix, and one k more of zeros
// if that is odd.
func oddSums[T float](radix int) []pair[T] {
	h := radix / 2
	all := make([]pair[T], (h+1)/2*2*h)
	for k := range h {
		for j := range h {
			w := root((k+1)*(j+1), radix)
			all[k*h+j] = pair[T]{T(real(w)), T(imag(w))}
		}
	}
	return all
}

// couple are the sum and the difference of two numbers.
type couple[T float] struct{ sr, si, dr, di T }

// passOdd is a pass of an odd radix: elements j and radix-j are taken together, and so are the results; two of these at a time, so
// that no sum waits for the one before.
func passOdd[T float](p *hostPass[T], x, y []pair[T], a *places) {
	var couples [longPrime / 2]couple[T]
	radix, h := p.radix, p.radix/2
	for t := range a.times {
		w, turn := p.of(t)
		put := func(k, at int, v pair[T]) {
			if turn {
				w := w[k-1]
				v = pair[T]{v.re*w.re - v.im*w.im, v.re*w.im + v.im*w.re}
			}
			if a.conjugate {
				k = radix - k
			}
			y[at+k*a.beside] = v
		}
		for l := range a.count {
			at, to := t*a.from+l, t*a.to+l
			a0, of := x[at], couples[:h]
			all := a0
			for j := range of {
				b, c := x[at+(j+1)*a.apart], x[at+(radix-j-1)*a.apart]
				of[j] = couple[T]{b.re + c.re, b.im + c.im, b.re - c.re, b.im - c.im}
				all.re += of[j].sr
				all.im += of[j].si
			}
			y[to] = all
			for k := 1; k <= h; k += 2 {
				c1, c2 := p.sums[(k-1)*h:][:len(of)], p.sums[k*h:][:len(of)]
				er, ei, or, oi := a0.re, a0.im, T(0), T(0)
				fr, fi, qr, qi := a0.re, a0.im, T(0), T(0)
				for j := range of {
					v, c, d := &of[j], c1[j], c2[j]
					er += v.sr * c.re
					ei += v.si * c.re
					or += v.dr * c.im
					oi += v.di * c.im
					fr += v.sr * d.re
					fi += v.si * d.re
					qr += v.dr * d.im
					qi += v.di * d.im
				}
				put(k, to, pair[T]{er - oi, ei + or})
				put(radix-k, to, pair[T]{er + oi, ei - or})
				if k < h {
					put(k+1, to, pair[T]{fr - qi, fi + qr})
					put(radix-k-1, to, pair[T]{fr + qi, fi - qr})
				}
			}
		}
	}
}
