package fft

import (
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// dft is the transform of pairs x, [..., 2], along an axis.
func dft(x *ops.Node, axis int, conjugate bool) *ops.Node {
	shape := x.Shape()
	n, inner := shape[axis], ir.Product(shape[axis+1:len(shape)-1])
	switch {
	case primesOf(n)[0] > longPrime:
		return inLast(x, axis, func(x *ops.Node) *ops.Node { return convolved(x, conjugate) })
	case inner > 1 && inner < leastInner:
		return inLast(x, axis, func(x *ops.Node) *ops.Node { return dft(x, x.Rank()-2, conjugate) })
	}
	batch := ir.Product(shape[:axis])
	return steps(x, batch, n, inner, conjugate, scaling{})
}

// steps is x, [batch, n, inner] pairs in memory, with n elements transformed, in the shape that x has. Only where inner is 1 they are scaled: x is then
// [..., len(before), 2], and the result [..., len(after), 2].
func steps(x *ops.Node, batch, n, inner int, conjugate bool, by scaling) *ops.Node {
	rest, longest := n, factor
	whole := &stepAttr{Batch: batch, M: n, Lines: inner, From: len(by.before), To: len(by.after)}
	switch {
	case whole.rowByRow(x.DType()) && (n <= stepMost || batch >= n/rowBlocks):
		longest = n
	case inner == 1 && batch < fewRows && n <= factor:
		longest = fewFactor
	case inner == 1 && batch >= manyRows && n <= stepMost:
		longest = stepMost
	case float64(batch)*float64(n)*float64(inner)*float64(2*x.DType().Size()) > manyBytes:
		longest = stepMost
	}
	groups := factors(n, longest)
	for i, m := range groups {
		rest /= m
		var now scaling
		if i == 0 {
			now.before = by.before
		}
		if i == len(groups)-1 {
			now.after = by.after
		}
		x = step(x, stepAttr{Batch: batch, M: m, Lines: rest * inner, Inner: inner, Turned: i < len(groups)-1, Conjugate: conjugate}, now)
		inner *= m
	}
	return x
}

// With few lines or rows most lanes of a vector would be idle.
const (
	leastInner = 8
	fewRows    = 8
	manyRows   = 64      // fill vectors of every unit: a longer step saves a pass over memory
	rowBlocks  = 64      // elements of a long row for each row at most: a group of a GPU has a row, few leave it idle
	manyBytes  = 4 << 20 // are read more slowly than the passes of longer steps take
)

// inLast is f of x with an axis behind the others but that of parts.
func inLast(x *ops.Node, axis int, f func(x *ops.Node) *ops.Node) *ops.Node {
	last := x.Rank() - 2
	return ops.MoveDim(f(ops.MoveDim(x, []int{axis}, []int{last})), []int{last}, []int{axis})
}

// realDFT is the first half, n/2 + 1 pairs, of the transform of real numbers x along the last axis.
func realDFT(x *ops.Node, conjugate bool) *ops.Node {
	shape := x.Shape()
	last := len(shape) - 1
	n, batch := shape[last], ir.Product(shape[:last])
	switch {
	case n%2 != 0:
		return build.Cut(dft(paired(x), last, conjugate), last, 0, n/2+1)
	case primesOf(n / 2)[0] > longPrime:
		x = ops.Reshape(dft(ops.Reshape(x, batch, n/2, 2), 1, false), shape...)
	default:
		x = steps(x, batch, n/2, 1, false, scaling{})
	}
	return unpacked(x, conjugate)
}

// realInverse are the n real numbers along the last axis of which x, [..., n/2 + 1, 2], is the first half of the transform of the other sign,
// not scaled.
func realInverse(x *ops.Node, n int, conjugate bool) *ops.Node {
	shape := x.Shape()
	last := len(shape) - 2
	batch := ir.Product(shape[:last])
	if n%2 != 0 {
		return firstPart(dft(wholeSpectrum(x, last, n), last, conjugate))
	}
	z := packedHalf(x, conjugate)
	if primesOf(n / 2)[0] > longPrime {
		shape = append(shape[:last:last], n)
		return ops.Reshape(dft(ops.Reshape(z, batch, n/2, 2), 1, true), shape...)
	}
	return steps(z, batch, n/2, 1, true, scaling{})
}

// multiplied are pairs, whose parts are along an axis, times complex numbers of which re has the real parts, and im the
// imaginary ones along that axis, first with the other sign.
func multiplied(x *ops.Node, parts int, re, im *ops.Node) *ops.Node {
	return ops.Add(ops.Mul(x, re), ops.Mul(ops.Flip(x, parts), im))
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
