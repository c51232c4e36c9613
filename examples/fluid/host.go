package main

import (
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// row is a row of cells after a step: the same as the kernel flow.
func (w *flow) row(g, f []float32, y int) {
	plus, minus := w.rates()
	u, n := float32(w.speed), w.width*w.height
	at, below, above := y*w.width, max(y-1, 0)*w.width, min(y+1, w.height-1)*w.width
	// Rows of population q: the one that begins at start in f, and that of the cells in g.
	from := func(q, start int) []float32 { return f[q*n+start:][:w.width] }
	to := func(q int) []float32 { return g[q*n+at:][:w.width] }
	i0, i1, i2, i3, i4 := from(0, at), from(1, at-1), from(2, below), from(3, at+1), from(4, above)
	i5, i6, i7, i8 := from(5, below-1), from(6, below+1), from(7, above+1), from(8, above-1)
	o0, o1, o2, o3, o4, o5, o6, o7, o8 := to(0), to(1), to(2), to(3), to(4), to(5), to(6), to(7), to(8)
	for x, k := range w.kind[at:][:w.width] {
		f0, f1, f2, f3, f4, f5, f6, f7, f8 := i0[x], i1[x], i2[x], i3[x], i4[x], i5[x], i6[x], i7[x], i8[x]
		if k == fluid {
			more := f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8
			jx, jy := f1-f3+f5-f6-f7+f8, f2-f4+f5+f6-f7-f8
			inv := 1 / (1 + more)
			even := more - 1.5*(jx*jx+jy*jy)*inv
			o0[x] = f0 - plus*(f0-4./9*even)
			pair := func(a, b, w, cj float32) (float32, float32) {
				e := plus * (0.5*(a+b) - w*(even+4.5*cj*cj*inv))
				o := minus * (0.5*(a-b) - 3*w*cj)
				return a - e - o, b - e + o
			}
			o1[x], o3[x] = pair(f1, f3, 1./9, jx)
			o2[x], o4[x] = pair(f2, f4, 1./9, jy)
			o5[x], o7[x] = pair(f5, f7, 1./36, jx+jy)
			o6[x], o8[x] = pair(f6, f8, 1./36, jy-jx)
			continue
		}
		var back, odd, even, along float32 = 1, 0, 0, 0
		switch k {
		case lid:
			odd = 6 * u
		case inflow:
			back, odd, even, along = 0, 3*u, -1.5*u*u, 4.5*u*u
		}
		o0[x] = 4. / 9 * even
		o2[x], o4[x] = back*f4+1./9*even, back*f2+1./9*even
		even += along
		o1[x], o3[x] = back*f3+1./9*(even+odd), back*f1+1./9*(even-odd)
		o5[x], o7[x] = back*f7+1./36*(even+odd), back*f5+1./36*(even-odd)
		o6[x], o8[x] = back*f8+1./36*(even-odd), back*f6+1./36*(even+odd)
	}
}

// host is the kernel flow in Go.
func (w *flow) host(outs, ins []*tensor.Tensor) error {
	g, f := tensor.MustSlice[float32](outs[0]), tensor.MustSlice[float32](ins[0])
	fallback.Parallel(w.height, func(from, to int) {
		for y := from; y < to; y++ {
			w.row(g, f, y)
		}
	})
	return nil
}
