package fft

import "math"

// hostRadices are the passes of a transform of m elements in Go, where a radix of 8 needs more registers than there are. Those of 4 come
// first, as they take single rows.
func hostRadices(m int) (all []int) {
	twos := 0
	for _, p := range primesOf(m) {
		switch {
		case p == 2:
			twos++
		case p > 2:
			all = append(all, p)
		}
	}
	fours := make([]int, twos/2)
	for i := range fours {
		fours[i] = 4
	}
	if all = append(fours, all...); twos%2 == 1 || m == 1 {
		all = append(all, 1+twos%2)
	}
	return all
}

// A hostPass takes transforms of n numbers, side apart, to radix transforms of n/radix, as those of passes.cl.
type hostPass[T float] struct {
	radix, n, side int
	roots          []pair[T] // radix-1 for each of n/radix, of which the first are 1; none in the last pass
	planes         []pair[T] // the same, those of all groups for each of radix-1
	sums           []pair[T] // of odd ones
	consts         []T       // of those of 3 and 5
	run            func(p *hostPass[T], x, y []pair[T], a *places)
}

// places are where numbers are: number j of group t from from·t + apart·j of x on, and those of the results in y. For the other
// sign results are in opposite order.
type places struct {
	times, count int // groups, and numbers of each that have the same roots
	from, apart  int
	to, beside   int
	conjugate    bool
}

func newHostPass[T float](radix, n, side int, conjugate bool) hostPass[T] {
	p := hostPass[T]{radix: radix, n: n, side: side}
	if n > radix {
		for t := range n / radix {
			for k := 1; k < radix; k++ {
				w := root(t*k, n)
				if conjugate {
					w = root(t*(k-radix), n)
				}
				p.roots = append(p.roots, pair[T]{T(real(w)), T(imag(w))})
			}
		}
	}
	for k := range radix - 1 {
		for t := 0; t < len(p.roots); t += radix - 1 {
			p.planes = append(p.planes, p.roots[t+k])
		}
	}
	switch radix {
	case 1:
		p.run = pass1[T]
	case 2:
		p.run = pass2[T]
	case 3:
		p.run, p.consts = pass3[T], []T{T(math.Sqrt(3) / 2), 0.5}
	case 4:
		p.run = pass4[T]
	case 5:
		p.run = pass5[T]
		for k := 1.; k < 3; k++ {
			s, c := math.Sincos(2 * math.Pi * k / 5)
			p.consts = append(p.consts, T(c), T(s))
		}
	default:
		p.run, p.sums = passOdd[T], oddSums[T](radix)
	}
	return p
}

// of are the roots of group t, and whether they are not 1.
func (p *hostPass[T]) of(t int) ([]pair[T], bool) {
	if t == 0 || len(p.roots) == 0 {
		return nil, false
	}
	return p.roots[t*(p.radix-1):][:p.radix-1], true
}

// adjoin reports whether groups are several, of one number each, and side by side.
func (a *places) adjoin(radix int) bool {
	return a.times > 1 && a.count == 1 && a.from == 1 && a.to == radix
}

// in are the numbers of x that a pass reads as number j of group t.
func in[T float](x []pair[T], a *places, t, j int) []pair[T] {
	return x[t*a.from+j*a.apart:][:a.count]
}

// out are the numbers of y that a pass writes as result k of group t.
func out[T float](y []pair[T], a *places, t, k int) []pair[T] {
	return y[t*a.to+k*a.beside:][:a.count]
}

func pass1[T float](_ *hostPass[T], x, y []pair[T], a *places) {
	for t := range a.times {
		copy(out(y, a, t, 0), in(x, a, t, 0))
	}
}

func pass2[T float](p *hostPass[T], x, y []pair[T], a *places) {
	for t := range a.times {
		x0, x1, y0, y1 := in(x, a, t, 0), in(x, a, t, 1), out(y, a, t, 0), out(y, a, t, 1)
		w, turn := p.of(t)
		c, d := T(1), T(0)
		if turn {
			c, d = w[0].re, w[0].im
		}
		for l, a0 := range x0 {
			a1 := x1[l]
			y0[l] = pair[T]{a0.re + a1.re, a0.im + a1.im}
			r, i := a0.re-a1.re, a0.im-a1.im
			if turn {
				r, i = r*c-i*d, r*d+i*c
			}
			y1[l] = pair[T]{r, i}
		}
	}
}

