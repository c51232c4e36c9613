package linalg

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// Complex matrices are real ones of twice the extents, in which each element is a block:
//
//	[re -im]
//	[im  re]
//
// Sums, products and inverses of such matrices consist of such blocks again. So systems of complex equations are systems of real
// ones; where blocks replace the elements in place, the Cholesky factor consists of blocks too, because the factor with a positive
// diagonal is unique; and the eigenvalues of a Hermitian matrix occur twice.

// complexSquare reports what is wrong with a complex matrix, as the op of that name would.
func complexSquare(name string, a *ops.Node, others ...*ops.Node) *ops.Node {
	if s := a.Shape(); len(s) < 2 || s[len(s)-1] != s[len(s)-2] {
		return a.Graph().Fail(name, fmt.Errorf("a is %v, not a square matrix or a batch of them", s), append([]*ops.Node{a}, others...)...)
	}
	for _, b := range others {
		if b.DType() != a.DType() {
			return a.Graph().Fail(name, fmt.Errorf("dtypes are %v and %v", a.DType(), b.DType()), a, b)
		}
	}
	return nil
}

// isComplex reports whether x has complex elements; a node that has failed has none.
func isComplex(x *ops.Node) bool { return !build.Failed(x) && x.DType().IsComplex() }

// blocks is the real matrix of a complex one, with a block in the place of each element. A Hermitian matrix has a real diagonal,
// whatever stands there.
func blocks(a *ops.Node, hermitian bool) *ops.Node {
	re, im := ops.Real(a), ops.Imag(a)
	if hermitian {
		im = withDiagonal(im, ops.ScalarLike(im, 0))
	}
	x := ops.Stack(-3, ops.Stack(-1, re, ops.Neg(im)), ops.Stack(-1, im, re))
	s := slices.Clone(a.Shape())
	s[len(s)-2], s[len(s)-1] = 2*s[len(s)-2], 2*s[len(s)-1]
	return ops.Reshape(x, s...)
}

// columns is the first column of each block, as many as a complex matrix has.
func columns(b *ops.Node) *ops.Node {
	s := slices.Clone(b.Shape())
	x := ops.Stack(-2, ops.Real(b), ops.Imag(b)) // [..., n, 2, k]
	s[len(s)-2] *= 2
	return ops.Reshape(x, s...)
}

// fromColumns is the complex matrix of which x has the first column of each block.
func fromColumns(x *ops.Node) *ops.Node {
	if build.Failed(x) {
		return x
	}
	s := x.Shape()
	x = ops.Reshape(x, append(s[:len(s)-2:len(s)-2], s[len(s)-2]/2, 2, s[len(s)-1])...)
	part := func(i int) *ops.Node { return ops.Squeeze(ops.Narrow(x, -2, i, 1), -2) }
	return ops.Complex(part(0), part(1))
}

// complexInfo converts the step of the real decomposition, info, to the step of the complex one.
func complexInfo(info *ops.Node) *ops.Node { return ops.Div(ops.Add(info, 1), 2) }

func complexSolve(a, b *ops.Node, right bool) (x, info *ops.Node) {
	if f := complexSquare("linalg.solve", a, b); f != nil {
		return f, f
	}
	s := a.Shape()
	vectors := b.Rank() == 1 || slices.Equal(b.Shape(), s[:len(s)-1])
	if vectors {
		b = ops.ExpandDims(b, -1)
	} else if right {
		b = build.SwapLast(b)
	}
	if right { // aᵀ xᵀ = bᵀ
		a = build.SwapLast(a)
	}
	if !build.Failed(b) && (b.Rank() < 2 || b.Dim(-2) != s[len(s)-1]) {
		f := a.Graph().Fail("linalg.solve", fmt.Errorf("b is %v, which does not fit a of %v", b.Shape(), s), a, b)
		return f, f
	}
	x, info = SolveEx(blocks(a, false), columns(b), nil)
	if x = fromColumns(x); vectors {
		x = ops.Squeeze(x, -1)
	} else if right {
		x = build.SwapLast(x)
	}
	return x, complexInfo(info)
}

func complexInverse(a *ops.Node) (inverse, info *ops.Node) {
	if f := complexSquare("linalg.inverse", a); f != nil {
		return f, f
	}
	x, info := InverseEx(blocks(a, false))
	return firstColumns(x), complexInfo(info)
}

// firstColumns is the complex matrix of blocks x.
func firstColumns(x *ops.Node) *ops.Node {
	if build.Failed(x) {
		return x
	}
	s := x.Shape()
	each := ops.Reshape(x, append(s[:len(s)-1:len(s)-1], s[len(s)-1]/2, 2)...)
	return fromColumns(ops.Squeeze(ops.Narrow(each, -1, 0, 1), -1))
}

func complexCholesky(a *ops.Node, upper bool) (factor, info *ops.Node) {
	if f := complexSquare("linalg.cholesky", a); f != nil {
		return f, f
	}
	if upper { // Uᴴ U, of which the conjugate transpose is lower
		a = ops.Conj(build.SwapLast(a))
	}
	x, info := CholeskyEx(blocks(a, true), false)
	if factor = firstColumns(x); !build.Failed(factor) {
		im := ops.Imag(factor)
		factor = ops.Complex(ops.Real(factor), withDiagonal(im, ops.ScalarLike(im, 0)))
	}
	if upper {
		factor = ops.Conj(build.SwapLast(factor))
	}
	return factor, complexInfo(info)
}

func complexEigvalsh(a *ops.Node, upper bool) *ops.Node {
	if f := complexSquare("linalg.eigvalsh", a); f != nil {
		return f
	}
	w := Eigvalsh(blocks(a, true), upper)
	if build.Failed(w) {
		return w
	}
	s := w.Shape()
	pairs := ops.Reshape(w, append(s[:len(s)-1:len(s)-1], s[len(s)-1]/2, 2)...)
	return ops.Cast(ops.Mean(pairs, -1), realOf(a))
}

func realOf(a *ops.Node) tensor.DType { return ops.Real(a).DType() }
