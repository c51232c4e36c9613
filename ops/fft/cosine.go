package fft

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// CosineOptions say which cosine or sine transform is meant. The zero value and nil are type 2, scaled backward.
type CosineOptions struct {
	// Type is 1 to 4; 0 stands for 2.
	Type int
	// Norm is the scale: Backward and empty divide inverse transforms by 2n, of type 1 by 2(n-1) and 2(n+1); Forward the others; with Ortho
	// all are orthogonal.
	Norm Norm
}

// DCT returns the discrete cosine transform of the n real numbers in the last axis of x, for k = 0 ... n-1:
//
//	type 1   y[k] = x[0] + (-1)ᵏ x[n-1] + 2 Σ_j x[j] cos(π jk/(n-1)),  0 < j < n-1, for n > 1
//	type 2   y[k] = 2 Σ_j x[j] cos(π (2j+1)k / 2n)
//	type 3   y[k] = x[0] + 2 Σ_j x[j] cos(π j(2k+1) / 2n),  j > 0
//	type 4   y[k] = 2 Σ_j x[j] cos(π (2j+1)(2k+1) / 4n)
//
// x is float32 or float64. It has derivatives. Other axes are moved there by ops.MoveDim; transforms along several are one after the other. Errors:
// dtype; x is a scalar, or has no elements along the axis; the type or the norm is unknown.
// Source: SciPy, scipy.fft.dct; Makhoul, A Fast Cosine Transform in One and Two Dimensions (1980).
func DCT(x *ops.Node, o *CosineOptions) *ops.Node { return cosine("fft.DCT", x, o, false, false) }

// IDCT is the inverse of [DCT] of the same type and norm.
func IDCT(x *ops.Node, o *CosineOptions) *ops.Node { return cosine("fft.IDCT", x, o, false, true) }

// DST returns the discrete sine transform of the n real numbers in the last axis of x, for k = 0 ... n-1:
//
//	type 1   y[k] = 2 Σ_j x[j] sin(π (j+1)(k+1)/(n+1))
//	type 2   y[k] = 2 Σ_j x[j] sin(π (2j+1)(k+1) / 2n)
//	type 3   y[k] = (-1)ᵏ x[n-1] + 2 Σ_j x[j] sin(π (j+1)(2k+1) / 2n),  j < n-1
//	type 4   y[k] = 2 Σ_j x[j] sin(π (2j+1)(2k+1) / 4n)
//
// Otherwise as [DCT].
func DST(x *ops.Node, o *CosineOptions) *ops.Node { return cosine("fft.DST", x, o, true, false) }

// IDST is the inverse of [DST] of the same type and norm.
func IDST(x *ops.Node, o *CosineOptions) *ops.Node { return cosine("fft.IDST", x, o, true, true) }

func cosine(name string, x *ops.Node, o *CosineOptions, sine, inverse bool) *ops.Node {
	if build.Failed(x) {
		return x
	}
	kind, norm := 2, Backward
	if o != nil {
		if o.Type != 0 {
			kind = o.Type
		}
		if o.Norm != "" {
			norm = o.Norm
		}
	}
	fail := func(format string, args ...any) *ops.Node {
		return x.Graph().Fail(name, fmt.Errorf(format, args...), x)
	}
	switch {
	case x.DType() != tensor.Float32 && x.DType() != tensor.Float64:
		return fail("x is %v, not float32 or float64", x.DType())
	case x.Rank() == 0 || x.Dim(-1) == 0:
		return fail("x is %v, without elements along a last axis", x.Shape())
	case kind < 1 || kind > 4:
		return fail("there is no type %d", kind)
	case kind == 1 && !sine && x.Dim(-1) < 2:
		return fail("x is %v: type 1 needs two elements", x.Shape())
	case norm != Backward && norm != Forward && norm != Ortho:
		return fail("the norm %q is not backward, forward or ortho", norm)
	}
	n := x.Dim(-1)
	whole := float64(2 * n) // a transform and its inverse, not scaled, multiply by it
	if kind == 1 && sine {
		whole = float64(2 * (n + 1))
	} else if kind == 1 {
		whole = float64(2 * (n - 1))
	}
	if inverse && (kind == 2 || kind == 3) {
		kind = 5 - kind
	}
	scale := 1.0
	switch {
	case norm == Ortho:
		scale = 1 / math.Sqrt(whole)
	case inverse == (norm == Backward):
		scale = 1 / whole
	}
	// Of an orthogonal transform elements that others stand for twice are √2 of them.
	edge := 0
	if sine {
		edge = n - 1
	}
	root2 := func(x *ops.Node, by float64, at ...int) *ops.Node {
		w := make([]float64, n)
		for i := range w {
			w[i] = 1
		}
		for _, i := range at {
			w[i] = by
		}
		return ops.Mul(x, constant(x, w, n))
	}
	ortho := norm == Ortho
	switch {
	case ortho && kind == 3:
		x = root2(x, math.Sqrt2, edge)
	case ortho && kind == 1 && !sine:
		x = root2(x, math.Sqrt2, 0, n-1)
	}
	if sine {
		x = sineOf(x, kind)
	} else {
		x = cosineOf(x, kind)
	}
	switch {
	case ortho && kind == 2:
		x = root2(x, math.Sqrt2/2, edge)
	case ortho && kind == 1 && !sine:
		x = root2(x, math.Sqrt2/2, 0, n-1)
	}
	if scale != 1 {
		x = ops.Mul(x, scale)
	}
	return x
}

