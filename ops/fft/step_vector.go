package fft

import (
	"unsafe"

	"github.com/anycl/anycl/ops/fft/internal/vector"
)

// perVector is how many pairs are computed at once.
func perVector[T float]() int { return vector.Width / int(unsafe.Sizeof(pair[T]{})) }

// do runs a pass: numbers that fill vectors on these, the others one by one.
func (p *hostPass[T]) do(x, y []pair[T], a *places) {
	done := p.vectors(x, y, a)
	if done < a.count {
		rest := *a
		rest.count -= done
		p.run(p, x[done:], y[done:], &rest)
	}
}

// vectors is how many numbers of each group it has computed.
func (p *hostPass[T]) vectors(x, y []pair[T], a *places) int {
	n := a.count &^ (perVector[T]() - 1)
	if !vector.Has || n == 0 || p.radix == 1 {
		return 0
	}
	// Checks that the furthest elements that vectors access are within x and y.
	_, _ = x[(a.times-1)*a.from+(p.radix-1)*a.apart+n-1], y[(a.times-1)*a.to+(p.radix-1)*a.beside+n-1]
	bytes := int(unsafe.Sizeof(pair[T]{}))
	v := vector.Args{
		X: unsafe.Pointer(&x[0]), Y: unsafe.Pointer(&y[0]), Times: a.times, Bytes: n * bytes,
		From: a.from * bytes, Apart: a.apart * bytes, To: a.to * bytes,
		Roots: unsafe.Pointer(unsafe.SliceData(p.roots)), Consts: unsafe.Pointer(unsafe.SliceData(p.consts)),
	}
	if p.radix > 5 {
		p.odd(&v, a.beside*bytes, a.conjugate)
		return n
	}
	beside := a.beside * bytes
	v.Y1, v.Y2, v.Y3, v.Y4 = beside, 2*beside, 3*beside, 4*beside
	if end := p.radix * beside; a.conjugate {
		v.Y1, v.Y2, v.Y3, v.Y4 = end-beside, end-2*beside, end-3*beside, end-4*beside
	}
	switch p.radix {
	case 2:
		vector.Radix2(bytes/2, &v)
	case 3:
		vector.Radix3(bytes/2, &v)
	case 4:
		vector.Radix4(bytes/2, &v)
	default:
		vector.Radix5(bytes/2, &v)
	}
	return n
}

// odd completes the arguments of a pass of any odd radix, and computes it.
func (p *hostPass[T]) odd(v *vector.Args, beside int, conjugate bool) {
	var scratch [longPrime * vector.Width]byte
	bytes := int(unsafe.Sizeof(pair[T]{}))
	v.Half, v.Span, v.RootSpan = p.radix/2, p.radix*v.Apart, (p.radix-2)*bytes
	v.Y1, v.Y2, v.Y3 = beside, beside, (p.radix-1)*beside
	if conjugate {
		v.Y1, v.Y2, v.Y3 = v.Y3, -beside, beside
	}
	v.Consts, v.Scratch = unsafe.Pointer(&p.sums[0]), unsafe.Pointer(&scratch)
	vector.Odd(bytes/2, v)
}

// vectorRows is how many groups of rows4 it has computed.
func vectorRows[T float](p *hostPass[T], x, y []pair[T], a *places) int {
	n := a.times &^ (perVector[T]() - 1)
	if !vector.Has || n != a.times {
		return 0
	}
	_, _ = x[3*a.apart+n-1], y[4*n-1]
	bytes := int(unsafe.Sizeof(pair[T]{}))
	v := vector.Args{
		X: unsafe.Pointer(&x[0]), Y: unsafe.Pointer(&y[0]), Bytes: n * bytes, Apart: a.apart * bytes, Roots: unsafe.Pointer(&p.planes[0]), Y3: 1,
	}
	if a.conjugate {
		v.Y1, v.Y3 = v.Y3, v.Y1
	}
	vector.Rows4(bytes/2, &v)
	return n
}

// storeTiles stores, as storeRows, the first lanes, and of these the first numbers.
func (h *hostStep[T]) storeTiles(z, y []pair[T], turns []T, l int, b block) (whole, numbers int) {
	whole, numbers = b.lanes&^(perVector[T]()-1), h.M&^3
	if !vector.Has || whole == 0 || numbers == 0 {
		return 0, 0
	}
	sine := h.M*h.Lines + stepPad
	_, _, _ = z[(numbers-1)*b.wide+whole-1], y[(whole-1)*h.M+numbers-1], turns[sine+(numbers-1)*h.Lines+l+whole-1]
	size := int(unsafe.Sizeof(turns[0]))
	t := vector.Tile{
		Z: unsafe.Pointer(&z[0]), Y: unsafe.Pointer(&y[0]), Cos: unsafe.Pointer(&turns[l]), Sin: unsafe.Pointer(&turns[sine+l]),
		Numbers: numbers, Bytes: whole * 2 * size, ZStride: b.wide * 2 * size, CosStride: h.Lines * size, YStride: h.M * 2 * size,
	}
	if h.Conjugate {
		t.Sign = 1 << 63
		if size == 4 {
			t.Sign |= 1 << 31
		}
	}
	vector.Store(size, &t)
	return whole, numbers
}

// halfConsts are the constants of vector.Halves: the signs of the imaginary parts of both numbers and of the cosines, as numbers that
// are 0 or -0, and the factors of the parts of results.
func halfConsts[T float](a, b, cos, re, im T) (c [4 * vector.Width / 4]T) {
	per := vector.Width / int(unsafe.Sizeof(a))
	for i := 0; i < per; i += 2 {
		c[i+1], c[per+i+1] = 0*a, 0*b
		c[2*per+i], c[2*per+i+1] = 0*cos, 0*cos
		c[3*per+i], c[3*per+i+1] = re, im
	}
	return c
}

// halfVectors is how many numbers of a row from k to end it has computed, with those that are as far from number h as they are from
// the first.
func halfVectors[T float](z, to []pair[T], cos, sin []T, k, end, h int, consts [4 * vector.Width / 4]T) int {
	per := perVector[T]()
	n := (end - k) &^ (per - 1)
	if !vector.Has || n <= 0 {
		return 0
	}
	_, _, _, _, _ = z[k+n-1], z[h-k-n+1], to[k+n-1], cos[k+n-1], sin[k+n-1]
	size := int(unsafe.Sizeof(cos[0]))
	vector.Unpack(size, &vector.Halves{
		A: unsafe.Pointer(&z[k]), B: unsafe.Pointer(&z[h-k-per+1]), Y: unsafe.Pointer(&to[k]),
		Cos: unsafe.Pointer(&cos[k]), Sin: unsafe.Pointer(&sin[k]), Bytes: n * 2 * size, Consts: unsafe.Pointer(&consts),
	})
	return n
}
