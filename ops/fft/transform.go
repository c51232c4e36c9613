package fft

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// What a product gives of each number.
const (
	pairs     = 2 // real part and imaginary one
	realParts = 1
)

// dft is the transform of pairs x along the axis before the last; of the result the real parts alone, without an axis of parts, if
// parts says so.
func dft(x *ops.Node, conjugate bool, parts int) *ops.Node {
	shape := x.Shape()
	n := shape[len(shape)-2]
	f := factors(n)
	switch {
	case f == nil && parts == realParts:
		return firstPart(convolved(x, conjugate))
	case f == nil:
		return convolved(x, conjugate)
	case parts == realParts:
		shape = shape[:len(shape)-1]
	}
	return ops.Reshape(products(ops.Reshape(x, -1, f[0], n/f[0], 2), f, f[0], parts, conjugate), shape...)
}

// realDFT is the first half, n/2 + 1 pairs, of the transform of real numbers x along the last axis. Of the first factor's digits the half
// is computed, for element n - k is the conjugate of element k.
func realDFT(x *ops.Node, conjugate bool) *ops.Node {
	shape := x.Shape()
	n := shape[len(shape)-1]
	half := n/2 + 1
	shape = append(shape[:len(shape)-1:len(shape)-1], half, 2)
	f := factors(n)
	if f == nil {
		return build.Cut(convolved(paired(x), conjugate), -2, 0, half)
	}
	m := f[0]
	y := products(ops.Reshape(x, -1, m, n/m, 1), f, m/2+1, pairs, conjugate) // [a, n/m, m/2 + 1, 2]
	rows := (half + m - 1) / m                                               // of m elements, that have those wanted
	if m > 2 {
		other := ops.Flip(build.Cut(build.Cut(y, 2, 1, m-m/2), 1, n/m-rows, n/m), 1, 2)
		y = ops.Concat(2, build.Cut(y, 1, 0, rows), conjugated(other))
	}
	return ops.Reshape(build.Cut(ops.Reshape(y, -1, rows*m, 2), 1, 0, half), shape...)
}

// products transforms y, [a, f[0], n/f[0], 1 or 2 parts], by a matrix for each factor of n. The result is
// [a, n/f[0], digits, parts], for that many of the first factor's digits.
//
// Axes of a product: what is transformed apart (a), this factor (j), the rest (r), digits that are there already (B, C, ...), the
// part before (q) and after (t), and the digit that j becomes (k). Each product leaves its digit last, so that rows are long.
func products(y *ops.Node, f []int, digits, parts int, conjugate bool) *ops.Node {
	rest, first, made := y.Dim(2), digits, []int{-1}
	before, after := "", "" // letters of digits, and of the last one
	for i, m := range f[:len(f)-1] {
		y = ops.Einsum("ajr"+before+"q"+after+",jqkt->ar"+before+after+"tk", y, matrixOf(y, m, y.Dim(3+len(before)), digits, pairs, conjugate))
		y = turned(y, m, rest, conjugate)
		made, digits = append(made, digits), f[i+1]
		rest /= f[i+1]
		before, after = before+after, string(rune('B'+i))
		y = ops.Unflatten(y, 1, f[i+1], rest)
	}
	y = ops.Squeeze(y, 2)
	m := f[len(f)-1]
	y = ops.Einsum("aj"+before+"q"+after+",jqkt->a"+before+after+"kt", y, matrixOf(y, m, y.Dim(2+len(before)), digits, parts, conjugate))
	perm := []int{0} // the first digit is the least significant
	for axis := len(f); axis > 0; axis-- {
		perm = append(perm, axis)
	}
	y = ops.Transpose(ops.Reshape(y, append(made, digits, parts)...), append(perm, len(f)+1)...)
	others := 1
	for _, m := range f[1:] {
		others *= m
	}
	return ops.Reshape(y, -1, others, first, parts)
}

// turned is y, [a, rest, ..., 2, digits], with pair k of rest r multiplied by the root of unity k·r of factor·rest.
func turned(y *ops.Node, factor, rest int, conjugate bool) *ops.Node {
	digits := y.Dim(-1)
	cos, sin := make([]float64, rest*digits), make([]float64, 2*rest*digits)
	for r := range rest {
		for k := range digits {
			w := unit(k*r, factor*rest, conjugate)
			cos[r*digits+k], sin[2*r*digits+k], sin[(2*r+1)*digits+k] = real(w), -imag(w), imag(w)
		}
	}
	over := slices.Repeat([]int{1}, y.Rank()-1)
	over[0] = rest
	c, s := slices.Clone(over), slices.Clone(over)
	c[len(c)-1], s[len(s)-1], s[len(s)-2] = digits, digits, 2
	return multiplied(y, -2, constant(y, cos, c...), constant(y, sin, s...))
}

// multiplied are pairs, whose parts are along an axis, times complex numbers of which re has the real parts, and im the
// imaginary ones along that axis, first with the other sign.
func multiplied(x *ops.Node, parts int, re, im *ops.Node) *ops.Node {
	return ops.Add(ops.Mul(x, re), ops.Mul(ops.Flip(x, parts), im))
}

// matrixOf is what n numbers are multiplied by, [n, from, digits, to]: from and to are the parts of each before and after.
func matrixOf(like *ops.Node, n, from, digits, to int, conjugate bool) *ops.Node {
	m := make([]float64, n*from*digits*to)
	for j := range n {
		for k := range digits {
			w := unit(j*k, n, conjugate)
			for q, row := range [2][2]float64{{real(w), imag(w)}, {-imag(w), real(w)}} {
				if q < from {
					copy(m[((j*from+q)*digits+k)*to:], row[:to])
				}
			}
		}
	}
	return constant(like, m, n, from, digits, to)
}

// unit is root(k, n) or its conjugate.
func unit(k, n int, conjugate bool) complex128 {
	if conjugate {
		k = -k
	}
	return root(k, n)
}

// constant is a constant of the dtype of like.
func constant(like *ops.Node, values []float64, shape ...int) *ops.Node {
	t := tensor.Must(tensor.New(like.DType(), shape...))
	for i, v := range values {
		t.SetFloat64(i, v)
	}
	return like.Graph().Const(t)
}

// paired are real numbers as pairs with an imaginary part of 0.
func paired(x *ops.Node) *ops.Node {
	return ops.Pad(ops.ExpandDims(x, -1), 0, ops.Padding{Axis: -1, After: 1})
}

// firstPart are the real parts of pairs.
func firstPart(x *ops.Node) *ops.Node { return ops.Squeeze(build.Cut(x, -1, 0, 1), -1) }

// conjugated are pairs with the other sign of the imaginary parts.
func conjugated(x *ops.Node) *ops.Node { return ops.Mul(x, constant(x, []float64{1, -1}, 2)) }