func pass3[T float](p *hostPass[T], x, y []pair[T], a *places) {
	root3 := p.consts[0]
	for t := range a.times {
		x0, x1, x2 := in(x, a, t, 0), in(x, a, t, 1), in(x, a, t, 2)
		y0, y1, y2 := out(y, a, t, 0), out(y, a, t, 1), out(y, a, t, 2)
		if a.conjugate {
			y1, y2 = y2, y1
		}
		w, turn := p.of(t)
		var w1, w2 pair[T]
		if turn {
			w1, w2 = w[0], w[1]
		}
		for l, a0 := range x0 {
			a1, a2 := x1[l], x2[l]
			tr, ti := a1.re+a2.re, a1.im+a2.im
			dr, di := (a1.re-a2.re)*root3, (a1.im-a2.im)*root3
			mr, mi := a0.re-tr/2, a0.im-ti/2
			y0[l] = pair[T]{a0.re + tr, a0.im + ti}
			r1, i1, r2, i2 := mr+di, mi-dr, mr-di, mi+dr
			if turn {
				r1, i1 = r1*w1.re-i1*w1.im, r1*w1.im+i1*w1.re
				r2, i2 = r2*w2.re-i2*w2.im, r2*w2.im+i2*w2.re
			}
			y1[l], y2[l] = pair[T]{r1, i1}, pair[T]{r2, i2}
		}
	}
}

func pass4[T float](p *hostPass[T], x, y []pair[T], a *places) {
	if a.adjoin(4) {
		rows4(p, x, y, a)
		return
	}
	for t := range a.times {
		x0, x1, x2, x3 := in(x, a, t, 0), in(x, a, t, 1), in(x, a, t, 2), in(x, a, t, 3)
		y0, y1, y2, y3 := out(y, a, t, 0), out(y, a, t, 1), out(y, a, t, 2), out(y, a, t, 3)
		if a.conjugate {
			y1, y3 = y3, y1
		}
		w, turn := p.of(t)
		if !turn {
			for l, a0 := range x0 {
				a1, a2, a3 := x1[l], x2[l], x3[l]
				br, bi, cr, ci := a0.re+a2.re, a0.im+a2.im, a0.re-a2.re, a0.im-a2.im
				dr, di, er, ei := a1.re+a3.re, a1.im+a3.im, a1.re-a3.re, a1.im-a3.im
				y0[l], y1[l] = pair[T]{br + dr, bi + di}, pair[T]{cr + ei, ci - er}
				y2[l], y3[l] = pair[T]{br - dr, bi - di}, pair[T]{cr - ei, ci + er}
			}
			continue
		}
		w1, w2, w3 := w[0], w[1], w[2]
		for l, a0 := range x0 {
			a1, a2, a3 := x1[l], x2[l], x3[l]
			br, bi, cr, ci := a0.re+a2.re, a0.im+a2.im, a0.re-a2.re, a0.im-a2.im
			dr, di, er, ei := a1.re+a3.re, a1.im+a3.im, a1.re-a3.re, a1.im-a3.im
			y0[l] = pair[T]{br + dr, bi + di}
			r, i := cr+ei, ci-er
			y1[l] = pair[T]{r*w1.re - i*w1.im, r*w1.im + i*w1.re}
			r, i = br-dr, bi-di
			y2[l] = pair[T]{r*w2.re - i*w2.im, r*w2.im + i*w2.re}
			r, i = cr-ei, ci+er
			y3[l] = pair[T]{r*w3.re - i*w3.im, r*w3.im + i*w3.re}
		}
	}
}

// rows4 is pass4 where the numbers that have the same roots are one, and groups adjoin.
func rows4[T float](p *hostPass[T], x, y []pair[T], a *places) {
	done := vectorRows(p, x, y, a)
	x, y = x[done:], y[4*done:]
	times, roots := a.times-done, p.roots[3*done:]
	x0, x1, x2, x3 := x[:times], x[a.apart:][:times], x[2*a.apart:][:times], x[3*a.apart:][:times]
	for t, a0 := range x0 {
		a1, a2, a3 := x1[t], x2[t], x3[t]
		w, to := roots[3*t:][:3:3], y[4*t:][:4:4]
		br, bi, cr, ci := a0.re+a2.re, a0.im+a2.im, a0.re-a2.re, a0.im-a2.im
		dr, di, er, ei := a1.re+a3.re, a1.im+a3.im, a1.re-a3.re, a1.im-a3.im
		to[0] = pair[T]{br + dr, bi + di}
		r, i, v := br-dr, bi-di, w[1]
		to[2] = pair[T]{r*v.re - i*v.im, r*v.im + i*v.re}
		r1, i1, v := cr+ei, ci-er, w[0]
		r1, i1 = r1*v.re-i1*v.im, r1*v.im+i1*v.re
		r3, i3, v := cr-ei, ci+er, w[2]
		r3, i3 = r3*v.re-i3*v.im, r3*v.im+i3*v.re
		if a.conjugate {
			r1, i1, r3, i3 = r3, i3, r1, i1
		}
		to[1], to[3] = pair[T]{r1, i1}, pair[T]{r3, i3}
	}
}