// cosineOf is a transform that is not scaled.
func cosineOf(x *ops.Node, kind int) *ops.Node {
	n := x.Dim(-1)
	switch kind {
	case 1: // of x and its mirror image without the ends
		if n > 2 {
			x = ops.Concat(-1, x, ops.Flip(build.Cut(x, -1, 1, n-1), -1))
		}
		return firstPart(RFFT(x, nil))
	case 2:
		return fromHalf(turnedBy(RFFT(shuffled(x), nil), n, false), n)
	case 3:
		v := turnedBy(toHalf(x), n, true)
		return unshuffled(IRFFT(v, &Options{Sizes: []int{n}, Norm: Forward}))
	}
	re, _ := quarterTurned(x)
	return re
}

// sineOf is a transform that is not scaled.
func sineOf(x *ops.Node, kind int) *ops.Node {
	n := x.Dim(-1)
	switch kind {
	case 1: // of x and its negative mirror image, with zeros between
		zero := ops.ZerosLike(build.Cut(x, -1, 0, 1))
		y := RFFT(ops.Concat(-1, zero, x, zero, ops.Neg(ops.Flip(x, -1))), nil)
		return ops.Neg(ops.Squeeze(build.Cut(build.Cut(y, -1, 1, 2), -2, 1, n+1), -1))
	case 2:
		return ops.Flip(cosineOf(alternating(x), 2), -1)
	case 3:
		return alternating(cosineOf(ops.Flip(x, -1), 3))
	}
	_, im := quarterTurned(x)
	return ops.Neg(im)
}

// shuffled has the even elements first, and then the odd ones from behind.
func shuffled(x *ops.Node) *ops.Node {
	n := x.Dim(-1)
	if n < 3 {
		return x
	}
	even := ops.Slice(x, ops.Range{Axis: -1, Start: 0, Stop: n, Step: 2})
	odd := ops.Slice(x, ops.Range{Axis: -1, Start: 1, Stop: n, Step: 2})
	return ops.Concat(-1, even, ops.Flip(odd, -1))
}

// unshuffled is the inverse of shuffled.
func unshuffled(x *ops.Node) *ops.Node {
	n := x.Dim(-1)
	if n < 3 {
		return x
	}
	half := (n + 1) / 2
	even, odd := build.Cut(x, -1, 0, half), ops.Flip(build.Cut(x, -1, half, n), -1)
	if n%2 != 0 {
		odd = ops.Pad(odd, 0, ops.Padding{Axis: odd.Rank() - 1, After: 1})
	}
	both := ops.Stack(-1, even, odd)
	s := x.Shape()
	s[len(s)-1] = 2 * half
	return build.Cut(ops.Reshape(both, s...), -1, 0, n)
}

// turnedBy multiplies pairs k along the axis before the last by exp(-πi k/2n), or its conjugate.
func turnedBy(x *ops.Node, n int, conjugate bool) *ops.Node {
	w := make([]complex128, x.Dim(-2))
	for k := range w {
		w[k] = unit(k, 4*n, conjugate)
	}
	return times(x, w)
}

// fromHalf are twice the real parts of the pairs of half a spectrum, and from behind -2 times the imaginary ones, n in all.
func fromHalf(x *ops.Node, n int) *ops.Node {
	re, rest := ops.Mul(firstPart(x), 2), n-x.Dim(-2)
	if rest == 0 {
		return re
	}
	im := ops.Mul(ops.Squeeze(build.Cut(x, -1, 1, 2), -1), -2)
	return ops.Concat(-1, re, ops.Flip(build.Cut(im, -1, 1, 1+rest), -1))
}

// toHalf are the pairs x[k] - i x[n-k] of the first half of n numbers, where x[n] is 0.
func toHalf(x *ops.Node) *ops.Node {
	n := x.Dim(-1)
	if n == 1 {
		return ops.Stack(-1, x, ops.ZerosLike(x))
	}
	half := n/2 + 1
	back := ops.Pad(ops.Flip(build.Cut(x, -1, 1, n), -1), 0, ops.Padding{Axis: x.Rank() - 1, Before: 1})
	return ops.Stack(-1, build.Cut(x, -1, 0, half), ops.Neg(build.Cut(back, -1, 0, half)))
}

// alternating has the other sign in every second element.
func alternating(x *ops.Node) *ops.Node {
	w := make([]float64, x.Dim(-1))
	for i := range w {
		w[i] = float64(1 - 2*(i%2))
	}
	return ops.Mul(x, constant(x, w, len(w)))
}

// quarterTurned are the parts of 2 Σ_j x[j] exp(-πi (2j+1)(2k+1)/4n), by a transform of twice the length.
func quarterTurned(x *ops.Node) (re, im *ops.Node) {
	n := x.Dim(-1)
	before, after := make([]complex128, n), make([]complex128, n)
	for j := range n {
		before[j], after[j] = 2*root(j, 4*n), root(2*j+1, 8*n)
	}
	y := times(paired(x), before)
	y = ops.Pad(y, 0, ops.Padding{Axis: y.Rank() - 2, After: n})
	y = times(build.Cut(FFT(y, nil), -2, 0, n), after)
	return firstPart(y), ops.Squeeze(build.Cut(y, -1, 1, 2), -1)
}
